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

#include <ctype.h>
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

#define CHUNK_BYTES                 ((size_t)32 * 1024)
#define EVENTS_MAX                  32
#define ADMINISTRATIVELY_PROHIBITED 1ul /* RFC 4254 section 5.1 */

enum forward_state {
	FORWARD_ASKING,  /* the server is to answer */
	FORWARD_UNCLEAR, /* refused, together with others: whose reason was told? */
	FORWARD_OPEN,
	FORWARD_ENDED
};

struct forward {
	struct forward *next;
	enum forward_state state;
	bool is_again; /* asked once more, for the reason */
	struct ssh_forward_request request;
	ssh_channel channel;
	struct ssh_channel_callbacks_struct callbacks;
	bool is_read;     /* it is in the set for reading with EPOLLIN: the window is open */
	bool wants_room;  /* bytes wait here or in libssh... */
	bool awaits_room; /* ...and it is in the other set */
	bool far_end;     /* no more will come from there */
	char *kept;       /* taken out of libssh... */
	size_t kept_len, kept_sent;
};

struct ssh_forwards {
	struct ssh_transport *t;
	const char *name;
	int work_fd;
	int read_set, room_set; /* epoll */
	bool is_reading;        /* read_set is waited for */
	bool was_full;          /* the session's socket, at the last turn */
	struct forward *first;
	char chunk[CHUNK_BYTES];
};

void ssh_forward_describe(const char *host, uint32_t port, char *out, size_t room)
{
	(void)snprintf(out, room, strchr(host, ':') == NULL ? "%.200s:%u" : "[%.200s]:%u", host,
	               (unsigned)port);
}

/* ---- what comes from there ------------------------------------------------------ */

/* How many bytes the socket took; all when it is broken, which reading will tell. */
static size_t hand_over(const struct forward *w, const char *data, size_t len)
{
	ssize_t n = send(w->request.fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n >= 0)
		return (size_t)n;
	return errno == EAGAIN || errno == EINTR ? 0 : len;
}

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t len,
                   int is_stderr, void *user)
{
	struct forward *w = user;
	size_t n;

	(void)session;
	(void)channel;
	if (is_stderr != 0)
		return (int)len;
	if (w->kept_len > 0)
		return 0; /* behind it, in libssh: it opens the window by what is taken */
	n = hand_over(w, data, len);
	w->wants_room = n < len;
	return (int)n;
}

static void on_end(ssh_session session, ssh_channel channel, void *user)
{
	(void)session;
	(void)channel;
	((struct forward *)user)->far_end = true;
}

/*
 * What lies in libssh is taken out as a whole and only when the last is gone: reading a part
 * of it would open the window by more than was read.
 */
static bool take_kept(struct forward *w)
{
	int len = ssh_channel_poll(w->channel, 0);

	if (len <= 0)
		return false;
	w->kept = malloc((size_t)len);
	if (w->kept == NULL)
		oom_end();
	len = ssh_channel_read_nonblocking(w->channel, w->kept, (uint32_t)len, 0);
	w->kept_sent = 0;
	w->kept_len = len > 0 ? (size_t)len : 0;
	return len > 0;
}

static void release_kept(struct forward *w)
{
	free(w->kept);
	w->kept = NULL;
	w->kept_len = w->kept_sent = 0;
}

static void give_room(struct forward *w)
{
	do {
		w->kept_sent += hand_over(w, w->kept + w->kept_sent, w->kept_len - w->kept_sent);
		if (w->kept_sent < w->kept_len)
			return;
		release_kept(w);
	} while (take_kept(w));
	w->wants_room = false;
}

/* ---- what goes there ------------------------------------------------------------ */

static void carry_out(struct ssh_forwards *f, struct forward *w)
{
	size_t room = ssh_channel_window_size(w->channel);
	ssize_t n;

	if (room > sizeof(f->chunk))
		room = sizeof(f->chunk);
	if (room == 0) { /* it is only told of an error or an end */
		w->state = FORWARD_ENDED;
		return;
	}
	n = recv(w->request.fd, f->chunk, room, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || ssh_channel_write(w->channel, f->chunk, (uint32_t)n) != n)
		w->state = FORWARD_ENDED;
}

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
			carry_out(f, w);
		else
			give_room(w);
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

/* "connection refused", and what to look at; the texts are those of strerror() and
 * gai_strerror() on the jump host. */
static const struct {
	const char *text;
	const char *remedy;
} remedies[] = {
	{"connection refused", ": is sshd running there?"},
	{"no route to host", ": is the host up, and no firewall between?"},
	{"network is unreachable", ": has the jump host a route to it?"},
	{"connection timed out", ": is the address right, the host up, no firewall between?"},
	{"name or service not known", ": the jump host looks the name up, not this machine"},
	{"temporary failure in name resolution",
         ": the jump host looks the name up, not this machine"},
};

static const char *remedy_for(const char *text)
{
	for (size_t i = 0; i < COUNT_OF(remedies); i++) {
		if (strcmp(text, remedies[i].text) == 0)
			return remedies[i].remedy;
	}
	return "";
}

/* libssh's words: "Channel opening failure: channel 43 error (2) Connection refused". */
static void explain(const struct ssh_forwards *f, const struct forward *w, const char *reason,
                    struct err *err)
{
	const char *code = strstr(reason, "error (");
	char *after = NULL;
	unsigned long number = code == NULL ? 0 : strtoul(code + strlen("error ("), &after, 10);
	char text[SSH_REASON_BYTES];
	char where[SSH_FORWARD_HOST_BYTES + 16];

	ssh_forward_describe(w->request.host, w->request.port, where, sizeof(where));
	if (after != NULL && strncmp(after, ") ", 2) == 0)
		reason = after + 2;
	(void)snprintf(text, sizeof(text), "%s", reason);
	for (char *c = text; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	if (number == ADMINISTRATIVELY_PROHIBITED)
		(void)err_set(err, ERR_REMOTE,
		              "%.100s does not forward connections to %s (%s): allow it in its "
		              "sshd_config: AllowTcpForwarding, PermitOpen",
		              f->name, where, text);
	else
		(void)err_set(err, ERR_REMOTE, "%.100s cannot reach %s: %s%s", f->name, where, text,
		              remedy_for(text));
}

static void answer(struct forward *w, const struct err *why)
{
	if (w->request.answer != NULL)
		w->request.answer(w->request.arg, why);
	w->request.answer = NULL;
}

static void ask(struct ssh_forwards *f, struct forward *w)
{
	ssh_channel_free(w->channel);
	w->state = FORWARD_ASKING;
	w->channel = ssh_channel_new(f->t->session);
	if (w->channel == NULL)
		oom_end();
	w->callbacks.userdata = w;
	w->callbacks.channel_data_function = on_data;
	w->callbacks.channel_eof_function = on_end;
	w->callbacks.channel_close_function = on_end;
	ssh_callbacks_init(&w->callbacks);
	if (ssh_set_channel_callbacks(w->channel, &w->callbacks) != SSH_OK)
		oom_end();
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
		explain(f, refused, reason, &why);
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
	ssh_channel_free(w->channel); /* closes it and takes the callbacks off */
	(void)close(w->request.fd);   /* which takes it out of the sets */
	release_kept(w);
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
