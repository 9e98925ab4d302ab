/* SPDX-License-Identifier: MIT */
#include "remote/ssh_expand.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "remote/ssh_word.h"

#define NAME_BYTES   128
#define PASSWD_BYTES 16384
#define PATH_MAX_LEN 4096

/* NULL: not one of ours. `room` takes %L. */
static const char *token_value(char token, const struct ssh_tokens *t, char room[NAME_BYTES])
{
	switch (token) {
	case '%':
		return "%";
	case 'd':
		return t->home;
	case 'h':
		return t->hostname;
	case 'i':
		return t->uid;
	case 'k':
		return t->key_alias;
	case 'L':
		(void)snprintf(room, NAME_BYTES, "%.*s", (int)strcspn(t->local_host, "."),
		               t->local_host);
		return room;
	case 'l':
		return t->local_host;
	case 'n':
		return t->alias;
	case 'p':
		return t->port;
	case 'r':
		return t->user;
	case 'u':
		return t->local_user;
	default:
		return NULL;
	}
}

/* The home folder of ~NAME; false: there is no such user. */
static bool add_home_of(struct text *out, const char *name, size_t len)
{
	char data[PASSWD_BYTES];
	char user[NAME_BYTES];
	struct passwd entry;
	struct passwd *found = NULL;

	if (len >= sizeof(user))
		return false;
	(void)snprintf(user, sizeof(user), "%.*s", (int)len, name);
	if (getpwnam_r(user, &entry, data, sizeof(data), &found) != 0 || found == NULL)
		return false;
	text_add(out, found->pw_dir);
	return true;
}

/* What follows the `~`, or NULL with the error. */
static const char *take_home(struct text *out, const char *what, const char *value,
                             const struct ssh_tokens *t, struct err *err)
{
	size_t len;

	if (value[0] != '~')
		return value;
	len = strcspn(++value, "/");
	if (len == 0)
		text_add(out, t->home);
	else if (!add_home_of(out, value, len)) {
		(void)err_set(err, ERR_INPUT, "%s: there is no user '%.*s'", what, (int)len, value);
		return NULL;
	}
	return value + len;
}

/* "${NAME}": what follows it, or NULL with the error. */
static const char *take_variable(struct text *out, const char *what, const char *at,
                                 const struct ssh_tokens *t, struct err *err)
{
	const char *end = strchr(at, '}');
	char name[NAME_BYTES];
	const char *value;

	if (end == NULL || (size_t)(end - at - 2) >= sizeof(name)) {
		(void)err_set(err, ERR_INPUT, "%s: '%.60s' has no end", what, at);
		return NULL;
	}
	(void)snprintf(name, sizeof(name), "%.*s", (int)(end - at - 2), at + 2);
	value = t->variable(name);
	if (value == NULL) {
		(void)err_set(err, ERR_INPUT, "%s: the environment variable %s is not set", what,
		              name);
		return NULL;
	}
	text_add(out, value);
	return end + 1;
}

/* "%h": what follows it, or NULL with the error. */
static const char *take_token(struct text *out, const char *what, const char *at, bool is_command,
                              const struct ssh_tokens *t, struct err *err)
{
	char room[NAME_BYTES];
	const char *value = token_value(at[1], t, room);

	if (value == NULL) {
		(void)err_set(err, ERR_INPUT,
		              "%s: the token %.2s is not known to vnm: say it without, or set "
		              "`transport: openssh`",
		              what, at);
		return NULL;
	}
	if (is_command && at[1] != '%' && !ssh_word_check(SSH_WORD_SHELL, what, value, err))
		return NULL;
	text_add(out, value);
	return at + 2;
}

static const char *finish(struct arena *arena, const char *what, struct text *out, bool ok,
                          struct err *err)
{
	const char *copy = NULL;

	if (ok && out->len > PATH_MAX_LEN)
		(void)err_set(err, ERR_INPUT, "%s is too long", what);
	else if (ok)
		copy = arena_strndup(arena, text_str(out), out->len);
	text_done(out);
	return copy;
}

static bool add_tokens(struct text *out, const char *what, const char *at, bool is_command,
                       const struct ssh_tokens *t, struct err *err)
{
	while (at != NULL && *at != '\0' && out->len <= PATH_MAX_LEN) {
		if (*at == '%')
			at = take_token(out, what, at, is_command, t, err);
		else if (!is_command && at[0] == '$' && at[1] == '{')
			at = take_variable(out, what, at, t, err);
		else
			text_add_bytes(out, at++, 1);
	}
	return at != NULL;
}

const char *ssh_expand_file(struct arena *arena, const char *what, const char *value,
                            const struct ssh_tokens *tokens, struct err *err)
{
	struct text out = {0};
	const char *rest = take_home(&out, what, value, tokens, err);
	bool ok = rest != NULL && add_tokens(&out, what, rest, false, tokens, err);

	return finish(arena, what, &out, ok, err);
}

const char *ssh_expand_home(struct arena *arena, const char *what, const char *value,
                            const struct ssh_tokens *tokens, struct err *err)
{
	struct text out = {0};
	const char *rest = take_home(&out, what, value, tokens, err);

	if (rest != NULL)
		text_add(&out, rest);
	return finish(arena, what, &out, rest != NULL, err);
}

const char *ssh_expand_command(struct arena *arena, const char *what, const char *value,
                               const struct ssh_tokens *tokens, struct err *err)
{
	struct text out = {0};
	bool ok = add_tokens(&out, what, value, true, tokens, err);

	return finish(arena, what, &out, ok, err);
}
