/* SPDX-License-Identifier: MIT */
/*
 * Byte 0: whether a greeting is wanted, and the size of the pieces. The rest comes
 * in those pieces and, for a second reader, at once: both must give the same.
 */
#include <stdlib.h>
#include <string.h>

#include "common/wire/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
	unsigned lines;
	uint64_t hash; /* of all lines: FNV-1a */
	bool failed;
	bool greeted;
};

static void add_line(struct outcome *o, const char *line)
{
	o->lines++;
	for (;; line++) {
		o->hash = (o->hash ^ (unsigned char)*line) * UINT64_C(1099511628211);
		if (*line == '\n')
			abort();
		if (*line == '\0')
			break;
	}
}

static struct outcome feed(const char *data, size_t size, size_t piece, bool wants_greeting)
{
	struct outcome o = {.hash = UINT64_C(14695981039346656037)};
	struct wire_reader r;
	struct err err = {0};

	wire_reader_init(&r, wants_greeting);
	for (size_t at = 0; at < size && !o.failed; at += piece) {
		const char *part = data + at;
		size_t left = piece < size - at ? piece : size - at;
		int taken;

		while ((taken = wire_reader_take(&r, &part, &left, &err)) == 1)
			add_line(&o, r.line);
		o.failed = taken < 0;
		if (r.noise_len > sizeof(r.noise) || (!o.failed && left != 0))
			abort();
	}
	o.greeted = wire_reader_greeted(&r);
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome pieces;
	struct outcome whole;
	bool wants_greeting;

	if (size < 2)
		return 0;
	wants_greeting = (data[0] & 1) != 0;
	pieces = feed((const char *)data + 1, size - 1, (size_t)(data[0] >> 1) + 1, wants_greeting);
	whole = feed((const char *)data + 1, size - 1, size - 1, wants_greeting);
	if (pieces.lines != whole.lines || pieces.hash != whole.hash)
		abort();
	if (pieces.failed != whole.failed || pieces.greeted != whole.greeted)
		abort();
	return 0;
}
