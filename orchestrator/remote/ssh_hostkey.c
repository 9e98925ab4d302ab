/* SPDX-License-Identifier: MIT */
/* ssh_hostkey.c - is it the right host? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <libssh/libssh.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/oom.h"
#include "common/text.h"
#include "remote/known_hosts.h"
#include "remote/ssh_parts.h"

#define FILE_BYTES_MAX (16 * (size_t)1024 * 1024)
#define LOCK_TRY_MS    20u

/* Key types in known_hosts and the algorithms that prove them, most wanted first.
 * RSA only with SHA-2 (RFC 8332). */
static const struct {
	const char *type;
	const char *algorithms;
} host_keys[] = {
	{"ssh-ed25519", "ssh-ed25519"},
	{"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"},
	{"ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384"},
	{"ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521"},
	{"ssh-rsa", "rsa-sha2-512,rsa-sha2-256"},
};

/* The key that the server proved to have. */
struct shown_key {
	char name[KNOWN_HOSTS_NAME_BYTES]; /* that the host is looked up by */
	char type[KNOWN_HOSTS_TYPE_BYTES];
	char *blob; /* base64, libssh's */
	char fingerprint[FINGERPRINT_BYTES];
};

/* The file that new keys go to. */
static const char *own_file(const struct ssh_opening *o)
{
	const struct ssh_names *files = &o->target->config->known_hosts;

	return files->count == 0 ? "/dev/null" : files->at[0];
}

static bool load(const char *path, char **text, size_t *len, struct err *err)
{
	struct err why;

	if (io_read_file(path, FILE_BYTES_MAX, text, len, &why))
		return true;
	if (why.sys_errno != ENOENT) {
		*err = why;
		return err_prefix(err, "known_hosts %s", path);
	}
	*text = calloc(1, 1);
	if (*text == NULL)
		oom_end();
	*len = 0;
	return true;
}

static bool look_up_name(const struct ssh_opening *o, char name[KNOWN_HOSTS_NAME_BYTES],
                         struct err *err)
{
	if (known_hosts_name(o->target->config->hostname, o->target->config->port, name))
		return true;
	return err_set(err, ERR_INPUT, "address '%.60s' cannot be looked up in known_hosts",
	               o->target->config->hostname);
}

static void add_word(struct text *list, const char *word)
{
	if (list->len > 0)
		text_add(list, ",");
	text_add(list, word);
}

bool ssh_transport_prefer_known(struct ssh_opening *o, struct err *err)
{
	char name[KNOWN_HOSTS_NAME_BYTES];
	char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES];
	char reason[SSH_REASON_BYTES];
	bool listed[COUNT_OF(host_keys)] = {false};
	struct text list = {0};
	size_t count;
	bool ok;

	if (!look_up_name(o, name, err) || !load(own_file(o), &o->known, &o->known_len, err))
		return false;
	count = known_hosts_types(o->known, o->known_len, name, types);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < COUNT_OF(host_keys); k++) {
			if (strcmp(types[i], host_keys[k].type) != 0)
				continue;
			add_word(&list, host_keys[k].algorithms);
			listed[k] = true;
		}
	}
	for (size_t k = 0; k < COUNT_OF(host_keys); k++) {
		if (!listed[k])
			add_word(&list, host_keys[k].algorithms);
	}
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

	if (!look_up_name(o, out->name, err))
		return false;
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

static bool refuse(const struct ssh_opening *o, const struct shown_key *key,
                   const struct known_hosts_finding *found, struct err *err)
{
	const char *file = own_file(o);

	switch (found->verdict) {
	case KNOWN_HOSTS_REVOKED:
		return err_set(err, ERR_REMOTE, "host key %s %s is revoked by line %u of %s",
		               key->type, key->fingerprint, found->line, file);
	case KNOWN_HOSTS_CHANGED:
		return err_set(
			err, ERR_REMOTE,
			"HOST KEY CHANGED: line %u of %s has %s %s, the host shows %s %s: if "
			"it was installed anew, remove the old one: ssh-keygen -f '%s' -R '%s'",
			found->line, file, found->type, found->fingerprint, key->type,
			key->fingerprint, file, key->name);
	case KNOWN_HOSTS_UNKNOWN:
	case KNOWN_HOSTS_OK:
		break;
	}
	return err_set(
		err, ERR_REMOTE,
		"host key is not known: %s %s: if that is the host's, set `accept_new: true` "
		"or add it to %s",
		key->type, key->fingerprint, file);
}

static bool lock_file(int fd, uint64_t deadline_ns, struct err *err)
{
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set_errno(err, errno, "lock");
		if (clock_now_ns() >= deadline_ns)
			return err_set(err, ERR_TIMEOUT, "lock: another process holds it");
		clock_sleep_until(clock_now_ns() + LOCK_TRY_MS * CLOCK_NS_PER_MS);
	}
	return true;
}

/* One write() of whole lines: others may append too. */
static bool append_line(int fd, const struct shown_key *key, bool needs_newline, struct err *err)
{
	struct text line = {0};
	ssize_t n;
	bool ok;

	text_printf(&line, "%s%s %s %s\n", needs_newline ? "\n" : "", key->name, key->type,
	            key->blob);
	n = write(fd, line.at, line.len);
	ok = n == (ssize_t)line.len || err_set_errno(err, n < 0 ? errno : ENOSPC, "write");
	text_done(&line);
	return ok;
}

/* The file is read again under the lock: another thread or program may have added the
 * host, perhaps with another key, since. */
static bool accept_new(struct ssh_opening *o, const struct shown_key *key, struct err *err)
{
	const char *file = own_file(o);
	struct known_hosts_finding found;
	char *text = NULL;
	size_t len = 0;
	bool ok = false;
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set_errno(err, errno, "add the host key to %s", file);
	if (!lock_file(fd, o->limit.deadline_ns, err) || !load(file, &text, &len, err))
		goto out;
	known_hosts_check(text, len, key->name, key->type, key->blob, &found);
	if (found.verdict == KNOWN_HOSTS_OK)
		ok = true;
	else if (found.verdict == KNOWN_HOSTS_UNKNOWN)
		ok = append_line(fd, key, len > 0 && text[len - 1] != '\n', err);
	else
		(void)refuse(o, key, &found, err);
out:
	free(text);
	(void)close(fd); /* and the lock */
	return ok ? true : err_prefix(err, "add the host key to %s", file);
}

bool ssh_transport_verify(struct ssh_opening *o, struct err *err)
{
	struct shown_key key = {.blob = NULL};
	struct known_hosts_finding found;
	bool ok = false;

	if (!take_shown_key(o, &key, err))
		goto out;
	(void)snprintf(o->info->host_key, sizeof(o->info->host_key), "%.40s %s", key.type,
	               key.fingerprint);
	known_hosts_check(o->known, o->known_len, key.name, key.type, key.blob, &found);
	if (found.verdict == KNOWN_HOSTS_OK)
		ok = true;
	else if (found.verdict == KNOWN_HOSTS_UNKNOWN &&
	         o->target->config->host_key_policy == SSH_HOST_KEY_ACCEPT_NEW)
		ok = accept_new(o, &key, err);
	else
		ok = refuse(o, &key, &found, err);
out:
	ssh_string_free_char(key.blob);
	return ok;
}
