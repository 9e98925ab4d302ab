/* SPDX-License-Identifier: MIT */
#include "remote/secrets.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/oom.h"
#include "common/text.h"
#include "remote/password_file.h"
#include "remote/turn.h"

#define PASSPHRASE_TRIES 3
#define OR_TERMINAL      ", or run vnm on a terminal"

enum entry_state {
	ENTRY_NEW,
	ENTRY_HAS, /* text or value */
	ENTRY_NONE /* why */
};

/* One secret. Whoever has its turn may look and fill. */
struct entry {
	struct entry *next;
	char *name; /* "file /etc/pw", "typed root", "key /root/.ssh/id" */
	struct turn turn;
	enum entry_state state;
	char *text; /* a secret page */
	void *value;
	void (*close)(void *value);
	struct err why;
};

struct secrets {
	struct secret_asker asker;
	struct turn asking, touching;
	atomic_bool is_given_up;
	atomic_uint touches;  /* begun so far */
	pthread_mutex_t lock; /* of the list; entries stay where they are */
	struct entry *entries;
};

static struct wait_limit until_woken(int wake_fd)
{
	return (struct wait_limit){.deadline_ns = UINT64_MAX, .wake_fd = wake_fd};
}

static bool is_woken(int wake_fd)
{
	struct pollfd fd = {.fd = wake_fd, .events = POLLIN};

	return wake_fd >= 0 && poll(&fd, 1, 0) == 1;
}

static bool take(struct turn *turn, int wake_fd, struct err *err)
{
	const struct wait_limit limit = until_woken(wake_fd);

	if (turn_take(turn, &limit) == WAIT_READY)
		return true;
	return err_set(err, ERR_CANCELLED, "given up");
}

struct secrets *secrets_new(const struct secret_asker *asker, struct err *err)
{
	struct secrets *s = calloc(1, sizeof(*s));

	if (s == NULL)
		oom_end();
	if (asker != NULL)
		s->asker = *asker;
	s->asking.fd = s->touching.fd = -1;
	(void)pthread_mutex_init(&s->lock, NULL);
	if (turn_init(&s->asking, err) && turn_init(&s->touching, err))
		return s;
	secrets_free(s);
	return NULL;
}

static void free_entry(struct entry *e)
{
	if (e->value != NULL)
		e->close(e->value);
	secret_page_free(e->text);
	turn_done(&e->turn);
	free(e->name);
	free(e);
}

void secrets_free(struct secrets *s)
{
	if (s == NULL)
		return;
	while (s->entries != NULL) {
		struct entry *e = s->entries;

		s->entries = e->next;
		free_entry(e);
	}
	turn_done(&s->asking);
	turn_done(&s->touching);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

/* The entry "kind name", made when it is not there. NULL: the system gives no more turns. */
static struct entry *find(struct secrets *s, const char *kind, const char *name, struct err *err)
{
	struct text full = {0};
	struct entry *e;

	text_printf(&full, "%s %s", kind, name);
	(void)pthread_mutex_lock(&s->lock);
	for (e = s->entries; e != NULL && strcmp(e->name, text_str(&full)) != 0; e = e->next)
		continue;
	if (e == NULL) {
		e = calloc(1, sizeof(*e));
		if (e == NULL || (e->name = strdup(text_str(&full))) == NULL)
			oom_end();
		if (turn_init(&e->turn, err)) {
			e->next = s->entries;
			s->entries = e;
		} else {
			free_entry(e);
			e = NULL;
		}
	}
	(void)pthread_mutex_unlock(&s->lock);
	text_done(&full);
	return e;
}

void secrets_add_env(struct secrets *s, const char *name, const char *value)
{
	struct err ignored; /* then it is as if the variable were not set */
	struct entry *e = find(s, "env", name, &ignored);
	size_t len = strlen(value);

	if (e == NULL || e->state != ENTRY_NEW)
		return;
	if (len == 0 || len >= SECRET_BYTES) {
		e->state = ENTRY_NONE;
		(void)err_set(&e->why, ERR_INPUT,
		              "the environment variable %s (password_env) is %s", name,
		              len == 0 ? "empty" : "too long for a password");
		return;
	}
	e->text = secret_page_new();
	memcpy(e->text, value, len + 1);
	e->state = ENTRY_HAS;
}

bool secrets_ask(struct secrets *s, const struct secret_question *q, char answer[SECRET_BYTES],
                 struct err *err)
{
	bool ok;

	if (s == NULL || s->asker.ask == NULL)
		return err_set(err, ERR_INPUT, "nobody can be asked");
	if (!take(&s->asking, q->wake_fd, err))
		return false;
	ok = atomic_load(&s->is_given_up)
	             ? err_set(err, ERR_CANCELLED, "given up at an earlier question")
	             : s->asker.ask(s->asker.ctx, q, answer, err);
	if (!ok && err->kind == ERR_CANCELLED && !is_woken(q->wake_fd))
		atomic_store(&s->is_given_up, true);
	turn_give(&s->asking);
	return ok;
}

/* Keeps why there is none, unless it was only this session that gave up. */
static void refuse(struct entry *e, int wake_fd, const struct err *why)
{
	if (why->kind == ERR_CANCELLED && is_woken(wake_fd))
		return;
	e->state = ENTRY_NONE;
	e->why = *why;
}

/* "there is no password for root and ...: what to do", which ends in `more`. */
static bool no_password(const struct password_wish *wish, const char *why, const char *more,
                        struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "there is no password for %s and %s: name a `password_file` or "
	               "`password_env`%s",
	               wish->user, why, more);
}

static bool type_password(struct secrets *s, struct entry *e, const struct password_wish *wish,
                          struct err *err)
{
	struct secret_question q = {.is_hidden = true, .wake_fd = wish->wake_fd};
	struct text text = {0};
	struct err why;
	bool ok;

	if (!wish->may_ask)
		return no_password(wish, "BatchMode forbids to ask", "", err);
	text_printf(&text, "password of %s for %s%s", wish->user, wish->host,
	            wish->only_for != NULL ? "" : " and every host that asks for it");
	q.text = text_str(&text);
	e->text = secret_page_new();
	ok = secrets_ask(s, &q, e->text, &why);
	text_done(&text);
	if (ok && e->text[0] == '\0')
		return no_password(wish, "none was typed", ", or type it", err);
	if (!ok && why.kind == ERR_INPUT)
		return no_password(wish, why.msg, OR_TERMINAL, err);
	if (!ok)
		*err = why;
	return ok;
}

static bool fill_password(struct secrets *s, struct entry *e, const struct password_wish *wish,
                          struct err *err)
{
	bool ok;

	if (wish->file != NULL) {
		e->text = secret_page_new();
		ok = password_file_read(wish->file, e->text, err);
	} else if (wish->env != NULL) {
		ok = err_set(err, ERR_INPUT,
		             "the environment variable %s (password_env) is not set", wish->env);
	} else {
		ok = type_password(s, e, wish, err);
	}
	if (ok) {
		e->state = ENTRY_HAS;
		return true;
	}
	secret_page_free(e->text);
	e->text = NULL;
	/* A host that may not ask says nothing of the others. */
	if (wish->file != NULL || wish->env != NULL || wish->may_ask)
		refuse(e, wish->wake_fd, err);
	return false;
}

static struct entry *find_password(struct secrets *s, const struct password_wish *wish,
                                   struct err *err)
{
	struct text name = {0};
	struct entry *e;

	if (wish->file != NULL)
		return find(s, "file", wish->file, err);
	if (wish->env != NULL)
		return find(s, "env", wish->env, err);
	text_printf(&name, "%s", wish->user);
	if (wish->only_for != NULL)
		text_printf(&name, " %s", wish->only_for);
	e = find(s, "typed", text_str(&name), err);
	text_done(&name);
	return e;
}

const char *secrets_password(struct secrets *s, const struct password_wish *wish, struct err *err)
{
	const char *text = NULL;
	struct entry *e;

	if (s == NULL) {
		(void)no_password(wish, "nobody can be asked", OR_TERMINAL, err);
		return NULL;
	}
	e = find_password(s, wish, err);
	if (e == NULL || !take(&e->turn, wish->wake_fd, err))
		return NULL;
	if (e->state == ENTRY_NONE)
		*err = e->why;
	else if (e->state == ENTRY_HAS || fill_password(s, e, wish, err))
		text = e->text;
	turn_give(&e->turn);
	return text;
}

/* `why` is not err->msg itself. */
static bool no_passphrase(const struct secret_lock *lock, const char *why, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "key %s is encrypted and %s: ssh-add it, or run vnm on a terminal",
	               lock->name, why);
}

static bool open_lock(struct secrets *s, struct entry *e, const struct secret_lock *lock,
                      struct err *err)
{
	struct secret_question q = {.is_hidden = true, .wake_fd = lock->wake_fd};
	char *passphrase = secret_page_new();
	struct text text = {0};
	struct err why;
	bool ok = true;

	for (int i = 0; ok && e->value == NULL && i < PASSPHRASE_TRIES; i++) {
		text_clear(&text);
		text_printf(&text, "%spassphrase of key %s (for %s)",
		            i == 0 ? "" : "that is not it; ", lock->name, lock->host);
		q.text = text_str(&text);
		ok = secrets_ask(s, &q, passphrase, &why);
		if (ok && passphrase[0] == '\0')
			ok = err_set(err, ERR_INPUT, "no passphrase was typed for key %s",
			             lock->name);
		else if (!ok && why.kind == ERR_INPUT)
			(void)no_passphrase(lock, why.msg, err);
		else if (!ok)
			*err = why;
		if (ok)
			e->value = lock->open(lock->ctx, passphrase);
		explicit_bzero(passphrase, SECRET_BYTES);
	}
	if (ok && e->value == NULL)
		ok = err_set(err, ERR_INPUT, "no passphrase of %d opened key %s", PASSPHRASE_TRIES,
		             lock->name);
	secret_page_free(passphrase);
	text_done(&text);
	return ok;
}

static bool use_entry(struct secrets *s, struct entry *e, const struct secret_lock *lock,
                      struct err *err)
{
	if (e->state == ENTRY_NONE) {
		*err = e->why;
		return false;
	}
	if (e->state == ENTRY_NEW && !lock->may_ask)
		return err_set(err, ERR_INPUT,
		               "key %s is encrypted and BatchMode forbids to ask: ssh-add it",
		               lock->name);
	if (e->state == ENTRY_NEW && !open_lock(s, e, lock, err)) {
		refuse(e, lock->wake_fd, err);
		return false;
	}
	e->state = ENTRY_HAS;
	e->close = lock->close;
	return lock->use(lock->ctx, e->value, err);
}

bool secrets_unlock(struct secrets *s, const struct secret_lock *lock, struct err *err)
{
	struct entry *e;
	bool ok;

	if (s == NULL)
		return err_set(err, ERR_INPUT,
		               "key %s is encrypted and nobody can be asked: ssh-add it",
		               lock->name);
	e = find(s, "key", lock->name, err);
	if (e == NULL || !take(&e->turn, lock->wake_fd, err))
		return false;
	ok = use_entry(s, e, lock, err);
	turn_give(&e->turn);
	return ok;
}

bool secrets_begin_touch(struct secrets *s, int wake_fd)
{
	struct err ignored;

	return s == NULL || take(&s->touching, wake_fd, &ignored);
}

unsigned secrets_touches(struct secrets *s, unsigned more)
{
	return s == NULL ? 0 : atomic_fetch_add(&s->touches, more);
}

void secrets_end_touch(struct secrets *s)
{
	if (s != NULL)
		turn_give(&s->touching);
}

/* Not between a question and its answer. */
void secrets_tell(struct secrets *s, const char *text)
{
	struct err ignored;

	if (s == NULL || s->asker.tell == NULL || !take(&s->asking, -1, &ignored))
		return;
	s->asker.tell(s->asker.ctx, text);
	turn_give(&s->asking);
}
