/* SPDX-License-Identifier: MIT */
/* format.h - how a single value looks: figures, unknowns, foreign text. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/text.h"

#define FORMAT_BYTES 32

/* Three significant digits, never an exponent: 37.4, 0.476, 1240. NAN: "-". */
const char *format_figure(double value, char out[FORMAT_BYTES]);

/* A number of things that may be a median of such: 3, 2.5. NAN: "-". */
const char *format_tally(double value, char out[FORMAT_BYTES]);

/* "2026-11-30T21:14:05.123Z" -> "2026-11-30 21:14:05"; another text stays, NULL: "-". */
const char *format_utc(const char *iso, char out[FORMAT_BYTES]);

/* RESULT_UNKNOWN: "-". */
const char *format_count(int64_t value, char out[FORMAT_BYTES]);

/* A measured size, three significant digits: 3614208 -> "3.45M"; RESULT_UNKNOWN: "-". */
const char *format_about_bytes(int64_t bytes, char out[FORMAT_BYTES]);

/* One decimal: 99.8, 100.1. NAN: "-". */
const char *format_pct(double pct, char out[FORMAT_BYTES]);

/* A size as it is written in a topology, "64K"; RESULT_UNKNOWN: `unknown`. */
const char *format_size(int64_t bytes, const char *unknown, char out[FORMAT_BYTES]);

/* The unit in which several rates are told; a figure is rate / scale. */
struct format_unit {
	double scale;
	const char *name; /* "Gbit/s", "Mbit/s" */
};

/* Of rates up to `greatest` bits per second; NAN or 0, where none is known: Gbit/s. */
struct format_unit format_rate_unit(double greatest);

/* Adds s with control characters and what is no UTF-8 made visible (newline as \n, escape as
 * \x1b). */
void format_add_clean(struct text *out, const char *s);

/* Adds a reason, cleaned. "vm1 is down since 21:14: vm1: connection refused" names vm1 once. */
void format_add_reason(struct text *out, const char *reason);

/* Adds "1 cell", "2 cells". */
void format_add_things(struct text *out, size_t count, const char *thing);

/* Adds a word as a shell would take it whole: quoted where it must be. */
void format_add_shell_word(struct text *out, const char *word);

/* Columns that s takes: its UTF-8 code points. */
size_t format_width(const char *s);

/* Adds s and blanks up to `width` columns, before it when is_right. */
void format_add_padded(struct text *out, const char *s, size_t width, bool is_right);

/* Prints the line and a newline; the text is empty then. */
void format_print_line(FILE *out, struct text *line);

/* True for what JSON (RFC 8259) takes as a number. */
bool format_is_number(const char *s);

#endif
