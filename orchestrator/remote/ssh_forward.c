/* SPDX-License-Identifier: MIT */
/*
 * ssh_forward.c - channels of a jump host's session, pumped by hand.
 *
 * Not by libssh's connectors: they take in whatever comes, however slowly it is read, and
 * say nothing of the end. The sockets are in two epoll sets, which are what libssh's event
 * waits for: one for reading, which is left out while the session's own socket is full,
 * and one for those that could not take all that has come.
 */
#include "remote/ssh_forward.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include "common/oom.h"
#include "remote/jump_words.h"
#include "remote/ssh_forward_parts.h"

#define CHUNK_BYTES ((size_t)32 * 1024)
#define EVENTS_MAX  32

/* ---- the sets ------------------------------------------------------------------- */

static void watch(int set, int operation, struct forward *w, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = w};

	if (epoll_ctl(set, operation, w->request.fd, &event) != 0)
		w->state = FORWARD_ENDED;
}

/* libssh's event tells that a set has something; what it is, turn() asks. */
static int on_set(socket_t fd, int revents, void *user)
{
	(void)fd;
	(void)revents;
	(void)user;
	return 0;
}

static int on_work(socket_t fd, int revents, void *user)
{
	eventfd_t count;

	(void)revents;
	(void)user;
	(void)eventfd_read(fd, &count);
	return 0;
}

static bool is_full(const struct ssh_forwards *f)
{
	return (ssh_get_poll_flags(f->t->session) & SSH_WRITE_PENDING) != 0;
}

/* libssh wants to know of each send when the next will fit; full is what stays so. */
static void choose_reading(struct ssh_forwards *f)
{
	bool full = is_full(f);
	bool reads = !(full && f->was_full);

	f->was_full = full;
	if (reads == f->is_reading)
		return;
	if (reads)
		(void)ssh_event_add_fd(f->t->event, f->read_set, POLLIN, on_set, f);
	else
		(void)ssh_event_remove_fd(f->t->event, f->read_set);
	f->is_reading = reads;
}

static void serve_set(struct ssh_forwards *f, int set)
{
	struct epoll_event events[EVENTS_MAX];
	int count = epoll_wait(set, events, EVENTS_MAX, 0);

	for (int i = 0; i < count; i++) {
		struct forward *w = events[i].data.ptr;

		if (w->state != FORWARD_OPEN)
			continue;
		if (set == f->read_set)
			ssh_forward_carry_out(f, w);
		else
			ssh_forward_give_room(w);
	}
}

/* Brings the sets up to date with what the last turn left. */
static void tend(struct ssh_forwards *f, struct forward *w)
{
	bool is_read = ssh_channel_window_size(w->channel) > 0;

	if (is_read != w->is_read)
		watch(f->read_set, EPOLL_CTL_MOD, w, is_read ? EPOLLIN : 0);
	w->is_read = is_read;
	if (w->wants_room != w->awaits_room)
		watch(f->room_set, w->wants_room ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, w, EPOLLOUT);
	w->awaits_room = w->wants_room;
}

/* ---- opening -------------------------------------------------------------------- */

static void answer(struct forward *w, const struct err *why)
{
	if (w->request.answer != NULL)
		w->request.answer(w->request.arg, why);
	w->request.answer = NULL;
}

/* libssh keeps a channel until the server has closed it, too, and its callbacks with it. */
static void leave_channel(struct forward *w)
{
	if (w->channel == NULL)
		return;
	(void)ssh_remove_channel_callbacks(w->channel, w->callbacks);
	ssh_channel_free(w->channel);
	w->channel = NULL;
}

static void ask(struct ssh_forwards *f, struct forward *w)
{
	leave_channel(w);
	w->state = FORWARD_ASKING;
	w->channel = ssh_channel_new(f->t->session);
	if (w->channel == NULL)
		oom_end();
	ssh_forward_set_callbacks(w);
}

static void begin(struct ssh_forwards *f, struct forward *w)
{
	w->state = FORWARD_OPEN;
	w->is_read = true;
	watch(f->read_set, EPOLL_CTL_ADD, w, EPOLLIN);
	answer(w, NULL);
}

/* One look at all that ask. How many were refused; *refused is the last, *reason libssh's. */
static size_t look(struct ssh_forwards *f, struct forward **refused, char reason[SSH_REASON_BYTES])
{
	size_t count = 0;

	for (struct forward *w = f->first; w != NULL; w = w->next) {
		int rc;

		if (w->state != FORWARD_ASKING)
			continue;
		rc = ssh_channel_open_forward(w->channel, w->request.host, (int)w->request.port,
		                              "127.0.0.1", 0);
		if (rc == SSH_OK)
			begin(f, w);
		if (rc == SSH_OK || rc == SSH_AGAIN)
			continue;
		w->state = FORWARD_UNCLEAR;
		*refused = w;
		(void)ssh_transport_reason(f->t, reason);
		count++;
	}
	return count;
}

/*
 * libssh keeps the reason of the last refusal only, and takes in several at once. So a
 * reason is whose it is when nobody else was refused meanwhile; else they are asked again,
 * one after another, which costs no login and no attempt.
 */
static void look_for_answers(struct ssh_forwards *f)
{
	struct forward *refused = NULL;
	char reason[SSH_REASON_BYTES];
	char where[JUMP_WORDS_WHERE_BYTES];
	struct err why;
	size_t count = 0;
	size_t more;

	do {
		char latest[SSH_REASON_BYTES] = "";

		more = look(f, &refused, latest);
		if (more > 0)
			memcpy(reason, latest, sizeof(reason));
		count += more;
	} while (more > 0);
	if (count == 1 && ssh_is_connected(f->t->session) != 0) {
		jump_words_where(refused->request.host, refused->request.port, where);
		jump_words_refusal(reason, f->name, where, &why);
		answer(refused, &why);
		refused->state = FORWARD_ENDED;
	}
}

static void ask_unclear(struct ssh_forwards *f)
{
	struct forward *next = NULL;

	for (struct forward *w = f->first; w != NULL; w = w->next) {
		if (w->state == FORWARD_ASKING && w->is_again)
			return;
		if (w->state == FORWARD_UNCLEAR && next == NULL)
			next = w;
	}
	if (next == NULL)
		return;
	next->is_again = true;
	ask(f, next);
	look_for_answers(f);
}

/* ---- all of them ---------------------------------------------------------------- */

static void release(struct forward *w)
{
	leave_channel(w);
	(void)close(w->request.fd); /* which takes it out of the sets */
	ssh_forward_forget(w);
	free(w->callbacks);
	free(w);
}

static void remove_ended(struct ssh_forwards *f)
{
	struct forward **at = &f->first;

	while (*at != NULL) {
		struct forward *w = *at;

		if (w->state == FORWARD_OPEN && w->far_end && !w->wants_room)
			w->state = FORWARD_ENDED;
		if (w->state != FORWARD_ENDED) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		release(w);
	}
}

struct ssh_forwards *ssh_forwards_new(struct ssh_transport *t, const char *name, int work_fd,
                                      struct err *err)
{
	struct ssh_forwards *f = calloc(1, sizeof(*f));

	if (f == NULL)
		oom_end();
	f->t = t;
	f->name = name;
	f->work_fd = work_fd;
	f->read_set = epoll_create1(EPOLL_CLOEXEC);
	f->room_set = epoll_create1(EPOLL_CLOEXEC);
	f->is_reading = true;
	if (f->read_set < 0 || f->room_set < 0)
		(void)err_set_errno(err, errno, "epoll");
	else if (ssh_event_add_fd(t->event, work_fd, POLLIN, on_work, f) != SSH_OK ||
	         ssh_event_add_fd(t->event, f->read_set, POLLIN, on_set, f) != SSH_OK ||
	         ssh_event_add_fd(t->event, f->room_set, POLLIN, on_set, f) != SSH_OK)
		(void)err_set(err, ERR_SYSTEM, "prepare the jump session: out of memory");
	else
		return f;
	ssh_forwards_free(f, err);
	return NULL;
}

void ssh_forwards_open(struct ssh_forwards *f, const struct ssh_forward_request *request)
{
	struct forward *w = calloc(1, sizeof(*w));

	if (w == NULL)
		oom_end();
	w->callbacks = calloc(1, sizeof(*w->callbacks));
	if (w->callbacks == NULL)
		oom_end();
	w->request = *request;
	w->next = f->first;
	f->first = w;
	ask(f, w);
}

void ssh_forwards_turn(struct ssh_forwards *f)
{
	if (f->is_reading && !is_full(f))
		serve_set(f, f->read_set);
	serve_set(f, f->room_set);
	look_for_answers(f);
	ask_unclear(f);
	for (struct forward *w = f->first; w != NULL; w = w->next) {
		if (w->state == FORWARD_OPEN)
			tend(f, w);
	}
	remove_ended(f);
	choose_reading(f);
}

void ssh_forwards_free(struct ssh_forwards *f, const struct err *why)
{
	if (f == NULL)
		return;
	while (f->first != NULL) {
		struct forward *w = f->first;

		f->first = w->next;
		answer(w, why);
		release(w);
	}
	(void)ssh_event_remove_fd(f->t->event, f->work_fd);
	if (f->read_set >= 0) {
		(void)ssh_event_remove_fd(f->t->event, f->read_set);
		(void)close(f->read_set);
	}
	if (f->room_set >= 0) {
		(void)ssh_event_remove_fd(f->t->event, f->room_set);
		(void)close(f->room_set);
	}
	free(f);
}
