/* SPDX-License-Identifier: MIT */
#include "topology/cores.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"

static void add_range(struct text *out, unsigned long from, unsigned long to)
{
	text_printf(out, "%s%lu", out->len > 0 ? "," : "", from);
	if (to > from)
		text_printf(out, "-%lu", to);
}

const char *cores_canonical(struct arena *arena, const char *list)
{
	unsigned long from = 0, to = 0;
	struct text out = {0};
	const char *canonical;
	char *at;

	if (list == NULL || strcmp(list, "auto") == 0)
		return list;
	from = to = strtoul(list, &at, 10);
	for (;;) {
		unsigned long next;

		if (*at == '-')
			to = strtoul(at + 1, &at, 10);
		if (*at != ',')
			break;
		next = strtoul(at + 1, &at, 10);
		if (next > to + 1) {
			add_range(&out, from, to);
			from = next;
		}
		to = next;
	}
	add_range(&out, from, to);
	canonical = arena_strndup(arena, text_str(&out), out.len);
	text_done(&out);
	return canonical;
}
