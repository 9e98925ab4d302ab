/* SPDX-License-Identifier: MIT */
/*
 * store.h - the results database: one SQLite file, schema in schemas/results.
 *
 * The only folder that knows SQLite. A store opened for writing holds the
 * database's run lock (a lock file beside it), so that two runs never write the
 * same file; readers (STORE_READ, sqlite3) are never hindered. One writer
 * thread. Every store_put_* is one transaction, durable (WAL, synchronous FULL)
 * when it returns true. A function that finds the database busy waits up to
 * STORE_BUSY_MS; a full disk is ERR_SYSTEM with the file and what to do.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdio.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "plan/plan.h"
#include "run/journal.h"
#include "run/result.h"

#define STORE_BUSY_MS 10000

struct store;

enum store_mode {
	STORE_READ, /* must exist; opened read-only */
	STORE_WRITE /* made when missing, migrated when older (after a copy), run lock taken */
};

/*
 * ERR_SYSTEM: cannot be opened, is damaged, disk full. ERR_INPUT: not a vnm
 * database, or newer than this program (reading a newer one is allowed where
 * its views still work; writing never). ERR_USAGE: another vnm run holds the
 * run lock (its pid is named).
 */
struct store *store_open(const char *path, enum store_mode mode, struct err *err) NODISCARD;
void store_close(struct store *store);

/* The file's schema version where a newer vnm wrote it (STORE_READ alone), else 0. */
int store_newer_schema(const struct store *store);

/* ---- writing a run ---- */

struct store_new_run {
	const char *name;    /* topology's name */
	const char *profile; /* names with blanks between */
	const char *only;    /* --only, NULL: none */
	const char *argv;    /* command line, for the record */
	const char *origin;  /* "measured", "demo" */
	const char *design;  /* "split-plot", "random", "serial" */
	const char *tool_version, *agent_sha256, *controller, *operator_name;
};

/* Writes run, hosts, NICs, configs, cells (pending): one transaction. *run_id is the new run. */
bool store_begin_run(struct store *store, const struct plan *plan, const struct store_new_run *run,
                     int64_t *run_id, struct err *err) NODISCARD;

/* A run that can go on. Strings are malloc'ed, released by store_resumable_done(). */
struct store_resumable {
	int64_t run_id;
	char *topology_yaml;
	char *topology_path; /* as it was given */
	char *profile, *only;
	uint64_t seed;
	char *plan_sha256;
};

/*
 * The newest run whose status is not "complete" (one where only cells skipped by
 * choice have no result is complete: see store_end_run) and whose topology has this sha256, or
 * any newest one when topology_sha256 is NULL. *found false: there is none.
 */
bool store_find_resumable(struct store *store, const char *topology_sha256,
                          struct store_resumable *out, bool *found, struct err *err) NODISCARD;
void store_resumable_done(struct store_resumable *r);

/*
 * Goes on with a run: checks that `plan` is the stored one (ERR_INPUT with the
 * reason when not), sets it running. done[slot] (plan->slot_count entries, the
 * caller's) is set true for each test that is kept with status ok. Every cell
 * that is not done becomes pending again, those that were invalid or skipped by
 * choice too: what stood against them may have been mended meanwhile.
 */
bool store_resume_run(struct store *store, int64_t run_id, const struct plan *plan, bool *done,
                      struct err *err) NODISCARD;

/* The sink for the run that was begun or resumed; valid until store_close(). */
const struct result_sink *store_sink(struct store *store);

/* status: "complete", "interrupted", "failed", "aborted". */
bool store_end_run(struct store *store, const char *status, struct err *err) NODISCARD;

/* ---- the settings journal ---- */

/* Valid until store_close(). `intend` is for the run that was begun or resumed; `update` for any. */
struct journal_sink store_journal(struct store *store);

/* Settings of hosts that are not proven to be as before: those that have rows that are not closed. */
bool store_count_changes(struct store *store, size_t *out, struct err *err) NODISCARD;

struct store_changes {
	struct arena arena; /* of the rows' texts */
	struct journal_row *at;
	size_t count;
};

/* The rows that are not closed, the newest first. Release with store_changes_done(). */
bool store_load_changes(struct store *store, struct store_changes *out, struct err *err) NODISCARD;
void store_changes_done(struct store_changes *changes);

/* True for a reader while some vnm writes the database: what is changed now is its business. */
bool store_is_written_elsewhere(const struct store *store);

/* The topology that a run was made with. */
struct store_topology {
	const char *path; /* as it was given; NULL: not known */
	const char *yaml;
};
bool store_load_topology(struct store *store, int64_t run_id, struct arena *arena,
                         struct store_topology *out, struct err *err) NODISCARD;

/* ---- free queries: `vnm sql` ---- */

/* One row: values[i] NULL for SQL NULL. false stops the query (no error). */
typedef bool store_row_fn(void *arg, int columns, const char *const *names,
                          const char *const *values);

/* One read-only statement; anything that would write is refused (ERR_USAGE). */
bool store_query(struct store *store, const char *sql, store_row_fn *row, void *arg,
                 struct err *err) NODISCARD;

#endif
