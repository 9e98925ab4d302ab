/* SPDX-License-Identifier: MIT */
/*
 * field.h - from a mapping of the user's file to a C struct, driven by a table.
 *
 * A row states everything that is known about one key: where it goes, its kind,
 * unit, range, default, what of it is not supported yet, and its meaning. The
 * loader and the reference in vnm-topology(5) come from the same rows. The kind
 * of the row decides what a text means: `on` is a toggle, a truth or a name.
 */
#ifndef CONFIG_FIELD_H
#define CONFIG_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/units.h"
#include "config/diag.h"
#include "config/node.h"
#include "config/suggest.h"
#include "config/text_rule.h"

enum field_kind {
	FIELD_TEXT, /* const char *, held to .rule; NULL for .zero_word */
	FIELD_NUMBER, /* uint16_t, uint32_t or uint64_t by .width, in .unit; .words are names of some */
	FIELD_REAL, /* double: the number times .scale */
	FIELD_WORD, /* int or bool by .width: the value of one of .words; .keeps_word: const char * */
	FIELD_WORDS, /* uint32_t: the values of some of .words, or-ed; one word counts as a list */
	FIELD_TEXTS, /* struct text_list of texts held to .rule; one text counts as a list of one */
	FIELD_MAP,   /* the struct at .offset, by .rows */
	FIELD_NODE   /* const struct node *: the caller reads it; .shape says what it is */
};

struct field_word {
	const char *word; /* NULL ends the list */
	int value;
	const char *refused; /* known, but not yet supported: what to do instead */
};

struct text_list {
	const char **at;
	const struct node **nodes; /* where each stands */
	size_t count;
};

#define FIELD_NOWHERE SIZE_MAX

struct field {
	const char *key; /* NULL ends the table */
	enum field_kind kind;
	size_t offset; /* FIELD_NOWHERE: checked, but kept nowhere */
	size_t width;
	bool required;
	enum text_rule rule;
	enum unit unit;
	uint64_t min, max;     /* of numbers and reals (before .scale); checked when max != 0 */
	const char *zero_word; /* FIELD_NUMBER, FIELD_TEXT: `default`: stands for 0, NULL */
	double scale;
	const struct field_word *words;
	bool keeps_word; /* FIELD_WORD: the member is the word itself */
	const struct field *rows;
	const char
		*example;   /* FIELD_MAP and FIELD_NODE: how it is written, for messages; or NULL */
	const char *shape;  /* FIELD_NODE: "a list of pairs", for the reference */
	const char *preset; /* what holds when the key is absent, as the user would write it */
	const char *later;  /* a note when given: not yet supported, and what happens instead */
	const char *refused; /* an error when given: not yet supported, and what to do */
	const char *help;
};

/* Where a member goes. */
#define FIELD_AT(type, member) \
	.offset = offsetof(type, member), .width = sizeof(((type *)0)->member)

/* Truth: true, false, on, off, yes, no. For a bool member. */
extern const struct field_word field_truth[];

/* A table and the struct that it fills. One mapping may fill several. */
struct field_part {
	const struct field *rows;
	void *out;
	uint64_t given; /* result: bit i = row i was there, whether its value was right or not */
	uint64_t meant; /* result: bit i = an unknown key is near to row i, and was told */
};

struct field_loader {
	struct arena *arena; /* takes strings and lists */
	struct diag_list *diags;
	const char *home;   /* replaces the ~ of TEXT_PATH; NULL: unknown */
	bool skips_presets; /* absent keys leave the struct alone */
	/*
	 * Asked for keys that are in no table: true = has dealt with it. It may
	 * offer names that would have been right. NULL: there are none.
	 */
	bool (*other_key)(void *arg, const struct node_entry *entry, struct suggestion *names);
	void *arg;
	const char *other_keys; /* what else other_key takes, for messages; NULL: nothing */
};

/*
 * Reads a mapping into the parts. Unknown keys, missing ones and bad values go
 * to diags; what could not be read keeps the value it had. False when `map` is
 * no mapping.
 */
bool field_load(const struct field_loader *l, const struct node *map, struct field_part *parts,
                size_t part_count);

/* Reads one value as the row says, into the struct at out. False when it is wrong (and told). */
bool field_load_value(const struct field_loader *l, const struct field *row,
                      const struct node *value, void *out);

/* The row of a key, NULL when there is none. */
const struct field *field_find(const struct field *rows, const char *key);

/*
 * True when node is of that kind; otherwise tells "`what` must be a list such as
 * `example`, not ...". `example` may be NULL.
 */
bool field_want(const struct field_loader *l, const struct node *node, enum node_kind kind,
                const char *what, const char *example);

#endif
