/* SPDX-License-Identifier: MIT */
#include "common/wire/reader.h"

#include <string.h>

static const char greeting[] = WIRE_GREETING;

void wire_reader_init(struct wire_reader *r, bool wants_greeting)
{
	memset(r, 0, sizeof(*r));
	r->wants_greeting = wants_greeting;
}

bool wire_reader_greeted(const struct wire_reader *r)
{
	return !r->wants_greeting;
}

/* Keeps the end: when the room is full the older half goes. */
static void keep_noise(struct wire_reader *r, char c)
{
	if (r->noise_len == sizeof(r->noise)) {
		r->noise_len /= 2;
		memcpy(r->noise, r->noise + r->noise_len, r->noise_len);
	}
	r->noise[r->noise_len++] = c;
}

static void take_noise(struct wire_reader *r, char c)
{
	const size_t whole = sizeof(greeting) - 1;

	keep_noise(r, c);
	/* No prefix of the greeting but its first byte comes again within it, so a
	 * match that breaks can only start anew with this very byte. */
	if (c == greeting[r->matched])
		r->matched++;
	else
		r->matched = c == greeting[0] ? 1 : 0;
	if (r->matched < whole)
		return;
	r->noise_len -= whole; /* there are that many: the older half is longer */
	r->wants_greeting = false;
}

int wire_reader_take(struct wire_reader *r, const char **data, size_t *len, struct err *err)
{
	for (; *len > 0; (*data)++, (*len)--) {
		char c = **data;

		if (r->wants_greeting) {
			take_noise(r, c);
			continue;
		}
		if (c == '\n') {
			r->line[r->len] = '\0';
			r->len = 0;
			(*data)++;
			(*len)--;
			return 1;
		}
		/* The byte stays where it is, so the next call fails alike. */
		if (c == '\0') {
			(void)err_set(err, ERR_REMOTE, "binary data instead of a message");
			return -1;
		}
		if (r->len + 2 >= sizeof(r->line)) { /* newline and NUL */
			(void)err_set(err, ERR_REMOTE, "message longer than %d bytes",
			              WIRE_LINE_MAX);
			return -1;
		}
		r->line[r->len++] = c;
	}
	return 0;
}
