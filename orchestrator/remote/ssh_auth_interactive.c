/* SPDX-License-Identifier: MIT */
/*
 * ssh_auth_interactive.c - the method keyboard-interactive (RFC 4256).
 *
 * The server sends rounds of questions, some without any. The first round that hides its only
 * answer gets the user's password; whatever else is asked, a person answers.
 */
#include <stdio.h>
#include <string.h>

#include <libssh/libssh.h>

#include "remote/prompt_text.h"
#include "remote/secrets.h"
#include "remote/ssh_auth_parts.h"

#define ROUNDS_MAX    10
#define QUESTIONS_MAX 16

static int try_questions(ssh_session session, void *arg)
{
	(void)arg;
	return ssh_userauth_kbdint(session, NULL, NULL);
}

static bool set_answer(struct login *l, unsigned i, const char *answer, struct err *err)
{
	if (ssh_userauth_kbdint_setanswer(l->o->t->session, i, answer) == 0)
		return true;
	return err_set(err, ERR_SYSTEM, "keyboard-interactive: out of memory");
}

/* "esx1 asks: One-time code"; the instruction comes first when there is one. */
static bool ask_person(struct login *l, unsigned i, const char *prompt, bool is_hidden,
                       struct err *err)
{
	const struct ssh_target *target = l->o->target;
	const char *instruction = ssh_userauth_kbdint_getinstruction(l->o->t->session);
	char clean[PROMPT_TEXT_BYTES] = "";
	char before[PROMPT_TEXT_BYTES] = "";
	char *answer = secret_page_new();
	struct secret_question q = {.is_hidden = is_hidden, .wake_fd = l->o->limit.wake_fd};
	struct text text = {0};
	struct err why;
	uint64_t paused_ns = ssh_auth_pause();
	bool ok;

	prompt_text_clean(prompt, clean);
	if (instruction != NULL && i == 0)
		prompt_text_clean(instruction, before);
	text_printf(&text, "%s asks %s: %s%s%s", ssh_auth_host(l), target->config->user, before,
	            before[0] != '\0' ? ": " : "", clean);
	q.text = text_str(&text);
	if (target->config->batch_mode)
		ok = err_set(&why, ERR_INPUT, "BatchMode forbids to ask");
	else
		ok = secrets_ask(target->secrets, &q, answer, &why);
	ssh_auth_resume(l, paused_ns);
	if (ok)
		ok = set_answer(l, i, answer, err);
	else if (why.kind == ERR_INPUT)
		(void)err_set(err, ERR_INPUT, "the server asks \"%s\" and %s", clean, why.msg);
	else
		*err = why;
	secret_page_free(answer);
	text_done(&text);
	return ok;
}

/* Is it the password that is asked for, and one that has not been sent? */
static bool wants_password(const struct login *l, const char *prompt, bool is_alone)
{
	const struct ssh_target *target = l->o->target;
	bool has_source = target->password_file != NULL || target->password_env != NULL;

	return is_alone && !l->password_is_sent &&
	       (has_source ? prompt_text_means_password(prompt)
	                   : prompt_text_says_password(prompt));
}

/* What a round without questions says: why an account is locked, say. */
static void note_speech(struct login *l)
{
	const char *speech = ssh_userauth_kbdint_getinstruction(l->o->t->session);
	char clean[PROMPT_TEXT_BYTES] = "";

	if (speech != NULL)
		prompt_text_clean(speech, clean);
	if (clean[0] == '\0')
		return;
	ssh_auth_note(l, "the server says \"%s\"", clean);
	l->server_has_spoken = true;
}

/* False with ERR_INPUT: nobody can answer, which is noted. */
static bool answer_round(struct login *l, struct err *err)
{
	ssh_session session = l->o->t->session;
	int count = ssh_userauth_kbdint_getnprompts(session);

	if (count > QUESTIONS_MAX)
		return err_set(err, ERR_REMOTE, "keyboard-interactive: %d questions at once",
		               count);
	if (count <= 0)
		note_speech(l);
	for (unsigned i = 0; i < (unsigned)(count > 0 ? count : 0); i++) {
		char is_shown = 0;
		const char *prompt = ssh_userauth_kbdint_getprompt(session, i, &is_shown);
		const char *password;

		if (prompt == NULL)
			prompt = "";
		if (!wants_password(l, prompt, count == 1 && is_shown == 0)) {
			if (ask_person(l, i, prompt, is_shown == 0, err)) {
				/* If that was the password, it is not asked for once more. */
				if (is_shown == 0 && prompt_text_means_password(prompt))
					l->password_is_sent = true;
				continue;
			}
			if (err->kind == ERR_INPUT) {
				ssh_auth_note(l, "%s", err->msg);
				l->question_is_open = true;
			}
			return false;
		}
		password = ssh_auth_find_password(l, err);
		if (password == NULL || !set_answer(l, i, password, err))
			return false;
		l->password_is_sent = true;
	}
	return true;
}

enum answer ssh_auth_by_questions(struct login *l, struct err *err)
{
	enum answer answer;

	if (l->questions_were_asked)
		return REFUSED;
	l->questions_were_asked = true;
	answer = ssh_auth_attempt(l, "keyboard-interactive", try_questions, NULL, err);
	for (int round = 0; answer == ASKED; round++) {
		struct err why;

		if (round == ROUNDS_MAX) {
			ssh_auth_note(l, "keyboard-interactive: no end after %d rounds",
			              ROUNDS_MAX);
			return REFUSED;
		}
		if (!answer_round(l, &why)) {
			if (why.kind == ERR_INPUT)
				return REFUSED;
			*err = why;
			return BROKEN;
		}
		answer = ssh_auth_attempt(l, "keyboard-interactive", try_questions, NULL, err);
	}
	return answer;
}
