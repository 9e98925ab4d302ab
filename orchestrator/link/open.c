/* SPDX-License-Identifier: MIT */
/* open.c - which transport reaches a host, and what it is told. */
#include "common/arena.h"
#include "common/clock.h"
#include "link/link_parts.h"
#include "remote/process.h"
#include "remote/ssh.h"
#include "remote/transport_openssh.h"

/* ConnectTimeout bounds connection and key exchange (ssh_connect.c); the login has the usual
 * time more. What the caller says is for all together. */
static void give_time(const struct link_options *options, const struct ssh_config *config,
                      struct wait_limit *limit)
{
	if (options->connect_ms == 0 && config->connect_timeout_ms != 0)
		limit->deadline_ns =
			clock_now_ns() +
			((uint64_t)config->connect_timeout_ms + LINK_CONNECT_MS) * CLOCK_NS_PER_MS;
}

static struct transport *open_libssh(const struct link_host *host, const struct ssh_wish *wish,
                                     const struct wait_limit *limit, struct transport_info *info,
                                     struct err *err)
{
	const struct link_options *options = &host->set->options;
	struct arena arena = {0};
	struct ssh_config config;
	struct ssh_target ssh = {.config = &config,
	                         .fd = -1,
	                         .name = host->target.name,
	                         .secrets = options->secrets,
	                         .password_file = host->target.password_file,
	                         .password_env = host->target.password_env};
	struct ssh_patience patience = {.limit = *limit};
	struct transport *t = NULL;

	if (ssh_config_resolve(&arena, wish, options->auth_sock, limit, &config, err)) {
		give_time(options, &config, &patience.limit);
		if (ssh_jumps_reach(host->set->jumps, wish, &ssh, &patience, err))
			t = ssh_transport_open(&ssh, &patience.limit, info, err);
		if (t == NULL)
			ssh_config_blame(&config, err);
	}
	info->asked_ns += patience.asked_ns;
	arena_done(&arena);
	return t;
}

/* ssh asks for nothing, and a password that it is not asked for cannot be handed to it. */
static struct transport *open_openssh(const struct link_target *target, const struct ssh_wish *wish,
                                      const struct link_options *options,
                                      const struct wait_limit *limit, struct transport_info *info,
                                      struct err *err)
{
	struct ssh_wish told = *wish;
	const struct openssh_target ssh = {.wish = &told, .hidden = options->hidden_env};
	struct arena arena = {0};
	struct ssh_config config;
	struct transport *t = NULL;

	if (target->password_file != NULL || target->password_env != NULL) {
		(void)err_set(err, ERR_INPUT,
		              "a password does not go with `transport: openssh`: use a key or an "
		              "agent, or `transport: libssh`");
		return NULL;
	}
	if (ssh_config_resolve(&arena, wish, options->auth_sock, limit, &config, err)) {
		/* As the configuration says, but not its "no": a changed key would pass. */
		told.accept_new = config.host_key_policy == SSH_HOST_KEY_ACCEPT_NEW;
		t = openssh_transport_open(&ssh, limit, info, err);
	}
	arena_done(&arena);
	return t;
}

struct transport *link_open(const struct link_host *host, const struct wait_limit *limit,
                            struct transport_info *info, struct err *err)
{
	const struct link_target *target = &host->target;
	const struct link_options *options = &host->set->options;
	const struct ssh_wish wish = {.host = target->address,
	                              .port = target->port,
	                              .user = target->user,
	                              .key = target->key,
	                              .known_hosts = target->known_hosts,
	                              .config = target->config,
	                              .jump = target->jump,
	                              .accept_new = target->accept_new,
	                              .hidden_env = options->hidden_env};

	switch (target->transport) {
	case LINK_LIBSSH:
		break;
	case LINK_OPENSSH:
		return open_openssh(target, &wish, options, limit, info, err);
	case LINK_LOCAL:
		return process_transport_open(limit, info, err);
	}
	return open_libssh(host, &wish, limit, info, err);
}
