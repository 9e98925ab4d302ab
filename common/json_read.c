/* SPDX-License-Identifier: MIT */
#include "common/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hex.h"

void json_read_begin(struct json_reader *r, const char *text)
{
	memset(r, 0, sizeof(*r));
	r->at = text;
}

static enum json_event bad(struct json_reader *r)
{
	r->is_bad = true;
	r->key[0] = '\0';
	return JSON_BAD;
}

static void skip_blanks(struct json_reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

struct sink {
	char *out;
	size_t room, len;
	bool is_full;
};

static void put(struct sink *s, const char *bytes, size_t len)
{
	if (s->is_full || s->len + len >= s->room) {
		s->is_full = true;
		return;
	}
	memcpy(s->out + s->len, bytes, len);
	s->len += len;
}

static void put_code_point(struct sink *s, uint32_t c)
{
	char b[4];

	if (c < 0x80) {
		b[0] = (char)c;
		put(s, b, 1);
	} else if (c < 0x800) {
		b[0] = (char)(0xc0 | c >> 6);
		b[1] = (char)(0x80 | (c & 0x3f));
		put(s, b, 2);
	} else if (c < 0x10000) {
		b[0] = (char)(0xe0 | c >> 12);
		b[1] = (char)(0x80 | (c >> 6 & 0x3f));
		b[2] = (char)(0x80 | (c & 0x3f));
		put(s, b, 3);
	} else {
		b[0] = (char)(0xf0 | c >> 18);
		b[1] = (char)(0x80 | (c >> 12 & 0x3f));
		b[2] = (char)(0x80 | (c >> 6 & 0x3f));
		b[3] = (char)(0x80 | (c & 0x3f));
		put(s, b, 4);
	}
}

static bool read_hex4(struct json_reader *r, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		int digit = hex_value(*r->at);

		if (digit < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
	}
	return true;
}

/* After "\u"; one half of a pair, or U+0000, becomes U+FFFD. */
static bool read_unicode(struct json_reader *r, struct sink *s)
{
	uint32_t c, low;

	if (!read_hex4(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u') {
		r->at += 2;
		if (!read_hex4(r, &low))
			return false;
		c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
		                                  : 0xfffd;
	}
	put_code_point(s, c == 0 || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c);
	return true;
}

static bool read_escape(struct json_reader *r, struct sink *s)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	const char *known;

	if (*r->at == 'u') {
		r->at++;
		return read_unicode(r, s);
	}
	known = *r->at == '\0' ? NULL : strchr(from, *r->at);
	if (known == NULL)
		return false;
	put(s, to + (known - from), 1);
	r->at++;
	return true;
}

static bool read_string(struct json_reader *r, char *out, size_t room)
{
	struct sink s = {.out = out, .room = room};

	if (*r->at++ != '"')
		return false;
	while (*r->at != '"') {
		if ((unsigned char)*r->at < ' ')
			return false;
		if (*r->at != '\\') {
			put(&s, r->at++, 1);
			continue;
		}
		r->at++;
		if (!read_escape(r, &s))
			return false;
	}
	r->at++;
	out[s.len] = '\0';
	r->is_cut = r->is_cut || s.is_full;
	return true;
}

static bool take_word(struct json_reader *r, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

static enum json_event read_number(struct json_reader *r)
{
	size_t len = strspn(r->at, "+-0123456789.eE");

	if (len == 0 || len >= sizeof(r->text))
		return bad(r);
	memcpy(r->text, r->at, len);
	r->text[len] = '\0';
	r->at += len;
	return JSON_NUMBER;
}

static enum json_event enter(struct json_reader *r, bool is_object)
{
	if (r->depth == JSON_READ_DEPTH)
		return bad(r);
	r->objects &= ~(UINT32_C(1) << r->depth);
	r->objects |= (uint32_t)is_object << r->depth;
	r->depth++;
	r->has_value = false;
	r->at++;
	return is_object ? JSON_OBJECT : JSON_LIST;
}

static enum json_event read_value(struct json_reader *r)
{
	r->has_value = true;
	if (*r->at == '{' || *r->at == '[')
		return enter(r, *r->at == '{');
	if (*r->at == '"')
		return read_string(r, r->text, sizeof(r->text)) ? JSON_STRING : bad(r);
	if (take_word(r, "true"))
		return JSON_TRUE;
	if (take_word(r, "false"))
		return JSON_FALSE;
	if (take_word(r, "null") || take_word(r, "nan") || take_word(r, "-nan") ||
	    take_word(r, "inf") || take_word(r, "-inf"))
		return JSON_NULL;
	return read_number(r);
}

enum json_event json_read_next(struct json_reader *r)
{
	bool is_object;

	if (r->is_bad)
		return JSON_BAD;
	r->key[0] = r->text[0] = '\0';
	r->is_cut = false;
	skip_blanks(r);
	if (r->depth == 0) {
		if (r->is_begun)
			return JSON_END;
		r->is_begun = true;
		return read_value(r);
	}
	is_object = (r->objects >> (r->depth - 1) & 1) != 0;
	if (*r->at == (is_object ? '}' : ']')) {
		r->at++;
		r->depth--;
		r->has_value = true;
		return is_object ? JSON_OBJECT_END : JSON_LIST_END;
	}
	if (r->has_value && *r->at++ != ',')
		return bad(r);
	skip_blanks(r);
	if (!is_object)
		return read_value(r);
	if (!read_string(r, r->key, sizeof(r->key)))
		return bad(r);
	skip_blanks(r);
	if (*r->at++ != ':')
		return bad(r);
	skip_blanks(r);
	return read_value(r);
}

bool json_read_skip(struct json_reader *r)
{
	unsigned outer = r->depth - 1;

	while (r->depth > outer) {
		if (json_read_next(r) == JSON_BAD)
			return false;
	}
	return true;
}

bool json_read_int(const struct json_reader *r, int64_t *out)
{
	char *end;
	long long value;

	if (r->text[0] < '0' || r->text[0] > '9')
		return false;
	errno = 0;
	value = strtoll(r->text, &end, 10);
	if (errno != 0 || *end != '\0')
		return false;
	*out = value;
	return true;
}
