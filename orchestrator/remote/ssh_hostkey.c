/* SPDX-License-Identifier: MIT */
/* ssh_hostkey.c - is it the right host? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libssh/libssh.h>

#include "common/io.h"
#include "common/oom.h"
#include "common/text.h"
#include "remote/known_hosts_file.h"
#include "remote/known_hosts_name.h"
#include "remote/ssh_parts.h"

#define REVOKED_BYTES_MAX (16 * (size_t)1024 * 1024)
#define NOWHERE           "/dev/null"

/* Algorithms and the key types in known_hosts that they prove, most wanted first. RSA only with
 * SHA-2 (RFC 8332) unless HostKeyAlgorithms asks for more. */
static const struct algorithm {
	const char *name;
	const char *type;
	bool is_preset;
} algorithms[] = {
	{"ssh-ed25519", "ssh-ed25519", true},
	{"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256", true},
	{"ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384", true},
	{"ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521", true},
	{"rsa-sha2-512", "ssh-rsa", true},
	{"rsa-sha2-256", "ssh-rsa", true},
	{"ssh-rsa", "ssh-rsa", false},
};

/* What is known of the host, from all its files. */
struct ssh_known {
	char name[KNOWN_HOSTS_NAME_BYTES]; /* that it is looked up by */
	struct known_hosts_file **files;
	size_t count;
	struct known_hosts_said said;
};

/* The key that the server proved to have. */
struct shown_key {
	char type[KNOWN_HOSTS_TYPE_BYTES];
	char *blob; /* base64, libssh's */
	char fingerprint[FINGERPRINT_BYTES];
};

static const struct ssh_config *config_of(const struct ssh_opening *o)
{
	return o->target->config;
}

/* The file that new keys go to; as with ssh they are forgotten when there is none. */
static const char *own_file(const struct ssh_opening *o)
{
	return config_of(o)->user_known_hosts == 0 ? NOWHERE : config_of(o)->known_hosts.at[0];
}

/* An alias stands alone, at whatever port: ssh_config(5), HostKeyAlias. */
static bool set_name(const struct ssh_opening *o, char name[KNOWN_HOSTS_NAME_BYTES],
                     struct err *err)
{
	const struct ssh_config *c = config_of(o);
	bool has_alias = c->host_key_alias != NULL;
	const char *host = has_alias ? c->host_key_alias : c->hostname;

	return known_hosts_name(host, has_alias ? 22 : c->port, name) ||
	       err_set(err, ERR_INPUT, "host '%.60s' cannot be looked up in known_hosts", host);
}

static bool look_up(struct ssh_opening *o, struct err *err)
{
	const struct ssh_names *names = &config_of(o)->known_hosts;
	struct ssh_known *k = calloc(1, sizeof(*k));

	if (k == NULL)
		oom_end();
	o->known = k;
	k->files = calloc(names->count + 1, sizeof(struct known_hosts_file *));
	if (k->files == NULL)
		oom_end();
	if (!set_name(o, k->name, err))
		return false;
	for (; k->count < names->count; k->count++) {
		k->files[k->count] = known_hosts_open(names->at[k->count], err);
		if (k->files[k->count] == NULL)
			return false;
		known_hosts_ask(k->files[k->count]->known, k->count, k->name, &k->said);
	}
	return true;
}

void ssh_transport_forget_known(struct ssh_opening *o)
{
	struct ssh_known *k = o->known;

	if (k == NULL)
		return;
	o->known = NULL;
	known_hosts_said_done(&k->said);
	for (size_t i = 0; i < k->count; i++)
		known_hosts_close(k->files[i]);
	free(k->files);
	free(k);
}

static const struct algorithm *find_algorithm(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT_OF(algorithms); i++) {
		if (strlen(algorithms[i].name) == len && memcmp(algorithms[i].name, name, len) == 0)
			return &algorithms[i];
	}
	return NULL;
}

/* Those of HostKeyAlgorithms that libssh knows, or ours; returns how many. */
static size_t wanted(const struct ssh_config *c, const struct algorithm *out[])
{
	const char *at = c->host_key_algorithms;
	size_t count = 0;

	for (size_t i = 0; at == NULL && i < COUNT_OF(algorithms); i++) {
		if (algorithms[i].is_preset)
			out[count++] = &algorithms[i];
	}
	while (at != NULL && *at != '\0' && count < COUNT_OF(algorithms)) {
		size_t len = strcspn(at, ",");
		const struct algorithm *found = find_algorithm(at, len);

		if (found != NULL)
			out[count++] = found;
		at += len + (at[len] == ',' ? 1 : 0);
	}
	return count;
}

static void add_word(struct text *list, const char *word)
{
	if (list->len > 0)
		text_add(list, ",");
	text_add(list, word);
}

/* Types that are known come first: another one would look like a changed key. */
static void add_known(const struct algorithm *const wanted_ones[], size_t count,
                      const struct known_hosts_said *said, struct text *list)
{
	char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES];
	size_t type_count = known_hosts_types(said, types);

	for (int is_known = 1; is_known >= 0; is_known--) {
		for (size_t i = 0; i < count; i++) {
			size_t t = 0;

			while (t < type_count && strcmp(types[t], wanted_ones[i]->type) != 0)
				t++;
			if ((t < type_count) == (is_known == 1))
				add_word(list, wanted_ones[i]->name);
		}
	}
}

bool ssh_transport_prefer_known(struct ssh_opening *o, struct err *err)
{
	const struct algorithm *ours[COUNT_OF(algorithms)];
	size_t count = wanted(config_of(o), ours);
	char reason[SSH_REASON_BYTES];
	struct text list = {0};
	bool ok;

	if (!look_up(o, err))
		return false;
	if (count == 0)
		return err_set(err, ERR_INPUT,
		               "HostKeyAlgorithms '%.100s' names none that libssh knows: add one "
		               "such as ssh-ed25519, or set `transport: openssh`",
		               config_of(o)->host_key_algorithms);
	add_known(ours, count, &o->known->said, &list);
	ok = ssh_options_set(o->t->session, SSH_OPTIONS_HOSTKEYS, text_str(&list)) == 0 ||
	     err_set(err, ERR_SYSTEM, "host key algorithms: %s",
	             ssh_transport_reason(o->t, reason));
	text_done(&list);
	return ok;
}

static bool take_shown_key(struct ssh_opening *o, struct shown_key *out, struct err *err)
{
	ssh_key key = NULL;
	const char *type = NULL;
	bool ok = false;

	if (ssh_get_server_publickey(o->t->session, &key) == SSH_OK) {
		type = ssh_key_type(key) == SSH_KEYTYPE_ECDSA_P256 ||
		                       ssh_key_type(key) == SSH_KEYTYPE_ECDSA_P384 ||
		                       ssh_key_type(key) == SSH_KEYTYPE_ECDSA_P521
		               ? ssh_pki_key_ecdsa_name(key)
		               : ssh_key_type_to_char(ssh_key_type(key));
		ok = type != NULL && ssh_pki_export_pubkey_base64(key, &out->blob) == SSH_OK &&
		     known_hosts_fingerprint(out->blob, strlen(out->blob), out->fingerprint);
	}
	if (ok)
		(void)snprintf(out->type, sizeof(out->type), "%s", type);
	ssh_key_free(key);
	return ok ? true : err_set(err, ERR_REMOTE, "the host key cannot be read");
}

static bool fail_revoked(const struct shown_key *key, unsigned line, const char *file,
                         struct err *err)
{
	return err_set(
		err, ERR_REMOTE,
		"host key %s %s is revoked by line %u of %s: somebody else may hold it: give "
		"the host a new one, or remove the line if it is wrong",
		key->type, key->fingerprint, line, file);
}

static bool refuse(const struct ssh_opening *o, const struct shown_key *key,
                   const struct known_hosts_finding *found, const char *file, struct err *err)
{
	switch (found->verdict) {
	case KNOWN_HOSTS_REVOKED:
		return fail_revoked(key, found->line, file, err);
	case KNOWN_HOSTS_CHANGED:
		return err_set(
			err, ERR_REMOTE,
			"HOST KEY CHANGED: line %u of %s has %s %s, the host shows %s %s: if "
			"it was installed anew, remove the old one: ssh-keygen -f '%s' -R '%s'",
			found->line, file, found->type, found->fingerprint, key->type,
			key->fingerprint, file, o->known->name);
	case KNOWN_HOSTS_AUTHORITY:
		return err_set(
			err, ERR_REMOTE,
			"host key %s %s is not known, only an authority for certificates: line %u "
			"of %s: libssh cannot check host certificates: set `transport: openssh`, "
			"or add the key itself (ssh-keyscan) to %s",
			key->type, key->fingerprint, found->line, file, own_file(o));
	case KNOWN_HOSTS_UNKNOWN:
	case KNOWN_HOSTS_OK:
		break;
	}
	return err_set(
		err, ERR_REMOTE,
		"host key is not known: %s %s: if that is the host's, set `accept_new: true` "
		"or add it to %s",
		key->type, key->fingerprint,
		config_of(o)->user_known_hosts == 0 ? "a file that `known_hosts` names"
						    : own_file(o));
}

static bool accept_new(struct ssh_opening *o, const struct shown_key *key, struct err *err)
{
	const struct known_hosts_new new_key = {.path = own_file(o),
	                                        .name = o->known->name,
	                                        .type = key->type,
	                                        .blob = key->blob,
	                                        .is_hashed = config_of(o)->hash_known_hosts};
	struct known_hosts_finding found;

	if (!known_hosts_add(&new_key, &o->limit, &found, err))
		return false;
	return found.verdict == KNOWN_HOSTS_UNKNOWN || found.verdict == KNOWN_HOSTS_OK ||
	       refuse(o, key, &found, own_file(o), err);
}

/* As for ssh: what cannot be read may revoke any key. */
static bool check_revoked(const struct shown_key *key, const char *file, struct err *err)
{
	char *text = NULL;
	size_t len = 0;
	enum known_hosts_list is_listed;
	unsigned line;

	if (!io_read_file(file, REVOKED_BYTES_MAX, &text, &len, err))
		return err_prefix(err, "no host key is trusted without RevokedHostKeys");
	is_listed = known_hosts_listed(text, len, key->type, key->blob, &line);
	free(text);
	if (is_listed == KNOWN_HOSTS_NOT_LISTED)
		return true;
	if (is_listed == KNOWN_HOSTS_LIST_BROKEN)
		return err_set(
			err, ERR_INPUT,
			"no host key is trusted without RevokedHostKeys: line %u of %s is no "
			"key",
			line, file);
	if (is_listed == KNOWN_HOSTS_LIST_BINARY)
		return err_set(err, ERR_INPUT,
		               "RevokedHostKeys %s is a binary list (KRL), which vnm cannot read: "
		               "set `transport: openssh`",
		               file);
	return fail_revoked(key, line, file, err);
}

static bool check(struct ssh_opening *o, const struct shown_key *key, struct err *err)
{
	const struct ssh_config *c = config_of(o);
	struct known_hosts_finding found;

	for (size_t i = 0; i < c->revoked.count; i++) {
		if (!check_revoked(key, c->revoked.at[i], err))
			return false;
	}
	known_hosts_check(&o->known->said, key->type, key->blob, &found);
	if (found.verdict == KNOWN_HOSTS_OK)
		return true;
	if (found.verdict == KNOWN_HOSTS_UNKNOWN && c->host_key_policy == SSH_HOST_KEY_ACCEPT_NEW)
		return accept_new(o, key, err);
	return refuse(o, key, &found, found.line == 0 ? "" : c->known_hosts.at[found.file], err);
}

bool ssh_transport_verify(struct ssh_opening *o, struct err *err)
{
	struct shown_key key = {.blob = NULL};
	bool ok = take_shown_key(o, &key, err);

	if (ok) {
		(void)snprintf(o->info->host_key, sizeof(o->info->host_key), "%.40s %s", key.type,
		               key.fingerprint);
		ok = check(o, &key, err);
	}
	ssh_string_free_char(key.blob);
	return ok;
}
