/* SPDX-License-Identifier: MIT */
/* sha256.h - SHA-256 (FIPS 180-4). Used for identity, not for secrets. */
#ifndef COMMON_SHA256_H
#define COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES     32
#define SHA256_HEX_BYTES 65 /* lower-case hex and NUL */

struct sha256 {
	uint32_t state[8];
	uint64_t total;
	unsigned char block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
void sha256_hex(struct sha256 *s, char out[SHA256_HEX_BYTES]); /* ends the computation */

/* All in one. */
void sha256_of(const void *data, size_t len, char out[SHA256_HEX_BYTES]);

#endif
