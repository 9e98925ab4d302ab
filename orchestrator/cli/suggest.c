/* SPDX-License-Identifier: MIT */
#include "cli/suggest.h"

#include <string.h>

enum { WORD_MAX = 32, DISTANCE_MAX = 2 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Damerau-Levenshtein distance, restricted form: letters inserted, left out,
 * replaced, or swapped with their neighbour. Both words are below WORD_MAX.
 */
static size_t distance_of(const char *a, const char *b)
{
	size_t rows[WORD_MAX + 1][WORD_MAX + 1];
	size_t a_len = strlen(a);
	size_t b_len = strlen(b);

	for (size_t i = 0; i <= a_len; i++)
		rows[i][0] = i;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
			size_t d = least(rows[i - 1][j] + 1, rows[i][j - 1] + 1);

			d = least(d, rows[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = least(d, rows[i - 2][j - 2] + 1);
			rows[i][j] = d;
		}
	}
	return rows[a_len][b_len];
}

void suggest_offer(struct suggestion *s, const char *known)
{
	size_t len = strlen(s->word);
	size_t distance;

	if (len > WORD_MAX || strlen(known) > WORD_MAX)
		return;
	distance = distance_of(s->word, known);
	/* Half of a short word may not be wrong: "x" is not meant as "of". */
	if (distance > DISTANCE_MAX || distance * 2 > len)
		return;
	if (s->best != NULL && s->distance <= distance)
		return;
	s->best = known;
	s->distance = distance;
}
