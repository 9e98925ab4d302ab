/* SPDX-License-Identifier: MIT */
/* One setting of a host: what is known of it, and what its rows become. */
#include <stdio.h>
#include <string.h>

#include "run/restore_parts.h"

const char *restore_value_before(const struct restore_object *o)
{
	return o->rows[o->row_count - 1]->value_before;
}

const char *restore_command_of(const struct restore_object *o)
{
	return o->rows[o->row_count - 1]->restore_command;
}

bool restore_is_settled(const struct restore_object *o)
{
	return o->state == RESTORE_AS_BEFORE || o->state == RESTORE_FOREIGN ||
	       o->state == RESTORE_DONE;
}

/* ---- its rows ---- */

/* Updates the rows of an object; state NULL: each as journal_closed_as() says. */
static void keep(struct restore *r, const struct restore_object *o, const enum journal_state *state)
{
	for (size_t i = 0; i < o->row_count && !r->has_failed; i++) {
		const struct journal_update update = {
			.state = state != NULL ? *state : journal_closed_as(o->rows[i]->state),
			.value_after = o->value[0] == '\0' ? NULL : o->value,
			.reason = o->why[0] == '\0' ? NULL : o->why,
		};

		if (!r->journal->update(r->journal->ctx, o->rows[i]->change_id, &update,
		                        &r->failure))
			r->has_failed = true;
	}
}

void restore_keep(struct restore *r, const struct restore_object *o)
{
	static const enum journal_state restored = JOURNAL_RESTORED;
	static const enum journal_state failed = JOURNAL_RESTORE_FAILED;
	static const enum journal_state foreign = JOURNAL_FOREIGN;

	switch (o->state) {
	case RESTORE_AS_BEFORE:
		keep(r, o, NULL);
		break;
	case RESTORE_FOREIGN:
		keep(r, o, &foreign);
		break;
	case RESTORE_DONE:
		keep(r, o, &restored);
		break;
	case RESTORE_FAILED:
		keep(r, o, &failed);
		break;
	case RESTORE_ASKED:
	case RESTORE_UNKNOWN:
	case RESTORE_CHANGED:
	case RESTORE_RESTARTED:
		break; /* the row stays as it is */
	}
}

/* ---- what is known of it ---- */

void restore_set_unknown(struct restore_object *o, const char *why)
{
	o->state = RESTORE_UNKNOWN;
	(void)snprintf(o->why, sizeof(o->why), "%.*s", RESTORE_WHY_BYTES - 1, why);
}

void restore_judge(struct restore_object *o, const struct undo_said *said)
{
	const struct journal_found found = {
		.value = said->has_value ? said->value : NULL,
		.boot_id = said->boot_id[0] == '\0' ? NULL : said->boot_id,
	};

	if (!said->has_value) {
		restore_set_unknown(o, "its value cannot be read: is it still there?");
		return;
	}
	(void)snprintf(o->value, sizeof(o->value), "%s", said->value);
	switch (journal_judge(o->rows, o->row_count, &found)) {
	case JOURNAL_IS_AS_BEFORE:
		o->state = RESTORE_AS_BEFORE;
		break;
	case JOURNAL_MUST_RESTORE:
		o->state = RESTORE_CHANGED;
		break;
	case JOURNAL_IS_FOREIGN:
		o->state = RESTORE_FOREIGN;
		(void)snprintf(o->why, sizeof(o->why), "vnm did not set %s: left alone", o->value);
		break;
	case JOURNAL_STAYS_OPEN:
		o->state = RESTORE_RESTARTED;
		(void)snprintf(o->why, sizeof(o->why),
		               "vnm did not set %s, and the host was restarted since: left alone",
		               o->value);
		break;
	}
}

void restore_take_mended(struct restore_object *o, const struct undo_said *said)
{
	(void)snprintf(o->value, sizeof(o->value), "%s", said->value);
	if (said->has_value && strcmp(said->value, restore_value_before(o)) == 0) {
		o->state = RESTORE_DONE;
		o->why[0] = '\0';
	} else {
		o->state = RESTORE_FAILED;
		(void)snprintf(o->why, sizeof(o->why), "%s",
		               said->text[0] != '\0' ? said->text
		               : said->has_value     ? "the host took the command, to no effect"
		                                     : "it could not be read back");
	}
}
