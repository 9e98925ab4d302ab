/* SPDX-License-Identifier: MIT */
#include "tests/support/child.h"

#include <sys/wait.h>
#include <unistd.h>

static void be_child(int to, void (*body)(void *arg), void *arg)
{
	if (dup2(to, STDERR_FILENO) < 0)
		_exit(126);
	body(arg);
	_exit(0);
}

int child_run(void (*body)(void *arg), void *arg, char *said, size_t room)
{
	int ends[2];
	int status = 0;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	said[0] = '\0';
	if (pipe(ends) != 0)
		return -1;
	pid = fork();
	if (pid == 0)
		be_child(ends[1], body, arg);
	(void)close(ends[1]);
	while (len + 1 < room && (n = read(ends[0], said + len, room - 1 - len)) > 0)
		len += (size_t)n;
	said[len] = '\0';
	(void)close(ends[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
