/* SPDX-License-Identifier: MIT */
#include "store/sql.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/oom.h"
#include "common/text.h"

struct sql_value sql_text(const char *text)
{
	return (struct sql_value){.kind = SQL_TEXT, .text = text};
}

struct sql_value sql_int(int64_t integer)
{
	return (struct sql_value){.kind = SQL_INT, .integer = integer};
}

struct sql_value sql_real(double real)
{
	return (struct sql_value){.kind = SQL_REAL, .real = real};
}

static bool is_disk_full(const struct sql *sql, int rc)
{
	int code = sql->db == NULL ? 0 : sqlite3_system_errno(sql->db);

	return (rc & 0xff) == SQLITE_FULL ||
	       ((rc & 0xff) == SQLITE_IOERR && (code == ENOSPC || code == EDQUOT));
}

static bool fail_full(const struct sql *sql, struct err *err)
{
	(void)err_set(err, ERR_SYSTEM,
	              "%s: the disk is full; make room, then go on with `vnm resume`", sql->name);
	err->sys_errno = ENOSPC;
	return false;
}

static bool fail_open(const struct sql *sql, struct err *err)
{
	int code = sql->db == NULL ? 0 : sqlite3_system_errno(sql->db);

	if (code != 0)
		return err_set_errno(err, code, "%s: cannot be opened", sql->name);
	return err_set(err, ERR_SYSTEM, "%s: cannot be opened", sql->name);
}

bool sql_fail(const struct sql *sql, int rc, struct err *err)
{
	const char *text = sql->db == NULL ? sqlite3_errstr(rc) : sqlite3_errmsg(sql->db);

	if (is_disk_full(sql, rc))
		return fail_full(sql, err);
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		oom_end();
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, ERR_SYSTEM,
		               "%s: locked by another program for %d ms; end what it does there "
		               "and try again",
		               sql->name, sql->busy_ms);
	case SQLITE_NOTADB:
		return err_set(err, ERR_INPUT, "%s: is not a vnm database", sql->name);
	case SQLITE_CORRUPT:
		return err_set(
			err, ERR_SYSTEM,
			"%s: is damaged (%s); `sqlite3 FILE .recover` saves what can be read",
			sql->name, text);
	case SQLITE_READONLY:
		return err_set(err, ERR_SYSTEM,
		               "%s: cannot be written: file, folder or file system is read-only",
		               sql->name);
	case SQLITE_CANTOPEN:
		return fail_open(sql, err);
	default:
		return err_set(err, ERR_SYSTEM, "%s: %s", sql->name, text);
	}
}

bool sql_open(struct sql *sql, const char *path, int flags, struct err *err)
{
	int rc = sqlite3_open_v2(path, &sql->db,
	                         flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

	if (rc != SQLITE_OK) {
		(void)sql_fail(sql, rc, err);
		sql_close(sql);
		return false;
	}
	(void)sqlite3_busy_timeout(sql->db, sql->busy_ms);
	/* The file may come from anybody: no function with side effects runs for a view. */
	(void)sqlite3_db_config(sql->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return true;
}

void sql_close(struct sql *sql)
{
	(void)sqlite3_close(sql->db);
	sql->db = NULL;
}

bool sql_exec(struct sql *sql, const char *text, struct err *err)
{
	int rc = sqlite3_exec(sql->db, text, NULL, NULL, NULL);

	return rc == SQLITE_OK ? true : sql_fail(sql, rc, err);
}

bool sql_prepare(struct sql *sql, const char *text, sqlite3_stmt **out, struct err *err)
{
	int rc = sqlite3_prepare_v2(sql->db, text, -1, out, NULL);

	return rc == SQLITE_OK ? true : sql_fail(sql, rc, err);
}

static int bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	return text == NULL ? sqlite3_bind_null(stmt, at)
	                    : sqlite3_bind_text(stmt, at, text, -1, SQLITE_TRANSIENT);
}

static int bind_int(sqlite3_stmt *stmt, int at, int64_t integer)
{
	return integer == SQL_UNKNOWN ? sqlite3_bind_null(stmt, at)
	                              : sqlite3_bind_int64(stmt, at, integer);
}

bool sql_bind(struct sql *sql, sqlite3_stmt *stmt, struct sql_values values, struct err *err)
{
	for (size_t i = 0; i < values.count; i++) {
		const struct sql_value *v = &values.at[i];
		int at = (int)i + 1;
		int rc;

		if (v->kind == SQL_TEXT)
			rc = bind_text(stmt, at, v->text);
		else if (v->kind == SQL_INT)
			rc = bind_int(stmt, at, v->integer);
		else
			rc = sqlite3_bind_double(stmt, at, v->real); /* NAN becomes NULL */
		if (rc != SQLITE_OK)
			return sql_fail(sql, rc, err);
	}
	return true;
}

bool sql_step(struct sql *sql, sqlite3_stmt *stmt, bool *row, struct err *err)
{
	int rc = sqlite3_step(stmt);

	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return sql_fail(sql, rc, err);
	*row = rc == SQLITE_ROW;
	return true;
}

static bool step_to_end(struct sql *sql, sqlite3_stmt *stmt, struct err *err)
{
	bool row = true;

	while (row)
		if (!sql_step(sql, stmt, &row, err))
			return false;
	return true;
}

bool sql_put(struct sql *sql, sqlite3_stmt *stmt, struct sql_values values, struct err *err)
{
	bool ok = sql_bind(sql, stmt, values, err) && step_to_end(sql, stmt, err);

	(void)sqlite3_reset(stmt);
	return ok;
}

bool sql_run(struct sql *sql, const char *text, struct sql_values values, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool ok = sql_prepare(sql, text, &stmt, err) && sql_put(sql, stmt, values, err);

	(void)sqlite3_finalize(stmt);
	return ok;
}

bool sql_get_int(struct sql *sql, const char *text, struct sql_values values, int64_t *out,
                 struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = false;
	bool ok = sql_prepare(sql, text, &stmt, err) && sql_bind(sql, stmt, values, err) &&
	          sql_step(sql, stmt, &row, err);

	if (ok)
		*out = row && sqlite3_column_type(stmt, 0) != SQLITE_NULL
		               ? sqlite3_column_int64(stmt, 0)
		               : SQL_UNKNOWN;
	(void)sqlite3_finalize(stmt);
	return ok;
}

bool sql_begin(struct sql *sql, struct err *err)
{
	return sql_exec(sql, "BEGIN IMMEDIATE", err);
}

bool sql_commit(struct sql *sql, struct err *err)
{
	return sql_exec(sql, "COMMIT", err);
}

void sql_rollback(struct sql *sql)
{
	if (sql->db != NULL && sqlite3_get_autocommit(sql->db) == 0)
		(void)sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
}

bool sql_prepare_insert(struct sql *sql, const char *into, const char *extra,
                        const struct sql_column *columns, sqlite3_stmt **out, struct err *err)
{
	struct text text = {0};
	size_t count = 1;
	bool ok;

	for (const char *c = extra; *c != '\0'; c++)
		count += *c == ',';
	text_printf(&text, "%s(%s", into, extra);
	for (const struct sql_column *c = columns; c->name != NULL; c++, count++)
		text_printf(&text, ",%s", c->name);
	text_add(&text, ") VALUES(?");
	for (size_t i = 1; i < count; i++)
		text_add(&text, ",?");
	text_add(&text, ")");
	ok = sql_prepare(sql, text_str(&text), out, err);
	text_done(&text);
	return ok;
}

static int bind_member(sqlite3_stmt *stmt, int at, const struct sql_column *column,
                       const void *member)
{
	switch (column->kind) {
	case SQL_TEXT:
		return bind_text(stmt, at, *(const char *const *)member);
	case SQL_INT:
	case SQL_COUNT:
		return bind_int(stmt, at, *(const int64_t *)member);
	case SQL_U32:
		return sqlite3_bind_int64(stmt, at, *(const uint32_t *)member);
	case SQL_U64:
		return sqlite3_bind_int64(stmt, at, (int64_t) * (const uint64_t *)member);
	case SQL_REAL:
		return sqlite3_bind_double(stmt, at, *(const double *)member);
	}
	return SQLITE_MISUSE;
}

bool sql_bind_row(struct sql *sql, sqlite3_stmt *stmt, int first, const struct sql_column *columns,
                  const void *base, struct err *err)
{
	int at = first;

	for (const struct sql_column *c = columns; c->name != NULL; c++, at++) {
		int rc = bind_member(stmt, at, c, (const char *)base + c->offset);

		if (rc != SQLITE_OK)
			return sql_fail(sql, rc, err);
	}
	return true;
}

bool sql_prepare_select(struct sql *sql, const struct sql_column *columns, const char *rest,
                        sqlite3_stmt **out, struct err *err)
{
	struct text text = {0};
	bool ok;

	for (const struct sql_column *c = columns; c->name != NULL; c++)
		text_printf(&text, "%s%s", c == columns ? "SELECT " : ",",
		            sql->version != 0 && c->since > sql->version ? "NULL" : c->name);
	text_printf(&text, " %s", rest);
	ok = sql_prepare(sql, text_str(&text), out, err);
	text_done(&text);
	return ok;
}

static const char *read_text(sqlite3_stmt *stmt, int at, struct arena *arena)
{
	const char *text = (const char *)sqlite3_column_text(stmt, at);

	return text == NULL ? NULL : arena_strndup(arena, text, strlen(text));
}

static void read_member(sqlite3_stmt *stmt, int at, enum sql_kind kind, struct arena *arena,
                        void *member)
{
	bool is_null = sqlite3_column_type(stmt, at) == SQLITE_NULL;

	switch (kind) {
	case SQL_TEXT:
		*(const char **)member = read_text(stmt, at, arena);
		break;
	case SQL_INT:
		*(int64_t *)member = is_null ? SQL_UNKNOWN : sqlite3_column_int64(stmt, at);
		break;
	case SQL_COUNT:
		*(int64_t *)member = sqlite3_column_int64(stmt, at);
		break;
	case SQL_U32:
		*(uint32_t *)member = (uint32_t)sqlite3_column_int64(stmt, at);
		break;
	case SQL_U64:
		*(uint64_t *)member = (uint64_t)sqlite3_column_int64(stmt, at);
		break;
	case SQL_REAL:
		*(double *)member = is_null ? (double)NAN : sqlite3_column_double(stmt, at);
		break;
	}
}

void sql_read_row(sqlite3_stmt *stmt, const struct sql_column *columns, struct arena *arena,
                  void *base)
{
	int at = 0;

	for (const struct sql_column *c = columns; c->name != NULL; c++, at++)
		read_member(stmt, at, c->kind, arena, (char *)base + c->offset);
}
