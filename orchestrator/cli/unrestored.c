/* SPDX-License-Identifier: MIT */
#include "cli/unrestored.h"

#include <stdio.h>

#include "report/format.h"

bool unrestored_tell(const struct command_context *ctx, struct store *store, const char *db,
                     struct err *err)
{
	struct text line = {0};
	size_t count = 0;

	if (store_is_written_elsewhere(store))
		return true;
	if (!store_count_changes(store, &count, err))
		return false;
	*ctx->unrestored = count;
	if (count == 0)
		return true;
	format_add_things(&line, count, "setting");
	text_printf(&line, " %s not restored: vnm restore", count == 1 ? "is" : "are");
	if (db != NULL) {
		text_add(&line, " --db ");
		format_add_shell_word(&line, db);
	}
	format_print_line(stderr, &line);
	text_done(&line);
	return true;
}
