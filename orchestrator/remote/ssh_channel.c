/* SPDX-License-Identifier: MIT */
/*
 * ssh_channel.c - commands on an SSH session: the transport ops over libssh.
 *
 * Output comes by callbacks, so standard error is always taken: with bytes of it
 * waiting, libssh 0.10 reports neither end of file nor close of the channel. Never a
 * terminal: it would change the bytes, and without one a lost session ends the command.
 */
#include "remote/ssh_parts.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include "common/clock.h"

/* A server with MaxSessions 1 needs a moment to see that the last channel is gone. */
#define OPEN_TRIES    4
#define OPEN_PAUSE_MS 50u

static struct ssh_transport *of(struct transport *base)
{
	return (struct ssh_transport *)base;
}

const char *ssh_transport_reason(struct ssh_transport *t, char out[SSH_REASON_BYTES])
{
	const char *in = ssh_get_error(t->session);
	size_t n = 0;

	for (; *in != '\0' && n + 1 < SSH_REASON_BYTES; in++) {
		if ((unsigned char)*in >= ' ' && *in != 0x7f)
			out[n++] = *in;
	}
	out[n] = '\0';
	return out;
}

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t len,
                   int is_stderr, void *user)
{
	(void)session;
	(void)channel;
	if (is_stderr != 0)
		transport_came_stderr(user, data, len);
	else
		transport_came_output(user, data, len);
	return (int)len;
}

static void on_eof(ssh_session session, ssh_channel channel, void *user)
{
	(void)session;
	(void)channel;
	transport_came_eof(user);
}

static void on_close(ssh_session session, ssh_channel channel, void *user)
{
	(void)session;
	(void)channel;
	transport_came_close(user);
}

static void on_status(ssh_session session, ssh_channel channel, int status, void *user)
{
	(void)session;
	(void)channel;
	transport_came_status(user, status);
}

/* NOLINTNEXTLINE(readability-function-size): libssh's type */
static void on_signal(ssh_session session, ssh_channel channel, const char *signal, int core,
                      const char *text, const char *language, void *user)
{
	(void)session;
	(void)channel;
	(void)core;
	(void)text;
	(void)language;
	transport_came_signal(user, signal);
}

static int on_wake(socket_t fd, int revents, void *user)
{
	struct ssh_transport *t = user;
	eventfd_t count;

	(void)revents;
	if (eventfd_read(fd, &count) == 0)
		t->is_woken = true;
	return 0;
}

static int on_carrier(socket_t fd, int revents, void *user)
{
	struct ssh_transport *t = user;

	(void)fd;
	(void)revents;
	t->is_carrier_done = !t->carrier->ops->serve(t->carrier);
	return 0;
}

static bool watch_carrier(struct ssh_transport *t)
{
	t->carrier_fd = t->carrier == NULL ? -1 : t->carrier->watch_fd;
	return t->carrier_fd < 0 ||
	       ssh_event_add_fd(t->event, t->carrier_fd, POLLIN, on_carrier, t) == SSH_OK;
}

static void forget_carrier(struct ssh_transport *t)
{
	if (t->carrier_fd >= 0)
		(void)ssh_event_remove_fd(t->event, t->carrier_fd);
	t->carrier_fd = -1;
}

bool ssh_transport_join(struct ssh_transport *t, struct err *err)
{
	t->event = ssh_event_new();
	t->callbacks = calloc(1, sizeof(*t->callbacks));
	if (t->event == NULL || t->callbacks == NULL ||
	    ssh_event_add_session(t->event, t->session) != SSH_OK ||
	    ssh_event_add_fd(t->event, t->wake_fd, POLLIN, on_wake, t) != SSH_OK ||
	    !watch_carrier(t))
		return err_set(err, ERR_SYSTEM, "prepare the SSH session: out of memory");
	t->callbacks->userdata = &t->base;
	t->callbacks->channel_data_function = on_data;
	t->callbacks->channel_eof_function = on_eof;
	t->callbacks->channel_close_function = on_close;
	t->callbacks->channel_exit_status_function = on_status;
	t->callbacks->channel_exit_signal_function = on_signal;
	ssh_callbacks_init(t->callbacks);
	return true;
}

/* True while the connection lives. */
static bool poll_once(struct ssh_transport *t, uint64_t until_ns)
{
	bool ok =
		ssh_is_connected(t->session) != 0 &&
		ssh_event_dopoll(t->event, wait_ms(ssh_transport_ask(t, until_ns))) != SSH_ERROR &&
		ssh_is_connected(t->session) != 0;

	if (t->is_carrier_done)
		forget_carrier(t);
	return ok;
}

void ssh_transport_blame(struct ssh_transport *t, struct err *err)
{
	bool has_ended = ssh_is_connected(t->session) == 0;
	char told[CARRIER_TOLD_BYTES];
	struct err why = *err;

	if (t->carrier == NULL ||
	    !(err->kind == ERR_TIMEOUT || (err->kind == ERR_REMOTE && has_ended)))
		return;
	/* Once: what was added is in a longer message by now. */
	if (t->is_blamed && !has_ended)
		return;
	t->carrier->ops->tell(t->carrier, has_ended, told);
	if (told[0] == '\0')
		return;
	t->is_blamed = true;
	if (has_ended)
		(void)err_set(err, why.kind, "%s", told);
	else
		(void)err_set(err, why.kind, "%.180s; %s", why.msg, told);
}

bool ssh_transport_wait(struct ssh_transport *t, uint64_t deadline_ns, const char *doing,
                        struct err *err)
{
	char reason[SSH_REASON_BYTES];

	if (clock_now_ns() >= deadline_ns)
		return err_set(err, ERR_TIMEOUT, "%s: no answer in time", doing);
	if (!poll_once(t, deadline_ns)) {
		(void)err_set(err, ERR_REMOTE, "%s: %s", doing, ssh_transport_reason(t, reason));
		ssh_transport_blame(t, err);
		return false;
	}
	if (!ssh_transport_lives(t, err)) {
		ssh_transport_blame(t, err);
		return err_prefix(err, "%s", doing);
	}
	if (t->is_woken)
		return err_set(err, ERR_CANCELLED, "%s: given up", doing);
	return true;
}

static void hangup(struct transport *base)
{
	struct ssh_transport *t = of(base);

	if (t->channel == NULL)
		return;
	/* libssh keeps the channel until the server has closed it, too: that is no more our end. */
	(void)ssh_remove_channel_callbacks(t->channel, t->callbacks);
	ssh_channel_free(t->channel);
	t->channel = NULL;
	transport_came_close(base);
}

static bool open_channel(struct ssh_transport *t, uint64_t deadline_ns, struct err *err)
{
	char reason[SSH_REASON_BYTES];
	int rc;

	t->channel = ssh_channel_new(t->session);
	if (t->channel == NULL || ssh_set_channel_callbacks(t->channel, t->callbacks) != SSH_OK)
		return err_set(err, ERR_SYSTEM, "open a channel: out of memory");
	while ((rc = ssh_channel_open_session(t->channel)) == SSH_AGAIN) {
		if (!ssh_transport_wait(t, deadline_ns, "open a channel", err))
			return false;
	}
	if (rc == SSH_OK)
		return true;
	return err_set(err, ERR_REMOTE,
	               "open a channel: %s: does the server allow it (MaxSessions)?",
	               ssh_transport_reason(t, reason));
}

/* Lets time pass without being deaf to the server; false when that failed. */
static bool pause_for(struct ssh_transport *t, uint64_t ms, uint64_t deadline_ns, struct err *err)
{
	uint64_t until_ns = clock_now_ns() + ms * CLOCK_NS_PER_MS;

	while (clock_now_ns() < until_ns) {
		if (!ssh_transport_wait(t, until_ns < deadline_ns ? until_ns : deadline_ns,
		                        "open a channel", err))
			return false;
	}
	return true;
}

/* The command is the first packet that is large. */
static bool wait_to_start(struct ssh_transport *t, uint64_t deadline_ns, struct err *err)
{
	struct err why;

	if (ssh_transport_wait(t, deadline_ns, "start a command", &why))
		return true;
	*err = why;
	if (why.kind == ERR_TIMEOUT)
		(void)err_set(err, why.kind, "%.300s: " TRANSPORT_STILL_WHY, why.msg);
	return false;
}

static bool exec(struct transport *base, const char *command, uint64_t deadline_ns, struct err *err)
{
	struct ssh_transport *t = of(base);
	char reason[SSH_REASON_BYTES];
	int tries = t->had_channel ? OPEN_TRIES : 1;
	int rc;

	t->is_woken = false;
	hangup(base);
	transport_reset(base);
	while (!open_channel(t, deadline_ns, err)) {
		hangup(base);
		transport_reset(base);
		if (--tries == 0 || err->kind != ERR_REMOTE || ssh_is_connected(t->session) == 0 ||
		    !pause_for(t, OPEN_PAUSE_MS, deadline_ns, err))
			return false;
	}
	if (!t->had_channel)
		ssh_transport_watch(t);
	t->had_channel = true;
	t->first_window = ssh_channel_window_size(t->channel);
	t->written = 0;
	while ((rc = ssh_channel_request_exec(t->channel, command)) == SSH_AGAIN) {
		if (!wait_to_start(t, deadline_ns, err))
			return false;
	}
	if (rc == SSH_OK)
		return true;
	return err_set(err, ERR_REMOTE,
	               "start a command: %s: is the account allowed to run commands?",
	               ssh_transport_reason(t, reason));
}

static bool pump(struct transport *base, uint64_t until_ns, struct err *err)
{
	struct ssh_transport *t = of(base);
	char reason[SSH_REASON_BYTES];
	bool ok = poll_once(t, until_ns);

	t->is_woken = false; /* the caller looks for itself */
	/* The server opens the window again by what the command has read. */
	if (ok && t->channel != NULL)
		base->taken = t->written + ssh_channel_window_size(t->channel) - t->first_window;
	if (ok && ssh_transport_lives(t, err))
		return true;
	if (ok) {
		ssh_transport_blame(t, err);
		return false;
	}
	(void)err_set(err, ERR_REMOTE, "the SSH connection was closed: %s",
	              ssh_transport_reason(t, reason));
	ssh_transport_blame(t, err);
	return false;
}

static size_t write_some(struct transport *base, const void *data, size_t len)
{
	struct ssh_transport *t = of(base);
	uint32_t window;
	int n;

	if (t->channel == NULL || ssh_channel_is_open(t->channel) == 0)
		return 0;
	/* Past the window libssh would wait, or queue in memory without end. */
	window = ssh_channel_window_size(t->channel);
	if (len > window)
		len = window;
	if (len == 0)
		return 0;
	n = ssh_channel_write(t->channel, data, (uint32_t)len);
	if (n <= 0)
		return 0;
	t->written += (uint64_t)n;
	return (size_t)n;
}

static void end_input(struct transport *base)
{
	struct ssh_transport *t = of(base);

	/* A failure means that the channel is gone, which the next pump tells. */
	if (t->channel != NULL)
		(void)ssh_channel_send_eof(t->channel);
}

static void blame(struct transport *base, struct err *err)
{
	ssh_transport_blame(of(base), err);
}

static void close_all(struct transport *base)
{
	struct ssh_transport *t = of(base);

	if (t->session != NULL) {
		ssh_set_blocking(t->session, 0); /* a dead session would wait for its goodbye */
		hangup(base);
		ssh_disconnect(t->session);
		if (t->event != NULL) {
			(void)ssh_event_remove_session(t->event, t->session);
			(void)ssh_event_remove_fd(t->event, t->wake_fd);
			forget_carrier(t);
			ssh_event_free(t->event);
		}
		ssh_free(t->session);
	}
	if (t->carrier != NULL)
		t->carrier->ops->close(t->carrier);
	ssh_transport_count_end(t);
	free(t->callbacks);
	free(t);
}

const struct transport_ops ssh_transport_ops = {
	.exec = exec,
	.pump = pump,
	.write = write_some,
	.end_input = end_input,
	.hangup = hangup,
	.blame = blame,
	.close = close_all,
};
