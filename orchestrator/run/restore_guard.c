/* SPDX-License-Identifier: MIT */
/* Guardians that a run has left on a host: each is ended when it has nothing left to do. */
#include <stdio.h>
#include <string.h>

#include "run/restore_parts.h"

void restore_add_guard(struct restore *r, size_t host, const struct journal_row *row)
{
	if (row->guard_folder == NULL || row->guard_token == NULL || host == SIZE_MAX)
		return;
	for (size_t i = 0; i < r->guard_count; i++) {
		if (r->guards[i].host == host && strcmp(r->guards[i].token, row->guard_token) == 0)
			return;
	}
	r->guards[r->guard_count++] = (struct restore_guard){
		.host = host, .folder = row->guard_folder, .token = row->guard_token};
}

static bool needs_it(const struct restore_object *o, const struct restore_guard *g)
{
	if (o->host != g->host || restore_is_settled(o))
		return false;
	for (size_t i = 0; i < o->row_count; i++) {
		const char *token = o->rows[i]->guard_token;

		if (token != NULL && strcmp(token, g->token) == 0)
			return true;
	}
	return false;
}

static bool has_nothing_to_do(const struct restore *r, const struct restore_guard *g)
{
	for (size_t i = 0; i < r->count; i++) {
		if (needs_it(&r->at[i], g))
			return false;
	}
	return true;
}

static bool start_ending(struct restore *r, struct restore_guard *g)
{
	struct text text = {0};
	struct err err;
	bool ok = guardian_begin(&text, g->folder, &err) &&
	          guardian_add_restore(&text, g->token, &err) &&
	          guardian_add_end(&text, g->token, &err);

	g->is_asked = true;
	(void)snprintf(g->why, sizeof(g->why), "%.*s", RESTORE_WHY_BYTES - 1,
	               ok ? "it did not answer" : err.msg);
	if (ok)
		restore_run_as_root(r, g->host, &text);
	text_done(&text);
	return ok;
}

bool restore_end_guard(struct restore *r, size_t host)
{
	struct restore_host *h = &r->hosts[host];

	if (!restore_can_be_root(h))
		return false;
	for (size_t i = 0; i < r->guard_count; i++) {
		struct restore_guard *g = &r->guards[i];

		if (g->host != host || g->is_asked || !has_nothing_to_do(r, g))
			continue;
		h->guard = g;
		if (start_ending(r, g))
			return true;
	}
	return false;
}

void restore_hear_guard(struct restore_guard *g, const char *line)
{
	struct guardian_said said;

	if (!guardian_read(line, &said))
		return;
	if (said.word == GUARDIAN_ENDED || said.word == GUARDIAN_GONE ||
	    said.word == GUARDIAN_STRANGER)
		g->why[0] = '\0'; /* it is no more, or another run's */
	else if (said.word == GUARDIAN_FAILED)
		(void)snprintf(g->why, sizeof(g->why), "%.*s", RESTORE_WHY_BYTES - 1, said.text);
	else if (said.word == GUARDIAN_LEFT)
		(void)snprintf(g->why, sizeof(g->why), "it still holds a setting");
}
