/* SPDX-License-Identifier: MIT */
/* JSON of other programs. */
#include <stdlib.h>
#include <string.h>

#include "common/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	struct json_reader r;
	enum json_event e;
	int64_t n;

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	json_read_begin(&r, text);
	do {
		e = json_read_next(&r);
		if (r.depth > JSON_READ_DEPTH || (json_read_int(&r, &n) && n < 0))
			abort();
		if (e == JSON_OBJECT && strcmp(r.key, "skip") == 0 && !json_read_skip(&r))
			e = JSON_BAD;
	} while (e != JSON_END && e != JSON_BAD);
	free(text);
	return 0;
}
