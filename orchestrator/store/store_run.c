/* SPDX-License-Identifier: MIT */
/* The frame of a run: its rows at the beginning, its end. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "common/clock.h"
#include "store/store_db.h"

#define UUID_BYTES 37

/* Measured: 1.4 kB a test with its sums, 0.4 kB a cell with its indices. */
#define TEST_BYTES  1500u
#define CELL_BYTES  400u
#define SPARE_BYTES (1u << 20)

static const char *const engine_names[] = {"agent", "agent",
                                           "iperf3"}; /* auto is resolved to agent */
static const char *const toggle_names[] = {"unchanged", "off", "on"};
static const char *const protocol_names[] = {"tcp", "udp"};
static const char *const mode_names[] = {"bulk", "rr"};
static const char *const zero_copy_names[] = {NULL, "sender", "both"}; /* NULL: the default */

static const char sql_run_row[] =
	"INSERT INTO runs(run_uuid,name,status,started_utc,topology_path,topology_yaml,"
	"topology_sha256,plan_sha256,origin,profile,selection,argv,random_seed,design,"
	"tool_version,agent_sha256,controller,operator)"
	" VALUES(?,?,'running',?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
static const char sql_host[] =
	"INSERT INTO hosts(name,kind) VALUES(?,?)"
	" ON CONFLICT(name) DO UPDATE SET kind=excluded.kind RETURNING host_id";
static const char sql_nic[] =
	"INSERT INTO nics(host_id,name) VALUES(?,?)"
	" ON CONFLICT(host_id,name) DO UPDATE SET name=excluded.name RETURNING nic_id";
static const char sql_run_nic[] =
	"INSERT OR IGNORE INTO run_nics(run_id,nic_id,ip,ip6,driver,portgroup,vswitch,uplink,vlan)"
	" VALUES(?,?,?,?,?,?,?,?,?)";
static const char sql_config[] =
	"INSERT OR IGNORE INTO configs(config_sha256,engine,mtu_bytes,window_bytes,streams,"
	"buffer_bytes,lro,tso,duration_s,omit_s,bytes,bidir,protocol,mode,zero_copy,target_bps,"
	"mss_bytes,no_delay,dscp,tcp_cc,ip_version,affinity,bind_device,source_port)"
	" VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
static const char sql_cell[] =
	"INSERT INTO cells(run_id,src_nic_id,dst_nic_id,path_class,initiator,fingerprint,config_id)"
	" VALUES(?,?,?,?,?,?,(SELECT config_id FROM configs WHERE config_sha256=?))";
static const char sql_profile[] =
	"INSERT OR IGNORE INTO cell_profiles(cell_id,profile,published_bps,published_retransmits)"
	" VALUES(?,?,?,?)";

/* A random one, version 4 of RFC 4122. */
static void make_uuid(char out[UUID_BYTES])
{
	unsigned char b[16];

	sqlite3_randomness(sizeof(b), b);
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	(void)snprintf(out, UUID_BYTES,
	               "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
	               b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
	               b[13], b[14], b[15]);
}

static int64_t zero_is_null(uint64_t value)
{
	return value == 0 ? SQL_UNKNOWN : (int64_t)value;
}

static bool check_space(const struct store *store, const struct plan *plan, struct err *err)
{
	uint64_t needed = (uint64_t)plan->slot_count * TEST_BYTES +
	                  (uint64_t)plan->cell_count * CELL_BYTES + SPARE_BYTES;
	struct statvfs fs;
	uint64_t room;

	if (statvfs(store->path, &fs) != 0)
		return true; /* the first write will tell */
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (room >= needed)
		return true;
	return err_set(err, ERR_SYSTEM,
	               "%s: %" PRIu64 " MB of disk are free, %zu test%s about %" PRIu64
	               " MB; make room or name another place with --db",
	               store->name, room >> 20, plan->slot_count,
	               plan->slot_count == 1 ? " needs" : "s need", needed >> 20);
}

static bool put_run(struct store *store, const struct plan *plan, const struct store_new_run *run,
                    int64_t *run_id, struct err *err)
{
	char uuid[UUID_BYTES];
	char now[CLOCK_UTC_BYTES];

	make_uuid(uuid);
	clock_format_utc(clock_wall_ms(), now);
	if (!sql_run(&store->sql, sql_run_row,
	             SQL_VALUES(sql_text(uuid), sql_text(run->name), sql_text(now),
	                        sql_text(plan->topology->path), sql_text(plan->topology->source),
	                        sql_text(plan->topology->source_sha256), sql_text(plan->sha256),
	                        sql_text(run->origin), sql_text(run->profile), sql_text(run->only),
	                        sql_text(run->argv), sql_int((int64_t)plan->seed),
	                        sql_text(run->design), sql_text(run->tool_version),
	                        sql_text(run->agent_sha256), sql_text(run->controller),
	                        sql_text(run->operator_name)),
	             err))
		return false;
	*run_id = sqlite3_last_insert_rowid(store->sql.db);
	return true;
}

static bool put_host(struct store *store, const struct host *host, int64_t *id, struct err *err)
{
	return sql_get_int(&store->sql, sql_host,
	                   SQL_VALUES(sql_text(host->name), sql_text(host_kind_names[host->kind])),
	                   id, err);
}

static bool put_nic(struct store *store, int64_t host_id, const struct nic *nic, int64_t *id,
                    struct err *err)
{
	return sql_get_int(&store->sql, sql_nic, SQL_VALUES(sql_int(host_id), sql_text(nic->name)),
	                   id, err);
}

static bool put_run_nic(struct store *store, int64_t run_id, int64_t nic_id, const struct nic *nic,
                        struct err *err)
{
	const char *address = topology_nic_address(nic, 0);
	const char *second = address == nic->ip6 ? NULL : nic->ip6;
	int64_t vlan = nic->segment == NULL ? SQL_UNKNOWN : zero_is_null(nic->segment->vlan);

	return sql_run(&store->sql, sql_run_nic,
	               SQL_VALUES(sql_int(run_id), sql_int(nic_id), sql_text(address),
	                          sql_text(second), sql_text(nic->driver), sql_text(nic->portgroup),
	                          sql_text(nic->vswitch), sql_text(nic->uplink), sql_int(vlan)),
	               err);
}

static bool put_nics(struct store *store, int64_t run_id, const struct host *host, int64_t host_id,
                     int64_t *nic_ids, struct err *err)
{
	for (size_t i = 0; i < host->nic_count; i++)
		if (!put_nic(store, host_id, &host->nics[i], &nic_ids[i], err) ||
		    !put_run_nic(store, run_id, nic_ids[i], &host->nics[i], err))
			return false;
	return true;
}

static bool put_run_host(struct store *store, const struct topology *topo,
                         const struct store_ids *ids, size_t i, struct err *err)
{
	const struct host *parent = topo->hosts[i].runs_on;

	return sql_run(
		&store->sql,
		"INSERT OR IGNORE INTO run_hosts(run_id,host_id,parent_host_id) VALUES(?,?,?)",
		SQL_VALUES(
			sql_int(ids->run_id), sql_int(ids->hosts[i]),
			sql_int(parent == NULL ? SQL_UNKNOWN : ids->hosts[parent - topo->hosts])),
		err);
}

bool store_put_lab(struct store *store, const struct topology *topo, struct store_ids *ids,
                   struct err *err)
{
	size_t nics = 0;

	for (size_t i = 0; i < topo->host_count; i++)
		nics += topo->hosts[i].nic_count;
	ids->hosts = arena_alloc(&ids->arena, topo->host_count, sizeof(*ids->hosts));
	ids->first_nic = arena_alloc(&ids->arena, topo->host_count, sizeof(*ids->first_nic));
	ids->nics = arena_alloc(&ids->arena, nics, sizeof(*ids->nics));
	ids->host_count = topo->host_count;
	nics = 0;
	for (size_t i = 0; i < topo->host_count; i++) {
		ids->first_nic[i] = nics;
		nics += topo->hosts[i].nic_count;
		if (!put_host(store, &topo->hosts[i], &ids->hosts[i], err) ||
		    !put_nics(store, ids->run_id, &topo->hosts[i], ids->hosts[i],
		              ids->nics + ids->first_nic[i], err))
			return false;
	}
	for (size_t i = 0; i < topo->host_count; i++)
		if (!put_run_host(store, topo, ids, i, err))
			return false;
	return true;
}

static int64_t nic_id(const struct topology *topo, const struct store_ids *ids,
                      const struct nic *nic)
{
	return ids->nics[ids->first_nic[nic->host - topo->hosts] + (size_t)(nic - nic->host->nics)];
}

/* Statements that are used for each cell. */
struct cell_statements {
	sqlite3_stmt *config, *cell, *profile;
};

static bool prepare_cells(struct store *store, struct cell_statements *st, struct err *err)
{
	return sql_prepare(&store->sql, sql_config, &st->config, err) &&
	       sql_prepare(&store->sql, sql_cell, &st->cell, err) &&
	       sql_prepare(&store->sql, sql_profile, &st->profile, err);
}

/* What has its level of before is NULL, so that a config that an older vnm wrote stays the same row. */
static bool put_config(struct store *store, sqlite3_stmt *stmt, const struct plan_cell *cell,
                       struct err *err)
{
	const struct plan_config *c = &cell->config;

	return sql_put(
		&store->sql, stmt,
		SQL_VALUES(sql_text(cell->config_sha256), sql_text(engine_names[c->engine]),
	                   sql_int(zero_is_null(c->mtu_bytes)),
	                   sql_int(zero_is_null(c->window_bytes)), sql_int(c->streams),
	                   sql_int(zero_is_null(c->buffer_bytes)), sql_text(toggle_names[c->lro]),
	                   sql_text(toggle_names[c->tso]),
	                   sql_real(c->bytes != 0 ? (double)NAN : c->duration_ms / 1e3),
	                   sql_real(c->omit_ms / 1e3), sql_int(zero_is_null(c->bytes)),
	                   sql_int(c->is_bidir), sql_text(protocol_names[c->protocol]),
	                   sql_text(mode_names[c->mode]), sql_text(zero_copy_names[c->zero_copy]),
	                   sql_int(zero_is_null(c->rate_bps)), sql_int(zero_is_null(c->mss_bytes)),
	                   sql_int(zero_is_null(c->no_delay)), sql_int(zero_is_null(c->dscp)),
	                   sql_text(c->congestion), sql_int(zero_is_null(c->ip_version)),
	                   sql_text(c->affinity), sql_int(zero_is_null(c->bind_device)),
	                   sql_int(zero_is_null(c->source_port))),
		err);
}

static bool put_cell(struct store *store, const struct cell_statements *st, const struct plan *plan,
                     const struct plan_cell *cell, struct store_ids *ids, struct err *err)
{
	const struct topology *topo = plan->topology;
	int64_t id;

	if (!put_config(store, st->config, cell, err) ||
	    !sql_put(&store->sql, st->cell,
	             SQL_VALUES(sql_int(ids->run_id), sql_int(nic_id(topo, ids, cell->src)),
	                        sql_int(nic_id(topo, ids, cell->dst)),
	                        sql_text(path_class_names[cell->path_class]),
	                        sql_text(cell->dst_initiates ? "dst" : "src"),
	                        sql_text(cell->fingerprint), sql_text(cell->config_sha256)),
	             err))
		return false;
	id = sqlite3_last_insert_rowid(store->sql.db);
	ids->cells[cell - plan->cells] = id;
	for (size_t i = 0; i < cell->profile_count; i++) {
		const struct plan_membership *m = &cell->profiles[i];

		if (!sql_put(&store->sql, st->profile,
		             SQL_VALUES(sql_int(id), sql_text(m->profile->name),
		                        sql_real(m->published_bps),
		                        sql_int(m->published_retransmits < 0
		                                        ? SQL_UNKNOWN
		                                        : m->published_retransmits)),
		             err))
			return false;
	}
	return true;
}

static bool put_cells(struct store *store, const struct plan *plan, struct store_ids *ids,
                      struct err *err)
{
	struct cell_statements st = {0};
	bool ok = prepare_cells(store, &st, err);

	ids->cells = arena_alloc(&ids->arena, plan->cell_count, sizeof(*ids->cells));
	ids->cell_count = plan->cell_count;
	for (size_t i = 0; ok && i < plan->cell_count; i++)
		ok = put_cell(store, &st, plan, &plan->cells[i], ids, err);
	(void)sqlite3_finalize(st.config);
	(void)sqlite3_finalize(st.cell);
	(void)sqlite3_finalize(st.profile);
	return ok;
}

bool store_put_event(struct store *store, const char *level, int64_t host_id, const char *message,
                     struct err *err)
{
	char now[CLOCK_UTC_BYTES];

	clock_format_utc(clock_wall_ms(), now);
	return sql_run(&store->sql,
	               "INSERT INTO events(run_id,utc,level,host_id,message) VALUES(?,?,?,?,?)",
	               SQL_VALUES(sql_int(store->ids.run_id), sql_text(now), sql_text(level),
	                          sql_int(host_id), sql_text(message)),
	               err);
}

bool store_put_warning(struct store *store, struct err *err)
{
	return store->warning[0] == '\0' ||
	       store_put_event(store, "warn", SQL_UNKNOWN, store->warning, err);
}

void store_set_ids(struct store *store, const struct store_ids *ids)
{
	arena_done(&store->ids.arena);
	store->ids = *ids;
}

bool store_begin_run(struct store *store, const struct plan *plan, const struct store_new_run *run,
                     int64_t *run_id, struct err *err)
{
	struct store_ids ids = {0};
	bool ok = check_space(store, plan, err) && sql_begin(&store->sql, err);

	if (!ok)
		return false;
	ok = put_run(store, plan, run, &ids.run_id, err) &&
	     store_put_lab(store, plan->topology, &ids, err) && put_cells(store, plan, &ids, err) &&
	     store_commit(store, err);
	if (!ok) {
		sql_rollback(&store->sql);
		arena_done(&ids.arena);
		return false;
	}
	store_set_ids(store, &ids);
	*run_id = ids.run_id;
	return store_put_warning(store, err);
}

bool store_end_run(struct store *store, const char *status, struct err *err)
{
	char now[CLOCK_UTC_BYTES];
	bool ok;

	clock_format_utc(clock_wall_ms(), now);
	if (!sql_begin(&store->sql, err))
		return false;
	ok = sql_run(&store->sql, "UPDATE runs SET status=?,ended_utc=? WHERE run_id=?",
	             SQL_VALUES(sql_text(status), sql_text(now), sql_int(store->ids.run_id)),
	             err) &&
	     sql_run(&store->sql,
	             "UPDATE cells SET state='pending' WHERE run_id=? AND state='running'",
	             SQL_VALUES(sql_int(store->ids.run_id)), err) &&
	     store_commit(store, err);
	if (!ok)
		sql_rollback(&store->sql);
	return ok;
}
