/* SPDX-License-Identifier: MIT */
/*
 * setting.h - levels of factors taken over and compared, one factor or all.
 *
 * Pure; what topology checks and plan expands must agree on it.
 */
#ifndef TOPOLOGY_SETTING_H
#define TOPOLOGY_SETTING_H

#include "topology/topology.h"

/* Takes over one factor, given or not. */
void setting_take(struct setting *to, const struct setting *from, enum factor factor);

/* Takes over what `from` gives. */
void setting_overlay(struct setting *to, const struct setting *from);

/* True when both have the same level of the factor. */
bool setting_same(const struct setting *a, const struct setting *b, enum factor factor);

#endif
