/* SPDX-License-Identifier: MIT */
#include "hostops/records.h"

#include <string.h>

#include "hostops/keyed.h"

#define FIRST_ROOM 16

struct record *records_add(struct arena *arena, struct records *all)
{
	if (all->count == RECORDS_MAX)
		return NULL;
	/* Powers of two: room is full when the count is one. */
	if (all->count == 0 || (all->count >= FIRST_ROOM && (all->count & (all->count - 1)) == 0)) {
		size_t room = all->count == 0 ? FIRST_ROOM : all->count * 2;
		struct record *grown = arena_alloc(arena, room, sizeof(*grown));

		if (all->count > 0)
			memcpy(grown, all->at, all->count * sizeof(*grown));
		all->at = grown;
	}
	all->at[all->count].name = "";
	return &all->at[all->count++];
}

void record_add(struct arena *arena, struct record *r, const char *key, size_t key_len,
                const char *value, size_t value_len)
{
	if (r->count == RECORDS_FIELDS_MAX)
		return;
	if (r->count == 0)
		r->fields = arena_alloc(arena, RECORDS_FIELDS_MAX, sizeof(*r->fields));
	r->fields[r->count].key = arena_strndup(arena, key, key_len);
	r->fields[r->count].value = arena_strndup(arena, value, value_len);
	r->count++;
}

/* In the C locale alone, whatever the machine's is. */
static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool same_key(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (lower(*a) != lower(*b))
			return false;
		if (*a == '\0')
			return true;
		a++;
		b++;
	}
}

const char *record_get(const struct record *r, const char *key)
{
	for (size_t i = 0; i < r->count; i++) {
		if (same_key(r->fields[i].key, key))
			return r->fields[i].value;
	}
	return NULL;
}

int64_t record_int(const struct record *r, const char *key)
{
	const char *value = record_get(r, key);
	int64_t n;

	if (value == NULL || !keyed_int(value, strlen(value), &n))
		return RECORDS_UNKNOWN;
	return n;
}

const struct record *records_find(const struct records *all, const char *key, const char *value)
{
	for (size_t i = 0; i < all->count; i++) {
		const char *has = key == NULL ? all->at[i].name : record_get(&all->at[i], key);

		if (has != NULL && strcmp(has, value) == 0)
			return &all->at[i];
	}
	return NULL;
}

/* A column, in characters of UTF-8 from the begin of the line. */
struct column {
	size_t from, to;
	const char *key;
	size_t key_len;
};

/* The part of a line between two positions in characters, without blanks around it. */
static void cut(const char *line, size_t len, const struct column *c, const char **at, size_t *n)
{
	size_t chars = 0;
	size_t begin = len;
	size_t end = len;

	for (size_t i = 0; i < len; i++) {
		if (((unsigned char)line[i] & 0xc0) == 0x80)
			continue;
		if (chars == c->from)
			begin = i;
		if (chars == c->to) {
			end = i;
			break;
		}
		chars++;
	}
	while (begin < end && line[begin] == ' ')
		begin++;
	while (end > begin && (line[end - 1] == ' ' || line[end - 1] == '\r'))
		end--;
	*at = line + begin;
	*n = end - begin;
}

/* The line of dashes; a column reaches up to the next one. */
static size_t read_columns(const char *line, size_t len, struct column *out)
{
	size_t count = 0;

	if (len == 0 || line[0] != '-' || strspn(line, "- \r") < len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (line[i] != '-' || (i > 0 && line[i - 1] == '-'))
			continue;
		if (count == RECORDS_COLUMNS_MAX)
			break;
		if (count > 0)
			out[count - 1].to = i;
		out[count++] = (struct column){.from = i, .to = SIZE_MAX};
	}
	return count;
}

static const char *end_of_line(const char *line)
{
	return line + strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
	const char *end = end_of_line(line);

	return end + (*end == '\n');
}

struct records records_read_table(struct arena *arena, const char *text)
{
	struct records all = {0};
	struct column columns[RECORDS_COLUMNS_MAX];
	size_t column_count = 0;
	const char *before = text;

	for (const char *line = text; *line != '\0'; before = line, line = next_line(line)) {
		size_t len = (size_t)(end_of_line(line) - line);
		struct record *r;

		if (column_count == 0) {
			column_count = read_columns(line, len, columns);
			for (size_t i = 0; i < column_count; i++)
				cut(before, (size_t)(end_of_line(before) - before), &columns[i],
				    &columns[i].key, &columns[i].key_len);
			continue;
		}
		if (strspn(line, " \t\r") >= len)
			continue;
		r = records_add(arena, &all);
		for (size_t i = 0; r != NULL && i < column_count; i++) {
			const char *value;
			size_t value_len;

			cut(line, len, &columns[i], &value, &value_len);
			record_add(arena, r, columns[i].key, columns[i].key_len, value, value_len);
		}
	}
	return all;
}

struct records records_read_blocks(struct arena *arena, const char *text)
{
	struct records all = {0};
	struct record *r = NULL;
	struct keyed_line line;
	const char *begin = text;

	for (; keyed_next(&text, &line); begin = text) {
		size_t len = (size_t)(end_of_line(begin) - begin);

		if (line.key_len == 0 && !line.is_pair) {
			r = NULL;
			continue;
		}
		if (line.indent == 0) {
			r = records_add(arena, &all);
			while (len > 0 && strchr(" \t\r", begin[len - 1]) != NULL)
				len--;
			if (r != NULL)
				r->name = arena_strndup(arena, begin, len);
			continue;
		}
		if (!line.is_pair)
			continue;
		if (r == NULL)
			r = records_add(arena, &all);
		if (r != NULL)
			record_add(arena, r, line.key, line.key_len, line.value, line.value_len);
	}
	return all;
}
