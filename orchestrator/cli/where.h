/* SPDX-License-Identifier: MIT */
/*
 * where.h - the language of --where: which measured cells are wanted.
 *
 *	class=vm-vm*,streams=4|8,window=default
 *
 * The same grammar as --only of a plan: terms between commas must all hold, a
 * term is key=value or key=value|value, and a value may end in *, which stands
 * for any rest. Cores are written with + for their commas: affinity=0-3+6.
 */
#ifndef CLI_WHERE_H
#define CLI_WHERE_H

#include "store/dataset.h"

struct where_key;

/* A term, as it was written. */
struct where_term {
	const struct where_key *key;
	const char **values;
	size_t value_count;
};

struct where {
	struct where_term *terms;
	size_t count;
};

/* text NULL: everything fits. Lists lie in the arena. ERR_USAGE names the term and the keys there are. */
bool where_parse(const char *text, struct arena *arena, struct where *out,
                 struct err *err) NODISCARD;

bool where_fits(const struct where *where, const struct dataset_cell *cell);

#endif
