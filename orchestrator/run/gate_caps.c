/* SPDX-License-Identifier: MIT */
#include "run/gate_caps.h"

#include <stdio.h>
#include <string.h>

enum { AT_SENDER = 1, AT_RECEIVER = 2, AT_BOTH = AT_SENDER | AT_RECEIVER };

struct need {
	const char *word;  /* of caps */
	const char *level; /* of the topology file, that needs it */
	unsigned ends;     /* 0: not needed */
};

#define NEEDS_MAX 9

/* What the cell asks for, in the order in which a lack is told. */
static size_t list_needs(const struct plan_config *c, struct need out[NEEDS_MAX])
{
	bool copies = c->zero_copy == ZERO_COPY_OFF;
	bool discards = c->zero_copy == ZERO_COPY_BOTH;
	/* A UDP sender paces by itself; TCP is paced by the system. */
	bool paces = c->rate_bps != 0 && c->protocol == PROTOCOL_TCP;
	const struct need all[] = {
		{"udp", "protocol: udp", c->protocol == PROTOCOL_UDP ? AT_BOTH : 0},
		{"rr", "mode: rr", c->mode == MODE_RR ? AT_BOTH : 0},
		{"beside", "direction: bidir", c->is_bidir ? AT_BOTH : 0},
		{"bytes", "bytes", c->bytes != 0 ? AT_BOTH : 0},
		{"zero_copy", "zero_copy", copies ? 0 : AT_SENDER},
		{"discard", "zero_copy: both", discards ? AT_RECEIVER : 0},
		{"pacing", "bitrate", paces ? AT_SENDER : 0},
		{"affinity", "affinity", c->affinity != NULL ? AT_BOTH : 0},
		{"device", "bind_device: on", c->bind_device ? AT_BOTH : 0},
	};
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(all) && count < NEEDS_MAX; i++) {
		if (all[i].ends != 0)
			out[count++] = all[i];
	}
	return count;
}

/* `words` are separated by commas. */
static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, len) == 0 && (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return false;
}

bool gate_lacks(const struct hosts *hosts, const struct plan_cell *cell, bool is_dst,
                char reason[256])
{
	const struct nic *nic = is_dst ? cell->dst : cell->src;
	const struct link_info *info = &hosts->at[hosts_index(hosts, nic->host)].info;
	unsigned ends = cell->config.is_bidir ? AT_BOTH : is_dst ? AT_RECEIVER : AT_SENDER;
	struct need needs[NEEDS_MAX];
	size_t count = list_needs(&cell->config, needs);

	for (size_t i = 0; i < count; i++) {
		if ((needs[i].ends & ends) == 0 || has_word(info->caps, needs[i].word))
			continue;
		(void)snprintf(
			reason, 256,
			"%s: the agent there (%s on %s) cannot do what `%s` needs: it has no "
			"'%s'",
			nic->host->name, info->agent_version, info->platform, needs[i].level,
			needs[i].word);
		return true;
	}
	return false;
}
