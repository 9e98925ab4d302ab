/* SPDX-License-Identifier: MIT */
#include "cli/results.h"

#include <stdio.h>
#include <string.h>

#include "cli/lab.h"
#include "cli/unrestored.h"

bool results_open(const struct command_context *ctx, const char *db, struct results *out,
                  struct err *err)
{
	*out = (struct results){0};
	if (!lab_find_db(ctx, db, &out->arena, &out->db_path, err))
		return false;
	out->store = store_open(out->db_path, STORE_READ, err);
	if (out->store == NULL || !unrestored_tell(ctx, out->store, db, err))
		return false;
	if (store_newer_schema(out->store) != 0)
		(void)fprintf(stderr,
		              "note: %s was written by a newer vnm (schema %d); what is new in it "
		              "is not shown, and runs cannot be added\n",
		              out->db_path, store_newer_schema(out->store));
	return true;
}

void results_close(struct results *r)
{
	store_close(r->store);
	arena_done(&r->arena);
}

struct report_style results_style(const struct command_context *ctx, const struct results *r)
{
	return (struct report_style){
		.has_colour = ctx->out.has_colour,
		.width = ctx->out.width,
		.db_path = r->db_path,
	};
}

bool results_parse_id(const char *what, const char *text, int64_t *out, struct err *err)
{
	uint64_t id;

	if (!units_parse(UNIT_COUNT, text, &id) || id == 0 || id > INT64_MAX)
		return err_set(err, ERR_USAGE, "%s: '%s' is not a number above 0", what, text);
	*out = (int64_t)id;
	return true;
}

bool results_parse_run(const char *text, int64_t *out, struct err *err)
{
	if (text == NULL || strcmp(text, "last") == 0) {
		*out = 0;
		return true;
	}
	return results_parse_id("RUN (a number of `vnm list`, or last)", text, out, err);
}

bool results_pick_format(bool csv, bool json, const struct writer_format **out, struct err *err)
{
	if (csv && json)
		return err_set(err, ERR_USAGE, "--csv and --json exclude each other");
	*out = &writer_text;
	if (csv)
		*out = &writer_csv;
	if (json)
		*out = &writer_json;
	return true;
}
