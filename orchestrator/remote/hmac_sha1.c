/* SPDX-License-Identifier: MIT */
#include "remote/hmac_sha1.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#define BLOCK_BYTES 64

struct sha1 {
	uint32_t state[5];
	uint64_t total;
	unsigned char block[BLOCK_BYTES];
};

static uint32_t rotate(uint32_t v, unsigned by)
{
	return v << by | v >> (32 - by);
}

/* FIPS 180-4 section 4.1.1 and 4.2.1: the function and the constant of round t. */
static uint32_t mix(unsigned t, uint32_t b, uint32_t c, uint32_t d)
{
	if (t < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (t < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (t < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void compress(struct sha1 *s)
{
	uint32_t w[80];
	uint32_t v[5];

	for (unsigned t = 0; t < 16; t++) {
		const unsigned char *p = s->block + (size_t)t * 4;

		w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	}
	for (unsigned t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	memcpy(v, s->state, sizeof(v));
	for (unsigned t = 0; t < 80; t++) {
		uint32_t sum = rotate(v[0], 5) + mix(t, v[1], v[2], v[3]) + v[4] + w[t];

		v[4] = v[3];
		v[3] = v[2];
		v[2] = rotate(v[1], 30);
		v[1] = v[0];
		v[0] = sum;
	}
	for (unsigned i = 0; i < 5; i++)
		s->state[i] += v[i];
}

static void sha1_init(struct sha1 *s)
{
	static const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
	                                  0xc3d2e1f0};

	memset(s, 0, sizeof(*s));
	memcpy(s->state, start, sizeof(start));
}

static void sha1_add(struct sha1 *s, const void *data, size_t len)
{
	const unsigned char *in = data;

	for (size_t i = 0; i < len; i++) {
		s->block[s->total++ % BLOCK_BYTES] = in[i];
		if (s->total % BLOCK_BYTES == 0)
			compress(s);
	}
}

static void sha1_end(struct sha1 *s, unsigned char out[SHA1_BYTES])
{
	static const unsigned char mark = 0x80;
	static const unsigned char zero = 0;
	uint64_t bits = s->total * 8;

	sha1_add(s, &mark, 1);
	while (s->total % BLOCK_BYTES != BLOCK_BYTES - 8)
		sha1_add(s, &zero, 1);
	for (unsigned i = 0; i < 8; i++) {
		unsigned char byte = (unsigned char)(bits >> (56 - 8 * i));

		sha1_add(s, &byte, 1);
	}
	for (unsigned i = 0; i < SHA1_BYTES; i++)
		out[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* RFC 2104: H(key ^ opad, H(key ^ ipad, data)). */
void hmac_sha1(const void *key, size_t key_len, const void *data, size_t len,
               unsigned char out[SHA1_BYTES])
{
	unsigned char pad[BLOCK_BYTES] = {0};
	struct sha1 s;

	assert(key_len <= sizeof(pad));
	memcpy(pad, key, key_len);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36;
	sha1_init(&s);
	sha1_add(&s, pad, sizeof(pad));
	sha1_add(&s, data, len);
	sha1_end(&s, out);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha1_init(&s);
	sha1_add(&s, pad, sizeof(pad));
	sha1_add(&s, out, SHA1_BYTES);
	sha1_end(&s, out);
}
