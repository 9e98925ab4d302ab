/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "common/hex.h"
#include "plan/plan_build.h"

/* A fingerprint is as good as random: its first digits are the hash. */
static size_t hash_of(const char *fingerprint)
{
	size_t hash = 0;

	for (size_t i = 0; i < 2 * sizeof(hash); i++)
		hash = hash << 4 | (size_t)hex_value(fingerprint[i]);
	return hash;
}

/* Where the fingerprint is or would go. */
static uint32_t *find(const struct plan_cells *cells, const char *fingerprint)
{
	size_t mask = cells->table_room - 1;
	size_t i = hash_of(fingerprint) & mask;

	while (cells->table[i] != 0 &&
	       strcmp(cells->at[cells->table[i] - 1].fingerprint, fingerprint) != 0)
		i = (i + 1) & mask;
	return &cells->table[i];
}

static void make_room(struct plan_cells *cells)
{
	cells->at = plan_grow(cells->scratch, cells->at, cells->count, &cells->room,
	                      sizeof(*cells->at));
	if (cells->table_room >= 2 * cells->room)
		return;
	cells->table_room = 2 * cells->room;
	cells->table = arena_alloc(cells->scratch, cells->table_room, sizeof(*cells->table));
	for (size_t i = 0; i < cells->count; i++)
		*find(cells, cells->at[i].fingerprint) = (uint32_t)i + 1;
}

static struct plan_cell cell_of(const struct plan_candidate *candidate)
{
	const struct setting *s = candidate->setting;
	bool is_reverse = s->direction == DIRECTION_REVERSE;
	const struct plan_ends *ends = &candidate->ends;

	return (struct plan_cell){
		.src = is_reverse ? ends->b : ends->a,
		.dst = is_reverse ? ends->a : ends->b,
		.dst_initiates = is_reverse,
		.path_class = topology_path_class(ends->a, ends->b),
		.is_routed = topology_is_routed(ends->a, ends->b),
		.repeats = candidate->repeats,
		.config =
			{
				.engine = candidate->engine == ENGINE_AUTO ? ENGINE_AGENT
	                                                                   : candidate->engine,
				.mtu_bytes = s->mtu_bytes,
				.window_bytes = s->window_bytes,
				.streams = s->streams,
				.buffer_bytes = s->buffer_bytes,
				.lro = s->lro,
				.tso = s->tso,
				.duration_ms = s->bytes > 0 ? 0 : s->duration_ms,
				.omit_ms = s->omit_ms,
				.bytes = s->bytes,
				.is_bidir = s->direction == DIRECTION_BIDIR,
				.protocol = s->protocol,
				.mode = s->mode,
				.zero_copy = s->zero_copy,
				.rate_bps = s->rate_bps,
				.mss_bytes = s->mss_bytes,
				.no_delay = s->no_delay,
				.dscp = s->dscp,
				.congestion = s->congestion,
				.ip_version = s->ip_version,
				.affinity = s->affinity,
				.bind_device = s->bind_device,
				.source_port = s->source_port,
			},
	};
}

/* The first published figure of a profile stays. */
static void keep_published(struct plan_membership *kept, const struct plan_membership *also)
{
	if (!isnan(kept->published_bps) || kept->published_retransmits >= 0)
		return;
	kept->published_bps = also->published_bps;
	kept->published_retransmits = also->published_retransmits;
}

static void join(struct plan_cells *cells, struct plan_cell *cell,
                 const struct plan_membership *membership)
{
	struct plan_membership *all =
		arena_alloc(cells->kept, cell->profile_count + 1, sizeof(*all));

	if (cell->profile_count > 0)
		memcpy(all, cell->profiles, cell->profile_count * sizeof(*all));
	all[cell->profile_count++] = *membership;
	cell->profiles = all;
}

bool plan_cells_add(struct plan_cells *cells, const struct plan_candidate *candidate)
{
	struct plan_cell cell = cell_of(candidate);
	struct plan_cell *known;
	struct plan_membership *last;
	uint32_t *place;

	make_room(cells);
	plan_key_cell(&cells->keys, &cell);
	place = find(cells, cell.fingerprint);
	if (*place == 0) {
		cell.index = (uint32_t)cells->count;
		join(cells, &cell, &candidate->membership);
		cells->at[cells->count++] = cell;
		*place = (uint32_t)cells->count;
		return true;
	}
	known = &cells->at[*place - 1];
	if (known->repeats < cell.repeats)
		known->repeats = cell.repeats;
	last = &known->profiles[known->profile_count - 1];
	if (last->profile == candidate->membership.profile) {
		keep_published(last, &candidate->membership);
		return false;
	}
	join(cells, known, &candidate->membership);
	return true;
}

void plan_cells_done(struct plan_cells *cells)
{
	plan_key_maker_done(&cells->keys);
}
