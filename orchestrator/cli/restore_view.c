/* SPDX-License-Identifier: MIT */
#include "cli/restore_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/json.h"
#include "report/format.h"

static const char *const state_names[] = {
	[RESTORE_ASKED] = "unknown",       [RESTORE_UNKNOWN] = "unknown",
	[RESTORE_AS_BEFORE] = "as-before", [RESTORE_CHANGED] = "changed",
	[RESTORE_RESTARTED] = "restarted", [RESTORE_FOREIGN] = "foreign",
	[RESTORE_DONE] = "restored",       [RESTORE_FAILED] = "failed",
};

size_t restore_view_open(const struct restore *r)
{
	size_t open = 0;

	for (size_t i = 0; i < r->count; i++)
		open += !restore_is_settled(&r->at[i]);
	return open;
}

/* How it stands with the setting, after its name. */
static void add_verdict(struct text *line, const struct restore_object *o)
{
	const char *before = restore_value_before(o);

	switch (o->state) {
	case RESTORE_AS_BEFORE:
		text_printf(line, "%s, as before", before);
		break;
	case RESTORE_DONE:
		text_printf(line, "restored to %s and read back", before);
		break;
	case RESTORE_CHANGED:
		text_printf(line, "%s, not restored to %s", o->value, before);
		break;
	case RESTORE_FAILED:
		text_printf(line, "NOT restored to %s: %s", before, o->why);
		break;
	case RESTORE_FOREIGN:
	case RESTORE_RESTARTED:
		text_printf(line, "%s, before the run %s: %s", o->value, before, o->why);
		break;
	case RESTORE_ASKED:
	case RESTORE_UNKNOWN:
		text_printf(line, "not known: %s", o->why);
		break;
	}
}

/* Where a person can help, the command is what they need. */
static void add_object(struct text *line, const struct restore_object *o)
{
	const struct journal_row *row = o->rows[0];

	text_printf(line, "%s: ", row->host);
	journal_add_name(line, row->setting, row->object);
	text_add(line, ": ");
	add_verdict(line, o);
	if (!restore_is_settled(o))
		text_printf(line, "; by hand: %s", restore_command_of(o));
}

static void print_sum(const struct restore *r, bool is_check)
{
	size_t open = restore_view_open(r);
	struct text line = {0};

	if (r->count == 0) {
		text_add(&line, "no setting is changed");
	} else if (open > 0) {
		text_printf(&line, "%zu of ", open);
		format_add_things(&line, r->count, "setting");
		text_printf(&line, " %s not restored", open == 1 ? "is" : "are");
	} else {
		format_add_things(&line, r->count, "setting");
		text_printf(&line, ", %s", r->count == 1 ? "as before" : "all as before");
		if (is_check)
			text_add(&line, "; `vnm restore` closes the journal");
	}
	format_print_line(stdout, &line);
	text_done(&line);
}

static void print_guard(const struct restore *r, const struct restore_guard *g)
{
	struct text line = {0};
	struct text clean = {0};

	text_printf(&line, "%s: the guardian in %s is not ended: %s",
	            r->topology->hosts[g->host].name, g->folder, g->why);
	format_add_clean(&clean, text_str(&line));
	format_print_line(stdout, &clean);
	text_done(&clean);
	text_done(&line);
}

void restore_view_text(const struct restore *r, bool is_check)
{
	for (size_t i = 0; i < r->count; i++) {
		struct text line = {0};
		struct text clean = {0};

		add_object(&line, &r->at[i]);
		format_add_clean(&clean, text_str(&line));
		format_print_line(stdout, &clean);
		text_done(&clean);
		text_done(&line);
	}
	for (size_t i = 0; i < r->guard_count; i++) {
		if (r->guards[i].why[0] != '\0')
			print_guard(r, &r->guards[i]);
	}
	print_sum(r, is_check);
}

static void add_json_object(struct json *j, const struct restore_object *o)
{
	const struct journal_row *row = o->rows[0];

	json_object_begin(j, NULL);
	json_int(j, "run_id", row->run_id);
	json_str(j, "host", row->host);
	json_str(j, "nic", row->nic);
	json_str(j, "object", row->object);
	json_str(j, "setting", row->setting);
	json_str(j, "value_before", restore_value_before(o));
	json_list_begin(j, "values_requested");
	for (size_t i = 0; i < o->row_count; i++)
		json_str(j, NULL, o->rows[i]->value_requested);
	json_list_end(j);
	json_str(j, "value", o->value[0] == '\0' ? NULL : o->value);
	json_str(j, "state", state_names[o->state]);
	json_bool(j, "settled", restore_is_settled(o));
	json_str(j, "reason", o->why[0] == '\0' ? NULL : o->why);
	json_str(j, "restore_command", restore_command_of(o));
	json_object_end(j);
}

void restore_view_json(const struct restore *r)
{
	struct text out = {0};
	struct json j = {.out = &out};

	json_object_begin(&j, NULL);
	json_uint(&j, "not_restored", restore_view_open(r));
	json_list_begin(&j, "settings");
	for (size_t i = 0; i < r->count; i++)
		add_json_object(&j, &r->at[i]);
	json_list_end(&j);
	json_object_end(&j);
	(void)printf("%s\n", text_str(&out));
	text_done(&out);
}
