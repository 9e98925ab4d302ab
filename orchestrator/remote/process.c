/* SPDX-License-Identifier: MIT */
#include "remote/process.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/oom.h"

#define TAKE_BYTES  16384
#define TAKE_MAX    (256 * (size_t)1024) /* unread output beyond which a child has to wait */
#define PATIENCE_MS 200u                 /* for a command that is given up */
/* The end of a process makes nothing readable, but its last stream's end does as a rule. */
#define LOOK_MS      100u
#define LOOK_SOON_MS 5u

/* What a shell and an agent may see of our environment. */
static const char *const names[] = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", NULL};

struct local {
	struct process process;
	struct arena arena;
	char **env;
};

static struct process *of(struct transport *base)
{
	return (struct process *)base;
}

bool process_start(struct process *p, const char *const argv[], char *const env[], struct err *err)
{
	process_hangup(&p->base);
	transport_reset(&p->base);
	p->wants_room = false;
	return child_start(&p->child, argv, env, err);
}

static bool is_full(const struct process *p)
{
	return p->base.out.len - p->base.out_read >= TAKE_MAX;
}

/* False when there is no more for now. */
static bool take(struct process *p, int *fd)
{
	char data[TAKE_BYTES];
	bool is_out = fd == &p->child.out;
	size_t n = is_out && is_full(p) ? 0 : child_read(fd, data, sizeof(data));

	if (n > 0 && is_out)
		transport_came_output(&p->base, data, n);
	else if (n > 0)
		transport_came_stderr(&p->base, data, n);
	if (is_out && *fd < 0)
		transport_came_eof(&p->base);
	return n > 0;
}

static void reset_wake(const struct process *p)
{
	eventfd_t count;

	(void)eventfd_read(p->wake_fd, &count);
}

static uint64_t look_again(const struct process *p, uint64_t until_ns)
{
	bool is_silent = p->child.out < 0 && p->child.said < 0;
	uint64_t ms = is_silent ? LOOK_SOON_MS : LOOK_MS;
	uint64_t look_ns = clock_now_ns() + ms * CLOCK_NS_PER_MS;

	return p->child.pid > 0 && look_ns < until_ns ? look_ns : until_ns;
}

void process_wait(struct process *p, int other_fd, uint64_t until_ns)
{
	struct pollfd fds[] = {{.fd = is_full(p) ? -1 : p->child.out, .events = POLLIN},
	                       {.fd = p->child.said, .events = POLLIN},
	                       {.fd = p->wants_room ? p->child.in : -1, .events = POLLOUT},
	                       {.fd = p->wake_fd, .events = POLLIN},
	                       {.fd = other_fd, .events = POLLIN}};

	if (poll(fds, COUNT_OF(fds), wait_ms(look_again(p, until_ns))) <= 0)
		return; /* the time is up, or a signal came */
	if (fds[0].revents != 0)
		(void)take(p, &p->child.out);
	if (fds[1].revents != 0)
		(void)take(p, &p->child.said);
	if (fds[2].revents != 0)
		p->wants_room = false;
	if (fds[3].revents != 0)
		reset_wake(p);
}

bool process_ended(struct process *p, int *status)
{
	if (is_full(p) || !child_reap(&p->child, status))
		return false;
	/* What it wrote lies in the pipes. Others that hold them are not waited for. */
	while (take(p, &p->child.out))
		continue;
	while (take(p, &p->child.said))
		continue;
	return true;
}

static const char *signal_name(int number, char out[TRANSPORT_SIGNAL_BYTES])
{
	static const struct {
		int number;
		const char *name; /* RFC 4254, section 6.10 */
	} signals[] = {{SIGABRT, "ABRT"}, {SIGALRM, "ALRM"}, {SIGFPE, "FPE"},   {SIGHUP, "HUP"},
	               {SIGILL, "ILL"},   {SIGINT, "INT"},   {SIGKILL, "KILL"}, {SIGPIPE, "PIPE"},
	               {SIGQUIT, "QUIT"}, {SIGSEGV, "SEGV"}, {SIGTERM, "TERM"}, {SIGBUS, "BUS"}};

	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		if (signals[i].number == number)
			return signals[i].name;
	}
	(void)snprintf(out, TRANSPORT_SIGNAL_BYTES, "%d", number);
	return out;
}

void process_tell(struct process *p, int status)
{
	char name[TRANSPORT_SIGNAL_BYTES];

	if (WIFSIGNALED(status))
		transport_came_signal(&p->base, signal_name(WTERMSIG(status), name));
	else
		transport_came_status(&p->base, WEXITSTATUS(status));
	transport_came_close(&p->base);
}

size_t process_write(struct transport *base, const void *data, size_t len)
{
	struct process *p = of(base);
	size_t n = child_write(&p->child, data, len);

	p->wants_room = n < len && p->child.in >= 0;
	base->taken += n;
	return n;
}

void process_end_input(struct transport *base)
{
	child_end_input(&of(base)->child);
}

void process_hangup(struct transport *base)
{
	struct process *p = of(base);

	if (p->child.pid > 0)
		transport_came_close(base);
	child_end(&p->child, PATIENCE_MS);
}

/* ---- this machine ---- */

static bool local_exec(struct transport *base, const char *command, uint64_t deadline_ns,
                       struct err *err)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};

	(void)deadline_ns; /* starting a shell waits for nobody */
	return process_start(of(base), argv, ((struct local *)base)->env, err) ||
	       err_prefix(err, "start a command");
}

static bool local_pump(struct transport *base, uint64_t until_ns, struct err *err)
{
	int status;

	(void)err; /* there is no connection to be lost */
	process_wait(of(base), -1, until_ns);
	if (process_ended(of(base), &status))
		process_tell(of(base), status);
	return true;
}

static void local_close(struct transport *base)
{
	struct local *l = (struct local *)base;

	process_hangup(base);
	arena_done(&l->arena);
	free(l);
}

static const struct transport_ops local_ops = {
	.exec = local_exec,
	.pump = local_pump,
	.write = process_write,
	.end_input = process_end_input,
	.hangup = process_hangup,
	.close = local_close,
};

struct transport *process_transport_open(const struct wait_limit *limit,
                                         struct transport_info *info, struct err *err)
{
	struct local *l = calloc(1, sizeof(*l));

	(void)err;
	if (l == NULL)
		oom_end();
	memset(info, 0, sizeof(*info));
	l->process.base.ops = &local_ops;
	l->process.child = CHILD_NONE;
	l->process.wake_fd = limit->wake_fd;
	l->env = child_environment(&l->arena, names, NULL, NULL);
	info->stage = TRANSPORT_OPEN;
	(void)snprintf(info->config, sizeof(info->config), "-");
	(void)snprintf(info->address, sizeof(info->address), PROCESS_HOST);
	(void)snprintf(info->login, sizeof(info->login), PROCESS_HOST);
	return &l->process.base;
}
