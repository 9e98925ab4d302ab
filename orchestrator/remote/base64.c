/* SPDX-License-Identifier: MIT */
#include "remote/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_format(const void *data, size_t len, char *out)
{
	const unsigned char *in = data;
	uint32_t bits = 0;
	unsigned held = 0;

	for (size_t i = 0; i < len; i++) {
		bits = (bits << 8 | in[i]) & 0xffff;
		for (held += 8; held >= 6; held -= 6)
			*out++ = digits[bits >> (held - 6) & 0x3f];
	}
	if (held > 0)
		*out++ = digits[bits << (6 - held) & 0x3f];
	*out = '\0';
}

/* Bytes that `len` digits without padding stand for; false when no bytes give that many. */
static bool decoded_len(size_t len, size_t *out)
{
	if (len % 4 == 1)
		return false;
	*out = len / 4 * 3 + (len % 4 == 0 ? 0 : len % 4 - 1);
	return true;
}

bool base64_parse(const char *text, size_t len, void *out, size_t room, size_t *out_len)
{
	unsigned char *at = out;
	size_t want;
	uint32_t bits = 0;
	unsigned held = 0;

	if (len % 4 == 0) { /* only a whole text can be padded */
		for (int pad = 0; pad < 2 && len > 0 && text[len - 1] == '='; pad++)
			len--;
	}
	if (!decoded_len(len, &want) || want > room)
		return false;
	for (size_t i = 0; i < len; i++) {
		const char *digit = memchr(digits, text[i], sizeof(digits) - 1);

		if (digit == NULL)
			return false;
		bits = (bits << 6 | (uint32_t)(digit - digits)) & 0xffff;
		held += 6;
		if (held >= 8) {
			held -= 8;
			*at++ = (unsigned char)(bits >> held);
		}
	}
	*out_len = want;
	return true;
}
