/* SPDX-License-Identifier: MIT */
/*
 * units.h - quantities as people write them, to and from integers.
 *
 * Inside the program a quantity is an integer in the unit that its name ends
 * with: _bytes, _ns, _ms, _bps (bits per second). Text appears only at the
 * edges (topology, command line, reports), and only this file reads it.
 */
#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"

enum unit {
	UNIT_COUNT, /* 8 */
	UNIT_BYTES, /* 4096, 64K, 1M, 2G, 1MiB: powers of 1024, as iperf3's -w and -l; case is ignored */
	UNIT_MS,      /* 500ms, 10s, 2m, 1h: always with a unit */
	UNIT_BPS,     /* 100G, 2.5G, 500M: decimal, bits per second */
	UNIT_PERMILLE /* 2%, 0.5%: thousandths, 2% = 20 */
};

/* Reads all of text. False on anything else than a decimal number (no sign, no
 * leading zero before a digit; a fraction where the result is whole) with a
 * fitting suffix, and on overflow; *out is then untouched. */
bool units_parse(enum unit unit, const char *text, uint64_t *out) NODISCARD;

/* What units_parse() wants, for messages: "a size such as 4096, 64K or 12M". */
const char *units_wanted(enum unit unit);

#define UNITS_TEXT_BYTES 32

/* 65536 -> "64K", 12582912 -> "12M", 1500 -> "1500": reads back to the same number. */
const char *units_format_bytes(uint64_t bytes, char out[UNITS_TEXT_BYTES]);
/* 1500 -> "1.5s", 200 -> "200ms", 120000 -> "2m". Reads back to the same number. */
const char *units_format_ms(uint64_t ms, char out[UNITS_TEXT_BYTES]);
/* 2500000000 -> "2500M", 8000 -> "8K": reads back to the same number. */
const char *units_format_bps(uint64_t bps, char out[UNITS_TEXT_BYTES]);
/* For people, three significant digits: 476.3e6 -> "476 Mbit/s", 37.44e9 -> "37.4 Gbit/s". NaN -> "-". */
const char *units_format_rate(double bps, char out[UNITS_TEXT_BYTES]);
/* A length for people: 95 s -> "1 min 35 s", 59 min -> "59 min", 9.7 h -> "9 h 40 min". */
const char *units_format_eta(uint64_t ms, char out[UNITS_TEXT_BYTES]);

#endif
