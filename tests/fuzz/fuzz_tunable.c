/* SPDX-License-Identifier: MIT */
/* What a host answers to the probe of each of its settings; then the lines that follow from it. */
#include <stdlib.h>
#include <string.h>

#include "hostops/tunable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Others' words in it are words, to any shell. */
static void check_line(const struct text *line)
{
	if (strspn(text_str(line), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                           "0123456789_-./= ") < line->len)
		abort();
}

static void try_lines(const struct tunable *t, const struct tunable_reading *reading)
{
	static const char *const values[] = {"1500", "on", "off", "true", "PASS", "disabled", "0"};
	struct text line = {0};
	struct err err;

	for (size_t i = 0; i < COUNT_OF(values); i++) {
		text_clear(&line);
		if (tunable_check(t, reading, values[i], &err) &&
		    tunable_set_line(&line, t, reading, values[i], &err))
			check_line(&line);
	}
	text_clear(&line);
	if (tunable_undo_line(&line, t, reading, &err))
		check_line(&line);
	text_done(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned n = 0; n < 4u * TUNABLE_KIND_COUNT; n++) {
		struct tunable t = {(enum tunable_system)(n % 4), (enum tunable_kind)(n / 4),
		                    "vmk1"};
		struct tunable_reading reading;
		struct tunable_reader r;

		tunable_read_begin(&r, &t, &reading, 1);
		for (const uint8_t *at = data; at < data + size;) {
			const uint8_t *end = memchr(at, '\n', (size_t)(data + size - at));
			size_t len = (size_t)((end == NULL ? data + size : end) - at);
			char *line = calloc(1, len + 1);

			if (line == NULL)
				abort();
			memcpy(line, at, len);
			tunable_read(&r, line);
			free(line);
			at += len + 1;
		}
		tunable_read_done(&r);
		try_lines(&t, &reading);
	}
	return 0;
}
