/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/hostops/shells.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/attr.h"

#define PRIVATE_OPTIONS "size=6m,mode=1777"

const struct shell shells[] = {
	{"sh", "/bin/sh", NULL},
	{"dash", "/bin/dash", NULL},
	{"bash", "/bin/bash", NULL},
	{"zsh", "/bin/zsh", NULL},
	{"ksh", "/bin/ksh", NULL},
	{"mksh", "/bin/mksh", NULL},
	{"tcsh", "/bin/tcsh", NULL},
	{"fish", "/usr/bin/fish", NULL},
	{"busybox ash", "/bin/busybox", "ash"},
	{NULL, NULL, NULL},
};

static const char *const folders[] = {"/tmp", "/var/tmp", "/root", "/dev/shm", "/run", "/mnt"};

bool shell_is_there(const struct shell *s)
{
	return access(s->path, X_OK) == 0;
}

bool shell_has_namespaces(void)
{
	return geteuid() == 0 && access("/proc/self/ns/mnt", F_OK) == 0;
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	(void)fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(99);
}

static bool is_listed(const char *folder, const char *const list[6])
{
	for (size_t i = 0; i < 6 && list[i] != NULL; i++) {
		if (strcmp(list[i], folder) == 0)
			return true;
	}
	return false;
}

static void fill(const char *folder)
{
	static const char block[65536];
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/filler", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	must(fd >= 0, path);
	while (write(fd, block, sizeof(block)) > 0)
		continue;
	(void)close(fd);
}

static void make_pools(const char *names)
{
	int fd = open("/mnt/a file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	must(fd >= 0, "a file in /mnt");
	(void)close(fd);
	for (const char *at = names; *at != '\0'; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		char path[64];

		(void)snprintf(path, sizeof(path), "/mnt/%.*s", (int)len, at);
		must(mkdir(path, 0700) == 0, path);
		at += len;
	}
}

static void make_namespace(const struct shell_run *run)
{
	must(unshare(CLONE_NEWNS) == 0, "unshare");
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount /");
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		unsigned long flags = is_listed(folders[i], run->noexec) ? MS_NOEXEC : 0;

		must(mount("tmpfs", folders[i], "tmpfs", flags, PRIVATE_OPTIONS) == 0, folders[i]);
		if (run->full != NULL && strcmp(run->full, folders[i]) == 0)
			fill(folders[i]);
	}
	if (run->pools != NULL)
		make_pools(run->pools);
	if (run->sh != NULL)
		must(mount(run->sh, "/bin/sh", NULL, MS_BIND, NULL) == 0, run->sh);
	for (size_t i = 0; i < COUNT_OF(run->hidden) && run->hidden[i] != NULL; i++) {
		if (access(run->hidden[i], F_OK) == 0)
			must(mount("/dev/null", run->hidden[i], NULL, MS_BIND, NULL) == 0,
			     run->hidden[i]);
	}
}

static int count_left(const char *name)
{
	int count = 0;

	for (size_t i = 0; name != NULL && i < COUNT_OF(folders); i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		count += access(path, F_OK) == 0;
	}
	return count;
}

/* Some shells complain of a home that is not theirs: standard error is nobody's. */
static void become(const struct shell *s, const char *line, int in, int out)
{
	int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	must(dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	             dup2(null_fd, STDERR_FILENO) >= 0,
	     "dup2");
	if (s->applet != NULL)
		(void)execl(s->path, s->path, s->applet, "-c", line, (char *)NULL);
	else
		(void)execl(s->path, s->path, "-c", line, (char *)NULL);
	must(false, s->path);
}

/* In the namespace: runs the line, then looks what stayed. What the command says goes
 * straight to `out`; the answer to the caller follows it. */
static void run_inside(const struct shell *s, const char *line, const struct shell_run *run,
                       int out)
{
	size_t len = run->cut_at > 0 ? run->cut_at : run->input_len;
	int answer[2] = {-1, -1};
	int status = 0;
	int in[2];
	pid_t pid;

	must(pipe2(in, O_CLOEXEC) == 0, "pipe");
	(void)signal(SIGPIPE, SIG_IGN);
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0) {
		(void)signal(SIGPIPE, SIG_DFL);
		become(s, line, in[0], out);
	}
	(void)close(in[0]);
	for (size_t sent = 0; sent < len;) {
		ssize_t n = write(in[1], run->input + sent, len - sent);

		if (n <= 0)
			break; /* it does not read: its business */
		sent += (size_t)n;
	}
	if (run->signal != 0) {
		(void)usleep(40000); /* so that it is in the middle of reading */
		(void)kill(pid, run->signal);
	}
	(void)close(in[1]);
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	answer[0] = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	answer[1] = count_left(run->name);
	must(write(out, answer, sizeof(answer)) == (ssize_t)sizeof(answer), "write");
	_exit(0);
}

void shell_run(const struct shell *s, const char *line, struct shell_run *run)
{
	int answer[2] = {-2, -2};
	size_t len = 0;
	ssize_t n;
	int out[2];
	pid_t pid;

	must(pipe2(out, O_CLOEXEC) == 0, "pipe");
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0) {
		must(setenv("HOME", run->home == NULL ? "/root" : run->home, 1) == 0, "setenv");
		if (shell_has_namespaces())
			make_namespace(run);
		run_inside(s, line, run, out[1]);
	}
	(void)close(out[1]);
	while ((n = read(out[0], run->said + len, sizeof(run->said) - 1 - len)) > 0)
		len += (size_t)n;
	(void)close(out[0]);
	(void)waitpid(pid, NULL, 0);
	if (len >= sizeof(answer)) {
		len -= sizeof(answer);
		memcpy(answer, run->said + len, sizeof(answer));
	}
	run->said[len] = '\0';
	run->status = answer[0];
	run->left = answer[1];
}
