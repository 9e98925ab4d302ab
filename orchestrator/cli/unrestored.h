/* SPDX-License-Identifier: MIT */
/*
 * unrestored.h - settings of hosts that are not restored: told first by every command that opens
 * a database, and by the exit status of whatever it does.
 */
#ifndef CLI_UNRESTORED_H
#define CLI_UNRESTORED_H

#include "cli/command.h"
#include "store/store.h"

/*
 * Looks into the database: "N settings are not restored: vnm restore" on stderr, and
 * *ctx->unrestored is N. Nothing while another vnm writes it: they are that run's. `db` is what
 * --db has to be for `vnm restore`; NULL: it need not be given.
 */
bool unrestored_tell(const struct command_context *ctx, struct store *store, const char *db,
                     struct err *err) NODISCARD;

#endif
