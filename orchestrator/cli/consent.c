/* SPDX-License-Identifier: MIT */
#include "cli/consent.h"

#include <inttypes.h>
#include <string.h>

#include "report/format.h"

static const struct {
	const char *word;
	enum consent_allow bit;
} allow_words[] = {
	{"sysctl", CONSENT_SYSCTL},
	{"esxi-exec", CONSENT_ESXI_EXEC},
	{"lro-on-router", CONSENT_LRO_ON_ROUTER},
};

static const struct {
	const char *name;
	enum safety_change bit;
} settings[] = {
	[PLAN_MTU] = {"mtu", SAFETY_MTU},
	[PLAN_LRO] = {"lro", SAFETY_LRO},
	[PLAN_TSO] = {"tso", SAFETY_TSO},
};

bool consent_parse(bool no_change, const struct option_list *allow, struct run_consent *out,
                   struct err *err)
{
	struct run_consent consent = {.no_change = no_change};

	for (size_t i = 0; i < allow->count; i++) {
		size_t k = 0;

		while (k < COUNT_OF(allow_words) && strcmp(allow->at[i], allow_words[k].word) != 0)
			k++;
		if (k == COUNT_OF(allow_words))
			return err_set(err, ERR_USAGE,
			               "--allow: '%s' is not known: it must be sysctl, esxi-exec "
			               "or lro-on-router",
			               allow->at[i]);
		consent.allow |= (uint32_t)allow_words[k].bit;
	}
	if (no_change && consent.allow != 0)
		return err_set(err, ERR_USAGE, "--no-change and --allow exclude each other");
	*out = consent;
	return true;
}

const char *consent_refusal(const struct topology *topo, const struct plan_change *change)
{
	if (change->nic->role == NIC_MGMT)
		return "its role is mgmt: never changed";
	if ((topo->safety.change & (uint32_t)settings[change->setting].bit) == 0)
		return "not in `change` of `safety` in the topology";
	return NULL;
}

static void add_levels(struct text *out, const struct plan_change *c)
{
	static const char *const toggles[] = {"unchanged", "off", "on"};

	for (size_t i = 0; i < c->level_count; i++) {
		text_add(out, i == 0 ? "" : ", ");
		if (c->setting == PLAN_MTU)
			text_printf(out, "%" PRIu32, c->levels[i]);
		else
			text_add(out, toggles[c->levels[i]]);
	}
}

static void add_change(struct text *out, const struct plan_change *c)
{
	text_printf(out, "  %s of %s.%s: ", settings[c->setting].name, c->nic->host->name,
	            c->nic->name);
	add_levels(out, c);
}

/* The lines of those that are allowed, or of those that are not. Returns their number. */
static size_t add_part(struct text *out, const struct topology *topo,
                       const struct plan_changes *changes, bool is_allowed)
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct plan_change *c = &changes->at[i];
		const char *refusal = consent_refusal(topo, c);

		if ((refusal == NULL) != is_allowed)
			continue;
		if (count++ == 0)
			text_add(out, is_allowed ? "to be changed, and put back at the end:\n"
			                         : "left alone, so cells that need it are "
			                           "skipped:\n");
		add_change(out, c);
		if (is_allowed) {
			text_add(out, " (");
			format_add_things(out, c->changes, "change");
			text_add(out, ")");
		} else {
			text_printf(out, " (%s)", refusal);
		}
		text_add(out, "\n");
	}
	return count;
}

size_t consent_add_list(struct text *out, const struct topology *topo,
                        const struct plan_changes *changes)
{
	size_t asked = 0;

	if (add_part(out, topo, changes, true) > 0) {
		for (size_t i = 0; i < changes->count; i++) {
			if (consent_refusal(topo, &changes->at[i]) == NULL)
				asked += changes->at[i].changes + 1; /* and back */
		}
		text_printf(out,
		            "  %zu times in all, and each may take the link of its NIC down for "
		            "some seconds\n",
		            asked);
	}
	(void)add_part(out, topo, changes, false);
	return asked;
}
