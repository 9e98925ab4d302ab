/* SPDX-License-Identifier: MIT */
/*
 * ssh_auth.c - logging in: the named key file, then ssh-agent's keys.
 *
 * Each credential is tried once, and few in all: OpenSSH hangs up after six failures,
 * and some hosts lock the account after five.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libssh/libssh.h>

#include "common/io.h"
#include "common/text.h"
#include "remote/agent_filter.h"
#include "remote/base64.h"
#include "remote/ssh_parts.h"

#define ATTEMPTS_MAX  5u
#define BLOB_BYTES    4096
#define PUB_BYTES_MAX (64 * (size_t)1024)

enum answer { GRANTED, REFUSED, PARTIAL, BROKEN };

struct login {
	struct ssh_opening *o;
	unsigned attempts;
	struct text tried; /* for the message: what was refused... */
	struct text notes; /* ...and why other things were not tried */
	/* Public half of the named key, as far as known: agent keys are compared with it. */
	unsigned char blob[BLOB_BYTES];
	size_t blob_len;
	bool key_was_tried;
};

static const char *named_key(const struct ssh_opening *o)
{
	const struct ssh_names *names = &o->target->config->identities;

	return names->count == 0 ? NULL : names->at[0];
}

/* For pki: an encrypted key asks, and is not answered. */
static int refuse_passphrase(const char *prompt, char *buffer, size_t len, int echo, int verify,
                             void *was_asked)
{
	(void)prompt;
	(void)buffer;
	(void)len;
	(void)echo;
	(void)verify;
	*(bool *)was_asked = true;
	return -1;
}

static int try_key(ssh_session session, ssh_key key)
{
	return ssh_userauth_publickey(session, NULL, key);
}

static int try_agent(ssh_session session, ssh_key key)
{
	(void)key;
	return ssh_userauth_agent(session, NULL);
}

static enum answer attempt(struct login *l, int (*call)(ssh_session, ssh_key), ssh_key key,
                           struct err *err)
{
	struct ssh_transport *t = l->o->t;
	char doing[64];
	char reason[SSH_REASON_BYTES];
	int rc;

	(void)snprintf(doing, sizeof(doing), "log in as %.40s", l->o->target->config->user);
	l->attempts++;
	while ((rc = call(t->session, key)) == SSH_AUTH_AGAIN) {
		if (!ssh_transport_wait(t, l->o->limit.deadline_ns, doing, err))
			return BROKEN;
	}
	if (rc == SSH_AUTH_SUCCESS)
		return GRANTED;
	if (rc == SSH_AUTH_PARTIAL)
		return PARTIAL;
	/* An error of a living session is one of this key: the agent would not sign, say. */
	if (rc == SSH_AUTH_DENIED || ssh_is_connected(t->session) != 0)
		return REFUSED;
	(void)err_set(err, ERR_REMOTE, "%s: %s", doing, ssh_transport_reason(t, reason));
	return BROKEN;
}

static void add_part(struct text *list, const char *part)
{
	if (list->len > 0)
		text_add(list, ", ");
	text_add(list, part);
}

static void list_methods(ssh_session session, struct text *out)
{
	static const struct {
		int bit;
		const char *name;
	} methods[] = {
		{SSH_AUTH_METHOD_PUBLICKEY, "publickey"},
		{SSH_AUTH_METHOD_PASSWORD, "password"},
		{SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive"},
		{SSH_AUTH_METHOD_HOSTBASED, "hostbased"},
		{SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic"},
	};
	int offered = ssh_userauth_list(session, NULL);

	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		if ((offered & methods[i].bit) != 0)
			add_part(out, methods[i].name);
	}
}

static void remember_blob(struct login *l, const char *text, size_t len)
{
	if (!base64_parse(text, len, l->blob, sizeof(l->blob), &l->blob_len))
		l->blob_len = 0;
}

/* KEY.pub: "ssh-ed25519 AAAA... comment". */
static void read_public_file(struct login *l)
{
	struct text path = {0};
	char *data = NULL;
	struct err ignored; /* without the file the agent's own order holds */
	size_t len;

	text_printf(&path, "%s.pub", named_key(l->o));
	if (io_read_file(text_str(&path), PUB_BYTES_MAX, &data, &len, &ignored)) {
		const char *blob = strchr(data, ' ');

		if (blob != NULL)
			remember_blob(l, blob + 1, strcspn(blob + 1, " \t\r\n"));
	}
	free(data);
	text_done(&path);
}

static void remember_key(struct login *l, ssh_key key)
{
	char *text = NULL;

	if (ssh_pki_export_pubkey_base64(key, &text) == SSH_OK)
		remember_blob(l, text, strlen(text));
	ssh_string_free_char(text);
}

/* NULL, with the reason in the notes, when it cannot be used. */
static ssh_key load_key(struct login *l)
{
	const char *path = named_key(l->o);
	bool was_asked = false;
	ssh_key key = NULL;
	int rc = ssh_pki_import_privkey_file(path, NULL, refuse_passphrase, &was_asked, &key);

	if (rc == SSH_OK)
		return key;
	if (was_asked)
		text_printf(&l->notes, "key %s is encrypted: load it into ssh-agent with ssh-add",
		            path);
	else if (rc == SSH_EOF)
		text_printf(&l->notes, "key %s does not exist or cannot be read", path);
	else
		text_printf(&l->notes, "key %s is not a private key that libssh can read", path);
	read_public_file(l);
	return NULL;
}

static enum answer log_in_by_file(struct login *l, struct err *err)
{
	struct transport_info *info = l->o->info;
	ssh_key key;
	enum answer answer;

	if (named_key(l->o) == NULL)
		return REFUSED;
	key = load_key(l);
	if (key == NULL)
		return REFUSED;
	remember_key(l, key);
	l->key_was_tried = true;
	text_printf(&l->tried, "key %s", named_key(l->o));
	answer = attempt(l, try_key, key, err);
	if (answer == GRANTED)
		(void)snprintf(info->login, sizeof(info->login), "key %s", named_key(l->o));
	ssh_key_free(key);
	return answer;
}

static bool is_named_key(const struct login *l, const struct agent_key *key)
{
	return l->blob_len > 0 && l->blob_len == key->len &&
	       memcmp(l->blob, key->blob, key->len) == 0;
}

/* The named key first when only its public half could be read; never one that was tried. */
static size_t order_keys(const struct login *l, const struct agent_filter *agent,
                         size_t order[AGENT_KEYS_MAX])
{
	size_t count = 0;

	for (int named = 1; named >= 0; named--) {
		for (size_t i = 0; i < agent_filter_count(agent); i++) {
			bool is_named = is_named_key(l, agent_filter_key(agent, i));

			if (is_named == (named == 1) && !(is_named && l->key_was_tried))
				order[count++] = i;
		}
	}
	return count;
}

static enum answer try_agent_keys(struct login *l, struct agent_filter *agent, struct err *err)
{
	struct transport_info *info = l->o->info;
	size_t order[AGENT_KEYS_MAX];
	size_t count = order_keys(l, agent, order);
	size_t tried = 0;
	char part[64];

	for (; tried < count && l->attempts < ATTEMPTS_MAX; tried++) {
		const char *comment = agent_filter_key(agent, order[tried])->comment;
		enum answer answer;

		agent_filter_offer(agent, order[tried]);
		answer = attempt(l, try_agent, NULL, err);
		if (answer == REFUSED)
			continue;
		if (answer == GRANTED)
			(void)snprintf(info->login, sizeof(info->login), "agent key %s", comment);
		text_clear(&l->tried);
		text_printf(&l->tried, "agent key %s", comment);
		return answer;
	}
	(void)snprintf(part, sizeof(part), "%zu of %zu keys of ssh-agent", tried, count);
	if (count > 0)
		add_part(&l->tried, part);
	else if (!l->key_was_tried)
		add_part(&l->notes, "ssh-agent has no keys");
	if (tried < count)
		add_part(&l->notes, "servers count attempts: name the right key with `key:`");
	return REFUSED;
}

static enum answer log_in_by_agent(struct login *l, struct err *err)
{
	struct ssh_opening *o = l->o;
	struct agent_filter *agent;
	enum answer answer;
	struct err why;
	int fd;

	if (o->target->config->identity_agent == NULL) {
		if (named_key(o) == NULL)
			add_part(&l->notes, "no key is named and no ssh-agent runs");
		return REFUSED;
	}
	agent = agent_filter_open(o->target->config->identity_agent, &o->limit, &why);
	if (agent == NULL) {
		(void)err_prefix(&why, "ssh-agent (SSH_AUTH_SOCK)");
		add_part(&l->notes, why.msg);
		return REFUSED;
	}
	fd = agent_filter_socket(agent);
	if (ssh_set_agent_socket(o->t->session, fd) == SSH_OK) {
		answer = try_agent_keys(l, agent, err);
	} else {
		add_part(&l->notes, "libssh takes no ssh-agent");
		answer = REFUSED;
		(void)close(fd);
	}
	agent_filter_close(agent);
	return answer;
}

static bool explain(struct login *l, enum answer answer, struct err *err)
{
	const struct ssh_target *target = l->o->target;
	struct text methods = {0};
	struct text message = {0};

	list_methods(l->o->t->session, &methods);
	if (answer == PARTIAL) {
		text_printf(&message,
		            "%s was accepted, but the server wants more: %s: not supported",
		            text_str(&l->tried), text_str(&methods));
	} else if (l->attempts == 0) {
		text_printf(&message,
		            "cannot log in as %s: %s: name a key that the host accepts with "
		            "`key:`, or ssh-add it",
		            target->config->user, text_str(&l->notes));
	} else {
		text_printf(&message, "permission denied for %s with %s: ", target->config->user,
		            text_str(&l->tried));
		if (l->notes.len > 0)
			text_printf(&message, "%s; ", text_str(&l->notes));
		text_printf(
			&message,
			"the server offers %s: add the public key to the host's authorized_keys",
			methods.len > 0 ? text_str(&methods) : "nothing");
	}
	(void)err_set(err, ERR_REMOTE, "%s", text_str(&message));
	text_done(&methods);
	text_done(&message);
	return false;
}

bool ssh_transport_log_in(struct ssh_opening *o, struct err *err)
{
	struct login l = {.o = o};
	enum answer answer = log_in_by_file(&l, err);

	if (answer == REFUSED)
		answer = log_in_by_agent(&l, err);
	if (answer == REFUSED || answer == PARTIAL)
		(void)explain(&l, answer, err);
	text_done(&l.tried);
	text_done(&l.notes);
	return answer == GRANTED;
}
