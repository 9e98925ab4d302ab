/* SPDX-License-Identifier: MIT */
#include "run/changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/changes_parts.h"
#include "run/gate.h"

static const struct {
	enum tunable_kind kind;
	enum safety_change bit;
	const char *fact;
} settings[PLAN_SETTING_COUNT] = {
	[PLAN_MTU] = {TUNABLE_MTU, SAFETY_MTU, "nic.mtu"},
	[PLAN_LRO] = {TUNABLE_LRO, SAFETY_LRO, "nic.lro"},
	[PLAN_TSO] = {TUNABLE_TSO, SAFETY_TSO, "nic.tso"},
};

void changes_level_text(enum plan_setting setting, uint32_t level, char out[TUNABLE_VALUE_BYTES])
{
	if (setting == PLAN_MTU)
		(void)snprintf(out, TUNABLE_VALUE_BYTES, "%" PRIu32, level);
	else
		(void)snprintf(out, TUNABLE_VALUE_BYTES, "%s", level == TOGGLE_ON ? "on" : "off");
}

/* ---- begin and end ---- */

static const char *refusal_of(const struct changes *c, const struct plan_change *change)
{
	const char *why =
		gate_refusal(c->topology, c->consent, change->nic, settings[change->setting].bit);

	return why == NULL && c->journal == NULL ? "there is no settings journal" : why;
}

static size_t nic_of(struct changes_host *h, const struct nic *nic)
{
	size_t i = 0;

	while (i < h->nic_count && h->nics[i] != nic)
		i++;
	if (i == h->nic_count)
		h->nics[h->nic_count++] = nic;
	return i;
}

static void add_target(struct changes *c, const struct plan_change *change)
{
	struct changes_target *t = &c->targets[c->count++];
	struct changes_host *h;

	t->nic = change->nic;
	t->host = hosts_index(c->hosts, change->nic->host);
	t->setting = change->setting;
	t->tunable.kind = settings[change->setting].kind;
	t->levels = change->levels;
	t->level_count = change->level_count;
	t->failed = arena_alloc(&c->arena, t->level_count, sizeof(*t->failed));
	t->refusal = refusal_of(c, change);
	h = &c->at[t->host];
	t->nic_at = nic_of(h, t->nic);
	h->targets[h->count++] = t;
}

void changes_open(struct changes *c, struct hosts *hosts, const struct plan *plan,
                  const struct changes_options *options)
{
	struct plan_changes list;

	memset(c, 0, sizeof(*c));
	c->hosts = hosts;
	c->topology = plan->topology;
	c->consent = options->consent;
	c->journal = options->journal;
	c->owner = options->owner;
	list = plan_list_changes(plan, &c->arena);
	c->at = arena_alloc(&c->arena, c->topology->host_count, sizeof(*c->at));
	c->targets = arena_alloc(&c->arena, list.count, sizeof(*c->targets));
	for (size_t i = 0; i < c->topology->host_count; i++) {
		size_t nics = c->topology->hosts[i].nic_count;
		size_t room = nics * PLAN_SETTING_COUNT;
		struct changes_host *h = &c->at[i];

		h->targets = arena_alloc(&c->arena, room, sizeof(*h->targets));
		h->probed_targets = arena_alloc(&c->arena, room, sizeof(*h->probed_targets));
		h->probed = arena_alloc(&c->arena, room, sizeof(*h->probed));
		h->readings = arena_alloc(&c->arena, room, sizeof(*h->readings));
		h->steps = arena_alloc(&c->arena, 2 * room, sizeof(*h->steps));
		h->nics = arena_alloc(&c->arena, nics, sizeof(*h->nics));
		h->names = arena_alloc(&c->arena, nics, sizeof(*h->names));
		h->uses = arena_alloc(&c->arena, nics, sizeof(*h->uses));
		h->before = arena_alloc(&c->arena, nics, sizeof(*h->before));
		h->now = arena_alloc(&c->arena, nics, sizeof(*h->now));
		h->due_ns = UINT64_MAX;
	}
	for (size_t i = 0; i < list.count; i++)
		add_target(c, &list.at[i]);
}

void changes_close(struct changes *c)
{
	for (size_t i = 0; c->at != NULL && i < c->topology->host_count; i++) {
		struct changes_host *h = &c->at[i];

		nic_state_done(h->before, h->nic_count);
		nic_state_done(h->now, h->nic_count);
		tunable_read_done(&h->reader);
	}
	arena_done(&c->arena);
	memset(c, 0, sizeof(*c));
}

bool changes_are_possible(const struct changes *c)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->targets[i].refusal == NULL)
			return true;
	}
	return false;
}

/* ---- what the parts share ---- */

/* Agents of other systems call themselves "generic": what they run on is not told. */
enum tunable_system changes_system(const struct changes *c, size_t host)
{
	return strcmp(c->hosts->at[host].info.platform, "linux") == 0 ? TUNABLE_LINUX
	                                                              : TUNABLE_GENERIC;
}

void changes_run(struct changes *c, size_t host, struct text *text, enum changes_phase phase)
{
	struct changes_host *h = &c->at[host];
	const struct link_text what = {
		.text = text_str(text),
		.privilege = c->hosts->at[host].info.survey.privilege,
		.timeout_ms = phase == CHANGES_UNDO ? CHANGES_RESTORE_MS : CHANGES_TEXT_MS,
	};

	h->phase = phase;
	h->words = 0;
	h->kept = 0;
	h->said[0] = '\0';
	link_run_text(c->hosts->links, host, &what);
	text_done(text);
}

void changes_take_value(struct changes *c, struct changes_target *t)
{
	(void)snprintf(t->value, sizeof(t->value), "%s", t->reading.value);
	hosts_learn(c->hosts, t->nic, settings[t->setting].fact, t->value);
}

void changes_fail_goals(struct changes *c, size_t host, const char *why)
{
	struct changes_host *h = &c->at[host];

	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];
		char level[TUNABLE_VALUE_BYTES];

		for (size_t k = 0; k < t->level_count && t->goal[0] != '\0'; k++) {
			changes_level_text(t->setting, t->levels[k], level);
			if (strcmp(level, t->goal) == 0)
				(void)snprintf(t->failed[k], CHANGES_WHY_BYTES, "%.*s",
				               CHANGES_WHY_BYTES - 1, why);
		}
		t->goal[0] = '\0';
	}
}

void changes_keep_row(struct changes *c, struct changes_row *row, enum journal_state state,
                      const char *value, const char *reason)
{
	const struct journal_update update = {state, value, reason};

	row->state = state;
	if (!c->has_failed && !c->journal->update(c->journal->ctx, row->id, &update, &c->failure))
		c->has_failed = true;
}

bool changes_add_probe(struct changes *c, size_t host, struct text *out, struct err *err)
{
	struct changes_host *h = &c->at[host];

	h->probed_count = 0;
	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		if (t->goal[0] == '\0' && t->rows == NULL && !t->is_proven)
			continue;
		h->probed_targets[h->probed_count] = t;
		h->probed[h->probed_count++] = t->tunable;
	}
	tunable_read_done(&h->reader);
	tunable_read_begin(&h->reader, h->probed, h->readings, h->probed_count);
	if (!tunable_probe(out, NULL, h->probed, h->probed_count, err))
		return false;
	text_add(out, "\n");
	return true;
}
