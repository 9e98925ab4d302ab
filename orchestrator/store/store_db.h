/* SPDX-License-Identifier: MIT */
/*
 * store_db.h - what the files of store/ share: the open database and the run
 * that is being written. Not for other folders.
 */
#ifndef STORE_STORE_DB_H
#define STORE_STORE_DB_H

#include "common/arena.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/store_lock.h"

#define STORE_APPLICATION_ID 0x564E4D31 /* 'VNM1' */

/* One numbered step of the schema; schemas/results/NNN_*.sql. */
struct store_script {
	int version; /* of the database after it */
	const char *description;
	const char *sql;
};

/* What store_open() rests on; tests give other scripts, less patience, another file system. */
struct store_options {
	const struct store_script
		*scripts; /* ascending, from version 1; the last one's version is ours */
	size_t script_count;
	const char *views; /* SQL text: CREATE VIEW statements */
	int busy_ms;
	/* Name of the network file system that the file lies on, NULL for a local one. */
	const char *(*network_system)(const char *path);
};
extern const struct store_options store_defaults;

/* Row numbers of the run that is written, by the indices of its plan and topology. */
struct store_ids {
	struct arena arena;
	int64_t run_id;
	int64_t *cells; /* by index in the plan */
	size_t cell_count;
	int64_t *hosts; /* by index in the topology */
	size_t host_count;
	size_t *first_nic; /* by host: where its NICs begin in `nics` */
	int64_t *nics;
};

struct store {
	struct sql sql;
	char *path; /* canonical; malloc'ed */
	char *name; /* as the user wrote it; malloc'ed */
	enum store_mode mode;
	int version; /* schema version of the file when it was opened for reading */
	struct store_options options;
	struct store_lock lock;
	char warning[256]; /* becomes an event of the next run; "" for none */
	struct store_ids ids;
	struct result_sink sink;
};

struct store *store_open_with(const char *path, enum store_mode mode,
                              const struct store_options *options, struct err *err) NODISCARD;

/* Version of the schema that the options' scripts end with. */
int store_schema_version(const struct store_options *options) NODISCARD;

/* Opened for writing and new or older: brings it up to date. `version` is the file's. */
bool store_migrate(struct store *store, int version, struct err *err) NODISCARD;

/* Recreates the views when they are not those of this program. */
bool store_refresh_views(struct store *store, struct err *err) NODISCARD;

/* True when this program can read the database whatever its version: its columns are there. */
bool store_can_read(struct store *store) NODISCARD;

/* Commits the transaction of a result; fails when the file is not where it was any more. */
bool store_commit(struct store *store, struct err *err) NODISCARD;

/* Recomputes cell_stats of a cell from its tests; within the caller's transaction. */
bool store_put_cell_stats(struct store *store, int64_t cell_id, struct err *err) NODISCARD;

/* Adds an event to the run; host_id SQL_UNKNOWN: none. Within the caller's transaction or alone. */
bool store_put_event(struct store *store, const char *level, int64_t host_id, const char *message,
                     struct err *err) NODISCARD;

/* Hosts and NICs of the topology, found or made, and their rows of the run: ids but the cells. */
bool store_put_lab(struct store *store, const struct topology *topo, struct store_ids *ids,
                   struct err *err) NODISCARD;

/* The store's run is now this one; takes the arena over. */
void store_set_ids(struct store *store, const struct store_ids *ids);

/* What open had to warn of becomes an event of the run. */
bool store_put_warning(struct store *store, struct err *err) NODISCARD;

/* The functions of the sink, in store_write.c. */
void store_sink_init(struct store *store);

/* store_facts.c: sink's facts. */
bool store_put_facts(struct store *store, const struct result_fact *facts, size_t count,
                     struct err *err) NODISCARD;

#endif
