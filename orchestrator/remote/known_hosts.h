/* SPDX-License-Identifier: MIT */
/*
 * known_hosts.h - what OpenSSH's known_hosts files say about a host's key.
 *
 * Pure: works on the text of files. The format is that of sshd(8), "SSH_KNOWN_HOSTS
 * FILE FORMAT": plain and hashed names, [host]:port, patterns and negation, several
 * keys a host, @revoked, @cert-authority. A line that is damaged is passed over: it can
 * neither hide the ones after it nor make a key known.
 *
 * A file is taken apart once and asked for each host; what several files say of a host is
 * put together in one struct known_hosts_said and then judged.
 */
#ifndef REMOTE_KNOWN_HOSTS_H
#define REMOTE_KNOWN_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

#define KNOWN_HOSTS_TYPE_BYTES 48
#define KNOWN_HOSTS_TYPES_MAX  8
#define FINGERPRINT_BYTES      51 /* "SHA256:", 43 digits of base64, NUL */

enum known_hosts_verdict {
	KNOWN_HOSTS_OK,
	KNOWN_HOSTS_UNKNOWN,   /* no line speaks of this host */
	KNOWN_HOSTS_CHANGED,   /* lines speak of it, none has this key */
	KNOWN_HOSTS_REVOKED,   /* the key itself is marked @revoked, in whichever file */
	KNOWN_HOSTS_AUTHORITY, /* only @cert-authority lines do: no key is known, certificates are */
};

struct known_hosts_finding {
	enum known_hosts_verdict verdict;
	size_t file;   /* that decided, as given to known_hosts_ask() */
	unsigned line; /* and its line, from 1; 0: none */
	/* CHANGED: the key that is known, of the same type where there is one. */
	char type[KNOWN_HOSTS_TYPE_BYTES];
	char fingerprint[FINGERPRINT_BYTES];
};

struct known_hosts;

/* Of a copy of the text; never fails. */
struct known_hosts *known_hosts_parse(const char *text, size_t len) NODISCARD;
void known_hosts_free(struct known_hosts *known); /* accepts NULL */

struct known_hosts_line;

/* {0} is empty. Valid as long as what was asked. */
struct known_hosts_said {
	struct known_hosts_entry {
		size_t file;
		const struct known_hosts_line *line;
	} * at;
	size_t count, room;
};

/* Adds what this file says of the host `name`; `file` is for the finding. */
void known_hosts_ask(const struct known_hosts *known, size_t file, const char *name,
                     struct known_hosts_said *said);
void known_hosts_said_done(struct known_hosts_said *said);

/* The verdict on the key `type` `blob` (base64, as in the file). */
void known_hosts_check(const struct known_hosts_said *said, const char *type, const char *blob,
                       struct known_hosts_finding *out);

/* The types of the keys that are known, each once, in the order of the files; returns how
 * many. */
size_t known_hosts_types(const struct known_hosts_said *said,
                         char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES]);

enum known_hosts_list {
	KNOWN_HOSTS_NOT_LISTED,
	KNOWN_HOSTS_LISTED,
	KNOWN_HOSTS_LIST_BROKEN, /* a line is no key: which one is meant is not known */
	KNOWN_HOSTS_LIST_BINARY  /* a KRL: ssh-keygen(1), KEY REVOCATION LISTS */
};

/* Is the key in a list of keys, "TYPE BLOB [COMMENT]" a line, as RevokedHostKeys names one?
 * *line: that decided, from 1; 0: none. */
enum known_hosts_list known_hosts_listed(const char *text, size_t len, const char *type,
                                         const char *blob, unsigned *line) NODISCARD;

/* "SHA256:..." of a key's blob in base64, as `ssh-keygen -l` prints it; false when
 * the blob is not base64 or longer than a key can be. */
bool known_hosts_fingerprint(const char *blob, size_t len, char out[FINGERPRINT_BYTES]) NODISCARD;

#endif
