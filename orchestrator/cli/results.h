/* SPDX-License-Identifier: MIT */
/* results.h - what commands that read results have in common: --db, RUN, formats. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "cli/command.h"
#include "report/report.h"
#include "report/writer.h"
#include "store/dataset.h"

/* A database opened for reading. */
struct results {
	struct arena arena;
	const char *db_path;
	struct store *store;
};

/* `db` is --db, NULL when not given (see lab_find_db). Release with results_close() in any case. */
bool results_open(const struct command_context *ctx, const char *db, struct results *out,
                  struct err *err) NODISCARD;
void results_close(struct results *r);

/* How reports look on stdout. */
struct report_style results_style(const struct command_context *ctx, const struct results *r);

/* A number above 0: a RUN or CELL. `what` names it in the message. */
bool results_parse_id(const char *what, const char *text, int64_t *out, struct err *err) NODISCARD;

/* RUN as typed: a number, or "last"; NULL is last too. *out is 0 for the newest. */
bool results_parse_run(const char *text, int64_t *out, struct err *err) NODISCARD;

/* Text, or what --csv or --json ask for. ERR_USAGE for both. */
bool results_pick_format(bool csv, bool json, const struct writer_format **out,
                         struct err *err) NODISCARD;

#endif
