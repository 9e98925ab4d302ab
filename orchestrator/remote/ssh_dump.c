/* SPDX-License-Identifier: MIT */
#include "remote/ssh_dump.h"

#include <string.h>

#define KEY_BYTES_MAX 64
#define FIRST_ROOM    128

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static char *lower(char *text)
{
	for (char *c = text; *c != '\0'; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	}
	return text;
}

static void add(struct arena *arena, struct ssh_dump *dump, char *key, char *value)
{
	if (dump->count == dump->room) {
		size_t room = dump->room == 0 ? FIRST_ROOM : 2 * dump->room;
		struct ssh_dump_line *at = arena_alloc(arena, room, sizeof(*at));

		if (dump->count > 0)
			memcpy(at, dump->at, dump->count * sizeof(*at));
		dump->at = at;
		dump->room = room;
	}
	dump->at[dump->count++] = (struct ssh_dump_line){lower(key), value};
}

void ssh_dump_add(struct arena *arena, struct ssh_dump *dump, const char *key, const char *value)
{
	add(arena, dump, arena_strndup(arena, key, strlen(key)),
	    arena_strndup(arena, value, strlen(value)));
}

/* Files may have any name but one with a control character: they end in messages. */
static bool take_line(struct arena *arena, const char *line, size_t len, struct ssh_dump *out,
                      struct err *err)
{
	size_t key = 0;
	size_t value;

	while (key < len && is_key_char(line[key]))
		key++;
	if (key == 0 || key > KEY_BYTES_MAX || (key < len && line[key] != ' '))
		return err_set(err, ERR_INPUT, "line %zu is no setting", out->count + 1);
	for (size_t i = key; i < len; i++) {
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			return err_set(err, ERR_INPUT, "%.*s holds a control character", (int)key,
			               line);
	}
	if (out->count == SSH_DUMP_LINES_MAX)
		return err_set(err, ERR_INPUT, "more than %d settings", SSH_DUMP_LINES_MAX);
	value = key < len ? key + 1 : len;
	add(arena, out, arena_strndup(arena, line, key),
	    arena_strndup(arena, line + value, len - value));
	return true;
}

bool ssh_dump_parse(struct arena *arena, const char *text, size_t len, struct ssh_dump *out,
                    struct err *err)
{
	const char *end = text + len;
	struct ssh_dump dump = {0};

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline == NULL ? end : newline;

		if (stop > text && !take_line(arena, text, (size_t)(stop - text), &dump, err))
			return false;
		text = newline == NULL ? end : newline + 1;
	}
	*out = dump;
	return true;
}

const char *ssh_dump_next(const struct ssh_dump *dump, const char *key, size_t *from)
{
	for (size_t i = from == NULL ? 0 : *from; i < dump->count; i++) {
		if (strcmp(dump->at[i].key, key) != 0)
			continue;
		if (from != NULL)
			*from = i + 1;
		return dump->at[i].value;
	}
	return NULL;
}

const char *ssh_dump_value(const struct ssh_dump *dump, const char *key)
{
	const char *value = ssh_dump_next(dump, key, NULL);

	return value == NULL || value[0] == '\0' || strcmp(value, "none") == 0 ? NULL : value;
}

bool ssh_dump_agree(const struct ssh_dump *a, const struct ssh_dump *b, const char *key)
{
	size_t at_a = 0;
	size_t at_b = 0;

	for (;;) {
		const char *one = ssh_dump_next(a, key, &at_a);
		const char *other = ssh_dump_next(b, key, &at_b);

		if (one == NULL || other == NULL)
			return one == other;
		if (strcmp(one, other) != 0)
			return false;
	}
}
