/* SPDX-License-Identifier: MIT */
/*
 * hmac_sha1.h - HMAC-SHA-1 (FIPS 180-4, RFC 2104), for hashed names in known_hosts.
 *
 * OpenSSH hides host names with it; nothing here rests on its strength.
 */
#ifndef REMOTE_HMAC_SHA1_H
#define REMOTE_HMAC_SHA1_H

#include <stddef.h>

#define SHA1_BYTES 20

/* A key of at most 64 bytes: longer ones are not used by OpenSSH and not hashed here. */
void hmac_sha1(const void *key, size_t key_len, const void *data, size_t len,
               unsigned char out[SHA1_BYTES]);

#endif
