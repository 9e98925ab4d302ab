/* SPDX-License-Identifier: MIT */
/*
 * The schema's way from any older version to ours: forward only, all scripts
 * and the checks in one transaction, a copy of the file before the first.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/sha256.h"
#include "common/text.h"
#include "store/store_db.h"

#define BACKUP_PAGES 1024 /* a step */

int store_schema_version(const struct store_options *options)
{
	return options->scripts[options->script_count - 1].version;
}

static bool copy_pages(struct store *store, struct sql *copy, struct err *err)
{
	sqlite3_backup *backup = sqlite3_backup_init(copy->db, "main", store->sql.db, "main");
	int rc;

	if (backup == NULL)
		return sql_fail(copy, sqlite3_extended_errcode(copy->db), err);
	do {
		rc = sqlite3_backup_step(backup, BACKUP_PAGES);
	} while (rc == SQLITE_OK);
	if (sqlite3_backup_finish(backup) != SQLITE_OK || rc != SQLITE_DONE)
		return sql_fail(copy, rc == SQLITE_DONE ? sqlite3_extended_errcode(copy->db) : rc,
		                err);
	return true;
}

static bool sync_file(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;
	int code = errno;

	if (fd >= 0)
		(void)close(fd);
	return ok ? true : err_set_errno(err, code, "%s", path);
}

/* Whole or not at all: written under another name first. */
static bool back_up(struct store *store, const char *to, struct err *err)
{
	struct text part = {0};
	struct sql copy = {.name = to, .busy_ms = store->options.busy_ms};
	bool ok;

	text_printf(&part, "%s.part", to);
	(void)unlink(text_str(&part));
	ok = sql_open(&copy, text_str(&part),
	              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, err) &&
	     copy_pages(store, &copy, err);
	sql_close(&copy);
	ok = ok && sync_file(text_str(&part), err);
	if (ok && rename(text_str(&part), to) != 0)
		ok = err_set_errno(err, errno, "%s", to);
	if (!ok)
		(void)unlink(text_str(&part));
	text_done(&part);
	return ok ? true : err_prefix(err, "copy before the schema changes");
}

/* Only ours: a user's own views keep their names clear of v_ and stay. */
static bool drop_views(struct sql *sql, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	struct text drops = {0};
	bool row = false;
	bool ok = sql_prepare(sql,
	                      "SELECT printf('DROP VIEW \"%w\";', name) FROM sqlite_schema"
	                      " WHERE type='view' AND name GLOB 'v_*'",
	                      &stmt, err);

	while (ok) {
		ok = sql_step(sql, stmt, &row, err);
		if (!ok || !row)
			break;
		text_add(&drops, (const char *)sqlite3_column_text(stmt, 0));
	}
	(void)sqlite3_finalize(stmt);
	ok = ok && sql_exec(sql, text_str(&drops), err);
	text_done(&drops);
	return ok;
}

static bool apply_script(struct store *store, const struct store_script *script, struct err *err)
{
	char hash[SHA256_HEX_BYTES];
	char now[CLOCK_UTC_BYTES];

	if (!sql_exec(&store->sql, script->sql, err))
		return false;
	sha256_of(script->sql, strlen(script->sql), hash);
	clock_format_utc(clock_wall_ms(), now);
	return sql_run(&store->sql, "INSERT INTO schema_migrations VALUES(?,?,?,?,?)",
	               SQL_VALUES(sql_int(script->version), sql_text(now), sql_text(VNM_VERSION),
	                          sql_text(script->description), sql_text(hash)),
	               err);
}

/* Both checks give no row, or the row "ok", when all is well. */
static bool check(struct sql *sql, const char *pragma, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = false;
	bool ok = sql_prepare(sql, pragma, &stmt, err) && sql_step(sql, stmt, &row, err);

	if (ok && row) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		if (text == NULL || strcmp(text, "ok") != 0)
			ok = err_set(err, ERR_SYSTEM, "%s: %s finds: %s", sql->name, pragma,
			             text == NULL ? "a fault" : text);
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

static bool apply_scripts(struct store *store, int version, struct err *err)
{
	struct sql *sql = &store->sql;
	char pragma[64];

	for (size_t i = 0; i < store->options.script_count; i++)
		if (store->options.scripts[i].version > version &&
		    !apply_script(store, &store->options.scripts[i], err))
			return err_prefix(err, "schema %d", store->options.scripts[i].version);
	(void)snprintf(pragma, sizeof(pragma), "PRAGMA user_version=%d",
	               store_schema_version(&store->options));
	return sql_exec(sql, pragma, err) && sql_exec(sql, store->options.views, err) &&
	       check(sql, "PRAGMA foreign_key_check", err) &&
	       check(sql, "PRAGMA integrity_check(1)", err);
}

/* A script may rebuild a table, which needs foreign keys off: not to be had in a transaction. */
static bool migrate_in_one(struct store *store, int version, struct err *err)
{
	struct sql *sql = &store->sql;
	struct err ignored;
	int64_t found = 0;
	bool ok;

	if (!sql_exec(sql, "PRAGMA foreign_keys=OFF", err) || !sql_begin(sql, err))
		return false;
	/* Somebody may have been faster between our first look and the lock. */
	ok = sql_get_int(sql, "PRAGMA user_version", (struct sql_values){0}, &found, err);
	if (ok && found != version)
		ok = err_set(err, ERR_SYSTEM,
		             "%s: another program changed its schema just now; try again",
		             store->name);
	ok = ok && drop_views(sql, err) && apply_scripts(store, version, err) &&
	     sql_commit(sql, err);
	if (!ok)
		sql_rollback(sql);
	return sql_exec(sql, "PRAGMA foreign_keys=ON", ok ? err : &ignored) && ok;
}

bool store_migrate(struct store *store, int version, struct err *err)
{
	struct text copy = {0};
	bool ok = true;

	text_printf(&copy, "%s.v%d.bak", store->path, version);
	if (version > 0)
		ok = back_up(store, text_str(&copy), err);
	if (ok && !migrate_in_one(store, version, err)) {
		ok = false;
		if (version > 0)
			(void)err_prefix(err, "the file is as it was, a copy is %s",
			                 text_str(&copy));
	}
	text_done(&copy);
	return ok;
}

/* All views that begin with v_, as one text to compare. */
static bool collect_views(struct sql *sql, struct text *out, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	bool ok = sql_prepare(sql,
	                      "SELECT sql FROM sqlite_schema WHERE type='view' AND name GLOB 'v_*'"
	                      " ORDER BY name",
	                      &stmt, err);

	while (ok && row) {
		ok = sql_step(sql, stmt, &row, err);
		if (ok && row)
			text_printf(out, "%s\n", (const char *)sqlite3_column_text(stmt, 0));
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

static bool views_differ(struct store *store, bool *differ, struct err *err)
{
	struct sql memory = {.name = "views", .busy_ms = store->options.busy_ms};
	struct text ours = {0};
	struct text found = {0};
	bool ok = sql_open(&memory, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, err) &&
	          sql_exec(&memory, store->options.views, err) &&
	          collect_views(&memory, &ours, err) && collect_views(&store->sql, &found, err);

	if (ok)
		*differ = strcmp(text_str(&ours), text_str(&found)) != 0;
	text_done(&ours);
	text_done(&found);
	sql_close(&memory);
	return ok;
}

bool store_refresh_views(struct store *store, struct err *err)
{
	struct sql *sql = &store->sql;
	bool differ = false;
	bool ok;

	if (!views_differ(store, &differ, err))
		return false;
	if (!differ)
		return true;
	if (!sql_begin(sql, err))
		return false;
	ok = drop_views(sql, err) && sql_exec(sql, store->options.views, err) &&
	     sql_commit(sql, err);
	if (!ok)
		sql_rollback(sql);
	return ok;
}
