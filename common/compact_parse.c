/* SPDX-License-Identifier: MIT */
#include "common/compact_parse.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* The same place, as one that may be written to: so the C library's have it. */
static char *without_const(const char *at)
{
	return strchr(at, *at);
}

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A') + 10;
	return UINT_MAX;
}

/* 0x stands before a hexadecimal digit only. */
static const char *skip_prefix(const char *at, unsigned base)
{
	if (base == 16 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2]) < base)
		return at + 2;
	return at;
}

static unsigned long long parse(const char *text, char **end, unsigned base, unsigned long long max)
{
	const char *at = text;
	unsigned long long n = 0;
	bool is_negative;
	bool is_over = false;
	bool has_digits = false;

	while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
		at++;
	is_negative = *at == '-';
	if (*at == '-' || *at == '+')
		at++;
	at = skip_prefix(at, base);
	for (; digit_of(*at) < base; at++) {
		has_digits = true;
		if (n > (max - digit_of(*at)) / base)
			is_over = true;
		else
			n = n * base + digit_of(*at);
	}
	if (end != NULL)
		*end = without_const(has_digits ? at : text);
	if (is_over) {
		errno = ERANGE;
		return max;
	}
	return is_negative ? (0 - n) & max : n;
}

unsigned long compact_strtoul(const char *text, char **end, int base)
{
	return (unsigned long)parse(text, end, (unsigned)base, ULONG_MAX);
}

unsigned long long compact_strtoull(const char *text, char **end, int base)
{
	return parse(text, end, (unsigned)base, ULLONG_MAX);
}

char *compact_strstr(const char *text, const char *part)
{
	size_t len = strlen(part);

	for (; strncmp(text, part, len) != 0; text++) {
		if (*text == '\0')
			return NULL;
	}
	return without_const(text);
}
