/* SPDX-License-Identifier: MIT */
/*
 * firewall_chains.h - chains of rules that jump to one another: does anything that
 * begins at an entry reach a rule that refuses? For firewall.c.
 */
#ifndef HOSTOPS_FIREWALL_CHAINS_H
#define HOSTOPS_FIREWALL_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

#define FIREWALL_CHAINS_MAX 160
#define FIREWALL_JUMPS_MAX  640

/* Names are kept as hashes. {0} is empty. */
struct firewall_chains {
	struct firewall_chain {
		uint32_t name;
		bool is_entry, is_refusing, is_reached;
	} chains[FIREWALL_CHAINS_MAX];
	size_t chain_count;
	struct {
		uint32_t from, to;
	} jumps[FIREWALL_JUMPS_MAX];
	size_t jump_count;
	bool is_full; /* more than fits: then it is taken to refuse */
};

/* A name is `len` bytes. */
void firewall_chains_entry(struct firewall_chains *c, const char *name, size_t len);
void firewall_chains_refuse(struct firewall_chains *c, const char *name, size_t len);
void firewall_chains_jump(struct firewall_chains *c, const char *from, size_t from_len,
                          const char *to, size_t to_len);

bool firewall_chains_refuses(struct firewall_chains *c) NODISCARD;

#endif
