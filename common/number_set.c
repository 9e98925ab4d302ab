/* SPDX-License-Identifier: MIT */
#include "common/number_set.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WORDS (NUMBER_SET_MAX / 64)

/* A number and where it ends. */
static bool take_number(const char **at, uint32_t *out)
{
	const char *start = *at;
	uint32_t n = 0;

	for (; **at >= '0' && **at <= '9' && n < NUMBER_SET_MAX; (*at)++)
		n = n * 10 + (uint32_t)(**at - '0');
	*out = n;
	return *at > start && n < NUMBER_SET_MAX;
}

bool number_set_parse(const char *text, struct number_set *out)
{
	*out = (struct number_set){0};
	for (;;) {
		uint32_t first;
		uint32_t last;

		if (!take_number(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_number(&text, &last))
				return false;
		}
		if (last < first)
			return false;
		for (; first <= last; first++)
			number_set_add(out, first);
		if (*text != ',')
			break;
		text++;
	}
	return strcmp(text, "") == 0 || strcmp(text, "\n") == 0;
}

void number_set_format(const struct number_set *s, char *out, size_t out_bytes)
{
	size_t len = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < NUMBER_SET_MAX; i++) {
		uint32_t last = i;
		char part[16];
		int n;

		if (!number_set_has(s, i))
			continue;
		while (last + 1 < NUMBER_SET_MAX && number_set_has(s, last + 1))
			last++;
		n = snprintf(part, sizeof(part), last > i ? "%s%u-%u" : "%s%u", len > 0 ? "," : "",
		             i, last);
		if (n <= 0 || len + (size_t)n >= out_bytes)
			return;
		memcpy(out + len, part, (size_t)n + 1);
		len += (size_t)n;
		i = last;
	}
}

void number_set_add(struct number_set *s, uint32_t number)
{
	assert(number < NUMBER_SET_MAX);
	s->bits[number / 64] |= UINT64_C(1) << number % 64;
}

bool number_set_has(const struct number_set *s, uint32_t number)
{
	return number < NUMBER_SET_MAX && (s->bits[number / 64] >> number % 64 & 1) != 0;
}

uint32_t number_set_count(const struct number_set *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < NUMBER_SET_MAX; i++)
		count += number_set_has(s, i);
	return count;
}

uint32_t number_set_nth(const struct number_set *s, uint32_t n)
{
	uint32_t i = 0;

	while (!number_set_has(s, i) || n-- > 0)
		i++;
	return i;
}

struct number_set number_set_both(const struct number_set *a, const struct number_set *b)
{
	struct number_set out;

	for (uint32_t i = 0; i < WORDS; i++)
		out.bits[i] = a->bits[i] & b->bits[i];
	return out;
}

struct number_set number_set_less(const struct number_set *a, const struct number_set *b)
{
	struct number_set out;

	for (uint32_t i = 0; i < WORDS; i++)
		out.bits[i] = a->bits[i] & ~b->bits[i];
	return out;
}
