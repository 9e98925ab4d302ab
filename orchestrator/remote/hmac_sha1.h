/* SPDX-License-Identifier: MIT */
/*
 * hmac_sha1.h - HMAC-SHA-1 (FIPS 180-4, RFC 2104), for hashed names in known_hosts.
 *
 * OpenSSH hides host names with it; nothing here rests on its strength. What depends on the
 * key alone is half of the work and is done once: a file may hold many thousand keys, each
 * to be tried for every host.
 */
#ifndef REMOTE_HMAC_SHA1_H
#define REMOTE_HMAC_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20

struct hmac_sha1_key {
	uint32_t inner[5], outer[5];
};

/* A key of at most 64 bytes: longer ones are not used by OpenSSH and not hashed here. */
void hmac_sha1_init(struct hmac_sha1_key *key, const void *secret, size_t len);

void hmac_sha1(const struct hmac_sha1_key *key, const void *data, size_t len,
               unsigned char out[SHA1_BYTES]);

#endif
