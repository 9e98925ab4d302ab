/* SPDX-License-Identifier: MIT */
/* Names and steps follow FIPS 180-4, sections 4.1.2, 5.1.1, 5.3.3 and 6.2.2. */
#include "common/sha256.h"

#include <string.h>

#include "common/hex.h"

#define BLOCK_BYTES  64
#define LENGTH_BYTES 8 /* of the message in bits, at the end of the last block */

static const uint32_t first_state[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t read_be32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void compress(uint32_t state[8], const unsigned char block[BLOCK_BYTES])
{
	uint32_t w[64];
	uint32_t v[8]; /* a to h of the standard */

	for (size_t t = 0; t < 16; t++)
		w[t] = read_be32(block + t * 4);
	for (size_t t = 16; t < 64; t++) {
		uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
		uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;

		w[t] = s1 + w[t - 7] + s0 + w[t - 16];
	}
	memcpy(v, state, sizeof(v));
	for (size_t t = 0; t < 64; t++) {
		uint32_t sum1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t t1 = v[7] + sum1 + choice + k[t] + w[t];
		uint32_t sum0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

		/* One by one they stay in registers; memmove made this twice as slow. */
		v[7] = v[6];
		v[6] = v[5];
		v[5] = v[4];
		v[4] = v[3] + t1;
		v[3] = v[2];
		v[2] = v[1];
		v[1] = v[0];
		v[0] = t1 + sum0 + majority;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->state, first_state, sizeof(s->state));
}

void sha256_add(struct sha256 *s, const void *data, size_t len)
{
	const unsigned char *at = data;

	while (len > 0) {
		size_t used = (size_t)(s->total % BLOCK_BYTES);
		size_t n = BLOCK_BYTES - used < len ? BLOCK_BYTES - used : len;

		memcpy(s->block + used, at, n);
		s->total += n;
		at += n;
		len -= n;
		if (used + n == BLOCK_BYTES)
			compress(s->state, s->block);
	}
}

void sha256_hex(struct sha256 *s, char out[SHA256_HEX_BYTES])
{
	static const unsigned char padding[BLOCK_BYTES] = {0x80};
	uint64_t bits = s->total * 8;
	size_t used = (size_t)(s->total % BLOCK_BYTES);
	size_t last = BLOCK_BYTES - LENGTH_BYTES;
	unsigned char length[LENGTH_BYTES];
	unsigned char digest[SHA256_BYTES];

	sha256_add(s, padding, used < last ? last - used : BLOCK_BYTES + last - used);
	for (size_t i = 0; i < LENGTH_BYTES; i++)
		length[i] = (unsigned char)(bits >> (8 * (LENGTH_BYTES - 1 - i)));
	sha256_add(s, length, sizeof(length));
	for (size_t i = 0; i < sizeof(digest); i++)
		digest[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)));
	hex_format(digest, sizeof(digest), out);
}

void sha256_of(const void *data, size_t len, char out[SHA256_HEX_BYTES])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, data, len);
	sha256_hex(&s, out);
}
