/* SPDX-License-Identifier: MIT */
/*
 * known_hosts.h - what OpenSSH's known_hosts says about a host's key.
 *
 * Pure: works on the text of the file. The format is that of sshd(8), "SSH_KNOWN_HOSTS
 * FILE FORMAT": plain and hashed names, [host]:port, patterns and negation, several
 * keys a host, @revoked. Lines of @cert-authority speak of certificates, not of keys,
 * and are passed over, as is a line that is damaged: it can neither hide the ones after
 * it nor make a key known.
 */
#ifndef REMOTE_KNOWN_HOSTS_H
#define REMOTE_KNOWN_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

#define KNOWN_HOSTS_NAME_BYTES 272 /* longest DNS name, brackets, port, NUL */
#define KNOWN_HOSTS_TYPE_BYTES 48
#define KNOWN_HOSTS_TYPES_MAX  8
#define FINGERPRINT_BYTES      51 /* "SHA256:", 43 digits of base64, NUL */

enum known_hosts_verdict {
	KNOWN_HOSTS_OK,
	KNOWN_HOSTS_UNKNOWN, /* no line speaks of this host */
	KNOWN_HOSTS_CHANGED, /* lines speak of it, none has this key */
	KNOWN_HOSTS_REVOKED  /* the key itself is marked @revoked */
};

struct known_hosts_finding {
	enum known_hosts_verdict verdict;
	unsigned line; /* that decided, from 1; 0: none */
	/* CHANGED: the key that is known, of the same type where there is one. */
	char type[KNOWN_HOSTS_TYPE_BYTES];
	char fingerprint[FINGERPRINT_BYTES];
};

/*
 * The name under which a host is looked up: "host" at port 22, else "[host]:port",
 * in lower case. False when the address is empty, too long or holds a character that
 * would not be read back (blank, control, comma, quote, '*', '?', '!', '#', '|', '@').
 */
bool known_hosts_name(const char *address, uint32_t port,
                      char out[KNOWN_HOSTS_NAME_BYTES]) NODISCARD;

/* The verdict on the key `type` `blob` (base64, as in the file) of the host `name`. */
void known_hosts_check(const char *text, size_t len, const char *name, const char *type,
                       const char *blob, struct known_hosts_finding *out);

/* The types of the keys that are known of `name`, each once, in the order of the
 * file; returns how many. */
size_t known_hosts_types(const char *text, size_t len, const char *name,
                         char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES]);

/* "SHA256:..." of a key's blob in base64, as `ssh-keygen -l` prints it; false when
 * the blob is not base64 or longer than a key can be. */
bool known_hosts_fingerprint(const char *blob, size_t len, char out[FINGERPRINT_BYTES]) NODISCARD;

#endif
