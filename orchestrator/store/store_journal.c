/* SPDX-License-Identifier: MIT */
/* The settings journal: a transaction a row, on the disk before the change that it tells of. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "store/store_db.h"

/* Not proven to be as before: `intended` too. The index sc_open has the same words. */
#define OPEN "state NOT IN('restored','not_applied','foreign')"

#define OBJECT_SINCE 3 /* schema version that brought the column */

static const char sql_intend[] =
	"INSERT INTO setting_changes(run_id,host_id,nic_id,object,setting,system,address,boot_id,"
	"guard_folder,guard_token,value_before,value_requested,read_command,apply_command,"
	"restore_command,intended_utc,state)"
	" VALUES(?1,?2,(SELECT nic_id FROM nics WHERE host_id=?2 AND name=?3),?4,?5,?6,?7,?8,?9,"
	"?10,?11,?12,?13,?14,?15,?16,'intended')";
static const char sql_update[] =
	"UPDATE setting_changes SET state=?2,value_after=coalesce(?3,value_after),reason=?4,"
	"applied_utc=CASE WHEN ?2='applied' THEN ?5 ELSE applied_utc END,"
	"confirmed_utc=CASE WHEN ?2='confirmed' THEN ?5 ELSE confirmed_utc END,"
	"restored_utc=CASE WHEN ?2='restored' THEN ?5 ELSE restored_utc END"
	" WHERE change_id=?1 AND " OPEN " RETURNING change_id";

/* A row as SQLite has it: its state is a word. */
struct stored_row {
	struct journal_row row;
	const char *state;
};

/* clang-format off */
#define ROW(member, kind, expression, since) \
	{expression, kind, offsetof(struct stored_row, row.member), since}
static const struct sql_column row_columns[] = {
	ROW(change_id, SQL_INT, "j.change_id", 0),
	ROW(run_id, SQL_INT, "j.run_id", 0),
	ROW(host, SQL_TEXT, "h.name", 0),
	ROW(nic, SQL_TEXT, "n.name", 0),
	ROW(object, SQL_TEXT, "j.object", OBJECT_SINCE),
	ROW(setting, SQL_TEXT, "j.setting", 0),
	ROW(system, SQL_TEXT, "j.system", OBJECT_SINCE),
	ROW(address, SQL_TEXT, "j.address", OBJECT_SINCE),
	ROW(boot_id, SQL_TEXT, "j.boot_id", OBJECT_SINCE),
	ROW(guard_folder, SQL_TEXT, "j.guard_folder", OBJECT_SINCE),
	ROW(guard_token, SQL_TEXT, "j.guard_token", OBJECT_SINCE),
	ROW(value_before, SQL_TEXT, "j.value_before", 0),
	ROW(value_requested, SQL_TEXT, "j.value_requested", 0),
	ROW(value_after, SQL_TEXT, "j.value_after", 0),
	ROW(read_command, SQL_TEXT, "j.read_command", OBJECT_SINCE),
	ROW(apply_command, SQL_TEXT, "j.apply_command", 0),
	ROW(restore_command, SQL_TEXT, "j.restore_command", 0),
	ROW(intended_utc, SQL_TEXT, "j.intended_utc", OBJECT_SINCE),
	ROW(reason, SQL_TEXT, "j.reason", OBJECT_SINCE),
	{"j.state", SQL_TEXT, offsetof(struct stored_row, state), 0},
	{0},
};
/* clang-format on */

static bool put_change(struct store *store, const struct journal_change *c, struct err *err)
{
	char now[CLOCK_UTC_BYTES];

	assert(c->host < store->ids.host_count);
	clock_format_utc(clock_wall_ms(), now);
	return sql_run(&store->sql, sql_intend,
	               SQL_VALUES(sql_int(store->ids.run_id), sql_int(store->ids.hosts[c->host]),
	                          sql_text(c->nic), sql_text(c->object), sql_text(c->setting),
	                          sql_text(c->system), sql_text(c->address), sql_text(c->boot_id),
	                          sql_text(c->guard_folder), sql_text(c->guard_token),
	                          sql_text(c->value_before), sql_text(c->value_requested),
	                          sql_text(c->read_command), sql_text(c->apply_command),
	                          sql_text(c->restore_command), sql_text(now)),
	               err);
}

static bool journal_intend(void *ctx, const struct journal_change *change, int64_t *change_id,
                           struct err *err)
{
	struct store *store = ctx;
	int64_t id;

	if (!sql_begin(&store->sql, err))
		return false;
	if (!put_change(store, change, err)) {
		sql_rollback(&store->sql);
		return false;
	}
	id = sqlite3_last_insert_rowid(store->sql.db);
	if (!store_commit(store, err)) {
		sql_rollback(&store->sql);
		return false;
	}
	*change_id = id;
	return true;
}

static bool journal_update(void *ctx, int64_t change_id, const struct journal_update *u,
                           struct err *err)
{
	struct store *store = ctx;
	char now[CLOCK_UTC_BYTES];
	int64_t found = SQL_UNKNOWN;
	bool ok;

	if (!sql_begin(&store->sql, err))
		return false;
	clock_format_utc(clock_wall_ms(), now);
	ok = sql_get_int(&store->sql, sql_update,
	                 SQL_VALUES(sql_int(change_id), sql_text(journal_state_names[u->state]),
	                            sql_text(u->value_after), sql_text(u->reason), sql_text(now)),
	                 &found, err);
	if (ok && found == SQL_UNKNOWN)
		ok = err_set(err, ERR_SYSTEM,
		             "%s: change %" PRId64
		             " of the settings journal is closed or not there",
		             store->name, change_id);
	ok = ok && store_commit(store, err);
	if (!ok)
		sql_rollback(&store->sql);
	return ok;
}

struct journal_sink store_journal(struct store *store)
{
	return (struct journal_sink){
		.ctx = store,
		.intend = journal_intend,
		.update = journal_update,
	};
}

static bool state_of(const char *word, enum journal_state *out)
{
	for (size_t i = 0; journal_state_names[i] != NULL; i++) {
		if (strcmp(journal_state_names[i], word) == 0) {
			*out = (enum journal_state)i;
			return true;
		}
	}
	return false;
}

static bool read_open(struct store *store, sqlite3_stmt *stmt, size_t room,
                      struct store_changes *out, struct err *err)
{
	bool row = true;

	out->at = arena_alloc(&out->arena, room, sizeof(*out->at));
	while (out->count < room) {
		struct stored_row stored = {0};

		if (!sql_step(&store->sql, stmt, &row, err))
			return false;
		if (!row)
			break;
		sql_read_row(stmt, row_columns, &out->arena, &stored);
		if (!state_of(stored.state, &stored.row.state))
			return err_set(err, ERR_INPUT,
			               "%s: change %" PRId64
			               " has state '%s', which this vnm does not know: use the "
			               "vnm that wrote it",
			               store->name, stored.row.change_id, stored.state);
		if (stored.row.object == NULL) /* one of before schema version 3 */
			stored.row.object = stored.row.nic;
		out->at[out->count++] = stored.row;
	}
	return true;
}

static bool count_rows(struct store *store, size_t *out, struct err *err)
{
	int64_t count = 0;

	if (!sql_get_int(&store->sql, "SELECT count(*) FROM setting_changes WHERE " OPEN,
	                 (struct sql_values){0}, &count, err))
		return false;
	*out = (size_t)count;
	return true;
}

bool store_count_changes(struct store *store, size_t *out, struct err *err)
{
	static const char settings[] =
		"SELECT count(*) FROM (SELECT DISTINCT host_id,setting,object FROM setting_changes"
		" WHERE " OPEN ")";
	static const char settings_before_3[] =
		"SELECT count(*) FROM (SELECT DISTINCT host_id,setting,nic_id FROM setting_changes"
		" WHERE " OPEN ")";
	bool is_old = store->sql.version != 0 && store->sql.version < OBJECT_SINCE;
	int64_t count = 0;

	if (!sql_get_int(&store->sql, is_old ? settings_before_3 : settings, (struct sql_values){0},
	                 &count, err))
		return false;
	*out = (size_t)count;
	return true;
}

bool store_load_changes(struct store *store, struct store_changes *out, struct err *err)
{
	struct store_changes changes = {0};
	sqlite3_stmt *stmt = NULL;
	size_t room = 0;
	bool ok;

	if (!sql_exec(&store->sql, "BEGIN", err)) /* one picture: the count is that of the rows */
		return false;
	ok = count_rows(store, &room, err) &&
	     sql_prepare_select(&store->sql, row_columns,
	                        "FROM setting_changes j JOIN hosts h ON h.host_id=j.host_id"
	                        " LEFT JOIN nics n ON n.nic_id=j.nic_id"
	                        " WHERE j." OPEN " ORDER BY j.change_id DESC",
	                        &stmt, err) &&
	     read_open(store, stmt, room, &changes, err);
	(void)sqlite3_finalize(stmt);
	sql_rollback(&store->sql);
	if (ok)
		*out = changes;
	else
		arena_done(&changes.arena);
	return ok;
}

void store_changes_done(struct store_changes *changes)
{
	if (changes == NULL)
		return;
	arena_done(&changes->arena);
	*changes = (struct store_changes){0};
}

bool store_is_written_elsewhere(const struct store *store)
{
	return store->mode == STORE_READ && store_lock_is_held(store->path);
}

bool store_load_topology(struct store *store, int64_t run_id, struct arena *arena,
                         struct store_topology *out, struct err *err)
{
	static const struct sql_column columns[] = {
		{"topology_path", SQL_TEXT, offsetof(struct store_topology, path), 0},
		{"topology_yaml", SQL_TEXT, offsetof(struct store_topology, yaml), 0},
		{0},
	};
	struct store_topology found = {0};
	sqlite3_stmt *stmt = NULL;
	bool row = false;
	bool ok =
		sql_prepare_select(&store->sql, columns, "FROM runs WHERE run_id=?1", &stmt, err) &&
		sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(run_id)), err) &&
		sql_step(&store->sql, stmt, &row, err);

	if (ok && !row)
		ok = err_set(err, ERR_USAGE, "%s: there is no run %" PRId64, store->name, run_id);
	if (ok) {
		sql_read_row(stmt, columns, arena, &found);
		*out = found;
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}
