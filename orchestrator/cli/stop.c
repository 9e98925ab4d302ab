/* SPDX-License-Identifier: MIT */
#include "cli/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_uint level;
static int pipe_fds[2] = {-1, -1};
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static void on_signal(int signo)
{
	int saved = errno;
	unsigned now = atomic_load(&level);

	if (signo != SIGINT)
		atomic_store(&level, 2);
	else if (now < 2)
		atomic_store(&level, now + 1);
	(void)!write(pipe_fds[1], "", 1);
	errno = saved;
}

bool stop_install(int *wake_fd, struct err *err)
{
	struct sigaction sa;

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, errno, "pipe");
	atomic_store(&level, 0);
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	(void)sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < COUNT_OF(signals); i++)
		(void)sigaction(signals[i], &sa, NULL);
	*wake_fd = pipe_fds[0];
	return true;
}

void stop_remove(void)
{
	for (size_t i = 0; i < COUNT_OF(signals); i++)
		(void)signal(signals[i], SIG_DFL);
	for (int i = 0; i < 2; i++) {
		if (pipe_fds[i] >= 0)
			(void)close(pipe_fds[i]);
		pipe_fds[i] = -1;
	}
}

unsigned stop_level(void *ctx)
{
	char drop[16];

	(void)ctx;
	while (read(pipe_fds[0], drop, sizeof(drop)) > 0) {
	}
	return atomic_load(&level);
}

unsigned stop_seen(void)
{
	return atomic_load(&level);
}
