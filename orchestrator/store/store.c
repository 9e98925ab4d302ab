/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/oom.h"
#include "common/text.h"
#include "store/store_db.h"

/* schemas/results, embedded at build time */
extern const char store_schema_001[];
extern const char store_schema_002[];
extern const char store_schema_003[];
extern const char store_views[];

static const struct store_script scripts[] = {
	{1, "first release", store_schema_001},
	{2, "what the engine measures", store_schema_002},
	{3, "what puts a setting back", store_schema_003},
};

/*
 * File systems that cannot give the shared memory that WAL needs, or only to
 * one machine (sqlite.org/wal.html). Numbers of statfs(2).
 */
static const struct {
	unsigned long magic;
	const char *name;
} network_systems[] = {
	{0x6969, "NFS"},    {0xFE534D42, "SMB"},  {0xFF534D42, "CIFS"},
	{0x01021997, "9p"}, {0x65735546, "FUSE"},
};

static const char *network_system(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) != 0)
		return NULL;
	for (size_t i = 0; i < COUNT_OF(network_systems); i++)
		if (((unsigned long)fs.f_type & 0xFFFFFFFF) == network_systems[i].magic)
			return network_systems[i].name;
	return NULL;
}

const struct store_options store_defaults = {
	.scripts = scripts,
	.script_count = COUNT_OF(scripts),
	.views = store_views,
	.busy_ms = STORE_BUSY_MS,
	.network_system = network_system,
};

static char *copy_string(const char *s)
{
	char *copy = strdup(s);

	if (copy == NULL)
		oom_end();
	return copy;
}

/*
 * The canonical path: one lock for one file, whatever its name, and nothing that
 * SQLite takes for something else (":memory:"). A missing file is made empty,
 * which is a valid, empty database; it is never opened here when it exists,
 * because closing it would drop SQLite's locks on it (fcntl(2)).
 */
static bool find_file(struct store *store, struct err *err)
{
	if (store->mode == STORE_WRITE) {
		int fd = open(store->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

		if (fd >= 0)
			(void)close(fd);
		else if (errno != EEXIST)
			return err_set_errno(err, errno, "%s: the results database cannot be made",
			                     store->name);
	}
	store->path = realpath(store->name, NULL);
	if (store->path == NULL) {
		if (errno == ENOENT && store->mode == STORE_READ)
			return err_set(err, ERR_USAGE,
			               "%s: there is no such results database; `vnm run` makes it, "
			               "--db names another",
			               store->name);
		return err_set_errno(err, errno, "%s", store->name);
	}
	return true;
}

static bool is_regular_file(const struct store *store, struct err *err)
{
	struct stat st;

	if (stat(store->path, &st) != 0)
		return err_set_errno(err, errno, "%s", store->name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "%s: is not a file", store->name);
	return true;
}

struct identity {
	int64_t application_id, version, objects;
};

/* One picture of it: somebody may be making it just now. *rc is SQLite's code of a failure. */
static bool read_identity(struct sql *sql, struct identity *out, int *rc, struct err *err)
{
	const struct sql_values none = {0};
	bool ok = sql_exec(sql, "BEGIN", err) &&
	          sql_get_int(sql, "PRAGMA application_id", none, &out->application_id, err) &&
	          sql_get_int(sql, "PRAGMA user_version", none, &out->version, err) &&
	          sql_get_int(sql, "SELECT count(*) FROM sqlite_schema", none, &out->objects, err);

	*rc = sqlite3_errcode(sql->db) & 0xff;
	sql_rollback(sql);
	return ok;
}

/* What kind of database it is. *version is 0 for an empty one. */
static bool identify(struct store *store, int *version, int *rc, struct err *err)
{
	struct identity id = {0};

	if (!read_identity(&store->sql, &id, rc, err))
		return false;
	if (id.application_id == 0 && id.version == 0 && id.objects == 0) {
		*version = 0;
		return store->mode == STORE_WRITE ||
		       err_set(err, ERR_INPUT, "%s: is empty: no run was stored in it",
		               store->name);
	}
	if (id.application_id != STORE_APPLICATION_ID || id.version < 1)
		return err_set(err, ERR_INPUT, "%s: is a database of another program, not of vnm",
		               store->name);
	*version = (int)id.version;
	return true;
}

static bool fail_version(const struct store *store, int version, struct err *err)
{
	int ours = store_schema_version(&store->options);

	if (version > ours)
		return err_set(
			err, ERR_INPUT,
			"%s: was written by a newer vnm (schema %d, this one knows %d); update vnm",
			store->name, version, ours);
	return err_set(err, ERR_INPUT,
	               "%s: was written by an older vnm (schema %d, this one needs %d); "
	               "`vnm run` or `vnm resume` with it brings it up to date",
	               store->name, version, ours);
}

/* WAL lets people read while we write; where it cannot work the slower way is taken and told. */
static bool set_journal(struct store *store, struct err *err)
{
	const char *network = store->options.network_system(store->path);
	const char *wanted = network == NULL ? "wal" : "delete";
	sqlite3_stmt *stmt = NULL;
	bool row = false;
	bool ok = sql_prepare(&store->sql,
	                      network == NULL ? "PRAGMA journal_mode=WAL"
	                                      : "PRAGMA journal_mode=DELETE",
	                      &stmt, err) &&
	          sql_step(&store->sql, stmt, &row, err);

	if (ok) {
		const char *got = row ? (const char *)sqlite3_column_text(stmt, 0) : NULL;

		if (network != NULL)
			(void)snprintf(store->warning, sizeof(store->warning),
			               "the database lies on %s: readers and vnm wait for each "
			               "other, and a local disk is safer",
			               network);
		else if (got == NULL || strcmp(got, wanted) != 0)
			(void)snprintf(store->warning, sizeof(store->warning),
			               "the database does not take journal mode wal but %s: "
			               "readers and vnm wait for each other",
			               got == NULL ? "none" : got);
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

static bool open_for_writing(struct store *store, struct err *err)
{
	int version = 0;
	int rc;

	if (!store_lock_take(&store->lock, store->path, store->name, err) ||
	    !sql_open(&store->sql, store->path, SQLITE_OPEN_READWRITE, err) ||
	    !identify(store, &version, &rc, err))
		return false;
	if (sqlite3_db_readonly(store->sql.db, "main") != 0)
		return sql_fail(&store->sql, SQLITE_READONLY, err);
	if (version > store_schema_version(&store->options))
		return fail_version(store, version, err);
	if (!set_journal(store, err) ||
	    !sql_exec(&store->sql, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON", err))
		return false;
	if (version < store_schema_version(&store->options) && !store_migrate(store, version, err))
		return false;
	/* We hold the lock, so nobody runs: whoever was running was killed. */
	return store_refresh_views(store, err) &&
	       sql_exec(&store->sql, "UPDATE runs SET status='interrupted' WHERE status='running'",
	                err);
}

/* As a URI, so that SQLite takes the parameter; what has a meaning in one is escaped. */
static bool open_immutable(struct store *store, struct err *err)
{
	struct text uri = {0};
	bool ok;

	text_add(&uri, "file:");
	for (const char *c = store->path; *c != '\0'; c++)
		if (*c == '%' || *c == '?' || *c == '#')
			text_printf(&uri, "%%%02X", (unsigned)*c);
		else
			text_add_bytes(&uri, c, 1);
	text_add(&uri, "?immutable=1");
	ok = sql_open(&store->sql, text_str(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
	text_done(&uri);
	return ok;
}

/*
 * A database in WAL mode has helper files that even a reader must be able to
 * make. Where it cannot (read-only file system, somebody else's folder) and no
 * writer left any, the file can be read as one that does not change.
 */
static bool open_where_nothing_can_be_written(struct store *store, int *version, struct err *err)
{
	struct text wal = {0};
	struct stat st;
	bool has_wal;
	int rc;

	text_printf(&wal, "%s-wal", store->path);
	has_wal = stat(text_str(&wal), &st) == 0 && st.st_size > 0;
	text_done(&wal);
	if (has_wal)
		return err_set(err, ERR_SYSTEM,
		               "%s: its newest results are in %s-wal, which cannot be read in a "
		               "folder without write permission; copy both files to another one",
		               store->name, store->name);
	sql_close(&store->sql);
	return open_immutable(store, err) && identify(store, version, &rc, err);
}

static bool open_for_reading(struct store *store, struct err *err)
{
	struct err first = {0};
	int version = 0;
	int rc = SQLITE_OK;

	if (!sql_open(&store->sql, store->path, SQLITE_OPEN_READONLY, err))
		return false;
	if (!identify(store, &version, &rc, &first)) {
		if (rc != SQLITE_CANTOPEN && rc != SQLITE_READONLY) {
			*err = first;
			return false;
		}
		if (!open_where_nothing_can_be_written(store, &version, err))
			return false;
	}
	store->sql.version = version;
	if (version != store_schema_version(&store->options) && !store_can_read(store))
		return fail_version(store, version, err);
	store->version = version;
	return true;
}

struct store *store_open_with(const char *path, enum store_mode mode,
                              const struct store_options *options, struct err *err)
{
	struct store *store = calloc(1, sizeof(*store));

	if (store == NULL)
		oom_end();
	store->mode = mode;
	store->options = *options;
	store->name = copy_string(path);
	store->sql = (struct sql){.name = store->name, .busy_ms = options->busy_ms};
	store_sink_init(store);
	if (!find_file(store, err) || !is_regular_file(store, err) ||
	    !(mode == STORE_WRITE ? open_for_writing(store, err) : open_for_reading(store, err))) {
		store_close(store);
		return NULL;
	}
	return store;
}

struct store *store_open(const char *path, enum store_mode mode, struct err *err)
{
	return store_open_with(path, mode, &store_defaults, err);
}

int store_newer_schema(const struct store *store)
{
	return store->version > store_schema_version(&store->options) ? store->version : 0;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	sql_close(&store->sql);
	store_lock_drop(&store->lock);
	arena_done(&store->ids.arena);
	free(store->path);
	free(store->name);
	free(store);
}

bool store_commit(struct store *store, struct err *err)
{
	int moved = 0;

	if (!sql_commit(&store->sql, err))
		return false;
	if (sqlite3_file_control(store->sql.db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
	            SQLITE_OK &&
	    moved != 0)
		return err_set(err, ERR_SYSTEM,
		               "%s: was moved or deleted while vnm was writing it; what vnm wrote "
		               "since then is lost",
		               store->name);
	return true;
}
