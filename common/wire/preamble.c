/* SPDX-License-Identifier: MIT */
#include "common/wire/preamble.h"

#include <string.h>

#include "common/hex.h"
#include "schemas/protocol.def"

static const unsigned char magic[4] = {'V', 'N', 'M', 'D'};

enum { AT_VERSION = 4, AT_STREAM = 6, AT_KIND = 8, AT_ZERO = 9, AT_TOKEN = 16 };

static void put_be16(unsigned char *at, uint16_t n)
{
	at[0] = (unsigned char)(n >> 8);
	at[1] = (unsigned char)(n & 0xff);
}

static uint16_t get_be16(const unsigned char *at)
{
	return (uint16_t)((unsigned)at[0] << 8 | at[1]);
}

void preamble_format(const struct preamble *p, unsigned char out[PREAMBLE_BYTES])
{
	memset(out, 0, PREAMBLE_BYTES);
	memcpy(out, magic, sizeof(magic));
	put_be16(out + AT_VERSION, WIRE_VERSION);
	put_be16(out + AT_STREAM, p->stream);
	out[AT_KIND] = (unsigned char)p->kind;
	memcpy(out + AT_TOKEN, p->token, sizeof(p->token));
}

bool preamble_parse(const unsigned char in[PREAMBLE_BYTES], struct preamble *out)
{
	static const unsigned char zero[AT_TOKEN - AT_ZERO] = {0};
	uint16_t stream = get_be16(in + AT_STREAM);

	if (memcmp(in, magic, sizeof(magic)) != 0 || get_be16(in + AT_VERSION) != WIRE_VERSION)
		return false;
	if (in[AT_KIND] > PREAMBLE_CONNECTOR_RECEIVES)
		return false;
	if (memcmp(in + AT_ZERO, zero, sizeof(zero)) != 0)
		return false;
	if ((stream == 0) != (in[AT_KIND] == PREAMBLE_PROBE))
		return false;
	out->stream = stream;
	out->kind = (enum preamble_kind)in[AT_KIND];
	memcpy(out->token, in + AT_TOKEN, sizeof(out->token));
	return true;
}

bool preamble_token_parse(const char *hex, unsigned char out[PREAMBLE_TOKEN_BYTES])
{
	unsigned char token[PREAMBLE_TOKEN_BYTES];

	if (strlen(hex) != PREAMBLE_TOKEN_HEX - 1)
		return false;
	for (size_t i = 0; i < sizeof(token); i++) {
		int high = hex_value(hex[2 * i]);
		int low = hex_value(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		token[i] = (unsigned char)(high << 4 | low);
	}
	memcpy(out, token, sizeof(token));
	return true;
}

bool preamble_token_equal(const unsigned char a[PREAMBLE_TOKEN_BYTES],
                          const unsigned char b[PREAMBLE_TOKEN_BYTES])
{
	unsigned difference = 0;

	for (size_t i = 0; i < PREAMBLE_TOKEN_BYTES; i++)
		difference |= (unsigned)(a[i] ^ b[i]);
	return difference == 0;
}
