/* SPDX-License-Identifier: MIT */
/*
 * sql.h - SQLite's calls with struct err, values and rows as tables.
 *
 * A connection is used by one thread. Statements from sql_prepare() are ended
 * with sqlite3_finalize(). Every failure names the database as the user wrote
 * it and says what to do where that is sure.
 *
 * Unknown values are SQL NULL both ways: NULL for text, NAN, SQL_UNKNOWN.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"

#define SQL_UNKNOWN INT64_MIN /* the same as RESULT_UNKNOWN */

struct sql {
	sqlite3 *db;
	const char *name; /* for messages; the caller's */
	int version;      /* of the schema, where it may be older than ours; 0: it is ours */
	int busy_ms;      /* how long a lock of somebody else is waited for */
};

enum sql_kind {
	SQL_TEXT,  /* const char * */
	SQL_INT,   /* int64_t, SQL_UNKNOWN is NULL */
	SQL_U32,   /* uint32_t */
	SQL_U64,   /* uint64_t; as int64_t in the database */
	SQL_COUNT, /* read only: int64_t, NULL is 0 */
	SQL_REAL   /* double, NAN is NULL */
};

/* A value to bind. */
struct sql_value {
	enum sql_kind kind; /* SQL_TEXT, SQL_INT, SQL_REAL */
	const char *text;
	int64_t integer;
	double real;
};
struct sql_value sql_text(const char *text);
struct sql_value sql_int(int64_t integer);
struct sql_value sql_real(double real);

struct sql_values {
	const struct sql_value *at;
	size_t count;
};
/* Values for ?1, ?2, ...: SQL_VALUES(sql_int(run_id), sql_text(name)). */
#define SQL_VALUES(...)                                                        \
	((struct sql_values){(const struct sql_value[]){__VA_ARGS__},          \
	                     sizeof((const struct sql_value[]){__VA_ARGS__}) / \
	                             sizeof(struct sql_value)})

/* A member of a struct and its column; for reading `name` may be an expression. */
struct sql_column {
	const char *name;
	enum sql_kind kind;
	size_t offset;
	int since; /* schema version that brought the column, for reading; 0: the first */
};

/* Opens without creating; flags as for sqlite3_open_v2(). `path` may be a file: URI. */
bool sql_open(struct sql *sql, const char *path, int flags, struct err *err) NODISCARD;
void sql_close(struct sql *sql);

/* Fills *err for a result code of sqlite3_*(); returns false. */
bool sql_fail(const struct sql *sql, int rc, struct err *err);

/* One or more statements without values and rows. */
bool sql_exec(struct sql *sql, const char *text, struct err *err) NODISCARD;

bool sql_prepare(struct sql *sql, const char *text, sqlite3_stmt **out, struct err *err) NODISCARD;
bool sql_bind(struct sql *sql, sqlite3_stmt *stmt, struct sql_values values,
              struct err *err) NODISCARD;
/* *row: there is one. */
bool sql_step(struct sql *sql, sqlite3_stmt *stmt, bool *row, struct err *err) NODISCARD;

/* Binds, runs to the end and resets: for statements used many times. */
bool sql_put(struct sql *sql, sqlite3_stmt *stmt, struct sql_values values,
             struct err *err) NODISCARD;

/* Prepares, runs and forgets one statement. */
bool sql_run(struct sql *sql, const char *text, struct sql_values values,
             struct err *err) NODISCARD;

/* The first value of the first row; SQL_UNKNOWN when there is no row or it is NULL. */
bool sql_get_int(struct sql *sql, const char *text, struct sql_values values, int64_t *out,
                 struct err *err) NODISCARD;

/* BEGIN IMMEDIATE, so that a lock of somebody else is met here and nowhere else. */
bool sql_begin(struct sql *sql, struct err *err) NODISCARD;
bool sql_commit(struct sql *sql, struct err *err) NODISCARD;
void sql_rollback(struct sql *sql); /* harmless when there is nothing to roll back */

/* "<into>(<extra>, <columns>) VALUES(?1, ...)", into as "INSERT INTO tests": the caller binds the
 * extra ones with sql_bind(), the others with sql_bind_row(). */
bool sql_prepare_insert(struct sql *sql, const char *into, const char *extra,
                        const struct sql_column *columns, sqlite3_stmt **out,
                        struct err *err) NODISCARD;
/* Binds *base's members to parameters from `first` (from 1) on. */
bool sql_bind_row(struct sql *sql, sqlite3_stmt *stmt, int first, const struct sql_column *columns,
                  const void *base, struct err *err) NODISCARD;

/* "SELECT <columns> <rest>"; a column that the schema does not have yet is NULL. */
bool sql_prepare_select(struct sql *sql, const struct sql_column *columns, const char *rest,
                        sqlite3_stmt **out, struct err *err) NODISCARD;
/* Fills *base from the current row; strings go to the arena. */
void sql_read_row(sqlite3_stmt *stmt, const struct sql_column *columns, struct arena *arena,
                  void *base);

#endif
