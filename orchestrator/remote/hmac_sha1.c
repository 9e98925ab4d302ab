/* SPDX-License-Identifier: MIT */
#include "remote/hmac_sha1.h"

#include <assert.h>
#include <string.h>

#define BLOCK_BYTES  64
#define LENGTH_BYTES 8

static uint32_t rotate(uint32_t v, unsigned by)
{
	return v << by | v >> (32 - by);
}

struct words {
	uint32_t a, b, c, d, e;
};

static inline struct words step(struct words v, uint32_t mixed, uint32_t w)
{
	return (struct words){rotate(v.a, 5) + mixed + v.e + w, v.a, rotate(v.b, 30), v.c, v.d};
}

/* FIPS 180-4 section 6.1.2; functions and constants of 4.1.1 and 4.2.1. */
static void compress(uint32_t state[5], const unsigned char block[BLOCK_BYTES])
{
	struct words v = {state[0], state[1], state[2], state[3], state[4]};
	uint32_t w[80];
	unsigned t;

	for (t = 0; t < 16; t++) {
		const unsigned char *p = block + (size_t)t * 4;

		w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	}
	for (; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (t = 0; t < 20; t++)
		v = step(v, (v.d ^ (v.b & (v.c ^ v.d))) + 0x5a827999, w[t]);
	for (; t < 40; t++)
		v = step(v, (v.b ^ v.c ^ v.d) + 0x6ed9eba1, w[t]);
	for (; t < 60; t++)
		v = step(v, ((v.b & v.c) | (v.d & (v.b | v.c))) + 0x8f1bbcdc, w[t]);
	for (; t < 80; t++)
		v = step(v, (v.b ^ v.c ^ v.d) + 0xca62c1d6, w[t]);
	state[0] += v.a;
	state[1] += v.b;
	state[2] += v.c;
	state[3] += v.d;
	state[4] += v.e;
}

/* The hash of a block that led to `start`, and then data. */
static void finish(const uint32_t start[5], const void *data, size_t len,
                   unsigned char out[SHA1_BYTES])
{
	unsigned char block[BLOCK_BYTES];
	uint64_t bits = ((uint64_t)len + BLOCK_BYTES) * 8;
	const unsigned char *at = data;
	uint32_t state[5];

	memcpy(state, start, sizeof(state));
	for (; len >= BLOCK_BYTES; len -= BLOCK_BYTES, at += BLOCK_BYTES)
		compress(state, at);
	memset(block, 0, sizeof(block));
	if (len > 0)
		memcpy(block, at, len);
	block[len] = 0x80;
	if (len >= BLOCK_BYTES - LENGTH_BYTES) {
		compress(state, block);
		memset(block, 0, sizeof(block));
	}
	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		block[BLOCK_BYTES - LENGTH_BYTES + i] = (unsigned char)(bits >> (56 - 8 * i));
	compress(state, block);
	for (unsigned i = 0; i < SHA1_BYTES; i++)
		out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

static void start_with(const unsigned char pad[BLOCK_BYTES], uint32_t state[5])
{
	static const uint32_t first[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
	                                  0xc3d2e1f0};

	memcpy(state, first, sizeof(first));
	compress(state, pad);
}

void hmac_sha1_init(struct hmac_sha1_key *key, const void *secret, size_t len)
{
	unsigned char pad[BLOCK_BYTES] = {0};

	assert(len <= sizeof(pad));
	memcpy(pad, secret, len);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36;
	start_with(pad, key->inner);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36 ^ 0x5c;
	start_with(pad, key->outer);
}

/* RFC 2104: H(key ^ opad, H(key ^ ipad, data)). */
void hmac_sha1(const struct hmac_sha1_key *key, const void *data, size_t len,
               unsigned char out[SHA1_BYTES])
{
	finish(key->inner, data, len, out);
	finish(key->outer, out, SHA1_BYTES, out);
}
