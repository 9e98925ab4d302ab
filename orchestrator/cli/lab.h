/* SPDX-License-Identifier: MIT */
/*
 * lab.h - from operands to a topology and a plan, alike for all commands.
 *
 * The commands take `[FILE] [PROFILE...]`. The first operand is the FILE when
 * something of that name exists, it has a slash, ends in .yaml or .yml, or is
 * "-"; else it is a profile of ./lab.yaml.
 */
#ifndef CLI_LAB_H
#define CLI_LAB_H

#include "cli/command.h"
#include "plan/plan.h"

#define LAB_FILE     "lab.yaml"
#define LAB_DB       "results.db"
#define LAB_SEED_MAX ((uint64_t)INT64_MAX) /* what the database's integers hold */

struct lab_operands {
	const char *file;
	const char *const *profiles; /* borrowed from the operands */
	size_t profile_count;
};

void lab_split_operands(int count, char *operands[], struct lab_operands *out);

/*
 * Loads the file and prints its problems and notes to stderr as
 * FILE:line:column: text. Release *out with topology_done() in any case.
 */
bool lab_load(const struct command_context *ctx, const char *file, struct topology *out,
              struct err *err) NODISCARD;

/*
 * Makes the plan of what the user asked for. Where neither --seed nor the file
 * gives one, the seed is drawn here; it is in out->seed. Release with
 * plan_done(), before the topology.
 */
struct lab_request {
	const char *only;       /* --only, or NULL */
	struct option_u64 seed; /* --seed */
};
bool lab_plan(const struct topology *topo, const struct lab_operands *operands,
              const struct lab_request *request, struct plan *out, struct err *err) NODISCARD;

/*
 * The database that reading commands use: `db` (--db) when given, else the
 * store of ./lab.yaml where there is such a file, else ./results.db. Mistakes in
 * ./lab.yaml are noted on stderr; ERR_INPUT when its store cannot be read, since
 * a guess could show another lab's results.
 * *out lies in the arena or is `db`.
 */
bool lab_find_db(const struct command_context *ctx, const char *db, struct arena *arena,
                 const char **out, struct err *err) NODISCARD;

#endif
