/* SPDX-License-Identifier: MIT */
/*
 * preamble.h - the fixed header that opens every data connection.
 *
 *	bytes	0..3	magic "VNMD"
 *		4..5	version, big-endian (WIRE_VERSION)
 *		6..7	stream, big-endian: 0 = round-trip probe, 1..n = data stream
 *		8	kind: 0 = probe, 1 = connector sends data, 2 = connector receives data
 *		9..15	zero
 *		16..31	token of the test
 *
 * A listener answers a good preamble with one byte, PREAMBLE_ACCEPTED; anything
 * else is closed without an answer and does not disturb the test. On a probe
 * every further byte is echoed.
 *
 * On a stream of requests and responses, data flows both ways, and the first byte
 * of a response is PREAMBLE_ENOUGH once the receiver's measured time is over.
 *
 * On others data flows one way. The other way carries one byte a test: when its measured
 * time is over the receiver writes PREAMBLE_ENOUGH on stream 1, so the sender
 * knows that it may stop; then end of file, when the receiver has all.
 *
 * With udp the data are datagrams on the ports of the connection; the connection
 * carries the same signals and, before the sender's end of file, the number of
 * datagrams it has sent (8 bytes, big-endian). Each end opens its socket for them
 * before it writes the preamble or PREAMBLE_ACCEPTED.
 */
#ifndef COMMON_WIRE_PREAMBLE_H
#define COMMON_WIRE_PREAMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"

#define PREAMBLE_BYTES       32
#define PREAMBLE_TOKEN_BYTES 16
#define PREAMBLE_TOKEN_HEX   33 /* hex and NUL */
#define PREAMBLE_ACCEPTED    0x56
#define PREAMBLE_ENOUGH      0x45

enum preamble_kind { PREAMBLE_PROBE, PREAMBLE_CONNECTOR_SENDS, PREAMBLE_CONNECTOR_RECEIVES };

struct preamble {
	uint16_t stream;
	enum preamble_kind kind;
	unsigned char token[PREAMBLE_TOKEN_BYTES];
};

void preamble_format(const struct preamble *p, unsigned char out[PREAMBLE_BYTES]);

/* False when magic, version, kind or the zero bytes are not as they must be, or
 * when the stream number does not fit the kind. */
bool preamble_parse(const unsigned char in[PREAMBLE_BYTES], struct preamble *out) NODISCARD;

/* 32 hex digits to 16 bytes; false on anything else. */
bool preamble_token_parse(const char *hex, unsigned char out[PREAMBLE_TOKEN_BYTES]) NODISCARD;

/* Compares in constant time. */
bool preamble_token_equal(const unsigned char a[PREAMBLE_TOKEN_BYTES],
                          const unsigned char b[PREAMBLE_TOKEN_BYTES]) NODISCARD;

#endif
