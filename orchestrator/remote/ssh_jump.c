/* SPDX-License-Identifier: MIT */
/*
 * ssh_jump.c - the session to one jump host: a thread that opens it when it is wanted, then
 * carries the connections through it.
 */
#include "remote/ssh_jump.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/proxy_command.h"
#include "remote/ssh_forward.h"
#include "remote/ssh_jump_parts.h"

#define STACK_BYTES (256 * (size_t)1024)
/* Opening ends so long before those who wait for it give up: they are told why. */
#define MARGIN_NS (300 * CLOCK_NS_PER_MS)
/* A failure is told to those who come so long after it; the next one tries again. */
#define FAILURE_NS (2 * CLOCK_NS_PER_S)
#define LOOK_NS    CLOCK_NS_PER_S

static void on_answer(void *arg, const struct err *why)
{
	struct ssh_jump_request *r = arg;
	struct ssh_jump *j = r->jump;

	(void)pthread_mutex_lock(&j->lock);
	r->is_lost = why != NULL && !j->is_up;
	ssh_jump_answer(r, why);
	(void)pthread_mutex_unlock(&j->lock);
}

static struct ssh_jump_request *take_requests(struct ssh_jump *j, uint64_t sign_ns)
{
	struct ssh_jump_request *first;

	(void)pthread_mutex_lock(&j->lock);
	first = j->first;
	j->sign_ns = sign_ns;
	j->first = NULL;
	j->last = &j->first;
	(void)pthread_mutex_unlock(&j->lock);
	return first;
}

/* What became of opening. */
struct opened {
	struct transport *t; /* NULL: *err says why not */
	uint64_t asked_ns;
	bool is_refused;
};

static bool connect_jump(struct ssh_jump *j, struct ssh_target *target,
                         struct ssh_patience *patience, struct err *err)
{
	const struct ssh_config *c = &j->config;

	if (j->parent != NULL)
		return ssh_jump_forward(j->parent, c->hostname, c->port, target, patience, err);
	return c->proxy_command == NULL ||
	       proxy_command_open(c, j->options->hidden_env, target, err);
}

static struct opened open_session(struct ssh_jump *j, struct err *err)
{
	struct transport_info info = {.stage = TRANSPORT_CONNECTING};
	struct ssh_patience patience = {.limit = {j->deadline_ns, j->stop_fd}};
	struct ssh_target target = {
		.config = &j->config, .fd = -1, .secrets = j->options->secrets, .is_jump = true};
	struct opened o = {0};

	if (connect_jump(j, &target, &patience, err))
		o.t = ssh_transport_open(&target, &patience.limit, &info, err);
	o.asked_ns = patience.asked_ns + info.asked_ns;
	if (o.t != NULL)
		return o;
	o.is_refused = info.stage == TRANSPORT_LOGGING_IN && err->kind == ERR_REMOTE;
	ssh_config_blame(&j->config, err);
	(void)err_prefix(err, "through %s", j->name);
	return o;
}

/* Until the session is lost or to end; *err says which. */
static void carry(struct ssh_jump *j, struct ssh_transport *t, struct ssh_forwards *f,
                  struct err *err)
{
	do {
		struct ssh_jump_request *r = take_requests(j, t->alive.sign_ns);

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

/* Of a session that is opened for a request. Under the lock. */
static void set_deadline(struct ssh_jump *j, uint64_t deadline_ns)
{
	j->deadline_ns = deadline_ns < MARGIN_NS ? 0 : deadline_ns - MARGIN_NS;
}

/* False: requests have come since the session was lost, so it is needed again. */
static bool end_thread(struct ssh_jump *j, const struct err *why)
{
	bool is_needed;

	(void)pthread_mutex_lock(&j->lock);
	is_needed = j->first != NULL && j->failed_ns == 0 && !j->is_stopping;
	if (is_needed)
		set_deadline(j, j->first->deadline_ns);
	while (!is_needed && j->first != NULL) {
		struct ssh_jump_request *r = j->first;

		j->first = r->next;
		ssh_jump_answer(r, why);
	}
	if (!is_needed)
		j->last = &j->first;
	j->is_running = is_needed;
	(void)pthread_mutex_unlock(&j->lock);
	return !is_needed;
}

/* From opening the session to its end. True when the thread is to end, too. */
static bool live(struct ssh_jump *j)
{
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
	return end_thread(j, &err);
}

static void *run(void *arg)
{
	while (!live(arg))
		continue;
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
	code = pthread_create(&j->thread, &attr, run, j);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	j->has_thread = j->is_running = code == 0;
	return code == 0 || err_set_errno(err, code, "through %s: start a thread", j->name);
}

bool ssh_jump_want(struct ssh_jump *j, const struct wait_limit *limit, struct err *err)
{
	if (j->is_stopping)
		return err_set(err, ERR_CANCELLED, "through %s: given up", j->name);
	if (j->is_running)
		return true;
	if (j->is_refused || (j->failed_ns != 0 && clock_now_ns() < j->failed_ns + FAILURE_NS)) {
		*err = j->failure;
		return false;
	}
	set_deadline(j, limit->deadline_ns);
	return start_thread(j, err);
}

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
