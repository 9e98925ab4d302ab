/* SPDX-License-Identifier: MIT */
/* What is there before a gap, whether it may be changed, and by which steps. */
#include <stdio.h>
#include <string.h>

#include "run/changes_parts.h"

/* The names as the host has them now; one that was changed keeps that by which it was. */
static void name_targets(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];
	enum tunable_system system = changes_system(c, host);

	for (size_t i = 0; i < h->nic_count; i++) {
		const struct hosts_nic *n = hosts_nic(c->hosts, h->nics[i]);

		h->names[i] = n != NULL ? n->name : "";
	}
	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		if (t->rows != NULL)
			continue;
		t->tunable.system = system;
		t->tunable.object =
			arena_strndup(&c->arena, h->names[t->nic_at], strlen(h->names[t->nic_at]));
	}
}

/* A host of a system that cannot tell what uses its NICs is left alone. */
static void leave_alone(struct changes_host *h)
{
	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		if (t->goal[0] == '\0')
			continue;
		(void)snprintf(t->guard, sizeof(t->guard),
		               "what uses a NIC cannot be told on this system yet");
		t->goal[0] = '\0';
	}
}

void changes_look(struct changes *c, size_t host)
{
	struct changes_host *h = &c->at[host];
	enum tunable_system system = changes_system(c, host);
	struct text text = {0};
	struct err err;

	if (system != TUNABLE_LINUX) {
		leave_alone(h);
		return;
	}
	name_targets(c, host);
	nic_use_clear(h->uses, h->nic_count);
	nic_state_clear(h->now, h->nic_count);
	h->step_count = 0;
	if (changes_add_probe(c, host, &text, &err) &&
	    nic_use_add_probe(&text, system, h->names, h->nic_count, &err) &&
	    nic_state_add_probe(&text, system, h->names, h->nic_count, &err)) {
		changes_run(c, host, &text, CHANGES_LOOK);
		return;
	}
	text_done(&text);
	changes_fail_goals(c, host, err.msg);
}

/* Why the host's own state forbids it; NULL: it does not. */
static const char *objection(const struct changes *c, const struct changes_target *t)
{
	const struct nic_use *u = &c->at[t->host].uses[t->nic_at];

	if (t->nic->host->connection == CONNECTION_SSH && u->is_ssh)
		return "the SSH session of this run goes by it";
	if (t->nic->host->connection == CONNECTION_SSH && !u->has_session)
		return "it is not known whether the SSH session of this run goes by it";
	if (u->busy_why[0] != '\0' && !t->nic->allow_busy)
		return u->busy_why;
	if (t->setting == PLAN_LRO && u->is_router && c->topology->safety.router_guard &&
	    (c->consent->allow & CONSENT_LRO_ON_ROUTER) == 0 && strcmp(t->goal, "on") == 0)
		return "the host forwards packets, which LRO breaks: --allow lro-on-router";
	return NULL;
}

/* False: this goal is not to be had; it is told. */
static bool may_change(struct changes *c, struct changes_target *t)
{
	const struct changes_host *h = &c->at[t->host];
	const char *why = objection(c, t);
	struct err err;

	if (!t->reading.is_complete || !h->uses[t->nic_at].is_complete ||
	    !h->now[t->nic_at].is_complete) {
		(void)err_set(&err, ERR_REMOTE, "the host did not tell what there is");
	} else if (strcmp(t->reading.value, t->goal) == 0) {
		return true; /* nothing has to be changed */
	} else if (why != NULL) {
		(void)snprintf(t->guard, sizeof(t->guard), "%s%s", why,
		               why == h->uses[t->nic_at].busy_why
		                       ? "; `allow_busy: true` of the NIC lets it be changed"
		                       : "");
		t->goal[0] = '\0';
		return false;
	} else if (tunable_check(&t->tunable, &t->reading, t->goal, &err)) {
		return true;
	}
	for (size_t k = 0; k < t->level_count; k++) {
		char level[TUNABLE_VALUE_BYTES];

		changes_level_text(t->setting, t->levels[k], level);
		if (strcmp(level, t->goal) == 0)
			(void)snprintf(t->failed[k], CHANGES_WHY_BYTES, "%.*s",
			               CHANGES_WHY_BYTES - 1, err.msg);
	}
	t->goal[0] = '\0';
	return false;
}

static const char *kept_text(struct changes *c, const struct text *text)
{
	return arena_strndup(&c->arena, text_str(text), text->len);
}

/* Adds the step from one value to another. False: no command can be made of it. */
static bool add_step(struct changes *c, struct changes_target *t, const char *from, const char *to,
                     struct err *err)
{
	struct changes_host *h = &c->at[t->host];
	struct changes_step *s = &h->steps[h->step_count];
	struct text set = {0};
	struct text undo = {0};
	bool is_back = t->rows != NULL && strcmp(to, t->before) == 0;
	bool ok = is_back || tunable_set_line(&set, &t->tunable, &t->reading, to, err);

	if (ok && strcmp(from, t->reading.value) == 0)
		ok = tunable_undo_line(&undo, &t->tunable, &t->reading, err);
	else if (ok)
		ok = tunable_set_line(&undo, &t->tunable, &t->reading, from, err);
	memset(s, 0, sizeof(*s));
	s->target = t;
	(void)snprintf(s->from, sizeof(s->from), "%s", from);
	(void)snprintf(s->to, sizeof(s->to), "%s", to);
	/* What puts it back does so down to the last feature. */
	s->set_line = is_back ? t->undo_line : kept_text(c, &set);
	s->undo_line = kept_text(c, &undo);
	h->step_count += ok;
	text_done(&set);
	text_done(&undo);
	return ok;
}

/* Another value that the plan asks of it; false: there is none. */
static bool another(const struct changes_target *t, char out[TUNABLE_VALUE_BYTES])
{
	for (size_t k = 0; k < t->level_count; k++) {
		changes_level_text(t->setting, t->levels[k], out);
		if (strcmp(out, t->goal) != 0 && t->failed[k][0] == '\0')
			return true;
	}
	return false;
}

/* Those that have to be changed, and switches that are turned away and back for a new block. */
static bool add_steps(struct changes *c, size_t host, struct err *err)
{
	struct changes_host *h = &c->at[host];

	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];
		char away[TUNABLE_VALUE_BYTES];
		struct err ignored;

		if (t->goal[0] == '\0')
			continue;
		if (strcmp(t->reading.value, t->goal) != 0) {
			if (!add_step(c, t, t->reading.value, t->goal, err))
				return false;
		} else if (t->setting != PLAN_MTU && t->block != 0 && t->block != h->block &&
		           objection(c, t) == NULL && another(t, away) &&
		           tunable_check(&t->tunable, &t->reading, away, &ignored)) {
			if (!add_step(c, t, t->goal, away, err) ||
			    !add_step(c, t, away, t->goal, err))
				return false;
		}
	}
	return true;
}

static int rank_of(const struct changes_step *s)
{
	return tunable_rank(&s->target->tunable, s->from, s->to);
}

/* In the order that hostops/tunable.h asks for; equal ones stay as they are. A switch that goes
 * away and back has both steps of one rank. */
static void sort_steps(struct changes_host *h)
{
	for (size_t i = 1; i < h->step_count; i++) {
		struct changes_step s = h->steps[i];
		size_t k = i;

		for (; k > 0 && rank_of(&h->steps[k - 1]) > rank_of(&s); k--)
			h->steps[k] = h->steps[k - 1];
		h->steps[k] = s;
	}
}

void changes_looked(struct changes *c, size_t host, const struct err *why)
{
	struct changes_host *h = &c->at[host];
	struct err err = {0};

	h->phase = CHANGES_IDLE;
	if (why != NULL) {
		changes_fail_goals(c, host, why->msg);
		return;
	}
	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		if (t->goal[0] != '\0')
			(void)may_change(c, t);
		if (t->goal[0] != '\0')
			changes_take_value(c, t);
	}
	if (!add_steps(c, host, &err)) {
		changes_fail_goals(c, host, err.msg);
		return;
	}
	sort_steps(h);
	for (size_t i = 0; i < h->nic_count; i++) {
		struct nic_state swapped = h->before[i];

		h->before[i] = h->now[i];
		h->now[i] = swapped;
	}
	for (size_t i = 0; i < h->count && h->step_count == 0; i++) {
		struct changes_target *t = h->targets[i];

		if (t->goal[0] == '\0')
			continue;
		t->is_proven = true;
		t->block = h->block;
		t->goal[0] = '\0';
	}
	if (h->step_count > 0)
		changes_arm(c, host);
}
