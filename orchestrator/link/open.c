/* SPDX-License-Identifier: MIT */
/* open.c - which transport reaches a host, and what it is told. */
#include "common/arena.h"
#include "link/link_parts.h"
#include "remote/ssh.h"

struct transport *link_open(const struct link_target *target, const struct link_options *options,
                            const struct wait_limit *limit, struct transport_info *info,
                            struct err *err)
{
	const struct ssh_wish wish = {.host = target->address,
	                              .port = target->port,
	                              .user = target->user,
	                              .key = target->key,
	                              .known_hosts = target->known_hosts,
	                              .config = target->config,
	                              .jump = target->jump,
	                              .accept_new = target->accept_new};
	struct arena arena = {0};
	struct ssh_config config;
	const struct ssh_target ssh = {.config = &config, .fd = -1};
	struct transport *t = NULL;

	if (ssh_config_resolve(&arena, &wish, options->auth_sock, limit, &config, err))
		t = ssh_transport_open(&ssh, limit, info, err);
	arena_done(&arena);
	return t;
}
