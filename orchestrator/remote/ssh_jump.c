/* SPDX-License-Identifier: MIT */
/*
 * ssh_jump.c - the session to one jump host: a thread that opens it, then carries the
 * connections through it.
 *
 * Those that want a connection put a request into its list and wait for the answer. Whoever
 * comes last, the thread or the one that waits, frees it.
 */
#include "remote/ssh_jump.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/oom.h"
#include "remote/carrier.h"
#include "remote/proxy_command.h"
#include "remote/ssh_forward.h"
#include "remote/ssh_jump_parts.h"

#define STACK_BYTES (256 * (size_t)1024)
/* Opening ends so long before those who wait for it give up: they are told why. */
#define MARGIN_NS (300 * CLOCK_NS_PER_MS)
/* A failure is told to those who come so long after it; the next one tries again. */
#define FAILURE_NS (2 * CLOCK_NS_PER_S)
#define LOOK_NS    CLOCK_NS_PER_S

struct ssh_jump_request {
	struct ssh_jump_request *next;
	struct ssh_jump *jump;
	struct ssh_forward_request forward; /* its fd is closed by whoever frees it, unless -1 */
	int answer_fd;                      /* eventfd */
	/* Under the jump's lock: */
	bool is_answered, is_abandoned;
	struct err why; /* ERR_NONE: it is open */
};

/* What a connection knows of the session that carries it. */
struct jump_carrier {
	struct carrier base;
	struct ssh_jump *jump;
	uint64_t life;
};

/* ---- requests ------------------------------------------------------------------- */

static void request_free(struct ssh_jump_request *r)
{
	if (r->forward.fd >= 0)
		(void)close(r->forward.fd);
	if (r->answer_fd >= 0)
		(void)close(r->answer_fd);
	free(r);
}

/* *fd is the caller's end of the connection. */
static struct ssh_jump_request *request_new(struct ssh_jump *j, const char *host, uint32_t port,
                                            int *fd, struct err *err)
{
	struct ssh_jump_request *r = calloc(1, sizeof(*r));
	int ends[2];

	if (r == NULL)
		oom_end();
	r->jump = j;
	r->forward.fd = -1;
	r->forward.port = port;
	(void)snprintf(r->forward.host, sizeof(r->forward.host), "%s", host);
	r->answer_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->answer_fd >= 0 &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0) {
		*fd = ends[0];
		r->forward.fd = ends[1];
		return r;
	}
	(void)err_set_errno(err, errno, "a socket for the connection through %s", j->name);
	request_free(r);
	return NULL;
}

/* The thread's last word on it. Under the lock. */
static void answer_locked(struct ssh_jump_request *r, const struct err *why)
{
	if (why != NULL)
		r->why = *why;
	r->is_answered = true;
	if (r->is_abandoned)
		request_free(r);
	else
		(void)eventfd_write(r->answer_fd, 1);
}

static void on_answer(void *arg, const struct err *why)
{
	struct ssh_jump_request *r = arg;
	struct ssh_jump *j = r->jump;

	(void)pthread_mutex_lock(&j->lock);
	answer_locked(r, why);
	(void)pthread_mutex_unlock(&j->lock);
}

static struct ssh_jump_request *take_requests(struct ssh_jump *j)
{
	struct ssh_jump_request *first;

	(void)pthread_mutex_lock(&j->lock);
	first = j->first;
	j->first = NULL;
	j->last = &j->first;
	(void)pthread_mutex_unlock(&j->lock);
	return first;
}

/* ---- the thread ----------------------------------------------------------------- */

/* What became of opening. */
struct opened {
	struct transport *t; /* NULL: *err says why not */
	uint64_t asked_ns;
	bool is_refused;
};

static bool connect_jump(struct ssh_jump *j, struct ssh_target *target, struct wait_limit *limit,
                         uint64_t *asked_ns, struct err *err)
{
	const struct ssh_config *c = &j->config;

	if (j->parent != NULL)
		return ssh_jump_forward(j->parent, c->hostname, c->port, target, limit, asked_ns,
		                        err);
	return c->proxy_command == NULL ||
	       proxy_command_open(c, j->options->hidden_env, target, err);
}

static struct opened open_session(struct ssh_jump *j, struct err *err)
{
	struct opened o = {0};
	struct transport_info info = {.stage = TRANSPORT_CONNECTING};
	struct wait_limit limit = {j->deadline_ns, j->stop_fd};
	struct ssh_target target = {
		.config = &j->config, .fd = -1, .secrets = j->options->secrets, .is_jump = true};

	if (connect_jump(j, &target, &limit, &o.asked_ns, err))
		o.t = ssh_transport_open(&target, &limit, &info, err);
	o.asked_ns += info.asked_ns;
	if (o.t != NULL)
		return o;
	o.is_refused = info.stage == TRANSPORT_LOGGING_IN && err->kind == ERR_REMOTE;
	(void)err_prefix(err, "through %s", j->name);
	return o;
}

/* Until the session is lost or to end; *err says which. */
static void carry(struct ssh_jump *j, struct ssh_transport *t, struct ssh_forwards *f,
                  struct err *err)
{
	do {
		struct ssh_jump_request *r = take_requests(j);

		while (r != NULL) {
			struct ssh_jump_request *next = r->next;
			struct ssh_forward_request forward = r->forward;

			forward.answer = on_answer;
			forward.arg = r;
			r->forward.fd = -1;
			ssh_forwards_open(f, &forward);
			r = next;
		}
		ssh_forwards_turn(f);
	} while (ssh_transport_wait(t, clock_now_ns() + LOOK_NS, "the SSH session", err));
	ssh_transport_blame(t, err);
	(void)err_prefix(err, "through %s", j->name);
}

static void set_up(struct ssh_jump *j, const struct opened *o)
{
	(void)pthread_mutex_lock(&j->lock);
	j->asked_ns = o->asked_ns;
	j->is_up = j->was_up = true;
	j->life++;
	j->failure.kind = ERR_NONE;
	j->failed_ns = 0;
	(void)pthread_mutex_unlock(&j->lock);
}

/* Before the connections are closed, whose owners ask why. */
static void set_down(struct ssh_jump *j, const struct opened *o, const struct err *why)
{
	(void)pthread_mutex_lock(&j->lock);
	j->asked_ns = o->asked_ns;
	j->failed_ns = j->is_up ? 0 : clock_now_ns();
	j->is_refused = o->is_refused && !j->was_up;
	j->is_up = false;
	j->failure = *why;
	(void)pthread_mutex_unlock(&j->lock);
}

static void end_thread(struct ssh_jump *j, const struct err *why)
{
	(void)pthread_mutex_lock(&j->lock);
	while (j->first != NULL) {
		struct ssh_jump_request *r = j->first;

		j->first = r->next;
		answer_locked(r, why);
	}
	j->last = &j->first;
	j->is_running = false;
	(void)pthread_mutex_unlock(&j->lock);
}

static void *live(void *arg)
{
	struct ssh_jump *j = arg;
	struct err err = {.kind = ERR_NONE};
	struct opened o = open_session(j, &err);
	struct ssh_transport *session = (struct ssh_transport *)o.t;
	struct ssh_forwards *f = NULL;

	if (o.t != NULL) {
		ssh_transport_watch(session);
		f = ssh_forwards_new(session, j->name, j->work_fd, &err);
	}
	if (f != NULL) {
		set_up(j, &o);
		carry(j, session, f, &err);
	}
	set_down(j, &o, &err);
	ssh_forwards_free(f, &err);
	transport_close(o.t);
	end_thread(j, &err);
	return NULL;
}

/* Under the lock. Signals are the main thread's to handle: the new thread inherits this mask. */
static bool start_thread(struct ssh_jump *j, struct err *err)
{
	pthread_attr_t attr;
	sigset_t all;
	sigset_t before;
	int code;

	if (j->has_thread) /* it is about to return, and does nothing more */
		(void)pthread_join(j->thread, NULL);
	(void)sigfillset(&all);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&j->thread, &attr, live, j);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	j->has_thread = j->is_running = code == 0;
	return code == 0 || err_set_errno(err, code, "through %s: start a thread", j->name);
}

/* ---- those who want a connection ------------------------------------------------ */

/* Under the lock: the session is there or being opened, or *err says why not. */
static bool want_session(struct ssh_jump *j, const struct wait_limit *limit, struct err *err)
{
	if (j->is_stopping)
		return err_set(err, ERR_CANCELLED, "through %s: given up", j->name);
	if (j->is_running)
		return true;
	if (j->is_refused || (j->failed_ns != 0 && clock_now_ns() < j->failed_ns + FAILURE_NS)) {
		*err = j->failure;
		return false;
	}
	j->deadline_ns = limit->deadline_ns < MARGIN_NS ? 0 : limit->deadline_ns - MARGIN_NS;
	return start_thread(j, err);
}

static bool send_request(struct ssh_jump *j, struct ssh_jump_request *r,
                         const struct wait_limit *limit, struct err *err)
{
	bool ok;

	(void)pthread_mutex_lock(&j->lock);
	ok = want_session(j, limit, err);
	if (ok) {
		r->next = NULL;
		*j->last = r;
		j->last = &r->next;
		(void)eventfd_write(j->work_fd, 1);
	}
	(void)pthread_mutex_unlock(&j->lock);
	return ok;
}

static bool is_opening(struct ssh_jump *j)
{
	bool is;

	(void)pthread_mutex_lock(&j->lock);
	is = j->is_running && !j->is_up;
	(void)pthread_mutex_unlock(&j->lock);
	return is;
}

/*
 * An opening session has an end of its own, which is later than ours when a person is asked
 * for a password; ours is put off by as much.
 */
static enum wait_end wait_for_answer(struct ssh_jump *j, const struct ssh_jump_request *r,
                                     struct wait_limit *limit, uint64_t *asked_ns)
{
	uint64_t given_ns = limit->deadline_ns;
	enum wait_end end = wait_for(r->answer_fd, POLLIN, limit);

	while (end == WAIT_TIMEOUT && is_opening(j)) {
		limit->deadline_ns = clock_now_ns() + MARGIN_NS;
		end = wait_for(r->answer_fd, POLLIN, limit);
	}
	if (limit->deadline_ns == given_ns)
		return end;
	(void)pthread_mutex_lock(&j->lock);
	limit->deadline_ns = given_ns + j->asked_ns;
	*asked_ns += j->asked_ns;
	(void)pthread_mutex_unlock(&j->lock);
	return end == WAIT_TIMEOUT ? wait_for(r->answer_fd, POLLIN, limit) : end;
}

/* Takes the answer, or leaves the request to the thread. True: it is open. */
static bool end_request(struct ssh_jump *j, struct ssh_jump_request *r, enum wait_end end,
                        struct err *err)
{
	char where[SSH_FORWARD_HOST_BYTES + 16];
	bool is_up;
	bool ok;

	ssh_forward_describe(r->forward.host, r->forward.port, where, sizeof(where));
	(void)pthread_mutex_lock(&j->lock);
	is_up = j->is_up;
	if (r->is_answered) {
		ok = r->why.kind == ERR_NONE;
		if (!ok)
			*err = r->why;
		(void)pthread_mutex_unlock(&j->lock);
		request_free(r);
		return ok;
	}
	r->is_abandoned = true;
	(void)pthread_mutex_unlock(&j->lock);
	if (end == WAIT_WOKEN)
		return err_set(err, ERR_CANCELLED, "through %s: given up", j->name);
	if (end == WAIT_FAILED)
		return err_set_errno(err, errno, "through %s", j->name);
	if (is_up)
		return err_set(err, ERR_TIMEOUT,
		               "%s cannot reach %s: no answer in time: is the address right, the "
		               "host up, no firewall between?",
		               j->name, where);
	return err_set(err, ERR_TIMEOUT, "through %s: it is not there in time", j->name);
}

static void tell(struct carrier *base, char told[CARRIER_TOLD_BYTES])
{
	struct jump_carrier *c = (struct jump_carrier *)base;
	struct ssh_jump *j = c->jump;

	told[0] = '\0';
	(void)pthread_mutex_lock(&j->lock);
	if ((!j->is_up || j->life != c->life) && j->failure.kind != ERR_NONE)
		(void)snprintf(told, CARRIER_TOLD_BYTES, "%.*s", CARRIER_TOLD_BYTES - 1,
		               j->failure.msg);
	(void)pthread_mutex_unlock(&j->lock);
}

static void close_carrier(struct carrier *base)
{
	free(base);
}

static const struct carrier_ops carrier_ops = {.tell = tell, .close = close_carrier};

static struct carrier *carrier_new(struct ssh_jump *j, const char *host, uint32_t port)
{
	struct jump_carrier *c = calloc(1, sizeof(*c));
	char where[SSH_FORWARD_HOST_BYTES + 16];

	if (c == NULL)
		oom_end();
	c->base.ops = &carrier_ops;
	c->base.watch_fd = -1;
	c->jump = j;
	(void)pthread_mutex_lock(&j->lock);
	c->life = j->life;
	(void)pthread_mutex_unlock(&j->lock);
	ssh_forward_describe(host, port, where, sizeof(where));
	(void)snprintf(c->base.where, sizeof(c->base.where), "%.34s through %.20s", where, j->name);
	return &c->base;
}

bool ssh_jump_forward(struct ssh_jump *j, const char *host, uint32_t port,
                      struct ssh_target *target, struct wait_limit *limit, uint64_t *asked_ns,
                      struct err *err)
{
	struct ssh_jump_request *r;
	int fd = -1;

	if (strlen(host) >= SSH_FORWARD_HOST_BYTES)
		return err_set(err, ERR_INPUT, "host name '%.60s...' is too long", host);
	r = request_new(j, host, port, &fd, err);
	if (r == NULL)
		return false;
	if (!send_request(j, r, limit, err)) {
		request_free(r);
		(void)close(fd);
		return false;
	}
	if (!end_request(j, r, wait_for_answer(j, r, limit, asked_ns), err)) {
		(void)close(fd);
		return false;
	}
	target->fd = fd;
	target->carrier = carrier_new(j, host, port);
	return true;
}

/* ---- for the register ----------------------------------------------------------- */

bool ssh_jump_init(struct ssh_jump *j, struct err *err)
{
	j->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	j->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (j->stop_fd < 0 || j->work_fd < 0) {
		(void)err_set_errno(err, errno, "eventfd");
		if (j->stop_fd >= 0)
			(void)close(j->stop_fd);
		return false;
	}
	(void)pthread_mutex_init(&j->lock, NULL);
	j->last = &j->first;
	return true;
}

void ssh_jump_stop(struct ssh_jump *j)
{
	(void)pthread_mutex_lock(&j->lock);
	j->is_stopping = true;
	(void)pthread_mutex_unlock(&j->lock);
	(void)eventfd_write(j->stop_fd, 1);
}

void ssh_jump_join(struct ssh_jump *j)
{
	if (j->has_thread)
		(void)pthread_join(j->thread, NULL);
}

void ssh_jump_done(struct ssh_jump *j)
{
	(void)pthread_mutex_destroy(&j->lock);
	(void)close(j->stop_fd);
	(void)close(j->work_fd);
}
