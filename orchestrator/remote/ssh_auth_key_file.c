/* SPDX-License-Identifier: MIT */
/* ssh_auth_key_file.c - the key files and certificates of the configuration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libssh/libssh.h>

#include "common/io.h"
#include "remote/base64.h"
#include "remote/secrets.h"
#include "remote/ssh_auth_parts.h"

#define PUB_BYTES_MAX (64 * (size_t)1024)

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

static struct key_blob keep(struct login *l, struct key_blob blob)
{
	unsigned char *copy = arena_alloc(&l->arena, blob.len, 1);

	memcpy(copy, blob.at, blob.len);
	return (struct key_blob){copy, blob.len};
}

/* A .pub file; what is damaged or absent is as if it were not there. */
static struct key_blob read_public(struct login *l, const char *path, const char *end)
{
	unsigned char room[KEY_BLOB_BYTES];
	struct key_blob blob = {0};
	struct text full = {0};
	struct err ignored;
	char *data = NULL;
	size_t len;

	text_printf(&full, "%s%s", path, end);
	if (io_read_file(text_str(&full), PUB_BYTES_MAX, &data, &len, &ignored) &&
	    key_blob_parse_file(data, len, room, &blob))
		blob = keep(l, blob);
	else
		blob = (struct key_blob){0};
	free(data);
	text_done(&full);
	return blob;
}

static struct key_blob public_half(struct login *l, ssh_key key)
{
	unsigned char room[KEY_BLOB_BYTES];
	struct key_blob blob = {.at = room};
	char *text = NULL;

	if (ssh_pki_export_pubkey_base64(key, &text) == SSH_OK &&
	    base64_parse(text, strlen(text), room, sizeof(room), &blob.len))
		blob = keep(l, blob);
	else
		blob = (struct key_blob){0};
	ssh_string_free_char(text);
	return blob;
}

/* The type is at the blob's begin, behind its length. */
bool ssh_auth_public_key(struct key_blob blob, ssh_key *out)
{
	char text[BASE64_TEXT_BYTES(KEY_BLOB_BYTES) + 2];
	char type[64];
	size_t type_len;
	size_t len;

	if (blob.len < 4 || blob.len > KEY_BLOB_BYTES)
		return false;
	type_len = blob.at[3];
	if (type_len >= sizeof(type) || 4 + type_len > blob.len)
		return false;
	memcpy(type, blob.at + 4, type_len);
	type[type_len] = '\0';
	base64_format(blob.at, blob.len, text);
	len = strlen(text);
	while (len % 4 != 0) /* libssh wants the padding */
		text[len++] = '=';
	text[len] = '\0';
	return ssh_pki_import_pubkey_base64(text, ssh_key_type_from_name(type), out) == SSH_OK;
}

/* OpenSSH's private key files have the public half in clear; a .pub file may be wrong. */
static struct key_blob stored_half(struct login *l, const char *path)
{
	struct key_blob blob = {0};
	ssh_key key = NULL;

	if (ssh_pki_import_pubkey_file(path, &key) == SSH_OK)
		blob = public_half(l, key);
	ssh_key_free(key);
	return blob.len > 0 ? blob : read_public(l, path, ".pub");
}

static void read_identity(struct login *l, struct identity *id)
{
	bool was_asked = false;
	int rc = ssh_pki_import_privkey_file(id->path, NULL, refuse_passphrase, &was_asked,
	                                     &id->key);

	if (rc == SSH_OK) {
		id->kind = IDENTITY_OPEN;
		id->blob = public_half(l, id->key);
		return;
	}
	id->key = NULL;
	id->blob = stored_half(l, id->path);
	if (was_asked) {
		id->kind = IDENTITY_ENCRYPTED;
	} else if (rc == SSH_EOF) {
		id->kind = IDENTITY_ABSENT;
		if (l->o->target->config->identities_are_named)
			id->note = "does not exist or cannot be read";
	} else {
		id->kind = IDENTITY_USELESS;
		id->note = key_blob_is_security_key(id->blob)
		                   ? "is a security key: load it into ssh-agent with ssh-add"
		                   : "is not a private key that libssh can read";
	}
}

static void add_certificate(struct login *l, const char *path, const char *end)
{
	struct key_blob blob = read_public(l, path, end);
	struct text full = {0};
	struct certificate *c = &l->certificates[l->certificate_count];

	if (key_blob_is_certificate(blob)) {
		text_printf(&full, "%s%s", path, end);
		c->path = arena_strndup(&l->arena, text_str(&full), full.len);
		c->blob = blob;
		l->certificate_count++;
	} else if (end[0] == '\0') {
		ssh_auth_note(l, "CertificateFile %s is not a certificate that can be read", path);
	}
	text_done(&full);
}

void ssh_auth_read_keys(struct login *l)
{
	const struct ssh_config *c = l->o->target->config;
	size_t all = c->certificates.count + c->identities.count;

	if (l->has_keys)
		return;
	l->has_keys = true;
	l->identities = arena_alloc(&l->arena, c->identities.count, sizeof(*l->identities));
	l->certificates = arena_alloc(&l->arena, all, sizeof(*l->certificates));
	for (size_t i = 0; i < c->certificates.count; i++)
		add_certificate(l, c->certificates.at[i], "");
	for (size_t i = 0; i < c->identities.count; i++) {
		l->identities[i].path = c->identities.at[i];
		read_identity(l, &l->identities[i]);
		add_certificate(l, c->identities.at[i], "-cert.pub");
	}
	l->identity_count = c->identities.count;
}

void ssh_auth_free_keys(struct login *l)
{
	for (size_t i = 0; i < l->identity_count; i++)
		ssh_key_free(l->identities[i].key);
}

/* ---- passphrases ---- */

struct unlocking {
	const char *path;
	ssh_key key;
};

static ssh_key open_file(const char *path, const char *passphrase)
{
	ssh_key key = NULL;

	return ssh_pki_import_privkey_file(path, passphrase, NULL, NULL, &key) == SSH_OK ? key
	                                                                                 : NULL;
}

/* Deriving the key from a passphrase costs 0.2 s: once a run, where keys can be copied. */
#ifdef HAVE_SSH_KEY_DUP
static void *open_lock(void *ctx, const char *passphrase)
{
	struct unlocking *u = ctx;

	return open_file(u->path, passphrase);
}

static bool use_lock(void *ctx, void *value, struct err *err)
{
	struct unlocking *u = ctx;

	u->key = ssh_key_dup(value);
	return u->key != NULL ? true : err_set(err, ERR_SYSTEM, "key %s: out of memory", u->path);
}

static void close_lock(void *value)
{
	ssh_key_free(value);
}
#else
static void *open_lock(void *ctx, const char *passphrase)
{
	struct unlocking *u = ctx;
	char *kept;

	u->key = open_file(u->path, passphrase);
	if (u->key == NULL)
		return NULL;
	kept = secret_page_new();
	(void)snprintf(kept, SECRET_BYTES, "%s", passphrase);
	return kept;
}

static bool use_lock(void *ctx, void *value, struct err *err)
{
	struct unlocking *u = ctx;

	if (u->key == NULL) /* else it was just opened */
		u->key = open_file(u->path, value);
	return u->key != NULL ? true : err_set(err, ERR_INPUT, "key %s has changed", u->path);
}

static void close_lock(void *value)
{
	secret_page_free(value);
}
#endif

ssh_key ssh_auth_unlock(struct login *l, const struct identity *id, struct err *err)
{
	const struct ssh_target *target = l->o->target;
	struct unlocking u = {.path = id->path};
	const struct secret_lock lock = {.name = id->path,
	                                 .host = ssh_auth_host(l),
	                                 .may_ask = !target->config->batch_mode,
	                                 .wake_fd = l->o->limit.wake_fd,
	                                 .ctx = &u,
	                                 .open = open_lock,
	                                 .use = use_lock,
	                                 .close = close_lock};
	uint64_t paused_ns = ssh_auth_pause();
	bool ok = secrets_unlock(target->secrets, &lock, err);

	ssh_auth_resume(l, paused_ns);
	return ok ? u.key : NULL;
}
