/* SPDX-License-Identifier: MIT */
/*
 * ssh_auth_parts.h - what the ssh_auth*.c files share. Not for others.
 *
 * A login is tried with each credential once and with few in all: OpenSSH hangs up after
 * six refusals (MaxAuthTries), ESXi locks an account after five passwords.
 */
#ifndef REMOTE_SSH_AUTH_PARTS_H
#define REMOTE_SSH_AUTH_PARTS_H

#include <stdatomic.h>

#include "common/arena.h"
#include "common/text.h"
#include "remote/agent_filter.h"
#include "remote/key_blob.h"
#include "remote/ssh_parts.h"

#define REFUSALS_MAX 5u /* then no further key is offered, until there is nothing else to try */

enum answer {
	GRANTED,
	REFUSED, /* this credential or method; the notes or what was tried say which */
	PARTIAL, /* accepted, and more is wanted */
	ASKED,   /* keyboard-interactive: there are questions */
	BROKEN   /* *err is set; the login is over */
};

enum identity_kind {
	IDENTITY_ABSENT,    /* no private key there; the agent may have it all the same */
	IDENTITY_OPEN,      /* `key` is loaded */
	IDENTITY_ENCRYPTED, /* wants a passphrase */
	IDENTITY_USELESS    /* a security key, or no key at all: see the note */
};

/* A private key file of the configuration. */
struct identity {
	const char *path;
	enum identity_kind kind;
	const char *note;           /* why it is useless or absent; NULL: nothing to tell */
	struct key_blob blob;       /* public half; len 0: not known */
	struct ssh_key_struct *key; /* IDENTITY_OPEN */
	bool is_tried;              /* accepted or refused */
};

struct certificate {
	const char *path;
	struct key_blob blob;
	bool is_tried;
};

struct login {
	struct ssh_opening *o;
	struct arena arena; /* of what the key files gave */
	struct identity *identities;
	size_t identity_count;
	struct certificate *certificates;
	size_t certificate_count;
	bool has_keys;              /* these are filled */
	struct agent_filter *agent; /* NULL: there is none */
	bool has_agent;             /* it was looked for */
	bool agent_tried[AGENT_KEYS_MAX];
	struct text unused; /* agent keys that were not tried, for the message; "" = none */
	bool password_is_sent;
	bool password_is_missing;  /* the notes say why */
	bool questions_were_asked; /* keyboard-interactive had its turn */
	bool question_is_open;     /* of it: nobody was there to answer */
	bool server_has_spoken;    /* in it, instead of asking: see the notes */
	bool is_last;              /* nothing is left to be kept an attempt for */
	unsigned refusals;
	const char *offering;           /* what the server has not answered yet; NULL: nothing */
	struct text passed;             /* what was accepted, joined by " + " */
	struct text tried;              /* for the message: what was refused... */
	struct text notes;              /* ...and why other things were not tried */
	atomic_uint_least64_t touch_ns; /* waited for security keys; the agent's thread counts */
	uint64_t touched_at_ns;         /* that thread's */
};

/* One request, repeated until the server has answered; `what` names the credential. */
typedef int ssh_auth_call(struct ssh_session_struct *session, void *arg);
enum answer ssh_auth_attempt(struct login *l, const char *what, ssh_auth_call *call, void *arg,
                             struct err *err) NODISCARD;

/* As it, without an opinion on the answer: SSH_AUTH_ERROR means that *err is set. */
int ssh_auth_request(struct login *l, const char *what, ssh_auth_call *call, void *arg,
                     struct err *err) NODISCARD;

/* A sentence to the notes, once each. */
void ssh_auth_note(struct login *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* To what was tried. */
void ssh_auth_refused(struct login *l, const char *what);

/* Before and after something that may wait for a person: that time is not counted. */
uint64_t ssh_auth_pause(void);
void ssh_auth_resume(struct login *l, uint64_t paused_ns);

/* What a person calls the host. */
const char *ssh_auth_host(const struct login *l) NODISCARD;

/* The methods. REFUSED when nothing (more) could be done. */
enum answer ssh_auth_by_key(struct login *l, struct err *err) NODISCARD;
enum answer ssh_auth_by_questions(struct login *l, struct err *err) NODISCARD;
enum answer ssh_auth_by_password(struct login *l, struct err *err) NODISCARD;

/* ssh_auth_key_file.c: fills identities and certificates. */
void ssh_auth_read_keys(struct login *l);
void ssh_auth_free_keys(struct login *l);
/* A key of libssh made of the blob; false: it knows no such key, or the blob is not known. */
bool ssh_auth_public_key(struct key_blob blob, struct ssh_key_struct **out) NODISCARD;
/* The decrypted key, asked for once a run; the caller's to free. NULL with *err. */
struct ssh_key_struct *ssh_auth_unlock(struct login *l, const struct identity *id,
                                       struct err *err) NODISCARD;

/* ssh_auth_agent.c: the agent's keys that are among the identities or not. */
enum answer ssh_auth_by_agent(struct login *l, bool are_ours, struct err *err) NODISCARD;
void ssh_auth_close_agent(struct login *l);

/* How many more keys may be refused: what a password needs is kept for it. */
unsigned ssh_auth_keys_left(const struct login *l) NODISCARD;

/* ssh_auth_password.c: the user's password; NULL: none, which is noted, or *err is
 * ERR_CANCELLED. */
const char *ssh_auth_find_password(struct login *l, struct err *err) NODISCARD;

#endif
