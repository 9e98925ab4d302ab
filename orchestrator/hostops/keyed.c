/* SPDX-License-Identifier: MIT */
#include "hostops/keyed.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **at, size_t *len)
{
	while (*len > 0 && is_blank(**at)) {
		(*at)++;
		(*len)--;
	}
	while (*len > 0 && is_blank((*at)[*len - 1]))
		(*len)--;
}

/* Where ":" or " =" is, whichever comes first; len: neither. */
static size_t find_separator(const char *line, size_t len, size_t *width)
{
	for (size_t i = 0; i < len; i++) {
		if (line[i] == ':') {
			*width = 1;
			return i;
		}
		if (line[i] == ' ' && i + 1 < len && line[i + 1] == '=') {
			*width = 2;
			return i;
		}
	}
	*width = 0;
	return len;
}

bool keyed_next(const char **at, struct keyed_line *out)
{
	const char *line = *at;
	size_t len = strcspn(line, "\n");
	size_t width;

	if (*line == '\0')
		return false;
	*at += len + (line[len] == '\n');
	out->indent = strspn(line, " \t");
	if (out->indent > len)
		out->indent = len;
	out->key = line;
	out->key_len = find_separator(line, len, &width);
	out->is_pair = width > 0;
	out->value = line + out->key_len + width;
	out->value_len = len - out->key_len - width;
	trim(&out->key, &out->key_len);
	trim(&out->value, &out->value_len);
	if (out->value_len >= 2 && out->value[0] == '"' && out->value[out->value_len - 1] == '"') {
		out->value++;
		out->value_len -= 2;
	}
	return true;
}

bool keyed_is(const struct keyed_line *line, const char *key)
{
	return strlen(key) == line->key_len && memcmp(key, line->key, line->key_len) == 0;
}

static bool find(const char *text, const char *key, struct keyed_line *line)
{
	while (keyed_next(&text, line)) {
		if (line->is_pair && keyed_is(line, key))
			return true;
	}
	return false;
}

bool keyed_find(const char *text, const char *key, char *out, size_t room)
{
	struct keyed_line line;

	if (!find(text, key, &line) || line.value_len >= room)
		return false;
	memcpy(out, line.value, line.value_len);
	out[line.value_len] = '\0';
	return true;
}

bool keyed_int(const char *text, size_t len, int64_t *out)
{
	int64_t value = 0;
	size_t i = 0;

	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
		if (value > (INT64_MAX - (text[i] - '0')) / 10)
			return false;
		value = value * 10 + (text[i] - '0');
	}
	if (i == 0 || (i < len && !is_blank(text[i])))
		return false;
	*out = value;
	return true;
}

bool keyed_find_int(const char *text, const char *key, int64_t *out)
{
	struct keyed_line line;

	return find(text, key, &line) && keyed_int(line.value, line.value_len, out);
}
