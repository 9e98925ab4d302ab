/* SPDX-License-Identifier: MIT */
#include "run/journal.h"

#include <assert.h>
#include <string.h>

/* In the order of enum journal_state; the CHECK of setting_changes.state in schemas/results has the
 * same list. */
const char *const journal_state_names[] = {"intended",       "applied",     "confirmed", "restored",
                                           "restore_failed", "not_applied", "foreign",   NULL};

bool journal_is_open(enum journal_state state)
{
	return state != JOURNAL_RESTORED && state != JOURNAL_NOT_APPLIED &&
	       state != JOURNAL_FOREIGN;
}

static bool same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool journal_same_object(const struct journal_row *a, const struct journal_row *b)
{
	return same(a->host, b->host) && same(a->object, b->object) && same(a->setting, b->setting);
}

/* Where the two ids are known and differ; a host without an id was not shown to be restarted. */
static bool was_restarted(const struct journal_row *newest, const struct journal_found *found)
{
	return newest->boot_id != NULL && found->boot_id != NULL &&
	       strcmp(newest->boot_id, found->boot_id) != 0;
}

enum journal_verdict journal_judge(const struct journal_row *const *rows, size_t count,
                                   const struct journal_found *found)
{
	assert(count > 0);
	if (found->value == NULL)
		return JOURNAL_STAYS_OPEN;
	if (strcmp(found->value, rows[count - 1]->value_before) == 0)
		return JOURNAL_IS_AS_BEFORE;
	for (size_t i = 0; i < count; i++) {
		/* What a later row found before it is what an earlier one had asked for. */
		if (strcmp(found->value, rows[i]->value_requested) == 0 ||
		    strcmp(found->value, rows[i]->value_before) == 0)
			return JOURNAL_MUST_RESTORE;
	}
	return was_restarted(rows[0], found) ? JOURNAL_STAYS_OPEN : JOURNAL_IS_FOREIGN;
}

enum journal_state journal_closed_as(enum journal_state state)
{
	return state == JOURNAL_INTENDED ? JOURNAL_NOT_APPLIED : JOURNAL_RESTORED;
}

void journal_add_name(struct text *out, const char *setting, const char *object)
{
	text_add(out, setting);
	if (object != NULL)
		text_printf(out, " of %s", object);
}
