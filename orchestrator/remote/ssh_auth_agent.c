/* SPDX-License-Identifier: MIT */
/*
 * ssh_auth_agent.c - the keys of ssh-agent: first those that the configuration names.
 *
 * Each is offered alone (agent_filter.h). A certificate of the configuration's is signed for
 * by the agent's key when the agent has not got the certificate itself.
 */
#include <stdio.h>
#include <unistd.h>

#include <libssh/libssh.h>

#include "common/clock.h"
#include "remote/secrets.h"
#include "remote/ssh_auth_parts.h"

static bool begin_touch(void *ctx)
{
	struct login *l = ctx;
	uint64_t start_ns = clock_now_ns();
	bool ok = secrets_begin_touch(l->o->target->secrets, l->o->limit.wake_fd);

	atomic_fetch_add(&l->touch_ns, clock_now_ns() - start_ns);
	l->touched_at_ns = clock_now_ns();
	(void)secrets_touches(l->o->target->secrets, 1);
	return ok;
}

static void wait_touch(void *ctx, const char *comment)
{
	struct login *l = ctx;
	struct text t = {0};

	text_printf(&t, "touch the security key \"%s\": it is to sign for %s", comment,
	            ssh_auth_host(l));
	secrets_tell(l->o->target->secrets, text_str(&t));
	text_done(&t);
}

static void end_touch(void *ctx)
{
	struct login *l = ctx;

	atomic_fetch_add(&l->touch_ns, clock_now_ns() - l->touched_at_ns);
	secrets_end_touch(l->o->target->secrets);
}

/* OpenSSH's agent answers nobody while it waits for a touch, not even who asks for its keys. So
 * that is waited for first, and time in which others were asked for one is not counted. */
static struct agent_filter *open_agent(struct login *l, struct err *err)
{
	struct ssh_opening *o = l->o;
	struct secrets *secrets = o->target->secrets;

	for (;;) {
		struct wait_limit limit = o->limit;
		uint64_t start_ns = clock_now_ns();
		unsigned touches = secrets_touches(secrets, 0);
		struct agent_filter *agent;
		bool is_late;

		if (!secrets_begin_touch(secrets, limit.wake_fd)) {
			(void)err_set(err, ERR_CANCELLED, "given up");
			return NULL;
		}
		secrets_end_touch(secrets);
		atomic_fetch_add(&l->touch_ns, clock_now_ns() - start_ns);
		limit.deadline_ns += atomic_load(&l->touch_ns);
		start_ns = clock_now_ns();
		agent = agent_filter_open(o->target->config->identity_agent, &limit, err);
		is_late = agent == NULL && clock_now_ns() >= limit.deadline_ns;
		if (secrets_touches(secrets, 0) == touches)
			return agent;
		atomic_fetch_add(&l->touch_ns, clock_now_ns() - start_ns);
		if (!is_late)
			return agent;
	}
}

/* NULL: there is none, which is noted. */
static struct agent_filter *agent_of(struct login *l)
{
	struct ssh_opening *o = l->o;
	const struct agent_filter_touch touch = {
		.ctx = l, .begin = begin_touch, .waits = wait_touch, .end = end_touch};
	struct err why;
	int fd;

	if (l->has_agent || o->target->config->identity_agent == NULL)
		return l->agent;
	l->has_agent = true;
	l->agent = open_agent(l, &why);
	if (l->agent == NULL) {
		ssh_auth_note(l, "ssh-agent: %s", why.msg);
		return NULL;
	}
	agent_filter_watch(l->agent, &touch);
	fd = agent_filter_socket(l->agent);
	if (ssh_set_agent_socket(o->t->session, fd) == SSH_OK)
		return l->agent;
	ssh_auth_note(l, "libssh takes no ssh-agent");
	(void)close(fd);
	ssh_auth_close_agent(l);
	return NULL;
}

void ssh_auth_close_agent(struct login *l)
{
	agent_filter_close(l->agent);
	l->agent = NULL;
}

static int try_agent(ssh_session session, void *arg)
{
	(void)arg;
	return ssh_userauth_agent(session, NULL);
}

static struct key_blob blob_of(const struct agent_key *key)
{
	return (struct key_blob){key->blob, key->len};
}

/* The identity whose key or certificate the agent's key is. */
static struct identity *identity_of(const struct login *l, struct key_blob blob)
{
	for (size_t i = 0; i < l->identity_count; i++) {
		struct identity *id = &l->identities[i];

		if (key_blob_equal(blob, id->blob) || key_blob_certifies(blob, id->blob))
			return id;
	}
	return NULL;
}

static struct certificate *certificate_of(const struct login *l, struct key_blob blob)
{
	for (size_t i = 0; i < l->certificate_count; i++) {
		if (key_blob_equal(blob, l->certificates[i].blob))
			return &l->certificates[i];
	}
	return NULL;
}

static bool is_named(const struct login *l, struct key_blob blob)
{
	return identity_of(l, blob) != NULL || certificate_of(l, blob) != NULL;
}

static enum answer try_agent_key(struct login *l, size_t index, struct err *err)
{
	const struct agent_key *key = agent_filter_key(l->agent, index);
	struct key_blob blob = blob_of(key);
	bool is_certificate = key_blob_is_certificate(blob);
	struct identity *id = identity_of(l, blob);
	struct certificate *cert = certificate_of(l, blob);
	char what[32 + AGENT_COMMENT_BYTES];

	l->agent_tried[index] = true;
	if (id != NULL && !is_certificate)
		id->is_tried = true;
	if (cert != NULL)
		cert->is_tried = true;
	(void)snprintf(what, sizeof(what), "agent %s %s", is_certificate ? "certificate" : "key",
	               key->comment[0] != '\0' ? key->comment : "without a name");
	agent_filter_offer(l->agent, index);
	return ssh_auth_attempt(l, what, try_agent, NULL, err);
}

/* Certificate files that the agent does not have, with its keys. */
static enum answer try_certificates(struct login *l, struct err *err)
{
	enum answer answer = REFUSED;

	for (size_t c = 0; answer == REFUSED && c < l->certificate_count; c++) {
		struct certificate *cert = &l->certificates[c];
		struct text what = {0};

		text_printf(&what, "certificate %s", cert->path);
		for (size_t i = 0; answer == REFUSED && i < agent_filter_count(l->agent); i++) {
			if (cert->is_tried || ssh_auth_keys_left(l) == 0 ||
			    !key_blob_certifies(cert->blob, blob_of(agent_filter_key(l->agent, i))))
				continue;
			cert->is_tried = true;
			agent_filter_offer_as(l->agent, i, &cert->blob);
			answer = ssh_auth_attempt(l, text_str(&what), try_agent, NULL, err);
		}
		text_done(&what);
	}
	return answer;
}

/* In the agent's order: certificates or plain keys, the configuration's or others. */
static enum answer try_keys(struct login *l, bool are_certificates, bool are_ours, struct err *err)
{
	for (size_t i = 0; i < agent_filter_count(l->agent); i++) {
		struct key_blob blob = blob_of(agent_filter_key(l->agent, i));
		enum answer answer;

		if (l->agent_tried[i] || key_blob_is_certificate(blob) != are_certificates ||
		    is_named(l, blob) != are_ours || ssh_auth_keys_left(l) == 0)
			continue;
		answer = try_agent_key(l, i, err);
		if (answer != REFUSED)
			return answer;
	}
	return REFUSED;
}

/* As many attempts as the named files want that may still ask for a passphrase. */
static bool leaves_room(const struct login *l)
{
	unsigned wanted = 0;

	for (size_t i = 0; l->o->target->config->identities_are_named && i < l->identity_count; i++)
		wanted += l->identities[i].kind == IDENTITY_ENCRYPTED && !l->identities[i].is_tried;
	return ssh_auth_keys_left(l) > wanted;
}

static enum answer try_others(struct login *l, struct err *err)
{
	for (size_t i = 0; i < agent_filter_count(l->agent) && leaves_room(l); i++) {
		enum answer answer;

		if (l->agent_tried[i])
			continue;
		answer = try_agent_key(l, i, err);
		if (answer != REFUSED)
			return answer;
	}
	return REFUSED;
}

static void note_unused(struct login *l, bool is_only)
{
	size_t left = 0;

	for (size_t i = 0; i < agent_filter_count(l->agent); i++)
		left += !l->agent_tried[i];
	text_clear(&l->unused);
	if (left > 0 && is_only)
		text_printf(&l->unused, "IdentitiesOnly keeps %zu of %zu keys of ssh-agent back",
		            left, agent_filter_count(l->agent));
	else if (left > 0)
		text_printf(&l->unused,
		            "%zu of %zu keys of ssh-agent were not tried, since servers count "
		            "attempts: name the right one with `key:` or IdentityFile",
		            left, agent_filter_count(l->agent));
	if (agent_filter_count(l->agent) == 0 && l->tried.len == 0)
		ssh_auth_note(l, "ssh-agent has no keys");
}

enum answer ssh_auth_by_agent(struct login *l, bool are_ours, struct err *err)
{
	bool is_only = l->o->target->config->identities_only;
	enum answer answer;

	if (agent_of(l) == NULL)
		return REFUSED;
	if (!are_ours) {
		answer = try_others(l, err);
	} else {
		answer = try_keys(l, true, true, err);
		if (answer == REFUSED)
			answer = try_certificates(l, err);
		if (answer == REFUSED)
			answer = try_keys(l, false, true, err);
	}
	if (answer == REFUSED && are_ours == is_only)
		note_unused(l, is_only);
	return answer;
}
