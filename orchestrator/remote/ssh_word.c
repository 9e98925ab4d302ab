/* SPDX-License-Identifier: MIT */
#include "remote/ssh_word.h"

#include <string.h>

#define SHELL_CHARS "'\"`$\\;&<>|(){}[]*?!#~^"

static const struct rule {
	const char *refused;
	const char *allowed; /* of these */
} rules[] = {
	[SSH_WORD_HOST] = {SHELL_CHARS "@,", ""},
	[SSH_WORD_USER] = {SHELL_CHARS ",", ""},
	[SSH_WORD_JUMP] = {SHELL_CHARS, "[]"},
	[SSH_WORD_SHELL] = {SHELL_CHARS, ""},
};

static const char *problem(const struct rule *rule, const char *text)
{
	if (text[0] == '\0')
		return "is empty";
	for (const char *c = text; *c != '\0'; c++) {
		if (*c == ' ')
			return "holds a blank";
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return "holds a control character";
		if (*c == '\\')
			return "holds a backslash (of a domain's user: write user@domain)";
		if (strchr(rule->refused, *c) != NULL && strchr(rule->allowed, *c) == NULL)
			return "holds a character that means something to a shell or to ssh";
	}
	return NULL;
}

/* An option where a name belongs: at the beginning, and in each hop's user and host. */
static bool has_option(const char *text)
{
	const char *at = text;

	if (strncmp(text, "ssh://", 6) == 0)
		at += 6;
	for (;; at++) {
		if (*at == '-')
			return true;
		at = strpbrk(at, ",@");
		if (at == NULL)
			return false;
		if (strncmp(at + 1, "ssh://", 6) == 0)
			at += 6;
	}
}

bool ssh_word_check(enum ssh_word kind, const char *what, const char *text, struct err *err)
{
	const char *found = problem(&rules[kind], text);

	if (found == NULL && (kind == SSH_WORD_JUMP ? has_option(text) : text[0] == '-'))
		found = "begins with `-`";
	if (found == NULL)
		return true;
	return err_set(err, ERR_INPUT, "%s '%.80s' %s", what, text, found);
}
