/* SPDX-License-Identifier: MIT */
#include "hostops/shell.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "common/hex.h"

#define HALF 16

/* The first character of s that is a control character or one of `others`, or '\0'. */
static char find_bad(const char *s, const char *others)
{
	for (; *s != '\0'; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f || strchr(others, *s) != NULL)
			return *s;
	}
	return '\0';
}

bool shell_command(struct text *out, const char *script, struct err *err)
{
	char bad = find_bad(script, "'\\!");

	if (bad != '\0')
		return err_set(err, ERR_INPUT, "a remote command may not hold the character %#04x",
		               (unsigned)(unsigned char)bad);
	text_printf(out, "exec /bin/sh -c '%s'", script);
	return true;
}

bool shell_word(struct text *script, const char *word, struct err *err)
{
	char bad = find_bad(word, "\"$`'\\!");

	if (bad != '\0')
		return err_set(err, ERR_INPUT,
		               "'%.80s' holds the character %#04x, which a shell would read", word,
		               (unsigned)(unsigned char)bad);
	text_printf(script, "\"%s\"", word);
	return true;
}

bool shell_marker_init(struct shell_marker *m, struct err *err)
{
	unsigned char bytes[HALF];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set_errno(err, errno, "random numbers");
	hex_format(bytes, sizeof(bytes), m->text);
	return true;
}

void shell_marker_define(struct text *script, const struct shell_marker *m)
{
	text_printf(script, "m=%.*s; m=$m\"%s\"; ", HALF, m->text, m->text + HALF);
}

const char *shell_marker_read(const struct shell_marker *m, const char *line)
{
	size_t len = strlen(m->text);

	if (strncmp(line, m->text, len) != 0 || line[len] != ' ')
		return NULL;
	return line + len + 1;
}
