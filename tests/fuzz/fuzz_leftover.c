/* SPDX-License-Identifier: MIT */
/* What a host answers when it is asked for leftovers; then the command that removes them. */
#include <stdlib.h>
#include <string.h>

#include "hostops/leftover.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct lines {
	const uint8_t *at, *end;
};

/* The next line in memory of its own, so that reading past it is seen; NULL: no more. */
static char *next_line(struct lines *l)
{
	const uint8_t *end;
	char *line;
	size_t len;

	if (l->at >= l->end)
		return NULL;
	end = memchr(l->at, '\n', (size_t)(l->end - l->at));
	len = (size_t)((end == NULL ? l->end : end) - l->at);
	line = calloc(1, len + 1);
	if (line == NULL)
		abort();
	memcpy(line, l->at, len);
	l->at += len + 1;
	return line;
}

/* It is given to `rm -rf`: only ever our folders. */
static void check(const struct leftover *l)
{
	const char *slash;

	if (l->folder == NULL) {
		if (l->pid <= 1)
			abort();
		return;
	}
	slash = strrchr(l->folder, '/');
	if (l->folder[0] != '/' || slash == NULL || strcmp(slash + 1, l->name) != 0 ||
	    strncmp(l->name, ".vnm-", 5) != 0 || strlen(l->name) + 1 != PLACE_NAME_BYTES)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines lines = {data, data + size};
	struct shell_marker marker = {"0123456789abcdef0123456789abcdef"};
	struct arena arena = {0};
	struct leftovers all;
	struct leftover_reader *r = leftover_reader_new(&arena, &all);
	struct text command = {0};
	size_t index = 0;
	struct err err;
	char *line;

	while ((line = next_line(&lines)) != NULL) {
		leftover_read(r, line);
		free(line);
	}
	leftover_read_end(r);
	for (size_t i = 0; i < all.count; i++)
		check(&all.at[i]);
	while (index < all.count && leftover_remove_command(&command, &marker, &all, &index, &err))
		continue;
	lines.at = data;
	while ((line = next_line(&lines)) != NULL) {
		leftover_read_removed(&all, &arena, line);
		free(line);
	}
	text_done(&command);
	arena_done(&arena);
	return 0;
}
