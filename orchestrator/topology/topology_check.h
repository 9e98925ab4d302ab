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

/* What cells of a profile ask of the NICs of a pair, and where that is written. */
struct demand {
	const char *driver; /* NULL: none */
	bool hides_driver;  /* there is or may be one, but it could not be read, and it was told */
	struct src_pos driver_pos;
	uint32_t mtu_bytes; /* 0: unchanged */
	struct src_pos mtu_pos;
};

struct demands {
	struct demand *at;
	size_t count;
};

/* Adds what the setting gives; node is where it is written. */
void demand_add(struct demand *d, const struct setting *s, const struct node *node);

/* The same of a listed cell. */
void demand_add_cell(const struct check *c, struct demand *d, size_t cell);

/* What `fixed` asks. */
struct demand demand_of_fixed(const struct check *c);

/*
 * What the cells on the profile's pairs ask: the combinations of driver and MTU
 * of a grid, or of each listed cell without a pair of its own.
 */
struct demands demands_of(const struct check *c);

/* Of listed pairs: their class, their NICs, that these reach each other and bear the MTU. */
void check_pairs(const struct check *c);

/* Of pairs chosen by class: that there are some, with addresses, and that they bear the MTU. */
void check_classes(const struct check *c);

#endif
