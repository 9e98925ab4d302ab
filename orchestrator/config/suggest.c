/* SPDX-License-Identifier: MIT */
#include "config/suggest.h"

#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 64 };

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Insertions, deletions, replacements and swaps of neighbours (optimal string alignment);
 * upper and lower case are alike. Both words are at most WORD_MAX long. */
static size_t distance_of(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		above[j] = j;
	memcpy(before, above, (b_len + 1) * sizeof(*before));
	for (size_t i = 1; i <= a_len; i++) {
		size_t *oldest = before;

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			char ca = lower(a[i - 1]), cb = lower(b[j - 1]);

			row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == lower(b[j - 2]) && cb == lower(a[i - 2]) &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = above;
		above = row;
		row = oldest;
	}
	return above[b_len];
}

struct suggestion suggest_for(const char *word)
{
	return (struct suggestion){.word = word};
}

void suggest_try(struct suggestion *s, const char *candidate)
{
	size_t len = strlen(s->word), candidate_len = strlen(candidate);
	size_t shorter = len < candidate_len ? len : candidate_len;
	size_t longer = len < candidate_len ? candidate_len : len;
	/* A third of the word may be wrong, two letters at most. */
	size_t allowed = longer < 6 ? 1 : 2;
	size_t distance;

	if (len == 0 || longer > WORD_MAX || longer - shorter > allowed)
		return;
	distance = distance_of(s->word, len, candidate, candidate_len);
	if (distance > allowed || distance >= longer)
		return;
	if (s->best == NULL || distance < s->distance ||
	    (distance == s->distance && strcmp(candidate, s->best) < 0)) {
		s->best = candidate;
		s->distance = distance;
	}
}

const char *suggest_text(const struct suggestion *s, char out[SUGGEST_TEXT_BYTES])
{
	out[0] = '\0';
	if (s->best != NULL)
		(void)snprintf(out, SUGGEST_TEXT_BYTES, ", did you mean `%s`?", s->best);
	/* A candidate may be a name of the file that was refused, too. */
	for (char *c = out; *c != '\0'; c++)
		*c = (char)((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
	return out;
}
