/* SPDX-License-Identifier: MIT */
#include "hostops/firewall_chains.h"

/* FNV-1a, 32 bits. */
static uint32_t hash(const char *name, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h;
}

static struct firewall_chain *find(struct firewall_chains *c, uint32_t name)
{
	for (size_t i = 0; i < c->chain_count; i++) {
		if (c->chains[i].name == name)
			return &c->chains[i];
	}
	if (c->chain_count == FIREWALL_CHAINS_MAX) {
		c->is_full = true;
		return NULL;
	}
	c->chains[c->chain_count] = (struct firewall_chain){.name = name};
	return &c->chains[c->chain_count++];
}

void firewall_chains_entry(struct firewall_chains *c, const char *name, size_t len)
{
	struct firewall_chain *chain = find(c, hash(name, len));

	if (chain != NULL)
		chain->is_entry = true;
}

void firewall_chains_refuse(struct firewall_chains *c, const char *name, size_t len)
{
	struct firewall_chain *chain = find(c, hash(name, len));

	if (chain != NULL)
		chain->is_refusing = true;
}

void firewall_chains_jump(struct firewall_chains *c, const char *from, size_t from_len,
                          const char *to, size_t to_len)
{
	if (c->jump_count == FIREWALL_JUMPS_MAX) {
		c->is_full = true;
		return;
	}
	c->jumps[c->jump_count].from = hash(from, from_len);
	c->jumps[c->jump_count++].to = hash(to, to_len);
}

/* Marks what the jumps reach; true while that is more than before. */
static bool spread(struct firewall_chains *c)
{
	bool grows = false;

	for (size_t i = 0; i < c->jump_count; i++) {
		const struct firewall_chain *from = find(c, c->jumps[i].from);
		struct firewall_chain *to = find(c, c->jumps[i].to);

		if (from == NULL || to == NULL || !from->is_reached || to->is_reached)
			continue;
		to->is_reached = grows = true;
	}
	return grows;
}

bool firewall_chains_refuses(struct firewall_chains *c)
{
	bool any = false;

	for (size_t i = 0; i < c->chain_count; i++) {
		c->chains[i].is_reached = c->chains[i].is_entry;
		any = any || c->chains[i].is_entry;
	}
	while (spread(c))
		continue;
	for (size_t i = 0; i < c->chain_count; i++) {
		if (c->chains[i].is_reached && c->chains[i].is_refusing)
			return true;
	}
	return any && c->is_full;
}
