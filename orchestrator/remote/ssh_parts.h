/* SPDX-License-Identifier: MIT */
/*
 * ssh_parts.h - what the ssh_*.c files share. Not for others.
 *
 * The session never blocks: each libssh call is repeated after
 * ssh_transport_wait() until it no longer says SSH_AGAIN. So every wait ends at
 * our own deadline, at once when the server hangs up, and when the caller wants.
 */
#ifndef REMOTE_SSH_PARTS_H
#define REMOTE_SSH_PARTS_H

#include "remote/ssh.h"
#include "remote/transport_ops.h"

#define SSH_SILENT_MS 2500u /* without a sign of life for this long: lost */
/* The same while much of ours is on its way through a carrier: no acknowledgement of TCP tells
 * whether it moves, and an answer comes behind it. */
#define SSH_CARRIED_SILENT_MS 8000u

/* See ssh_alive.c. */
struct ssh_alive {
	struct ssh_counter_struct *socket; /* libssh counts in it */
	uint64_t in_bytes, acked;          /* at the last sign of life */
	uint64_t out_bytes;                /* then */
	uint64_t sign_ns, ask_ns;          /* clock_now_ns(): the last sign; the next question */
	bool is_watched;
	bool was_due; /* before the last wait a sign was overdue */
};

struct ssh_transport {
	struct transport base;
	struct ssh_session_struct *session;
	struct ssh_event_struct *event;     /* holds this session and wake_fd: the only call that
	                                   reads packets in every state of a channel */
	struct ssh_channel_struct *channel; /* of the command that runs, or NULL */
	struct ssh_channel_callbacks_struct *callbacks;
	bool had_channel;
	uint32_t first_window; /* what the server would take at once when the channel opened */
	uint64_t written;
	int wake_fd;
	bool is_woken; /* wake_fd was readable, and has been reset */
	struct ssh_alive alive;
	bool is_carried;         /* not by a TCP connection of ours */
	struct carrier *carrier; /* or NULL */
	int carrier_fd;          /* in the event, or -1 */
	bool is_carrier_done;    /* nothing more will come on it */
	bool is_blamed;          /* it has told why the connection ended */
};

/* What opening works on. */
struct ssh_opening {
	struct ssh_transport *t;
	const struct ssh_target *target;
	struct transport_info *info;
	struct wait_limit limit;
	struct ssh_known *known; /* ssh_hostkey.c's, or NULL */
};

/* Waits for the server once. False when the connection is lost, at the deadline, or
 * when woken; `doing` begins the message. */
bool ssh_transport_wait(struct ssh_transport *t, uint64_t deadline_ns, const char *doing,
                        struct err *err) NODISCARD;

/* libssh's last error, printable, in a buffer of the caller. */
#define SSH_REASON_BYTES 160
const char *ssh_transport_reason(struct ssh_transport *t, char out[SSH_REASON_BYTES]);

/* After a failure: when the connection is gone and its carrier knows why, that is the reason;
 * when it is silent and the carrier knows more, that is added. */
void ssh_transport_blame(struct ssh_transport *t, struct err *err);

/* ssh_hostkey.c: reads known_hosts and asks the server for a key of a type that is known. */
bool ssh_transport_prefer_known(struct ssh_opening *o, struct err *err) NODISCARD;
/* After the key exchange: is it the right host? Sets info->host_key. */
bool ssh_transport_verify(struct ssh_opening *o, struct err *err) NODISCARD;
void ssh_transport_forget_known(struct ssh_opening *o);

/* ssh_auth.c: sets info->login. */
bool ssh_transport_log_in(struct ssh_opening *o, struct err *err) NODISCARD;

/* ssh_alive.c. Counting begins with the session, watching with its first channel: before that
 * a server may be busy with somebody's login for long. */
void ssh_transport_count(struct ssh_transport *t);
void ssh_transport_count_end(struct ssh_transport *t); /* after the session's end */
void ssh_transport_watch(struct ssh_transport *t);
/* Before a wait until until_ns: asks a server that is quiet; returns when to look again. */
uint64_t ssh_transport_ask(struct ssh_transport *t, uint64_t until_ns) NODISCARD;
/* After it: false, with ERR_TIMEOUT, when there was no sign of life for SSH_SILENT_MS. */
bool ssh_transport_lives(struct ssh_transport *t, struct err *err) NODISCARD;

/* ssh_channel.c */
extern const struct transport_ops ssh_transport_ops;
/* Joins session and wake_fd to an event; after the first ssh_connect(). */
bool ssh_transport_join(struct ssh_transport *t, struct err *err) NODISCARD;

#endif
