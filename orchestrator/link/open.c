/* SPDX-License-Identifier: MIT */
/* open.c - which transport reaches a host, and what it is told. */
#include "link/link_parts.h"
#include "remote/ssh.h"

struct transport *link_open(const struct link_target *target, const struct link_options *options,
                            const struct wait_limit *limit, struct transport_info *info,
                            struct err *err)
{
	const struct ssh_target ssh = {.address = target->address,
	                               .port = target->port,
	                               .user = target->user,
	                               .key = target->key,
	                               .known_hosts = target->known_hosts,
	                               .accept_new = target->accept_new,
	                               .auth_sock = options->auth_sock};

	return ssh_transport_open(&ssh, limit, info, err);
}
