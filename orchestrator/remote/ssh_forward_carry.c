/* SPDX-License-Identifier: MIT */
/* ssh_forward_carry.c - the bytes of one connection, both ways. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include "common/oom.h"
#include "remote/ssh_forward_parts.h"

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

void ssh_forward_forget(struct forward *w)
{
	free(w->kept);
	w->kept = NULL;
	w->kept_len = w->kept_sent = 0;
}

void ssh_forward_give_room(struct forward *w)
{
	do {
		w->kept_sent += hand_over(w, w->kept + w->kept_sent, w->kept_len - w->kept_sent);
		if (w->kept_sent < w->kept_len)
			return;
		ssh_forward_forget(w);
	} while (take_kept(w));
	w->wants_room = false;
}

void ssh_forward_carry_out(struct ssh_forwards *f, struct forward *w)
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

void ssh_forward_set_callbacks(struct forward *w)
{
	w->callbacks->userdata = w;
	w->callbacks->channel_data_function = on_data;
	w->callbacks->channel_eof_function = on_end;
	w->callbacks->channel_close_function = on_end;
	ssh_callbacks_init(w->callbacks);
	if (ssh_set_channel_callbacks(w->channel, w->callbacks) != SSH_OK)
		oom_end();
}
