/* SPDX-License-Identifier: MIT */
/*
 * number_set.h - a set of small numbers, as cores and streams are: "0-3,6".
 */
#ifndef COMMON_NUMBER_SET_H
#define COMMON_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

#define NUMBER_SET_MAX 1024u /* numbers are below this */

/* {0} is empty. */
struct number_set {
	uint64_t bits[NUMBER_SET_MAX / 64];
};

/* "0-3,6", in any order; a newline at the end, as files of the kernel have it, is no matter.
 * False when it is anything else, empty, or has a number that is too large. */
bool number_set_parse(const char *text, struct number_set *out) NODISCARD;

/* The same text, ascending; what does not fit is left out, at a comma. "" for none. */
void number_set_format(const struct number_set *s, char *out, size_t out_bytes);

void number_set_add(struct number_set *s, uint32_t number); /* below NUMBER_SET_MAX */
bool number_set_has(const struct number_set *s, uint32_t number);
uint32_t number_set_count(const struct number_set *s);
uint32_t number_set_nth(const struct number_set *s, uint32_t n); /* n from 0, below the count */

/* What is in both; what is in a and not in b. */
struct number_set number_set_both(const struct number_set *a, const struct number_set *b);
struct number_set number_set_less(const struct number_set *a, const struct number_set *b);

#endif
