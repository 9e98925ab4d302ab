/* SPDX-License-Identifier: MIT */
/* ssh_jumps.c - the register of jump hosts, and what a connection goes through. */
#include "remote/ssh_jump.h"

#include <stdlib.h>
#include <string.h>

#include "common/oom.h"
#include "common/text.h"
#include "remote/carrier.h"
#include "remote/jump_chain.h"
#include "remote/proxy_command.h"
#include "remote/ssh_jump_parts.h"
#include "remote/turn.h"

/* A hop as it was written, where that leads to: each is resolved once. */
struct known_hop {
	struct known_hop *next;
	const char *key;
	struct ssh_jump *jump;
};

struct ssh_jumps {
	struct ssh_jumps_options options;
	struct turn seeking; /* of the lists */
	struct ssh_jump *jumps;
	struct known_hop *hops;
	struct arena arena; /* of the hops */
};

/* One look for the last jump host of a chain. */
struct seek {
	struct ssh_jumps *jumps;
	const struct ssh_wish *wish; /* the target's */
	const struct wait_limit *limit;
	/* First hops whose own ProxyJump is being followed: they may not come back to. */
	size_t depth;
	const char *path[JUMP_CHAIN_MAX];
};

static const char *or_none(const char *s)
{
	return s == NULL ? "" : s;
}

/* All that what is written can depend on; a line feed is in none of it. */
static void written_key(struct text *out, const struct seek *s, const struct ssh_jump *parent,
                        const struct jump_hop *hop)
{
	text_printf(out, "%s\n%s\n%s\n%s\n%s\n%d", parent == NULL ? "" : parent->key, hop->name,
	            or_none(s->wish->config), or_none(s->wish->key), or_none(s->wish->known_hosts),
	            (int)s->wish->accept_new);
}

static struct ssh_jump *find_written(const struct ssh_jumps *jumps, const char *key)
{
	for (const struct known_hop *h = jumps->hops; h != NULL; h = h->next) {
		if (strcmp(h->key, key) == 0)
			return h->jump;
	}
	return NULL;
}

static void remember_written(struct ssh_jumps *jumps, const char *key, struct ssh_jump *jump)
{
	struct known_hop *h = arena_alloc(&jumps->arena, 1, sizeof(*h));

	h->key = arena_strndup(&jumps->arena, key, strlen(key));
	h->jump = jump;
	h->next = jumps->hops;
	jumps->hops = h;
}

static struct ssh_jump *find_resolved(const struct ssh_jumps *jumps, const char *key)
{
	struct ssh_jump *j = jumps->jumps;

	while (j != NULL && strcmp(j->key, key) != 0)
		j = j->next;
	return j;
}

/* The topology's words hold for a jump host as for the host behind it, but for those that
 * name that host. Only the first hop's own way is asked for: the others' is the chain. */
static bool resolve_hop(const struct seek *s, const struct jump_hop *hop, bool is_first,
                        struct ssh_jump *out, struct err *err)
{
	const struct ssh_wish wish = {.host = hop->host,
	                              .port = hop->port,
	                              .user = hop->user,
	                              .key = s->wish->key,
	                              .known_hosts = s->wish->known_hosts,
	                              .config = s->wish->config,
	                              .jump = is_first ? NULL : SSH_CONFIG_NONE,
	                              .accept_new = s->wish->accept_new,
	                              .hidden_env = s->wish->hidden_env};

	if (!ssh_config_resolve(&out->arena, &wish, s->jumps->options.auth_sock, s->limit,
	                        &out->config, err))
		return err_prefix(err, "jump host %s", hop->name);
	if (!is_first)
		out->config.proxy_jump = out->config.proxy_command = NULL;
	out->name = arena_strndup(&out->arena, hop->name, strlen(hop->name));
	return true;
}

static struct ssh_jump *find_chain(struct seek *s, const char *words, struct err *err);

/* The session that a first hop is reached through by its own configuration. */
static bool find_parent(struct seek *s, struct ssh_jump *j, const char *self, struct err *err)
{
	if (j->config.proxy_jump == NULL)
		return true;
	for (size_t i = 0; i < s->depth; i++) {
		if (strcmp(s->path[i], self) == 0)
			return err_set(err, ERR_INPUT,
			               "jump host %s is reached through itself (ProxyJump %s): "
			               "set `ProxyJump none` for it in ssh's configuration",
			               j->name, j->config.proxy_jump);
	}
	if (s->depth == JUMP_CHAIN_MAX)
		return err_set(err, ERR_INPUT, "jump host %s: more than %d jump hosts", j->name,
		               JUMP_CHAIN_MAX);
	s->path[s->depth++] = self;
	j->parent = find_chain(s, j->config.proxy_jump, err);
	s->depth--;
	return j->parent != NULL;
}

/* Gives *j to the register, or to another that is the same. */
static struct ssh_jump *enter(struct ssh_jumps *jumps, struct ssh_jump *j, const char *self,
                              struct err *err)
{
	struct text key = {0};
	struct ssh_jump *same;

	text_printf(&key, "%s%s%s", j->parent == NULL ? "" : j->parent->key,
	            j->parent == NULL ? "" : " ", self);
	same = find_resolved(jumps, text_str(&key));
	j->key = arena_strndup(&j->arena, text_str(&key), key.len);
	text_done(&key);
	if (same == NULL && ssh_jump_init(j, err)) {
		j->options = &jumps->options;
		j->next = jumps->jumps;
		jumps->jumps = j;
		return j;
	}
	arena_done(&j->arena);
	free(j);
	return same;
}

static struct ssh_jump *resolve_new(struct seek *s, struct ssh_jump *parent,
                                    const struct jump_hop *hop, struct err *err)
{
	struct ssh_jump *j = calloc(1, sizeof(*j));
	bool is_first = parent == NULL;
	struct ssh_jump *entered = NULL;
	struct text self = {0};
	bool ok;

	if (j == NULL)
		oom_end();
	j->parent = parent;
	ok = resolve_hop(s, hop, is_first, j, err);
	if (ok) {
		text_printf(&self, "%s@[%s]:%u", j->config.user, j->config.hostname,
		            (unsigned)j->config.port);
		ok = !is_first || find_parent(s, j, text_str(&self), err);
	}
	if (ok) {
		entered = enter(s->jumps, j, text_str(&self), err);
	} else {
		arena_done(&j->arena);
		free(j);
	}
	text_done(&self);
	return entered;
}

static struct ssh_jump *find_hop(struct seek *s, struct ssh_jump *parent,
                                 const struct jump_hop *hop, struct err *err)
{
	struct text key = {0};
	struct ssh_jump *j;

	written_key(&key, s, parent, hop);
	j = find_written(s->jumps, text_str(&key));
	if (j == NULL) {
		j = resolve_new(s, parent, hop, err);
		if (j != NULL)
			remember_written(s->jumps, text_str(&key), j);
	}
	text_done(&key);
	return j;
}

/* The last of the chain; NULL with *err. */
static struct ssh_jump *find_chain(struct seek *s, const char *words, struct err *err)
{
	struct arena arena = {0};
	struct jump_chain chain;
	struct ssh_jump *j = NULL;

	if (jump_chain_parse(&arena, words, &chain, err)) {
		for (size_t i = 0; i < chain.count; i++) {
			j = find_hop(s, j, &chain.at[i], err);
			if (j == NULL)
				break;
		}
	}
	arena_done(&arena);
	return j;
}

/* One at a time, so that each hop is resolved once. */
static struct ssh_jump *seek(struct ssh_jumps *jumps, const struct ssh_wish *wish,
                             const char *chain, const struct wait_limit *limit, struct err *err)
{
	struct seek s = {.jumps = jumps, .wish = wish, .limit = limit};
	struct ssh_jump *j;

	switch (turn_take(&jumps->seeking, limit)) {
	case WAIT_READY:
		j = find_chain(&s, chain, err);
		turn_give(&jumps->seeking);
		return j;
	case WAIT_WOKEN:
		(void)err_set(err, ERR_CANCELLED, "given up");
		return NULL;
	case WAIT_TIMEOUT:
	case WAIT_FAILED:
		break;
	}
	(void)err_set(err, ERR_TIMEOUT, "jump hosts %.200s: not resolved in time", chain);
	return NULL;
}

struct ssh_jumps *ssh_jumps_new(const struct ssh_jumps_options *options, struct err *err)
{
	struct ssh_jumps *jumps = calloc(1, sizeof(*jumps));

	if (jumps == NULL)
		oom_end();
	jumps->options = *options;
	if (turn_init(&jumps->seeking, err))
		return jumps;
	free(jumps);
	return NULL;
}

void ssh_jumps_free(struct ssh_jumps *jumps)
{
	if (jumps == NULL)
		return;
	for (struct ssh_jump *j = jumps->jumps; j != NULL; j = j->next)
		ssh_jump_stop(j);
	for (struct ssh_jump *j = jumps->jumps; j != NULL; j = j->next)
		ssh_jump_join(j);
	while (jumps->jumps != NULL) {
		struct ssh_jump *j = jumps->jumps;

		jumps->jumps = j->next;
		ssh_jump_done(j);
		arena_done(&j->arena);
		free(j);
	}
	turn_done(&jumps->seeking);
	arena_done(&jumps->arena);
	free(jumps);
}

bool ssh_jumps_reach(struct ssh_jumps *jumps, const struct ssh_wish *wish,
                     struct ssh_target *target, struct ssh_patience *patience, struct err *err)
{
	const struct ssh_config *c = target->config;
	struct ssh_jump *j;

	if (c->proxy_jump == NULL)
		return c->proxy_command == NULL ||
		       proxy_command_open(c, jumps->options.hidden_env, target, err);
	j = seek(jumps, wish, c->proxy_jump, &patience->limit, err);
	return j != NULL && ssh_jump_forward(j, c->hostname, c->port, target, patience, err);
}
