/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/link/transport_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/transport_ops.h"

#define QUIET_MS 400

struct process {
	struct transport base;
	pid_t pid;         /* 0: none runs */
	int in, out, said; /* our ends of its standard streams, -1: closed */
	int wake_fd;
	bool is_bunched;
	bool is_lost_when_ready;
	bool is_lost;
};

static atomic_uint openings;
static atomic_uint openings_max;

static struct process *of(struct transport *t)
{
	return (struct process *)t;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static void hangup(struct transport *t)
{
	struct process *p = of(t);

	close_fd(&p->in);
	close_fd(&p->out);
	close_fd(&p->said);
	if (p->pid > 0) {
		/* A real host's process would live on until it sees the end of its input. */
		for (int i = 0; i < 100 && waitpid(p->pid, NULL, WNOHANG) == 0; i++)
			(void)usleep(10000);
		(void)kill(p->pid, SIGKILL);
		(void)waitpid(p->pid, NULL, 0);
	}
	p->pid = 0;
	transport_came_close(t);
}

static void run(const char *command, const int in[2], const int out[2], const int said[2])
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
	    dup2(said[1], STDERR_FILENO) >= 0)
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* And resets it, as the real one does. */
static bool is_woken(const struct process *p)
{
	struct pollfd wake = {.fd = p->wake_fd, .events = POLLIN};
	eventfd_t count;

	return poll(&wake, 1, 0) > 0 && eventfd_read(p->wake_fd, &count) == 0;
}

static bool exec(struct transport *t, const char *command, uint64_t deadline_ns, struct err *err)
{
	struct process *p = of(t);
	int in[2];
	int out[2];
	int said[2];

	(void)deadline_ns;
	if (is_woken(p))
		return err_set(err, ERR_CANCELLED, "given up");
	hangup(t);
	transport_reset(t);
	if (pipe2(in, O_CLOEXEC | O_NONBLOCK) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
	    pipe2(said, O_CLOEXEC) != 0)
		return err_set_errno(err, errno, "pipe");
	(void)fcntl(in[0], F_SETFL, 0); /* only our end does not block */
	p->pid = fork();
	if (p->pid == 0)
		run(command, in, out, said);
	(void)close(in[0]);
	(void)close(out[1]);
	(void)close(said[1]);
	p->in = in[1];
	p->out = out[0];
	p->said = said[0];
	return p->pid > 0 || err_set_errno(err, errno, "fork");
}

static void take(struct process *p, int *fd, bool is_said)
{
	char data[1024];
	ssize_t n = read(*fd, data, sizeof(data));

	if (n > 0 && is_said)
		transport_came_stderr(&p->base, data, (size_t)n);
	else if (n > 0)
		transport_came_output(&p->base, data, (size_t)n);
	else
		close_fd(fd);
	if (n <= 0 && !is_said)
		transport_came_eof(&p->base);
}

/* What comes while there are less than QUIET_MS in between. */
static void take_bunch(struct process *p)
{
	struct pollfd fd = {.fd = p->out, .events = POLLIN};

	do
		take(p, &p->out, false);
	while (p->out >= 0 && poll(&fd, 1, QUIET_MS) > 0);
}

static void reap(struct process *p)
{
	int status;

	if (p->pid <= 0 || waitpid(p->pid, &status, WNOHANG) == 0)
		return;
	p->pid = 0;
	if (WIFSIGNALED(status))
		transport_came_signal(&p->base, sigabbrev_np(WTERMSIG(status)));
	else
		transport_came_status(&p->base, WEXITSTATUS(status));
}

static bool pump(struct transport *t, uint64_t until_ns, struct err *err)
{
	struct process *p = of(t);
	struct pollfd fds[3] = {{.fd = p->out, .events = POLLIN},
	                        {.fd = p->said, .events = POLLIN},
	                        {.fd = p->wake_fd, .events = POLLIN}};
	int ms = wait_ms(until_ns);

	if (p->pid > 0 && ms > 20 && !p->is_bunched)
		ms = 20; /* its end makes nothing readable */
	while (poll(fds, 3, ms) == 0 && p->is_bunched && clock_now_ns() < until_ns)
		continue;
	if (fds[0].revents != 0 && p->is_bunched)
		take_bunch(p);
	else if (fds[0].revents != 0)
		take(p, &p->out, false);
	if (fds[1].revents != 0)
		take(p, &p->said, true);
	(void)is_woken(p);
	reap(p);
	if (p->is_lost_when_ready && strstr(text_str(&t->out), "ready ") != NULL)
		p->is_lost = true;
	if (p->is_lost)
		return err_set(err, ERR_REMOTE, "the SSH connection was closed: test");
	return true;
}

static size_t write_some(struct transport *t, const void *data, size_t len)
{
	struct process *p = of(t);
	ssize_t n = p->in < 0 ? 0 : write(p->in, data, len);

	if (n <= 0)
		return 0;
	t->taken += (uint64_t)n;
	return (size_t)n;
}

static void end_input(struct transport *t)
{
	close_fd(&of(t)->in);
}

static void close_all(struct transport *t)
{
	hangup(t);
	free(t);
}

static const struct transport_ops ops = {
	.exec = exec,
	.pump = pump,
	.write = write_some,
	.end_input = end_input,
	.hangup = hangup,
	.close = close_all,
};

static void be_slow(void)
{
	unsigned now = atomic_fetch_add(&openings, 1) + 1;
	unsigned max = atomic_load(&openings_max);

	while (now > max && !atomic_compare_exchange_weak(&openings_max, &max, now))
		continue;
	(void)usleep(50000);
	(void)atomic_fetch_sub(&openings, 1);
}

unsigned process_openings(void)
{
	return atomic_load(&openings_max);
}

static void wait_silently(const struct wait_limit *limit, struct err *err)
{
	if (wait_for(-1, 0, limit) == WAIT_WOKEN)
		(void)err_set(err, ERR_CANCELLED, "given up");
	else
		(void)err_set(err, ERR_TIMEOUT, "no answer");
}

struct transport *process_open(const struct link_host *host, const struct wait_limit *limit,
                               struct transport_info *info, struct err *err)
{
	const struct link_target *target = &host->target;
	struct process *p;

	info->stage = TRANSPORT_CONNECTING;
	if (strcmp(target->address, "slow") == 0)
		be_slow();
	if (strcmp(target->address, "silent") == 0) {
		wait_silently(limit, err);
		return NULL;
	}
	if (strcmp(target->address, "refused") == 0 || strcmp(target->address, "slow") == 0) {
		(void)err_set(err, ERR_REMOTE, "connect: refused");
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		abort();
	p->base.ops = &ops;
	p->in = p->out = p->said = -1;
	p->wake_fd = limit->wake_fd;
	p->is_bunched = strcmp(target->address, "bunched") == 0;
	p->is_lost_when_ready = strcmp(target->address, "lost") == 0;
	info->stage = TRANSPORT_OPEN;
	(void)strncpy(info->address, "127.0.0.1:22", sizeof(info->address) - 1);
	(void)strncpy(info->host_key, "ssh-ed25519 SHA256:x", sizeof(info->host_key) - 1);
	(void)strncpy(info->login, "key /k", sizeof(info->login) - 1);
	return &p->base;
}
