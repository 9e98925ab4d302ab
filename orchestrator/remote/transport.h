/* SPDX-License-Identifier: MIT */
/*
 * transport.h - a way to run one command at a time on a host and talk to it.
 *
 * What carries it (libssh, later a local process or the system's ssh) is behind
 * an ops table, see transport_ops.h; each has its own open function. A transport
 * belongs to one thread. After opening nothing here blocks but transport_pump(),
 * which waits, and transport_exec(), which waits for the server's answer until its
 * deadline. Both end early when wake_fd becomes readable.
 */
#ifndef REMOTE_TRANSPORT_H
#define REMOTE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"

#define TRANSPORT_SAID_BYTES   320
#define TRANSPORT_FIRST_BYTES  96
#define TRANSPORT_SIGNAL_BYTES 16
#define TRANSPORT_STATUS_NONE  (-1)
/* What the user should think of when large amounts stop moving. */
#define TRANSPORT_STILL_WHY "is the host frozen, or does the path lose large packets (path MTU)?"

/* How far opening came. */
enum transport_stage {
	TRANSPORT_CONNECTING,
	TRANSPORT_VERIFYING, /* the host key */
	TRANSPORT_LOGGING_IN,
	TRANSPORT_OPEN
};

/* What was learnt while opening; "" = not known. */
struct transport_info {
	enum transport_stage stage;
	char config[128];  /* where the settings came from: "ssh -G (alias lab1)", "ssh", "-" */
	char address[192]; /* that answered, with port, and the jump hosts on the way to it */
	char host_key[96]; /* "ssh-ed25519 SHA256:..." */
	char login
		[128]; /* "key /root/.ssh/id", "agent key NAME", "certificate FILE", "password", ...;
	                    several that were all asked for are joined by " + " */
	uint64_t asked_ns; /* waited for a person */
};

/* How the command ended. */
struct transport_end {
	int status;                          /* TRANSPORT_STATUS_NONE: the host did not tell */
	char signal[TRANSPORT_SIGNAL_BYTES]; /* "KILL"; "" = none */
};

struct transport;

/*
 * Starts `command` (built by hostops/shell.h) without a terminal, ending one that
 * still runs. False when the host refuses or does not answer until the deadline,
 * or with ERR_CANCELLED when the wake descriptor became readable.
 */
bool transport_exec(struct transport *t, const char *command, uint64_t deadline_ns,
                    struct err *err) NODISCARD;

/*
 * Waits until something happened (data, the command's end, the wake descriptor, room
 * to write) or until_ns. May return early. False when the connection is lost, or with
 * ERR_TIMEOUT when the server gives no sign of life for about 2.5 s: only
 * transport_read(), transport_said() and transport_close() make sense then.
 */
bool transport_pump(struct transport *t, uint64_t until_ns, struct err *err) NODISCARD;

/* What the command has written to its standard output: moves at most `room` bytes
 * into data and returns how many. 0: nothing has come. */
size_t transport_read(struct transport *t, void *data, size_t room) NODISCARD;

/* Hands over as much as the host is ready to take; returns how many bytes. 0: pump first. */
size_t transport_write(struct transport *t, const void *data, size_t len) NODISCARD;

/* How many bytes of what was written the host is known to have taken so far; it grows in
 * steps, and tells an upload that moves from one that stands still. */
uint64_t transport_taken(const struct transport *t) NODISCARD;

/* The command sees end of file after what was written. */
void transport_end_input(struct transport *t);

/* True once the command has ended and all it wrote has come, or its channel is closed; *end
 * is then filled as far as it is known. */
bool transport_ended(const struct transport *t, struct transport_end *end) NODISCARD;

/* The end of what the command wrote to standard error, on one line. Never NULL. */
const char *transport_said(const struct transport *t) NODISCARD;

/* How much it was in all, and its first line that says something. */
struct transport_said_all {
	uint64_t bytes, lines;
	char first[TRANSPORT_FIRST_BYTES]; /* printable, cut; "" = none */
};
const struct transport_said_all *transport_said_all(const struct transport *t) NODISCARD;

/* After a failure: when what carries the connection knows why, *err says so. */
void transport_blame(struct transport *t, struct err *err);

/* Gives the command up: closes its channel without waiting. */
void transport_hangup(struct transport *t);

/* Ends everything at once, whatever state the host is in. Accepts NULL. */
void transport_close(struct transport *t);

#endif
