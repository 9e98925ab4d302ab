/* SPDX-License-Identifier: MIT */
/*
 * ssh_auth_key.c - the method publickey.
 *
 * What needs nobody comes first, and what the user named before what lies about: the agent's
 * keys that the configuration names; named files that are not encrypted; the agent's other
 * keys; the usual files (~/.ssh/id_...); files that want a passphrase, which is asked for only
 * when the server takes the key. A key's certificate comes before the key.
 */
#include <stdio.h>

#include <libssh/libssh.h>

#include "remote/ssh_auth_parts.h"

static int try_key(ssh_session session, void *key)
{
	return ssh_userauth_publickey(session, NULL, key);
}

static int try_public(ssh_session session, void *key)
{
	return ssh_userauth_try_publickey(session, NULL, key);
}

/* By its private key, to which the certificate is added first when there is one. */
static enum answer offer(struct login *l, const struct identity *id, ssh_key key,
                         const struct certificate *cert, struct err *err)
{
	enum answer answer = REFUSED;
	bool is_ready = true;
	ssh_key extra = NULL;
	struct text what = {0};

	text_printf(&what, "%s %s", cert != NULL ? "certificate" : "key",
	            cert != NULL ? cert->path : id->path);
	if (cert != NULL)
		is_ready = ssh_pki_import_cert_file(cert->path, &extra) == SSH_OK &&
		           ssh_pki_copy_cert_to_privkey(extra, key) == SSH_OK;
	if (is_ready)
		answer = ssh_auth_attempt(l, text_str(&what), try_key, key, err);
	else
		ssh_auth_note(l, "%s: libssh cannot read it", text_str(&what));
	ssh_key_free(extra);
	text_done(&what);
	return answer;
}

/* Would the server take it? Asked without the private half. True also when it cannot be asked. */
static enum answer ask_server(struct login *l, const struct identity *id,
                              const struct certificate *cert, struct err *err)
{
	struct text what = {0};
	ssh_key key = NULL;
	enum answer answer = GRANTED;
	int rc = SSH_AUTH_SUCCESS;
	bool has_key;

	text_printf(&what, "%s %s", cert != NULL ? "certificate" : "key",
	            cert != NULL ? cert->path : id->path);
	if (cert != NULL)
		has_key = ssh_pki_import_cert_file(cert->path, &key) == SSH_OK;
	else
		has_key = ssh_auth_public_key(id->blob, &key);
	if (has_key)
		rc = ssh_auth_request(l, text_str(&what), try_public, key, err);
	if (rc == SSH_AUTH_ERROR)
		answer = BROKEN;
	else if (rc != SSH_AUTH_SUCCESS) {
		answer = REFUSED;
		l->refusals++;
		ssh_auth_refused(l, text_str(&what));
	}
	ssh_key_free(key);
	text_done(&what);
	return answer;
}

static enum answer unlock_and_offer(struct login *l, struct identity *id,
                                    const struct certificate *cert, struct err *err)
{
	enum answer answer = ask_server(l, id, cert, err);
	struct err why;
	ssh_key key;

	if (answer != GRANTED)
		return answer;
	key = ssh_auth_unlock(l, id, &why);
	if (key == NULL && why.kind == ERR_CANCELLED) {
		*err = why;
		return BROKEN;
	}
	if (key == NULL) {
		ssh_auth_note(l, "%s", why.msg);
		return REFUSED;
	}
	answer = offer(l, id, key, cert, err);
	ssh_key_free(key);
	return answer;
}

/* A copy for the certificate: libssh offers a key that has one as nothing else. */
static enum answer offer_open(struct login *l, struct identity *id, const struct certificate *cert,
                              struct err *err)
{
	enum answer answer;
	ssh_key key = NULL;

	if (cert == NULL)
		return offer(l, id, id->key, NULL, err);
	if (ssh_pki_import_privkey_file(id->path, NULL, NULL, NULL, &key) != SSH_OK)
		return REFUSED;
	answer = offer(l, id, key, cert, err);
	ssh_key_free(key);
	return answer;
}

static enum answer try_identity(struct login *l, struct identity *id,
                                const struct certificate *cert, struct err *err)
{
	return id->kind == IDENTITY_OPEN ? offer_open(l, id, cert, err)
	                                 : unlock_and_offer(l, id, cert, err);
}

/* The file's certificates, then the key itself. */
static enum answer try_file(struct login *l, struct identity *id, struct err *err)
{
	for (size_t i = 0; i < l->certificate_count; i++) {
		struct certificate *cert = &l->certificates[i];
		enum answer answer;

		if (cert->is_tried || !key_blob_certifies(cert->blob, id->blob) ||
		    ssh_auth_keys_left(l) == 0)
			continue;
		cert->is_tried = true;
		answer = try_identity(l, id, cert, err);
		if (answer != REFUSED)
			return answer;
	}
	if (ssh_auth_keys_left(l) == 0)
		return REFUSED;
	id->is_tried = true;
	return try_identity(l, id, NULL, err);
}

static enum answer try_files(struct login *l, enum identity_kind kind, struct err *err)
{
	for (size_t i = 0; i < l->identity_count; i++) {
		struct identity *id = &l->identities[i];
		enum answer answer;

		if (id->kind != kind || id->is_tried)
			continue;
		answer = try_file(l, id, err);
		if (answer != REFUSED)
			return answer;
	}
	return REFUSED;
}

static void note_useless(struct login *l)
{
	const struct ssh_config *c = l->o->target->config;
	size_t absent = 0;

	for (size_t i = 0; i < l->identity_count; i++) {
		const struct identity *id = &l->identities[i];

		absent += id->kind == IDENTITY_ABSENT && id->blob.len == 0;
		if (!id->is_tried && id->note != NULL)
			ssh_auth_note(l, "key %s %s", id->path, id->note);
	}
	if (l->tried.len > 0)
		return;
	if (l->identity_count == 0)
		ssh_auth_note(l, "no key is named");
	else if (!c->identities_are_named && absent == l->identity_count)
		ssh_auth_note(l, "none of the usual key files is there");
	if (c->identity_agent == NULL)
		ssh_auth_note(l, "no ssh-agent runs");
}

enum answer ssh_auth_by_key(struct login *l, struct err *err)
{
	const struct ssh_config *c = l->o->target->config;
	enum answer answer;

	ssh_auth_read_keys(l);
	answer = ssh_auth_by_agent(l, true, err);
	if (answer == REFUSED && c->identities_are_named)
		answer = try_files(l, IDENTITY_OPEN, err);
	if (answer == REFUSED && !c->identities_only)
		answer = ssh_auth_by_agent(l, false, err);
	if (answer == REFUSED)
		answer = try_files(l, IDENTITY_OPEN, err);
	if (answer == REFUSED)
		answer = try_files(l, IDENTITY_ENCRYPTED, err);
	if (answer == REFUSED)
		note_useless(l);
	return answer;
}
