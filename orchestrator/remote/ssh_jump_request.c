/* SPDX-License-Identifier: MIT */
/* ssh_jump_request.c - those who want a connection through a jump host. */
#include "remote/ssh_jump.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/oom.h"
#include "common/text.h"
#include "remote/carrier.h"
#include "remote/jump_words.h"
#include "remote/ssh_forward.h"
#include "remote/ssh_jump_parts.h"

#define LOOK_NS   (300 * CLOCK_NS_PER_MS)  /* whether a session is still being opened */
#define SILENT_NS (1200 * CLOCK_NS_PER_MS) /* longer than one that lives is (ssh_alive.c) */

/* What a connection knows of the session that carries it. */
struct jump_carrier {
	struct carrier base;
	struct ssh_jump *jump;
	uint64_t life;
};

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

void ssh_jump_answer(struct ssh_jump_request *r, const struct err *why)
{
	if (why != NULL)
		r->why = *why;
	r->is_answered = true;
	if (r->is_abandoned)
		request_free(r);
	else
		(void)eventfd_write(r->answer_fd, 1);
}

static bool send_request(struct ssh_jump *j, struct ssh_jump_request *r,
                         const struct wait_limit *limit, struct err *err)
{
	bool ok;

	(void)pthread_mutex_lock(&j->lock);
	ok = ssh_jump_want(j, limit, err);
	if (ok) {
		r->next = NULL;
		r->deadline_ns = limit->deadline_ns;
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
                                     struct ssh_patience *patience)
{
	struct wait_limit *limit = &patience->limit;
	uint64_t given_ns = limit->deadline_ns;
	enum wait_end end = wait_for(r->answer_fd, POLLIN, limit);

	while (end == WAIT_TIMEOUT && is_opening(j)) {
		limit->deadline_ns = clock_now_ns() + LOOK_NS;
		end = wait_for(r->answer_fd, POLLIN, limit);
	}
	if (limit->deadline_ns == given_ns)
		return end;
	(void)pthread_mutex_lock(&j->lock);
	limit->deadline_ns = given_ns + j->asked_ns;
	patience->asked_ns += j->asked_ns;
	(void)pthread_mutex_unlock(&j->lock);
	return end == WAIT_TIMEOUT ? wait_for(r->answer_fd, POLLIN, limit) : end;
}

/* Takes the answer, or leaves the request to the thread. True: it is open. */
static bool end_request(struct ssh_jump *j, struct ssh_jump_request *r, enum wait_end end,
                        bool *is_lost, struct err *err)
{
	char where[JUMP_WORDS_WHERE_BYTES];
	bool is_up;
	bool ok;

	jump_words_where(r->forward.host, r->forward.port, where);
	(void)pthread_mutex_lock(&j->lock);
	is_up = j->is_up;
	if (r->is_answered) {
		ok = r->why.kind == ERR_NONE;
		*is_lost = r->is_lost;
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

static void tell(struct carrier *base, bool has_ended, char told[CARRIER_TOLD_BYTES])
{
	struct jump_carrier *c = (struct jump_carrier *)base;
	struct ssh_jump *j = c->jump;
	uint64_t now_ns = clock_now_ns();
	bool is_up;

	told[0] = '\0';
	(void)pthread_mutex_lock(&j->lock);
	is_up = j->is_up && j->life == c->life;
	if (!is_up && j->failure.kind != ERR_NONE)
		(void)snprintf(told, CARRIER_TOLD_BYTES, "%.*s", CARRIER_TOLD_BYTES - 1,
		               j->failure.msg);
	else if (is_up && !has_ended && now_ns > j->sign_ns + SILENT_NS)
		(void)snprintf(told, CARRIER_TOLD_BYTES, "nor from jump host %.100s", j->name);
	(void)pthread_mutex_unlock(&j->lock);
}

static void close_carrier(struct carrier *base)
{
	free(base);
}

static const struct carrier_ops carrier_ops = {.tell = tell, .close = close_carrier};

/* "10.1.2.3:22 through jump1, jump2": in the order of the way. */
static void tell_way(const struct ssh_jump *last, const char *where, char out[CARRIER_WHERE_BYTES])
{
	struct text names = {0};

	for (const struct ssh_jump *j = last; j != NULL; j = j->parent) {
		struct text rest = names;

		names = (struct text){0};
		text_printf(&names, "%.60s%s%s", j->name, rest.len > 0 ? ", " : "",
		            text_str(&rest));
		text_done(&rest);
	}
	(void)snprintf(out, CARRIER_WHERE_BYTES, "%.60s through %s", where, text_str(&names));
	text_done(&names);
}

static struct carrier *carrier_new(struct ssh_jump *j, const char *host, uint32_t port)
{
	struct jump_carrier *c = calloc(1, sizeof(*c));
	char where[JUMP_WORDS_WHERE_BYTES];

	if (c == NULL)
		oom_end();
	c->base.ops = &carrier_ops;
	c->base.watch_fd = -1;
	c->jump = j;
	(void)pthread_mutex_lock(&j->lock);
	c->life = j->life;
	(void)pthread_mutex_unlock(&j->lock);
	jump_words_where(host, port, where);
	tell_way(j, where, c->base.where);
	return &c->base;
}

/* A connection that is asked for. */
struct wanted {
	const char *host;
	uint32_t port;
	struct ssh_patience *patience;
	int fd;
	bool is_lost; /* the session was, while it was asked for */
};

static bool ask_once(struct ssh_jump *j, struct wanted *w, struct err *err)
{
	struct ssh_jump_request *r;

	w->is_lost = false;
	r = request_new(j, w->host, w->port, &w->fd, err);
	if (r == NULL)
		return false;
	if (!send_request(j, r, &w->patience->limit, err))
		request_free(r);
	else if (end_request(j, r, wait_for_answer(j, r, w->patience), &w->is_lost, err))
		return true;
	(void)close(w->fd);
	return false;
}

bool ssh_jump_forward(struct ssh_jump *j, const char *host, uint32_t port,
                      struct ssh_target *target, struct ssh_patience *patience, struct err *err)
{
	struct wanted w = {.host = host, .port = port, .patience = patience};

	if (strlen(host) >= SSH_FORWARD_HOST_BYTES)
		return err_set(err, ERR_INPUT, "host name '%.60s...' is too long", host);
	/* A session that was lost is opened anew, once. */
	if (!ask_once(j, &w, err) && !(w.is_lost && ask_once(j, &w, err)))
		return false;
	target->fd = w.fd;
	target->carrier = carrier_new(j, host, port);
	return true;
}
