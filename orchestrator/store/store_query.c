/* SPDX-License-Identifier: MIT */
/* `vnm sql`: one statement of the user's that reads and does nothing else. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "common/text.h"
#include "store/store_db.h"

/* Bounds of a query: its text, a value of its result, how deep its expressions nest. */
#define SQL_BYTES_MAX   (1 << 20)
#define VALUE_BYTES_MAX (64 << 20)
#define DEPTH_MAX       200
#define COLUMNS_MAX     1000

/* PRAGMAs that only tell; with an argument only those whose argument is what to tell about. */
static const struct {
	const char *name;
	bool takes_argument;
} reading_pragmas[] = {
	{"application_id", false}, {"collation_list", false},   {"compile_options", false},
	{"database_list", false},  {"foreign_key_check", true}, {"foreign_key_list", true},
	{"function_list", false},  {"index_info", true},        {"index_list", true},
	{"index_xinfo", true},     {"integrity_check", true},   {"journal_mode", false},
	{"page_count", false},     {"page_size", false},        {"quick_check", true},
	{"table_info", true},      {"table_list", true},        {"table_xinfo", true},
	{"user_version", false},
};

static bool is_reading_pragma(const char *name, const char *argument)
{
	for (size_t i = 0; i < COUNT_OF(reading_pragmas); i++)
		if (sqlite3_stricmp(name, reading_pragmas[i].name) == 0)
			return argument == NULL || reading_pragmas[i].takes_argument;
	return false;
}

static int authorize(void *arg, int action, const char *a, const char *b, const char *database,
                     const char *trigger)
{
	bool ok;

	(void)arg;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		ok = true;
		break;
	case SQLITE_FUNCTION:
		ok = sqlite3_stricmp(b, "load_extension") != 0;
		break;
	case SQLITE_PRAGMA:
		ok = is_reading_pragma(a, b);
		break;
	case SQLITE_UPDATE:
		/* Asked by SQLite itself when it makes a table function (pragma_table_info()); a
		 * statement of the user's that does this is refused by SQLite whatever we say. */
		ok = strcmp(a, "sqlite_master") == 0;
		break;
	default:
		ok = false;
	}
	return ok ? SQLITE_OK : SQLITE_DENY;
}

/* What is asked for may be of a schema that the file does not have yet. */
static bool is_of_later_schema(const struct store *store, const char *text)
{
	return store->mode == STORE_READ &&
	       store->version < store_schema_version(&store->options) &&
	       strncmp(text, "no such ", strlen("no such ")) == 0;
}

static bool fail_query(struct store *store, int rc, struct err *err)
{
	const char *text = sqlite3_errmsg(store->sql.db);

	if (is_of_later_schema(store, text))
		return err_set(err, ERR_USAGE,
		               "%s; %s was written by an older vnm (schema %d, this one has %d): "
		               "`vnm run` or `vnm resume` with it brings it up to date",
		               text, store->name, store->version,
		               store_schema_version(&store->options));
	if ((rc & 0xff) == SQLITE_AUTH ||
	    strncmp(text, "not authorized", strlen("not authorized")) == 0)
		return err_set(err, ERR_USAGE, "only reading is allowed here (%s)", text);
	switch (rc & 0xff) {
	case SQLITE_ERROR:
	case SQLITE_TOOBIG:
	case SQLITE_RANGE:
	case SQLITE_MISMATCH:
		return err_set(err, ERR_USAGE, "%s", sqlite3_errmsg(store->sql.db));
	case SQLITE_AUTH:
		return err_set(err, ERR_USAGE, "only reading is allowed here (%s)",
		               sqlite3_errmsg(store->sql.db));
	default:
		return sql_fail(&store->sql, rc, err);
	}
}

/* A comment or a semicolon may follow a statement, nothing else. */
static bool is_nothing(struct store *store, const char *tail)
{
	sqlite3_stmt *stmt = NULL;
	const char *rest = tail;

	while (*rest == ';' || isspace((unsigned char)*rest))
		rest++;
	if (*rest == '\0')
		return true;
	if (sqlite3_prepare_v2(store->sql.db, rest, -1, &stmt, NULL) != SQLITE_OK || stmt != NULL) {
		(void)sqlite3_finalize(stmt);
		return false;
	}
	return true;
}

static bool prepare_query(struct store *store, const char *sql, sqlite3_stmt **stmt,
                          struct err *err)
{
	const char *tail = NULL;
	int rc = sqlite3_prepare_v2(store->sql.db, sql, -1, stmt, &tail);

	if (rc != SQLITE_OK)
		return fail_query(store, rc, err);
	if (*stmt == NULL)
		return err_set(err, ERR_USAGE, "there is no statement; try 'select * from v_help'");
	if (!is_nothing(store, tail))
		return err_set(err, ERR_USAGE, "one statement at a time");
	if (sqlite3_stmt_readonly(*stmt) == 0)
		return err_set(err, ERR_USAGE, "only reading is allowed here");
	return true;
}

/* A BLOB as SQL writes it, x'0a0b'. */
static const char *blob_text(sqlite3_stmt *stmt, int at, struct text *out)
{
	const unsigned char *bytes = sqlite3_column_blob(stmt, at);
	int len = sqlite3_column_bytes(stmt, at);

	text_clear(out);
	text_add(out, "x'");
	for (int i = 0; i < len; i++)
		text_printf(out, "%02x", bytes[i]);
	text_add(out, "'");
	return text_str(out);
}

struct row_buffers {
	struct arena arena;
	const char **names, **values;
	struct text *blobs;
};

static void read_values(sqlite3_stmt *stmt, int columns, struct row_buffers *buffers)
{
	for (int i = 0; i < columns; i++) {
		buffers->names[i] = sqlite3_column_name(stmt, i);
		if (sqlite3_column_type(stmt, i) == SQLITE_BLOB)
			buffers->values[i] = blob_text(stmt, i, &buffers->blobs[i]);
		else
			buffers->values[i] = (const char *)sqlite3_column_text(stmt, i);
	}
}

static bool run_query(struct store *store, sqlite3_stmt *stmt, store_row_fn *row, void *arg,
                      struct err *err)
{
	struct row_buffers buffers = {0};
	int columns = sqlite3_column_count(stmt);
	int rc;

	buffers.names = arena_alloc(&buffers.arena, (size_t)columns, sizeof(*buffers.names));
	buffers.values = arena_alloc(&buffers.arena, (size_t)columns, sizeof(*buffers.values));
	buffers.blobs = arena_alloc(&buffers.arena, (size_t)columns, sizeof(*buffers.blobs));
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		read_values(stmt, columns, &buffers);
		if (!row(arg, columns, buffers.names, buffers.values))
			break;
	}
	for (int i = 0; i < columns; i++)
		text_done(&buffers.blobs[i]);
	arena_done(&buffers.arena);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? true : fail_query(store, rc, err);
}

static void set_limits(sqlite3 *db)
{
	(void)sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, DEPTH_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_COLUMN, COLUMNS_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

bool store_query(struct store *store, const char *sql, store_row_fn *row, void *arg,
                 struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool ok;

	set_limits(store->sql.db);
	(void)sqlite3_set_authorizer(store->sql.db, authorize, NULL);
	ok = prepare_query(store, sql, &stmt, err) && run_query(store, stmt, row, arg, err);
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_set_authorizer(store->sql.db, NULL, NULL);
	return ok;
}
