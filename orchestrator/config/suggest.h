/* SPDX-License-Identifier: MIT */
/* suggest.h - which known word was meant by an unknown one ("did you mean"). */
#ifndef CONFIG_SUGGEST_H
#define CONFIG_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word; /* what was written; borrowed */
	const char *best; /* the nearest candidate so far, NULL: none is near; borrowed */
	size_t distance;
};

struct suggestion suggest_for(const char *word);

/* Offers a word that would have been right. Of two that are equally near the first in the
 * alphabet is kept, so that the order of offers does not matter. */
void suggest_try(struct suggestion *s, const char *candidate);

#define SUGGEST_TEXT_BYTES 100

/* ", did you mean `window`?", or "" when nothing is near. Control characters are shown as `?`. */
const char *suggest_text(const struct suggestion *s, char out[SUGGEST_TEXT_BYTES]);

#endif
