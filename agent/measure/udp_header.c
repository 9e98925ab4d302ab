/* SPDX-License-Identifier: MIT */
#include "measure/udp_header.h"

#include <string.h>

enum { AT_SEQUENCE = 0, AT_SENT = 8, AT_TAG = 16, TAG_TOKEN_BYTES = 6 };

/* Compilers make one instruction of each. */
static void put_be64(unsigned char *at, uint64_t n)
{
	for (int i = 0; i < 8; i++)
		at[i] = (unsigned char)(n >> (56 - 8 * i));
}

static uint64_t get_be64(const unsigned char *at)
{
	uint64_t n = 0;

	for (int i = 0; i < 8; i++)
		n = n << 8 | at[i];
	return n;
}

void udp_tag_make(const unsigned char token[PREAMBLE_TOKEN_BYTES], uint32_t stream,
                  struct udp_tag *out)
{
	memcpy(out->bytes, token, TAG_TOKEN_BYTES);
	out->bytes[TAG_TOKEN_BYTES] = (unsigned char)(stream >> 8 & 0xff);
	out->bytes[TAG_TOKEN_BYTES + 1] = (unsigned char)(stream & 0xff);
}

void udp_header_format(const struct udp_header *h, const struct udp_tag *tag,
                       unsigned char out[UDP_HEADER_BYTES])
{
	put_be64(out + AT_SEQUENCE, h->sequence);
	put_be64(out + AT_SENT, h->sent_ns);
	memcpy(out + AT_TAG, tag->bytes, sizeof(tag->bytes));
}

bool udp_header_parse(const unsigned char *at, size_t bytes, const struct udp_tag *tag,
                      struct udp_header *out)
{
	if (bytes < UDP_HEADER_BYTES || memcmp(at + AT_TAG, tag->bytes, sizeof(tag->bytes)) != 0)
		return false;
	out->sequence = get_be64(at + AT_SEQUENCE);
	out->sent_ns = get_be64(at + AT_SENT);
	return out->sequence != 0;
}

void udp_count_format(uint64_t count, unsigned char out[UDP_COUNT_BYTES])
{
	put_be64(out, count);
}

uint64_t udp_count_parse(const unsigned char in[UDP_COUNT_BYTES])
{
	return get_be64(in);
}
