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

/* Of listed pairs: their class, their NICs, that these reach each other and bear the MTU. */
void check_pairs(const struct check *c);

/* Of pairs chosen by class: that there are some, with addresses, and that they bear the MTU. */
void check_classes(const struct check *c);

#endif
