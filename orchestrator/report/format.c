/* SPDX-License-Identifier: MIT */
#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/units.h"
#include "common/utf8.h"
#include "run/result.h"

enum { DIGITS = 3, DECIMALS_MAX = 9 };

const char *format_figure(double value, char out[FORMAT_BYTES])
{
	int exponent;
	int decimals;

	if (!isfinite(value)) {
		(void)snprintf(out, FORMAT_BYTES, "-");
		return out;
	}
	/* Only rounding tells the exponent: 9.996 becomes 10.0. */
	(void)snprintf(out, FORMAT_BYTES, "%.*e", DIGITS - 1, value);
	exponent = (int)strtol(strchr(out, 'e') + 1, NULL, 10);
	decimals = DIGITS - 1 - exponent;
	if (decimals < 0 || value == 0)
		decimals = 0;
	if (decimals > DECIMALS_MAX)
		decimals = DECIMALS_MAX;
	if (exponent < FORMAT_BYTES - 4)
		(void)snprintf(out, FORMAT_BYTES, "%.*f", decimals, value);
	return out;
}

const char *format_tally(double value, char out[FORMAT_BYTES])
{
	if (!isfinite(value))
		(void)snprintf(out, FORMAT_BYTES, "-");
	else
		(void)snprintf(out, FORMAT_BYTES, "%.*f", value == floor(value) ? 0 : 1, value);
	return out;
}

const char *format_utc(const char *iso, char out[FORMAT_BYTES])
{
	(void)snprintf(out, FORMAT_BYTES, "%s", iso == NULL ? "-" : iso);
	if (iso != NULL && strlen(iso) == CLOCK_UTC_BYTES - 1 && iso[10] == 'T') {
		out[10] = ' ';
		out[19] = '\0';
	}
	return out;
}

const char *format_count(int64_t value, char out[FORMAT_BYTES])
{
	if (value == RESULT_UNKNOWN)
		(void)snprintf(out, FORMAT_BYTES, "-");
	else
		(void)snprintf(out, FORMAT_BYTES, "%" PRId64, value);
	return out;
}

const char *format_size(int64_t bytes, const char *unknown, char out[FORMAT_BYTES])
{
	char size[UNITS_TEXT_BYTES];

	(void)snprintf(out, FORMAT_BYTES, "%s",
	               bytes < 0 ? unknown : units_format_bytes((uint64_t)bytes, size));
	return out;
}

const char *format_about_bytes(int64_t bytes, char out[FORMAT_BYTES])
{
	static const struct {
		double factor;
		const char *suffix;
	} steps[] = {{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}};
	char figure[FORMAT_BYTES];

	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		if ((double)bytes < steps[i].factor)
			continue;
		(void)snprintf(out, FORMAT_BYTES, "%.8s%s",
		               format_figure((double)bytes / steps[i].factor, figure),
		               steps[i].suffix);
		return out;
	}
	return format_count(bytes, out);
}

const char *format_pct(double pct, char out[FORMAT_BYTES])
{
	if (!isfinite(pct))
		(void)snprintf(out, FORMAT_BYTES, "-");
	else
		(void)snprintf(out, FORMAT_BYTES, "%.1f", pct);
	return out;
}

struct format_unit format_rate_unit(double greatest)
{
	/* What rounds to 1000 Mbit/s is told in the greater unit already. */
	if (greatest > 0 && greatest < 999.5e6)
		return (struct format_unit){1e6, "Mbit/s"};
	return (struct format_unit){1e9, "Gbit/s"};
}

/* The second set of control characters, U+0080 to U+009F: some terminals obey them too. */
static bool is_c1(const char *s)
{
	return (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] < 0xa0;
}

void format_add_clean(struct text *out, const char *s)
{
	static const struct {
		char c;
		const char *shown;
	} names[] = {{'\n', "\\n"}, {'\t', "\\t"}, {'\r', "\\r"}};

	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;
		size_t length = utf8_length(s);
		size_t i = 0;

		if (length > 0 && c >= ' ' && c != 0x7f && !is_c1(s)) {
			text_add_bytes(out, s, length);
			s += length - 1;
			continue;
		}
		while (i < COUNT_OF(names) && names[i].c != *s)
			i++;
		if (i < COUNT_OF(names))
			text_add(out, names[i].shown);
		else
			text_printf(out, "\\x%02x", (unsigned)c);
	}
}

/* Where ": NAME: " repeats the NAME that the reason begins with, else its end. */
static const char *find_second_name(const char *reason, size_t name_len)
{
	const char *at = reason + strlen(reason);

	if (name_len == 0)
		return at;
	for (const char *s = strstr(reason, ": "); s != NULL; s = strstr(s + 2, ": ")) {
		if (strncmp(s + 2, reason, name_len) == 0 &&
		    strncmp(s + 2 + name_len, ": ", 2) == 0)
			return s;
	}
	return at;
}

void format_add_reason(struct text *out, const char *reason)
{
	size_t name_len = strcspn(reason, " :");
	const char *second = find_second_name(reason, name_len);
	struct text kept = {0};

	text_add_bytes(&kept, reason, (size_t)(second - reason));
	if (*second != '\0')
		text_add(&kept, second + 2 + name_len);
	format_add_clean(out, text_str(&kept));
	text_done(&kept);
}

void format_add_things(struct text *out, size_t count, const char *thing)
{
	text_printf(out, "%zu %s%s", count, thing, count == 1 ? "" : "s");
}

void format_add_shell_word(struct text *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:=,@%+-";

	if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
		text_add(out, word);
		return;
	}
	text_add(out, "'");
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			text_add(out, "'\\''");
		else
			text_add_bytes(out, word, 1);
	}
	text_add(out, "'");
}

size_t format_width(const char *s)
{
	size_t width = 0;

	for (; *s != '\0'; s++)
		width += ((unsigned char)*s & 0xc0) != 0x80;
	return width;
}

static void add_blanks(struct text *out, size_t count)
{
	while (count-- > 0)
		text_add(out, " ");
}

void format_add_padded(struct text *out, const char *s, size_t width, bool is_right)
{
	size_t own = format_width(s);
	size_t missing = own < width ? width - own : 0;

	if (is_right)
		add_blanks(out, missing);
	text_add(out, s);
	if (!is_right)
		add_blanks(out, missing);
}

void format_print_line(FILE *out, struct text *line)
{
	(void)fprintf(out, "%s\n", text_str(line));
	text_clear(line);
}

static size_t digits_at(const char *s)
{
	return strspn(s, "0123456789");
}

bool format_is_number(const char *s)
{
	s += *s == '-';
	if (digits_at(s) == 0 || (s[0] == '0' && digits_at(s) > 1))
		return false;
	s += digits_at(s);
	if (*s == '.') {
		if (digits_at(++s) == 0)
			return false;
		s += digits_at(s);
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		if (digits_at(s) == 0)
			return false;
		s += digits_at(s);
	}
	return *s == '\0';
}
