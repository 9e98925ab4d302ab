/* SPDX-License-Identifier: MIT */
/* known_hosts_name.h - how known_hosts (sshd(8)) names hosts. Pure. */
#ifndef REMOTE_KNOWN_HOSTS_NAME_H
#define REMOTE_KNOWN_HOSTS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "remote/hmac_sha1.h"

#define KNOWN_HOSTS_NAME_BYTES 272 /* longest DNS name, brackets, port, NUL */

/*
 * The name under which a host is looked up: "host" at port 22, else "[host]:port",
 * in lower case. False when the address is empty, too long or holds a character that
 * would not be read back (blank, control, comma, quote, '*', '?', '!', '#', '|', '@').
 */
bool known_hosts_name(const char *address, uint32_t port,
                      char out[KNOWN_HOSTS_NAME_BYTES]) NODISCARD;

/* Does the list of patterns, with commas, mean this name (in lower case)? It does when one
 * pattern matches and no negated one, wherever it stands. */
bool known_hosts_matches(const char *list, size_t len, const char *name) NODISCARD;

/* The name hashed under the salt, as HashKnownHosts has it: "|1|salt|hash". */
#define KNOWN_HOSTS_HASHED_BYTES 64
void known_hosts_hash(const char *name, const unsigned char salt[SHA1_BYTES],
                      char out[KNOWN_HOSTS_HASHED_BYTES]);

#endif
