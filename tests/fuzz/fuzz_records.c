/* SPDX-License-Identifier: MIT */
/* What esxcli lists, in each of its formats. */
#include <stdlib.h>
#include <string.h>

#include "hostops/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct records all)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct record *r = &all.at[i];

		if (r->count > RECORDS_FIELDS_MAX || r->name == NULL)
			abort();
		for (size_t k = 0; k < r->count; k++) {
			if (record_get(r, r->fields[k].key) == NULL)
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	char *text = calloc(1, size + 1);

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	check(records_read_table(&arena, text));
	check(records_read_blocks(&arena, text));
	check(records_read_csv(&arena, text));
	check(records_read_json(&arena, text));
	check(records_read_xml(&arena, text));
	arena_done(&arena);
	free(text);
	return 0;
}
