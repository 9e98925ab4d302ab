/* SPDX-License-Identifier: MIT */
/* The steps of a gap: guardian, journal, undo, the change itself, and its proof. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/changes_parts.h"

/* Nothing was changed yet: the gap ends. */
static void give_up(struct changes *c, size_t host, const char *why)
{
	c->at[host].phase = CHANGES_IDLE;
	changes_fail_goals(c, host, why);
}

/* ---- the guardian ---- */

void changes_arm(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];
	const struct guardian_arm arm = {
		.dead_man_s = c->topology->safety.dead_man_ms / 1000,
		.agent_pid = c->hosts->at[host].info.agent_pid,
		.owner = c->owner,
	};
	struct text text = {0};
	struct err err;

	if (h->is_armed) {
		changes_leased(c, host, NULL);
		return;
	}
	/* The same as before where the answer was lost with the host. */
	if ((h->token[0] != '\0' || guardian_token(h->token, &err)) &&
	    guardian_begin(&text, NULL, &err) && guardian_add_arm(&text, h->token, &arm, &err)) {
		changes_run(c, host, &text, CHANGES_ARM);
		return;
	}
	text_done(&text);
	give_up(c, host, err.msg);
}

static bool has_said(const struct changes_host *h, enum guardian_word word)
{
	return (h->words & (1u << word)) != 0;
}

void changes_armed(struct changes *c, size_t host, const struct err *err)
{
	struct changes_host *h = &c->at[host];
	char why[CHANGES_WHY_BYTES];

	if (err == NULL && has_said(h, GUARDIAN_ARMED)) {
		h->is_armed = true;
		h->phase = CHANGES_LEASE;
		return;
	}
	if (err != NULL)
		(void)snprintf(why, sizeof(why), "%.*s", CHANGES_WHY_BYTES - 1, err->msg);
	else if (has_said(h, GUARDIAN_BUSY))
		(void)snprintf(why, sizeof(why), "another run changes settings there: %.180s",
		               h->said);
	else if (has_said(h, GUARDIAN_LEFT))
		(void)snprintf(why, sizeof(why),
		               "an earlier run has left settings that cannot be put back: "
		               "vnm restore");
	else
		(void)snprintf(why, sizeof(why), "no guardian can be started: %.180s", h->said);
	give_up(c, host, why);
}

void changes_lease(struct changes *c, size_t host, uint64_t now_ns)
{
	struct changes_host *h = &c->at[host];
	struct msg msg;

	h->phase = CHANGES_LEASE;
	h->lease_id = hosts_id(c->hosts);
	h->due_ns = now_ns + CHANGES_LEASE_MS * CLOCK_NS_PER_MS;
	msg_init(&msg, MSG_LEASE, h->lease_id);
	(void)snprintf(msg.u.lease.path, sizeof(msg.u.lease.path), "%s/lease", h->folder);
	link_send(c->hosts->links, host, &msg);
}

/* ---- journal and undo ---- */

static bool intend(struct changes *c, size_t host, struct changes_step *s)
{
	static const char *const systems[] = {"linux", "freebsd", "esxi", "generic"};
	struct changes_host *h = &c->at[host];
	struct changes_target *t = s->target;
	struct text look = {0};
	struct journal_change change = {
		.host = host,
		.nic = t->nic->name,
		.object = t->tunable.object,
		.setting = tunable_name(t->tunable.kind),
		.system = systems[t->tunable.system],
		.address = c->hosts->at[host].info.address,
		.boot_id = h->boot[0] == '\0' ? NULL : h->boot,
		.guard_folder = h->folder,
		.guard_token = h->token,
		.value_before = s->from,
		.value_requested = s->to,
		.apply_command = s->set_line,
		.restore_command = s->undo_line,
	};
	struct changes_row *row = arena_alloc(&c->arena, 1, sizeof(*row));
	bool ok = tunable_read_line(&look, &t->tunable, &c->failure);

	change.read_command = text_str(&look);
	ok = ok && c->journal->intend(c->journal->ctx, &change, &row->id, &c->failure);
	text_done(&look);
	if (!ok) {
		c->has_failed = true;
		return false;
	}
	if (t->rows == NULL) {
		(void)snprintf(t->before, sizeof(t->before), "%s", s->from);
		t->undo_line = s->undo_line;
		if (t->number == 0)
			t->number = ++h->numbers;
	}
	row->state = JOURNAL_INTENDED;
	row->next = t->rows;
	t->rows = row;
	s->row = row;
	return true;
}

static bool add_keep(struct changes *c, struct changes_host *h, struct text *out,
                     const struct changes_target *t, struct err *err)
{
	struct text what = {0};
	struct text look = {0};
	struct text wanted = {0};
	struct guardian_undo undo = {
		.number = t->number, .before = t->before, .back = t->undo_line};
	bool ok;

	for (size_t k = 0; k < t->level_count; k++) {
		char level[TUNABLE_VALUE_BYTES];

		changes_level_text(t->setting, t->levels[k], level);
		text_printf(&wanted, "%s%s", k > 0 ? " " : "", level);
	}
	text_printf(&what, "%s %s", t->tunable.object, tunable_name(t->tunable.kind));
	ok = tunable_read_line(&look, &t->tunable, err);
	undo.what = text_str(&what);
	undo.look = text_str(&look);
	undo.wanted = text_str(&wanted);
	ok = ok && guardian_add_keep(out, h->token, &undo, err);
	(void)c;
	text_done(&what);
	text_done(&look);
	text_done(&wanted);
	return ok;
}

/* Is it the first step of its target? */
static bool is_first(const struct changes_host *h, size_t step)
{
	for (size_t i = 0; i < step; i++) {
		if (h->steps[i].target == h->steps[step].target)
			return false;
	}
	return true;
}

static unsigned undo_count(const struct changes_host *h)
{
	unsigned n = 0;

	for (size_t i = 0; i < h->step_count; i++)
		n += is_first(h, i);
	return n;
}

/* The agent keeps the lease: journal, then the undo at the guardian. */
void changes_leased(struct changes *c, size_t host, const char *failure)
{
	struct changes_host *h = &c->at[host];
	struct text text = {0};
	struct err err;
	bool ok = true;

	h->lease_id = 0;
	h->due_ns = UINT64_MAX;
	if (failure != NULL || c->has_failed) {
		changes_undo(c, host, failure != NULL ? failure : c->failure.msg);
		return;
	}
	if (changes_resume_lease(c, host))
		return;
	if (h->step_count == 0) { /* of a host that was lost and is back */
		h->phase = CHANGES_IDLE;
		return;
	}
	for (size_t i = 0; i < h->step_count; i++) {
		if (!intend(c, host, &h->steps[i])) {
			changes_undo(c, host, c->failure.msg);
			return;
		}
	}
	ok = guardian_begin(&text, h->folder, &err);
	for (size_t i = 0; ok && i < h->step_count; i++)
		ok = !is_first(h, i) || add_keep(c, h, &text, h->steps[i].target, &err);
	if (ok) {
		changes_run(c, host, &text, CHANGES_KEEP);
		return;
	}
	text_done(&text);
	changes_undo(c, host, err.msg);
}

/* ---- the change ---- */

static void apply(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];
	struct text text = {0};

	for (size_t i = 0; i < h->step_count; i++)
		text_printf(&text,
		            "e=$({ %s; } 2>&1 </dev/null); s=$?; set -f; "
		            "echo \"$m set %zu $s\" $e; set +f\n",
		            h->steps[i].set_line, i);
	changes_run(c, host, &text, CHANGES_APPLY);
}

void changes_kept(struct changes *c, size_t host, const struct err *err)
{
	struct changes_host *h = &c->at[host];
	char why[CHANGES_WHY_BYTES];

	if (err == NULL && h->kept == undo_count(h) && !c->is_ending && !c->has_failed) {
		apply(c, host);
		return;
	}
	if (c->is_ending || c->has_failed)
		(void)snprintf(why, sizeof(why), "the run has ended");
	else if (err != NULL)
		(void)snprintf(why, sizeof(why), "%.*s", CHANGES_WHY_BYTES - 1, err->msg);
	else if (has_said(h, GUARDIAN_FIRED)) {
		(void)snprintf(why, sizeof(why), "the host's guardian has put things back: %.150s",
		               h->said);
		h->is_void = h->must_end = true;
	} else
		(void)snprintf(why, sizeof(why),
		               "the host's guardian does not keep the undo: %.150s",
		               h->said[0] == '\0' ? "it is not there" : h->said);
	changes_undo(c, host, why);
}

void changes_read_step(struct changes_host *h, const char *marked)
{
	unsigned long at;
	struct changes_step *s;
	char *end;

	if (h->phase != CHANGES_APPLY || strncmp(marked, "set ", 4) != 0)
		return;
	at = strtoul(marked + 4, &end, 10);
	if (at >= h->step_count || *end != ' ')
		return;
	s = &h->steps[at];
	s->status = (int)strtol(end + 1, &end, 10);
	s->is_over = true;
	(void)snprintf(s->said, sizeof(s->said), "%.*s", CHANGES_WHY_BYTES - 1,
	               end + (*end == ' '));
}

void changes_applied(struct changes *c, size_t host, const struct err *err, uint64_t now_ns)
{
	struct changes_host *h = &c->at[host];
	char why[CHANGES_WHY_BYTES] = "";

	for (size_t i = 0; i < h->step_count; i++) {
		struct changes_step *s = &h->steps[i];

		if (s->is_over && s->status == 0)
			changes_keep_row(c, s->row, JOURNAL_APPLIED, NULL, NULL);
		else if (why[0] == '\0')
			(void)snprintf(why, sizeof(why), "`%.100s`: %.120s", s->set_line,
			               err != NULL          ? err->msg
			               : s->said[0] != '\0' ? s->said
			                                    : "it failed without a word");
	}
	if (why[0] != '\0' || c->has_failed) {
		changes_undo(c, host, why[0] != '\0' ? why : c->failure.msg);
		return;
	}
	h->limit_ns = now_ns + CHANGES_SETTLE_MS * CLOCK_NS_PER_MS;
	changes_settle(c, host);
}

/* ---- the proof ---- */

void changes_settle(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];
	struct text text = {0};
	struct err err;

	nic_state_clear(h->now, h->nic_count);
	if (changes_add_probe(c, host, &text, &err) &&
	    nic_state_add_probe(&text, changes_system(c, host), h->names, h->nic_count, &err)) {
		changes_run(c, host, &text, CHANGES_SETTLE);
		return;
	}
	text_done(&text);
	changes_undo(c, host, err.msg);
}

/* Is everything as it should be? `why` tells what is not. */
static bool is_settled(const struct changes_host *h, char why[CHANGES_WHY_BYTES])
{
	for (size_t i = 0; i < h->count; i++) {
		const struct changes_target *t = h->targets[i];
		const char *wanted = t->goal[0] != '\0' ? t->goal : t->value;
		char way[NIC_USE_WHY_BYTES];

		if (t->goal[0] == '\0' && t->rows == NULL)
			continue;
		if (strcmp(t->reading.value, wanted) != 0) {
			(void)snprintf(why, CHANGES_WHY_BYTES,
			               "the host took the command, and %s of %.64s is %s",
			               tunable_name(t->tunable.kind), t->tunable.object,
			               t->reading.value[0] == '\0' ? "not known"
			                                           : t->reading.value);
			return false;
		}
		if (!nic_state_is_same(&h->before[t->nic_at], &h->now[t->nic_at], way)) {
			(void)snprintf(why, CHANGES_WHY_BYTES,
			               "after the change of %s of %.64s: %s",
			               tunable_name(t->tunable.kind), t->tunable.object, way);
			return false;
		}
	}
	return true;
}

void changes_settled(struct changes *c, size_t host, const struct err *err, uint64_t now_ns)
{
	struct changes_host *h = &c->at[host];
	char why[CHANGES_WHY_BYTES];

	if (err == NULL && !is_settled(h, why)) {
		if (now_ns < h->limit_ns && !c->is_ending) {
			h->phase = CHANGES_PAUSE;
			h->due_ns = now_ns + CHANGES_POLL_MS * CLOCK_NS_PER_MS;
		} else {
			changes_undo(c, host, why);
		}
		return;
	}
	if (err != NULL) {
		changes_undo(c, host, err->msg);
		return;
	}
	for (size_t i = 0; i < h->step_count; i++)
		changes_keep_row(c, h->steps[i].row, JOURNAL_CONFIRMED, h->steps[i].to, NULL);
	if (c->has_failed) {
		changes_undo(c, host, c->failure.msg);
		return;
	}
	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		if (t->goal[0] == '\0')
			continue;
		changes_take_value(c, t);
		t->is_proven = true;
		t->block = h->block;
		t->goal[0] = '\0';
	}
	h->step_count = 0;
	h->phase = CHANGES_IDLE;
}
