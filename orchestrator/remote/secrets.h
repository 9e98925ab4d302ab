/* SPDX-License-Identifier: MIT */
/*
 * secrets.h - passwords and passphrases, one holder for all sessions of a run.
 *
 * Each secret is read or asked for once, by whichever session needs it first; the others
 * wait for it. They live in memory of secret_page.h and nowhere else: not in messages,
 * files or environments. Thread-safe. Nothing here prints or reads a terminal: a
 * person is asked through the functions of struct secret_asker, one question at a time.
 *
 * Every function takes a NULL holder for one where nobody can be asked. All wait until
 * they have an answer or wake_fd becomes readable (ERR_CANCELLED): a person takes time.
 * Once the person has given up a question, no further one is asked.
 */
#ifndef REMOTE_SECRETS_H
#define REMOTE_SECRETS_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/secret_page.h"

struct secret_question {
	const char *text; /* printable, without the colon: "password of root for esx1" */
	bool is_hidden;   /* the answer is not to be seen */
	int wake_fd;      /* readable: the answer is no longer wanted; -1: none */
};

struct secret_asker {
	void *ctx;
	/* False: ERR_CANCELLED when the person gave up or wake_fd told so, ERR_INPUT when nobody
	 * is there to ask. */
	bool (*ask)(void *ctx, const struct secret_question *q, char answer[SECRET_BYTES],
	            struct err *err);
	/* Says what the person has to do now, a line. */
	void (*tell)(void *ctx, const char *text);
};

struct secrets;

/* The asker is copied; NULL: there is none. NULL with *err when the system refuses. */
struct secrets *secrets_new(const struct secret_asker *asker, struct err *err) NODISCARD;

/* Wipes everything; after the last session's end. Accepts NULL. */
void secrets_free(struct secrets *s);

/* The value of an environment variable, which the caller has taken out of our own. */
void secrets_add_env(struct secrets *s, const char *name, const char *value);

/* Asks something of one session alone. */
bool secrets_ask(struct secrets *s, const struct secret_question *q, char answer[SECRET_BYTES],
                 struct err *err) NODISCARD;

struct password_wish {
	const char *user, *host; /* for the question */
	const char *only_for; /* a typed one is for this host alone; NULL: for all with this user */
	const char *file;     /* its first line is the password; NULL: none */
	const char *env;      /* else: this variable is; NULL: none */
	bool may_ask;         /* else: a person is asked */
	int wake_fd;
};

/*
 * The password, which is the holder's until its end. NULL with ERR_INPUT and what to do when
 * there is none: a file that others can read, say, or an empty answer.
 */
const char *secrets_password(struct secrets *s, const struct password_wish *wish,
                             struct err *err) NODISCARD;

/* What a passphrase opens: a key file. */
struct secret_lock {
	const char *name; /* of the file */
	const char *host; /* that wants the key first, for the question */
	bool may_ask;
	int wake_fd;
	void *ctx;
	/* What the passphrase opens; NULL: it is wrong. */
	void *(*open)(void *ctx, const char *passphrase);
	/* Takes of it what the caller needs; nobody else does at the same time. */
	bool (*use)(void *ctx, void *value, struct err *err);
	void (*close)(void *value);
};

/*
 * Asks for the passphrase (three times when it is wrong) unless some session has opened `name`
 * before, then uses it. The passphrase itself is not kept. False with ERR_INPUT when it was
 * not opened, then or now.
 */
bool secrets_unlock(struct secrets *s, const struct secret_lock *lock, struct err *err) NODISCARD;

/* The security keys of the person's: one wants a touch at a time. False when woken. */
bool secrets_begin_touch(struct secrets *s, int wake_fd) NODISCARD;
void secrets_end_touch(struct secrets *s);
/* How many were asked for so far; `more` are added to that. */
unsigned secrets_touches(struct secrets *s, unsigned more);
void secrets_tell(struct secrets *s, const char *text);

#endif
