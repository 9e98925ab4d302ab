/* SPDX-License-Identifier: MIT */
/* The formats of esxcli that are made for programs. */
#include <string.h>

#include "common/json_read.h"
#include "common/text.h"
#include "hostops/records.h"

/* A field of a line of CSV into `out`; returns what follows it: ',', the end of the line or
 * of the text. */
static const char *read_csv_field(const char *at, struct text *out)
{
	text_clear(out);
	if (*at == '"') {
		for (at++; *at != '\0'; at++) {
			if (at[0] == '"' && at[1] == '"')
				at++;
			else if (at[0] == '"')
				break;
			text_add_bytes(out, at, 1);
		}
		at += *at == '"';
	}
	for (; *at != '\0' && strchr(",\r\n", *at) == NULL; at++)
		text_add_bytes(out, at, 1);
	return at;
}

static const char *after_line(const char *at)
{
	at += *at == '\r';
	return at + (*at == '\n');
}

struct records records_read_csv(struct arena *arena, const char *text)
{
	struct records all = {0};
	const char *keys[RECORDS_FIELDS_MAX];
	size_t key_count = 0;
	struct text field = {0};
	const char *at = text;

	while (*at != '\0' && strchr("\r\n", *at) == NULL) {
		at = read_csv_field(at, &field);
		if (key_count < RECORDS_FIELDS_MAX)
			keys[key_count++] = arena_strndup(arena, text_str(&field), field.len);
		at += *at == ',';
	}
	at = after_line(at);
	while (*at != '\0') {
		struct record *r = NULL;
		size_t n = 0;

		while (*at != '\0' && strchr("\r\n", *at) == NULL) {
			at = read_csv_field(at, &field);
			if (r == NULL)
				r = records_add(arena, &all);
			if (r != NULL && n < key_count)
				record_add(arena, r, keys[n], strlen(keys[n]), text_str(&field),
				           field.len);
			n++;
			at += *at == ',';
		}
		at += strspn(at, "\r\n");
	}
	text_done(&field);
	return all;
}

static bool is_scalar(enum json_event e)
{
	return e == JSON_STRING || e == JSON_NUMBER || e == JSON_TRUE || e == JSON_FALSE;
}

static const char *scalar(const struct json_reader *r, enum json_event e)
{
	if (e == JSON_TRUE)
		return "true";
	return e == JSON_FALSE ? "false" : r->text;
}

/* Adds what is in a list within a record as one value; lists and objects in it are left out. */
static bool add_list(struct arena *arena, struct record *to, struct json_reader *r)
{
	struct text value = {0};
	char key[JSON_READ_KEY_BYTES];
	enum json_event e;

	memcpy(key, r->key, sizeof(key));
	while ((e = json_read_next(r)) != JSON_LIST_END && e != JSON_BAD) {
		if (is_scalar(e))
			text_printf(&value, "%s%s", value.len == 0 ? "" : ", ", scalar(r, e));
		else if ((e == JSON_LIST || e == JSON_OBJECT) && !json_read_skip(r))
			break;
	}
	if (e == JSON_LIST_END)
		record_add(arena, to, key, strlen(key), text_str(&value), value.len);
	text_done(&value);
	return e == JSON_LIST_END;
}

static bool read_json_object(struct arena *arena, struct record *to, struct json_reader *r)
{
	enum json_event e;

	while ((e = json_read_next(r)) != JSON_OBJECT_END) {
		if (e == JSON_BAD)
			return false;
		if (is_scalar(e))
			record_add(arena, to, r->key, strlen(r->key), scalar(r, e),
			           strlen(scalar(r, e)));
		else if ((e == JSON_LIST && !add_list(arena, to, r)) ||
		         (e == JSON_OBJECT && !json_read_skip(r)))
			return false;
	}
	return true;
}

struct records records_read_json(struct arena *arena, const char *text)
{
	struct records all = {0};
	struct json_reader r;
	enum json_event e;

	json_read_begin(&r, text);
	while ((e = json_read_next(&r)) != JSON_END && e != JSON_BAD) {
		struct record *to;

		if (e != JSON_OBJECT)
			continue;
		to = records_add(arena, &all);
		if (to == NULL || !read_json_object(arena, to, &r))
			break;
	}
	return all;
}

/* Text of an element: the five entities of XML 1.0 (section 4.6) and no others. */
static void add_xml_text(struct text *out, const char *at, size_t len)
{
	static const struct {
		const char *entity;
		char stands_for;
	} entities[] = {
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''},
	};

	for (size_t i = 0; i < len; i++) {
		char c = at[i];

		for (size_t k = 0; c == '&' && k < COUNT_OF(entities); k++) {
			size_t n = strlen(entities[k].entity);

			if (len - i >= n && memcmp(at + i, entities[k].entity, n) == 0) {
				c = entities[k].stands_for;
				i += n - 1;
				break;
			}
		}
		text_add_bytes(out, &c, 1);
	}
}

/* All text between here and </field>, tags left out; several values are joined by ", ". */
static const char *read_xml_value(const char *at, struct text *value)
{
	const char *end = strstr(at, "</field>");

	text_clear(value);
	if (end == NULL)
		return at + strlen(at);
	while (at < end) {
		size_t len = strcspn(at, "<");

		if (at + len > end)
			len = (size_t)(end - at);
		if (strspn(at, " \t\r\n") < len) {
			if (value->len > 0)
				text_add(value, ", ");
			add_xml_text(value, at, len);
		}
		at += len;
		if (at < end)
			at += strcspn(at, ">") + (at[strcspn(at, ">")] == '>');
	}
	return end;
}

struct records records_read_xml(struct arena *arena, const char *text)
{
	static const char structure[] = "<structure ";
	static const char field[] = "<field name=\"";
	struct records all = {0};
	struct record *r = NULL;
	struct text value = {0};
	const char *at = text;

	while ((at = strchr(at, '<')) != NULL) {
		const char *key;
		size_t key_len;

		if (strncmp(at, structure, sizeof(structure) - 1) == 0)
			r = records_add(arena, &all);
		if (r == NULL || strncmp(at, field, sizeof(field) - 1) != 0) {
			at++;
			continue;
		}
		key = at + sizeof(field) - 1;
		key_len = strcspn(key, "\"<>");
		at = key + key_len;
		if (*at != '"')
			continue;
		at += strcspn(at, ">");
		at = read_xml_value(at + (*at == '>'), &value);
		record_add(arena, r, key, key_len, text_str(&value), value.len);
	}
	text_done(&value);
	return all;
}
