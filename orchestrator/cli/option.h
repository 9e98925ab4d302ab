/* SPDX-License-Identifier: MIT */
/*
 * option.h - command-line options from a table.
 *
 * One row per option. Parsing and `--help` are made from the same rows, and a
 * test compares vnm(1) with them, so they cannot disagree. Options may stand
 * before, between and after operands; `--` ends them. `--name value`,
 * `--name=value`, `-n value`, `-nvalue` and joined flags (`-ab`) are read; names
 * are never abbreviated, so a new option cannot break an old script.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/err.h"
#include "common/units.h"

enum option_kind {
	OPTION_FLAG,   /* bool */
	OPTION_TEXT,   /* const char *, borrowed from argv */
	OPTION_PAIR,   /* struct option_pair: takes two values */
	OPTION_LIST,   /* struct option_list: may be given again */
	OPTION_CHOICE, /* unsigned: index into .choices */
	OPTION_U64     /* struct option_u64, read with .unit */
};

struct option_pair {
	const char *first, *second; /* borrowed from argv; NULL: not given */
};

struct option_list {
	const char **at; /* borrowed texts; the list is the arena's */
	size_t count;
};

struct option_u64 {
	bool is_given;
	uint64_t value;
};

struct option_spec {
	const char *name; /* long name, without dashes */
	char letter;      /* 0: none */
	enum option_kind kind;
	size_t offset;              /* into the command's options struct */
	enum unit unit;             /* OPTION_U64 */
	uint64_t max;               /* OPTION_U64; 0: any */
	const char *const *choices; /* OPTION_CHOICE; ends with NULL */
	const char *value;          /* placeholder in help, such as "FILE"; NULL for a flag */
	const char *help;
};

/* What follows the command's name. */
struct option_args {
	int count;
	char **at;
	bool wants_help; /* --help or -h was among them; the rest was not read */
};

/*
 * Reads the options out of *args into *options (zeroed by the caller) and
 * leaves the operands in it, in their order. `specs` ends with a row whose name
 * is NULL; NULL means that there are none. ERR_USAGE: an unknown option, a
 * missing or bad value, an option given twice that is no list or flag.
 */
bool option_parse(const struct option_spec *specs, struct option_args *args, void *options,
                  struct arena *arena, struct err *err) NODISCARD;

/* The options as `--help` shows them, one a line. */
void option_print(FILE *out, const struct option_spec *specs);

#endif
