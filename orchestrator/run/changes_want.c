/* SPDX-License-Identifier: MIT */
/* What a cell asks of its hosts, and whether it is so. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/changes_parts.h"
#include "run/result.h"

static uint32_t level_of(const struct plan_config *config, enum plan_setting setting)
{
	switch (setting) {
	case PLAN_MTU:
		return config->mtu_bytes;
	case PLAN_LRO:
		return (uint32_t)config->lro;
	case PLAN_TSO:
		return (uint32_t)config->tso;
	case PLAN_SETTING_COUNT:
		break;
	}
	return 0;
}

/* The level that the cell asks of the target; 0: none. */
static uint32_t asked_of(const struct changes_target *t, const struct plan_cell *cell)
{
	return t->nic == cell->src || t->nic == cell->dst ? level_of(&cell->config, t->setting) : 0;
}

static const char *failed_at(const struct changes_target *t, uint32_t level)
{
	for (size_t i = 0; i < t->level_count; i++) {
		if (t->levels[i] == level)
			return t->failed[i];
	}
	return "";
}

/* As the host's facts have it; "": not known. */
static void fact_text(const struct changes *c, const struct changes_target *t,
                      char out[TUNABLE_VALUE_BYTES])
{
	const struct hosts_nic *n = hosts_nic(c->hosts, t->nic);
	enum toggle is = TOGGLE_UNCHANGED;

	out[0] = '\0';
	if (n == NULL)
		return;
	if (t->setting == PLAN_MTU) {
		if (n->mtu_bytes != RESULT_UNKNOWN)
			(void)snprintf(out, TUNABLE_VALUE_BYTES, "%" PRId64, n->mtu_bytes);
		return;
	}
	is = t->setting == PLAN_LRO ? n->lro : n->tso;
	if (is != TOGGLE_UNCHANGED)
		changes_level_text(t->setting, (uint32_t)is, out);
}

/* A switch that is there already is turned away and back in each block, so that each block has
 * an application of its own. An MTU is not: that would take the link down twice. */
static bool is_due_again(const struct changes_target *t, uint32_t block)
{
	return t->setting != PLAN_MTU && t->level_count > 1 && t->block != 0 && t->block != block;
}

static enum changes_answer want(const struct changes *c, const struct changes_target *t,
                                uint32_t level, uint32_t block, char *reason)
{
	const char *name = tunable_name(t->tunable.kind);
	char wanted[TUNABLE_VALUE_BYTES];
	char is[TUNABLE_VALUE_BYTES];
	const char *failed = failed_at(t, level);

	changes_level_text(t->setting, level, wanted);
	if (t->refusal != NULL || t->guard[0] != '\0') {
		fact_text(c, t, is);
		if (strcmp(is, wanted) == 0)
			return CHANGES_READY;
		(void)snprintf(reason, CHANGES_WHY_BYTES,
		               RESULT_BY_CHOICE "%s of %s.%s is %s, the cell needs %s (%.120s)",
		               name, t->nic->host->name, t->nic->name,
		               is[0] == '\0' ? "not known" : is, wanted,
		               t->refusal != NULL ? t->refusal : t->guard);
		return CHANGES_CHOICE;
	}
	if (failed[0] != '\0') {
		(void)snprintf(reason, CHANGES_WHY_BYTES, "%s of %s.%s cannot be %s: %.180s", name,
		               t->nic->host->name, t->nic->name, wanted, failed);
		return CHANGES_FAULT;
	}
	if (c->at[t->host].phase != CHANGES_IDLE)
		return CHANGES_BUSY;
	return t->is_proven && strcmp(t->value, wanted) == 0 && !is_due_again(t, block)
	               ? CHANGES_READY
	               : CHANGES_NEEDED;
}

enum changes_answer changes_want(const struct changes *c, const struct plan_cell *cell,
                                 uint32_t block, char reason[CHANGES_WHY_BYTES])
{
	enum changes_answer worst = CHANGES_READY;

	for (size_t i = 0; i < c->count; i++) {
		uint32_t level = asked_of(&c->targets[i], cell);
		enum changes_answer a;
		char why[CHANGES_WHY_BYTES];

		if (level == 0)
			continue;
		a = want(c, &c->targets[i], level, block, why);
		if (a == CHANGES_CHOICE || a == CHANGES_FAULT)
			memcpy(reason, why, sizeof(why));
		if (a > worst)
			worst = a;
		if (a == CHANGES_FAULT)
			break;
	}
	return worst;
}

void changes_begin(struct changes *c, const struct plan_cell *cell, uint32_t block)
{
	for (size_t i = 0; i < c->count; i++) {
		struct changes_target *t = &c->targets[i];
		struct changes_host *h = &c->at[t->host];
		uint32_t level = asked_of(t, cell);
		char why[CHANGES_WHY_BYTES];

		if (level == 0 || h->phase != CHANGES_IDLE || c->has_failed || c->is_ending ||
		    want(c, t, level, block, why) != CHANGES_NEEDED)
			continue;
		/* All that the cell asks of the host, in one gap. */
		for (size_t k = 0; k < h->count; k++) {
			struct changes_target *other = h->targets[k];
			uint32_t asked = asked_of(other, cell);

			other->goal[0] = '\0';
			if (asked != 0 && other->refusal == NULL && other->guard[0] == '\0')
				changes_level_text(other->setting, asked, other->goal);
		}
		h->block = block;
		h->why[0] = '\0';
		h->is_void = false;
		changes_look(c, t->host);
	}
}

bool changes_is_at_work(const struct changes *c, size_t host)
{
	return c->at[host].phase != CHANGES_IDLE && c->at[host].phase != CHANGES_LOST;
}

bool changes_is_busy(const struct changes *c, size_t host)
{
	return c->at[host].phase != CHANGES_IDLE;
}
