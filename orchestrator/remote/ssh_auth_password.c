/* SPDX-License-Identifier: MIT */
/* ssh_auth_password.c - the method password, and the password for keyboard-interactive. */
#include <libssh/libssh.h>

#include "remote/secrets.h"
#include "remote/ssh_auth_parts.h"

static bool has_source(const struct ssh_target *target)
{
	return target->password_file != NULL || target->password_env != NULL;
}

const char *ssh_auth_find_password(struct login *l, struct err *err)
{
	const struct ssh_target *target = l->o->target;
	const struct ssh_config *c = target->config;
	const struct password_wish wish = {.user = c->user,
	                                   .host = ssh_auth_host(l),
	                                   .only_for = target->is_jump ? c->hostname : NULL,
	                                   .file = target->password_file,
	                                   .env = target->password_env,
	                                   .may_ask = !c->batch_mode,
	                                   .wake_fd = l->o->limit.wake_fd};
	uint64_t paused_ns = ssh_auth_pause();
	const char *password = secrets_password(target->secrets, &wish, err);

	ssh_auth_resume(l, paused_ns);
	/* Where keys were refused nobody needs to hear that passwords would be another way. */
	if (password == NULL && err->kind != ERR_CANCELLED &&
	    (has_source(target) || target->secrets != NULL || l->tried.len == 0)) {
		ssh_auth_note(l, "%s", err->msg);
		l->password_is_missing = true;
	}
	return password;
}

static int try_password(ssh_session session, void *password)
{
	return ssh_userauth_password(session, NULL, *(const char **)password);
}

enum answer ssh_auth_by_password(struct login *l, struct err *err)
{
	const char *password;
	struct err why;

	/* Never a second time: for ESXi that would be two of five. */
	if (l->password_is_sent)
		return REFUSED;
	password = ssh_auth_find_password(l, &why);
	if (password == NULL && why.kind == ERR_CANCELLED) {
		*err = why;
		return BROKEN;
	}
	if (password == NULL)
		return REFUSED;
	l->password_is_sent = true;
	return ssh_auth_attempt(l, "password", try_password, &password, err);
}
