/* SPDX-License-Identifier: MIT */
/* ssh_connect.c - from an address to a session that is verified and logged in. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libssh/libssh.h>

#include "common/clock.h"
#include "common/oom.h"
#include "remote/dial.h"
#include "remote/ssh_mismatch.h"
#include "remote/ssh_parts.h"

/* What the configuration says in place of libssh's own lists. It leaves out what it does not
 * know, and refuses a list of which nothing is left. */
static bool set_algorithms(struct ssh_opening *o, struct err *err)
{
	const struct ssh_config *c = o->target->config;
	const struct {
		enum ssh_options_e option;
		const char *keyword, *list;
	} lists[] = {
		{SSH_OPTIONS_KEY_EXCHANGE, "KexAlgorithms", c->kex_algorithms},
		{SSH_OPTIONS_CIPHERS_C_S, "Ciphers", c->ciphers},
		{SSH_OPTIONS_CIPHERS_S_C, "Ciphers", c->ciphers},
		{SSH_OPTIONS_HMAC_C_S, "MACs", c->macs},
		{SSH_OPTIONS_HMAC_S_C, "MACs", c->macs},
		{SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, "PubkeyAcceptedAlgorithms",
	         c->key_algorithms},
	};

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		if (lists[i].list != NULL &&
		    ssh_options_set(o->t->session, lists[i].option, lists[i].list) != 0)
			return err_set(err, ERR_INPUT,
			               "%s '%.100s' names none that libssh knows: set `transport: "
			               "openssh`",
			               lists[i].keyword, lists[i].list);
	}
	return true;
}

static bool set_options(struct ssh_opening *o, int fd, struct err *err)
{
	ssh_session s = o->t->session;
	const int no = 0;
	char reason[SSH_REASON_BYTES];

	/* What libssh would read or ask by itself is ours to do: its parser of ~/.ssh/config
	 * gets much of it wrong, and its known_hosts check ignores @revoked and negation. */
	if (ssh_options_set(s, SSH_OPTIONS_PROCESS_CONFIG, &no) != 0 ||
	    ssh_options_set(s, SSH_OPTIONS_KNOWNHOSTS, "/dev/null") != 0 ||
	    ssh_options_set(s, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null") != 0 ||
	    ssh_options_set(s, SSH_OPTIONS_USER, o->target->config->user) != 0 ||
	    ssh_options_set(s, SSH_OPTIONS_FD, &fd) != 0)
		return err_set(err, ERR_INPUT, "user %s: %s", o->target->config->user,
		               ssh_transport_reason(o->t, reason));
	ssh_set_blocking(s, 0);
	ssh_transport_count(o->t);
	return set_algorithms(o, err);
}

/* libssh makes a socket that it is given blocking; a send of what lies in its buffer to a
 * host that takes no more would then wait for as long as that host likes. */
static bool unblock(const struct ssh_opening *o, struct err *err)
{
	int fd = ssh_get_fd(o->t->session);
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return err_set_errno(err, errno, "socket to %s", o->info->address);
	return true;
}

/* From the banner to the end of the key exchange. */
static bool shake_hands(struct ssh_opening *o, struct err *err)
{
	const char *doing = "SSH greeting and key exchange";
	char reason[SSH_REASON_BYTES];
	bool has_greeted;
	int rc = ssh_connect(o->t->session);

	if (rc != SSH_ERROR && (!ssh_transport_join(o->t, err) || !unblock(o, err)))
		return false;
	while (rc == SSH_AGAIN) {
		if (!ssh_transport_wait(o->t, o->limit.deadline_ns, doing, err))
			break;
		rc = ssh_connect(o->t->session);
	}
	if (rc == SSH_OK)
		return unblock(o, err);
	if (rc == SSH_AGAIN && err->kind == ERR_CANCELLED)
		return false;
	has_greeted = ssh_get_serverbanner(o->t->session) != NULL;
	if (rc == SSH_AGAIN && err->kind == ERR_TIMEOUT)
		return err_set(err, ERR_TIMEOUT, "%s: %s did not answer in time: %s", doing,
		               o->info->address,
		               has_greeted ? "does the path lose large packets (path MTU)?"
		                           : "is it an SSH server, is the host frozen?");
	if (!has_greeted)
		return err_set(
			err, ERR_REMOTE,
			"%s hung up before its SSH greeting: is it an SSH server, or too busy "
			"(MaxStartups)?",
			o->info->address);
	if (ssh_mismatch_explain(ssh_get_error(o->t->session), err))
		return false;
	return err_set(err, ERR_REMOTE, "%s: %s", doing, ssh_transport_reason(o->t, reason));
}

static bool connect_to(struct ssh_opening *o, int *fd, struct err *err)
{
	const struct ssh_config *c = o->target->config;
	const struct dial_to to = {.address = c->hostname,
	                           .port = c->port,
	                           .family = c->address_family,
	                           .bind_address = c->bind_address};

	if (o->target->fd < 0)
		return dial(&to, &o->limit, fd, o->info->address, err);
	*fd = o->target->fd;
	(void)snprintf(o->info->address, sizeof(o->info->address), "%s",
	               o->target->where != NULL ? o->target->where : o->target->carrier->where);
	return true;
}

static bool begin(struct ssh_opening *o, struct err *err)
{
	int fd = -1;

	if (!connect_to(o, &fd, err))
		return false;
	if (!set_options(o, fd, err) || !ssh_transport_prefer_known(o, err)) {
		(void)close(fd);
		return false;
	}
	return shake_hands(o, err); /* from here on the session closes fd */
}

/* ConnectTimeout is for connection and key exchange, as with ssh; the login has the rest. */
static bool begin_in_time(struct ssh_opening *o, struct err *err)
{
	uint64_t end_ns = o->limit.deadline_ns;
	uint64_t ms = o->target->config->connect_timeout_ms;
	uint64_t own_end_ns = clock_now_ns() + ms * CLOCK_NS_PER_MS;
	bool ok;

	if (ms != 0 && own_end_ns < end_ns)
		o->limit.deadline_ns = own_end_ns;
	ok = begin(o, err);
	o->limit.deadline_ns = end_ns;
	return ok;
}

static bool open_session(struct ssh_opening *o, struct err *err)
{
	o->info->stage = TRANSPORT_CONNECTING;
	if (!begin_in_time(o, err))
		return false;
	o->info->stage = TRANSPORT_VERIFYING;
	if (!ssh_transport_verify(o, err))
		return false;
	o->info->stage = TRANSPORT_LOGGING_IN;
	if (!ssh_transport_log_in(o, err))
		return false;
	o->info->stage = TRANSPORT_OPEN;
	return true;
}

struct transport *ssh_transport_open(const struct ssh_target *target,
                                     const struct wait_limit *limit, struct transport_info *info,
                                     struct err *err)
{
	struct ssh_opening o = {.target = target, .info = info, .limit = *limit};
	bool ok;

	(void)ssh_init(); /* counts; needed where libssh is linked statically */
	memset(info, 0, sizeof(*info));
	ssh_config_describe(target->config, info->config, sizeof(info->config));
	o.t = calloc(1, sizeof(*o.t));
	if (o.t == NULL)
		oom_end();
	o.t->base.ops = &ssh_transport_ops;
	o.t->wake_fd = limit->wake_fd;
	o.t->is_carried = target->fd >= 0;
	o.t->carrier = target->carrier;
	o.t->carrier_fd = -1;
	o.t->session = ssh_new();
	if (o.t->session == NULL)
		oom_end();
	ok = open_session(&o, err);
	ssh_transport_forget_known(&o);
	if (ok)
		return &o.t->base;
	ssh_transport_blame(o.t, err);
	transport_close(&o.t->base);
	return NULL;
}
