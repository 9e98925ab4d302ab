/* SPDX-License-Identifier: MIT */
/*
 * suggest.h - "did you mean": the known word nearest to one that is not known.
 *
 *	struct suggestion s = {.word = "chekc"};
 *	suggest_offer(&s, "check"); ...
 *	if (s.best != NULL) ...
 */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word;
	const char *best; /* NULL while nothing near was offered */
	size_t distance;  /* of best */
};

/* `known` must outlive the suggestion. Of two equally near words the first offered stays. */
void suggest_offer(struct suggestion *s, const char *known);

#endif
