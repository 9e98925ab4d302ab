/* SPDX-License-Identifier: MIT */
/* topology_check.h - one profile while its rules are checked. */
#ifndef TOPOLOGY_TOPOLOGY_CHECK_H
#define TOPOLOGY_TOPOLOGY_CHECK_H

#include "topology/topology_internal.h"

struct check {
	struct load *l;
	const struct profile *profile;
	const struct source_profile *source;
};

/* Has the profile the key, well or not? */
bool check_said(const struct check *c, const char *key);

/* ---- topology_combos.c: levels that meet ---- */

/* Levels of some factors that a cell has at the same time, and where they are written. */
struct combo {
	struct setting setting;
	const struct node *node[FACTOR_COUNT]; /* NULL: not given */
};

struct combo_axis;

/* A profile with more cells is refused when it is planned: its combinations need no look. */
#define COMBOS_MAX UINT64_C(1000000)

/* All combinations of what an axis each gives. In the topology's arena. */
struct combos {
	const struct check *c;
	struct combo_axis *axes;
	size_t axis_count;
	uint64_t count;
};

/* Those of the axes that give some of the factors (bits), with what `fixed` gives. */
struct combos combos_of_grid(const struct check *c, uint32_t factors);

/* Those of the factors in the full table of the listed cells: what `complete` makes of them. */
struct combos combos_of_table(const struct check *c, uint32_t factors);

struct combo combos_at(const struct combos *combos, uint64_t k);

/* What `fixed` gives. */
struct combo combo_of_fixed(const struct check *c);

/* Lays the level, which is written at the node, over it. */
void combo_add(struct combo *combo, const struct setting *level, const struct node *node);

/* Where the factor's level is written; line 0: nowhere. */
struct src_pos combo_pos(const struct combo *combo, enum factor factor);

/* Of levels that cannot meet in a cell. */
void check_levels(const struct check *c);

/* ---- topology_demand.c ---- */

/* What cells of a profile ask of the NICs of a pair, and where that is written. */
struct demand {
	const char *driver; /* NULL: none */
	bool hides_driver;  /* there is or may be one, but it could not be read, and it was told */
	struct src_pos driver_pos;
	uint32_t mtu_bytes; /* 0: unchanged */
	struct src_pos mtu_pos;
	uint32_t ip_version; /* 0: default */
	bool hides_ip_version;
	struct src_pos ip_version_pos;
};

struct demands {
	struct demand *at;
	size_t count;
};

/* What a listed cell asks. */
struct demand demand_of_cell(const struct check *c, size_t cell);

/*
 * What the cells on the profile's pairs ask: the combinations of driver, MTU and
 * IP version of a grid, or of each listed cell without a pair of its own.
 */
struct demands demands_of(const struct check *c);

/* ---- topology_check_reach.c: can two NICs talk? ---- */

const struct source_host *check_source_of(const struct load *l, const struct host *h);

/* Of any IP version. */
bool check_has_address(const struct nic *nic);

/* One segment, or a route joins the two; also when that is not known. */
bool check_reaches(const struct load *l, const struct nic *a, const struct nic *b);

/* Have both, which have addresses, one of the version, or for 0 ones that talk to each other? */
bool check_can_talk(const struct nic *a, const struct nic *b, uint32_t ip_version);

/* False after telling that the two cannot talk as is demanded; or_else: a further way out. */
bool check_family(const struct check *c, struct src_pos pos, const struct demand *d,
                  const struct nic *a, const struct nic *b, const char *or_else);

/* Tells why the NICs of a pair cannot talk. */
void check_reach(const struct check *c, const struct pair *pair, const struct demand *d,
                 const struct nic *a, const struct nic *b);

/* Of listed pairs: their class, their NICs, that these reach each other and bear the MTU. */
void check_pairs(const struct check *c);

/* Of pairs chosen by class: that there are some, with addresses, and that they bear the MTU. */
void check_classes(const struct check *c);

#endif
