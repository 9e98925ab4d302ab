/* SPDX-License-Identifier: MIT */
/* Everything put back: after a failure, when a guardian has done it, and at the end. */
#include <stdio.h>
#include <string.h>

#include "run/changes_parts.h"

#define LOST_IN_GAP "the host was lost while its settings were changed"

static bool has_said(const struct changes_host *h, enum guardian_word word)
{
	return (h->words & (1u << word)) != 0;
}

void changes_undo(struct changes *c, size_t host, const char *why)
{
	struct changes_host *h = &c->at[host];
	struct text text = {0};
	struct err err;
	bool ok = true;

	h->due_ns = UINT64_MAX;
	h->lease_id = 0;
	h->was_in_gap = false;
	/* `why` may be the host's own. */
	if (why == NULL)
		h->why[0] = '\0';
	else if (why != h->why)
		(void)snprintf(h->why, sizeof(h->why), "%.*s", CHANGES_WHY_BYTES - 1, why);
	if (h->is_armed)
		ok = guardian_begin(&text, h->folder, &err) &&
		     guardian_add_restore(&text, h->token, &err);
	if (ok && changes_add_probe(c, host, &text, &err)) {
		changes_run(c, host, &text, CHANGES_UNDO);
		return;
	}
	text_done(&text);
	changes_undone(c, host, &err);
}

/* What became of one setting that was changed; returns whether its rows are closed. */
static bool close_target(struct changes *c, struct changes_target *t, const struct err *err)
{
	const char *value = t->reading.value[0] == '\0' ? NULL : t->reading.value;
	bool is_back = err == NULL && strcmp(t->reading.value, t->before) == 0;
	const char *why = NULL;

	if (err != NULL)
		why = err->msg;
	else if (!is_back)
		why = t->said[0] != '\0' ? t->said : "it is not as it was before";
	for (struct changes_row *row = t->rows; row != NULL; row = row->next) {
		if (is_back)
			changes_keep_row(c, row, journal_closed_as(row->state), value, NULL);
		else if (t->is_foreign && err == NULL)
			changes_keep_row(c, row, JOURNAL_FOREIGN, value, why);
		else
			changes_keep_row(c, row, JOURNAL_RESTORE_FAILED, err == NULL ? value : NULL,
			                 why);
	}
	if (is_back || (t->is_foreign && err == NULL))
		return true;
	for (size_t k = 0; k < t->level_count; k++)
		(void)snprintf(t->failed[k], CHANGES_WHY_BYTES,
		               "it could not be put back, see `vnm restore`: %.180s", why);
	return false;
}

/* Takes the guardian away, whose undos are done. */
static void disarm(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];
	struct text text = {0};
	struct msg msg;
	struct err err;

	msg_init(&msg, MSG_LEASE, hosts_id(c->hosts)); /* without a path: kept no more */
	link_send(c->hosts->links, host, &msg);
	if (guardian_begin(&text, h->folder, &err) && guardian_add_end(&text, h->token, &err)) {
		changes_run(c, host, &text, CHANGES_END);
		return;
	}
	text_done(&text);
	changes_disarmed(c, host, &err);
}

void changes_undone(struct changes *c, size_t host, const struct err *err)
{
	struct changes_host *h = &c->at[host];

	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		t->is_proven = false;
		if (t->rows != NULL) {
			if (err == NULL)
				changes_take_value(c, t);
			if (close_target(c, t, err))
				t->rows = NULL;
		}
		t->is_foreign = false;
		t->said[0] = '\0';
		if (h->why[0] == '\0')
			t->goal[0] = '\0';
	}
	changes_fail_goals(c, host, h->why);
	h->step_count = 0;
	if (h->is_armed && (c->is_ending || h->must_end)) {
		disarm(c, host);
		return;
	}
	h->phase = CHANGES_IDLE;
}

void changes_disarmed(struct changes *c, size_t host, const struct err *err)
{
	struct changes_host *h = &c->at[host];

	h->phase = CHANGES_IDLE;
	h->has_ended = c->is_ending;
	if (err == NULL && (has_said(h, GUARDIAN_ENDED) || has_said(h, GUARDIAN_GONE) ||
	                    has_said(h, GUARDIAN_STRANGER))) {
		h->is_armed = h->must_end = false;
		h->token[0] = '\0';
	}
}

/* ---- a host that is back ---- */

void changes_renew(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];
	struct text text = {0};
	struct err err;

	h->step_count = 0;
	if (guardian_begin(&text, h->folder, &err) &&
	    guardian_add_renew(&text, h->token, c->hosts->at[host].info.agent_pid, &err)) {
		changes_run(c, host, &text, CHANGES_RENEW);
		return;
	}
	text_done(&text);
	changes_undo(c, host, err.msg);
}

void changes_renewed(struct changes *c, size_t host, const struct err *err, uint64_t now_ns)
{
	struct changes_host *h = &c->at[host];

	if (err == NULL && has_said(h, GUARDIAN_WATCHING)) {
		changes_lease(c, host, now_ns);
		return;
	}
	/* It has fired, or is no more: what it has done shows when the values are read. */
	h->is_void = h->must_end = true;
	changes_undo(c, host, h->was_in_gap ? LOST_IN_GAP : NULL);
}

bool changes_resume_lease(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];

	if (!h->was_in_gap && !c->is_ending)
		return false;
	changes_undo(c, host, h->was_in_gap ? LOST_IN_GAP : NULL);
	return true;
}

/* ---- after a test ---- */

static bool concerns(const struct changes_target *t, const struct plan_cell *cell)
{
	return t->is_proven && (t->nic == cell->src || t->nic == cell->dst);
}

static bool verify_host(struct changes *c, size_t host, const struct plan_cell *cell)
{
	struct changes_host *h = &c->at[host];
	struct text text = {0};
	bool is_concerned = false;
	struct err err;

	h->is_void = false;
	for (size_t i = 0; i < h->count; i++)
		is_concerned = is_concerned || concerns(h->targets[i], cell);
	if (!is_concerned || h->phase != CHANGES_IDLE)
		return false;
	if (h->is_armed)
		text_printf(&text,
		            "if test -f %s/fired; then echo \"$m guard fired $(cat %s/fired)\"; "
		            "elif ! test -d %s; then echo \"$m guard gone\"; fi\n",
		            h->folder, h->folder, h->folder);
	if (changes_add_probe(c, host, &text, &err)) {
		changes_run(c, host, &text, CHANGES_VERIFY);
		return true;
	}
	text_done(&text);
	h->is_void = true;
	return false;
}

bool changes_verify(struct changes *c, const struct plan_cell *cell)
{
	bool src = verify_host(c, hosts_index(c->hosts, cell->src->host), cell);
	bool dst = verify_host(c, hosts_index(c->hosts, cell->dst->host), cell);

	return src || dst;
}

bool changes_was_void(const struct changes *c, const struct plan_cell *cell)
{
	return c->at[hosts_index(c->hosts, cell->src->host)].is_void ||
	       c->at[hosts_index(c->hosts, cell->dst->host)].is_void;
}

void changes_verified(struct changes *c, size_t host, const struct err *err)
{
	struct changes_host *h = &c->at[host];

	h->phase = CHANGES_IDLE;
	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		if (!t->is_proven)
			continue;
		if (err != NULL || strcmp(t->reading.value, t->value) != 0) {
			t->is_proven = false;
			h->is_void = true;
		}
	}
	if (err == NULL && (has_said(h, GUARDIAN_FIRED) || has_said(h, GUARDIAN_GONE))) {
		h->is_void = h->must_end = true;
		changes_undo(c, host, NULL);
	}
}

/* ---- the end ---- */

/* Where nothing goes on, what is changed is put back. */
void changes_end_where_idle(struct changes *c)
{
	for (size_t i = 0; c->is_ending && i < c->topology->host_count; i++) {
		struct changes_host *h = &c->at[i];

		if (h->phase == CHANGES_IDLE && h->is_armed && !h->has_ended)
			changes_undo(c, i, NULL);
	}
}

void changes_end(struct changes *c)
{
	c->is_ending = true;
	changes_end_where_idle(c);
}

bool changes_have_ended(const struct changes *c)
{
	for (size_t i = 0; i < c->topology->host_count; i++) {
		const struct changes_host *h = &c->at[i];

		if (h->phase != CHANGES_LOST &&
		    (h->phase != CHANGES_IDLE || (h->is_armed && !h->has_ended)))
			return false;
	}
	return true;
}
