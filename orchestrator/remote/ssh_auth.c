/* SPDX-License-Identifier: MIT */
/* ssh_auth.c - logging in: which method when, and what is said when none was enough. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <libssh/libssh.h>

#include "common/clock.h"
#include "remote/ssh_auth_parts.h"

#define PARTIAL_MAX 6 /* a server that is never content */

typedef enum answer method_call(struct login *l, struct err *err);

static const struct method {
	const char *name;
	unsigned bit;
	method_call *log_in; /* NULL: not one of ours */
} methods[] = {
	{"publickey", SSH_AUTH_METHOD_PUBLICKEY, ssh_auth_by_key},
	{"keyboard-interactive", SSH_AUTH_METHOD_INTERACTIVE, ssh_auth_by_questions},
	{"password", SSH_AUTH_METHOD_PASSWORD, ssh_auth_by_password},
	{"hostbased", SSH_AUTH_METHOD_HOSTBASED, NULL},
	{"gssapi-with-mic", SSH_AUTH_METHOD_GSSAPI_MIC, NULL},
};

static const char *const preset_order[] = {"publickey", "keyboard-interactive", "password"};

const char *ssh_auth_host(const struct login *l)
{
	const struct ssh_target *target = l->o->target;

	return target->name != NULL ? target->name : target->config->alias;
}

uint64_t ssh_auth_pause(void)
{
	return clock_now_ns();
}

void ssh_auth_resume(struct login *l, uint64_t paused_ns)
{
	uint64_t asked_ns = clock_now_ns() - paused_ns;

	l->o->limit.deadline_ns += asked_ns;
	l->o->info->asked_ns += asked_ns;
}

static void add_part(struct text *list, const char *between, const char *part)
{
	if (list->len > 0)
		text_add(list, between);
	text_add(list, part);
}

void ssh_auth_refused(struct login *l, const char *what)
{
	add_part(&l->tried, ", ", what);
}

void ssh_auth_note(struct login *l, const char *fmt, ...)
{
	char note[ERR_MSG_BYTES];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
	if (strstr(text_str(&l->notes), note) == NULL)
		add_part(&l->notes, "; ", note);
}

/* The server hung up: for a reason that we know, or another one. */
static void fail_broken(struct login *l, const char *doing, struct err *err)
{
	char reason[SSH_REASON_BYTES];

	(void)ssh_transport_reason(l->o->t, reason);
	if (l->offering != NULL)
		add_part(&l->tried, ", ", l->offering);
	if (strstr(reason, "Too many authentication failures") != NULL)
		(void)err_set(
			err, ERR_REMOTE,
			"%s: the server hung up after %u refused attempts (MaxAuthTries): %s: "
			"offer the right key alone, by `key:` or IdentitiesOnly and "
			"IdentityFile",
			doing, l->refusals + 1, text_str(&l->tried));
	else
		(void)err_set(err, ERR_REMOTE, "%s: %s", doing, reason);
}

/* One call until it has an answer; it is AGAIN when *err is set. */
static int repeat(struct login *l, const char *doing, ssh_auth_call *call, void *arg,
                  struct err *err)
{
	int rc;

	while ((rc = call(l->o->t->session, arg)) == SSH_AUTH_AGAIN) {
		uint64_t deadline_ns = l->o->limit.deadline_ns + atomic_load(&l->touch_ns);

		if (!ssh_transport_wait(l->o->t, deadline_ns, doing, err))
			break;
	}
	return rc;
}

int ssh_auth_request(struct login *l, const char *what, ssh_auth_call *call, void *arg,
                     struct err *err)
{
	bool is_there;
	char doing[64];
	int rc;

	(void)snprintf(doing, sizeof(doing), "log in as %.40s", l->o->target->config->user);
	l->offering = what;
	rc = repeat(l, doing, call, arg, err);
	/* libssh would go on waiting after a goodbye. */
	is_there = ssh_is_connected(l->o->t->session) != 0;
	if (!is_there && (rc != SSH_AUTH_AGAIN || err->kind == ERR_REMOTE))
		fail_broken(l, doing, err);
	l->offering = NULL;
	if (!is_there || rc == SSH_AUTH_AGAIN)
		return SSH_AUTH_ERROR;
	return rc == SSH_AUTH_ERROR ? SSH_AUTH_DENIED : rc;
}

enum answer ssh_auth_attempt(struct login *l, const char *what, ssh_auth_call *call, void *arg,
                             struct err *err)
{
	switch (ssh_auth_request(l, what, call, arg, err)) {
	case SSH_AUTH_SUCCESS:
		add_part(&l->passed, " + ", what);
		return GRANTED;
	case SSH_AUTH_PARTIAL:
		add_part(&l->passed, " + ", what);
		return PARTIAL;
	case SSH_AUTH_INFO:
		return ASKED;
	case SSH_AUTH_ERROR:
		return BROKEN;
	default:
		l->refusals++;
		ssh_auth_refused(l, what);
		return REFUSED;
	}
}

static struct ssh_names order_of(const struct login *l)
{
	const struct ssh_names *names = &l->o->target->config->methods;

	if (names->count > 0)
		return *names;
	return (struct ssh_names){COUNT_OF(preset_order), preset_order};
}

static const struct method *find_method(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	}
	return NULL;
}

static bool is_in(const struct ssh_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->at[i], name) == 0)
			return true;
	}
	return false;
}

unsigned ssh_auth_keys_left(const struct login *l)
{
	const struct ssh_target *target = l->o->target;
	unsigned offered = (unsigned)ssh_userauth_list(l->o->t->session, NULL);
	bool has_password = target->password_file != NULL || target->password_env != NULL;
	bool is_wanted = (offered & (SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_INTERACTIVE)) != 0;
	unsigned max = REFUSALS_MAX - (has_password && is_wanted && !l->password_is_sent ? 1 : 0);

	if (l->is_last)
		return UINT_MAX;
	return l->refusals >= max ? 0 : max - l->refusals;
}

/* In the user's order, what the server offers. */
static enum answer try_methods(struct login *l, struct err *err)
{
	const struct ssh_names order = order_of(l);
	unsigned offered = (unsigned)ssh_userauth_list(l->o->t->session, NULL);

	for (size_t i = 0; i < order.count; i++) {
		const struct method *m = find_method(order.at[i]);
		enum answer answer;

		if (m == NULL || m->log_in == NULL || (offered & m->bit) == 0)
			continue;
		answer = m->log_in(l, err);
		if (answer != REFUSED)
			return answer;
	}
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		if (methods[i].log_in != NULL && (offered & methods[i].bit) != 0 &&
		    !is_in(&order, methods[i].name))
			ssh_auth_note(l, "the ssh configuration leaves out %s", methods[i].name);
	}
	return REFUSED;
}

static int try_none(ssh_session session, void *arg)
{
	(void)arg;
	return ssh_userauth_none(session, NULL);
}

/* As ssh does, until the server hangs up. Not after a password: who can tell what was wrong? */
static enum answer try_last_keys(struct login *l, struct err *err)
{
	const struct ssh_names order = order_of(l);
	unsigned offered = (unsigned)ssh_userauth_list(l->o->t->session, NULL);

	if (l->password_is_sent || (offered & SSH_AUTH_METHOD_PUBLICKEY) == 0 ||
	    !is_in(&order, "publickey"))
		return REFUSED;
	l->is_last = true;
	return ssh_auth_by_key(l, err);
}

/* Asks what the server offers, which counts as no attempt, then gives it what it wants. */
static enum answer try_all(struct login *l, struct err *err)
{
	enum answer answer = REFUSED;
	int rc = ssh_auth_request(l, NULL, try_none, NULL, err);

	if (rc == SSH_AUTH_ERROR)
		return BROKEN;
	if (rc == SSH_AUTH_SUCCESS) {
		text_add(&l->passed, "none: the server asks for nothing");
		return GRANTED;
	}
	for (int i = 0; i < PARTIAL_MAX; i++) {
		answer = try_methods(l, err);
		if (answer == REFUSED)
			answer = try_last_keys(l, err);
		if (answer != PARTIAL)
			break;
	}
	return answer;
}

/* NULL: the notes say what to do. */
static const char *remedy(const struct login *l, unsigned offered)
{
	if (l->question_is_open)
		return "run vnm on a terminal, or use a key";
	if (l->password_is_sent)
		return "is that the password? it was sent once and is not sent again";
	if ((offered & SSH_AUTH_METHOD_PUBLICKEY) != 0 && l->passed.len == 0 && l->tried.len == 0)
		return "name a key that it accepts with `key:`, or ssh-add one";
	if ((offered & SSH_AUTH_METHOD_PUBLICKEY) != 0 && l->passed.len == 0)
		return "add the public key to the host's authorized_keys";
	if (l->server_has_spoken)
		return "ask whoever looks after the host";
	if (l->password_is_missing)
		return NULL;
	if ((offered & (SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_INTERACTIVE)) != 0)
		return "name a `password_file` or `password_env`, or run vnm on a terminal";
	if ((offered & (SSH_AUTH_METHOD_HOSTBASED | SSH_AUTH_METHOD_GSSAPI_MIC)) != 0)
		return "`transport: openssh` can do that";
	return "does the server let this user in?";
}

static void list_methods(unsigned offered, struct text *out)
{
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		if ((offered & methods[i].bit) != 0)
			add_part(out, ", ", methods[i].name);
	}
	if (out->len == 0)
		text_add(out, "nothing");
}

static void explain(struct login *l, struct err *err)
{
	const char *user = l->o->target->config->user;
	unsigned offered = (unsigned)ssh_userauth_list(l->o->t->session, NULL);
	const char *what_to_do = remedy(l, offered);
	struct text list = {0};
	struct text out = {0};

	list_methods(offered, &list);
	if (l->passed.len > 0)
		text_printf(&out, "%s was accepted for %s, but the server wants more: ",
		            text_str(&l->passed), user);
	else if (l->tried.len == 0)
		text_printf(&out, "cannot log in as %s: ", user);
	if (l->tried.len > 0)
		text_printf(&out, "permission denied for %s with %s: ", user, text_str(&l->tried));
	if (l->unused.len > 0)
		text_printf(&out, "%s; ", text_str(&l->unused));
	if (l->notes.len > 0)
		text_printf(&out, "%s; ", text_str(&l->notes));
	text_printf(&out, "the server offers %s", text_str(&list));
	if (what_to_do != NULL)
		text_printf(&out, ": %s", what_to_do);
	(void)err_set(err, ERR_REMOTE, "%s", text_str(&out));
	text_done(&list);
	text_done(&out);
}

bool ssh_transport_log_in(struct ssh_opening *o, struct err *err)
{
	struct transport_info *info = o->info;
	struct login l = {.o = o};
	enum answer answer = try_all(&l, err);

	if (answer == GRANTED)
		(void)snprintf(info->login, sizeof(info->login), "%s", text_str(&l.passed));
	else if (answer != BROKEN)
		explain(&l, err);
	ssh_auth_close_agent(&l);
	ssh_auth_free_keys(&l);
	text_done(&l.passed);
	text_done(&l.tried);
	text_done(&l.notes);
	text_done(&l.unused);
	arena_done(&l.arena);
	return answer == GRANTED;
}
