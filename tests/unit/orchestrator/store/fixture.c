/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/store/fixture.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/sql.h"

static struct nic esx_nics[] = {{.name = "vmk1",
                                 .ip = "10.0.0.1",
                                 .ip6 = "fd00::1",
                                 .vswitch = "vSwitch1",
                                 .portgroup = "pg",
                                 .uplink = "vmnic1"}};
static struct nic vm1_nics[] = {{.name = "em0", .ip = "10.0.0.2", .driver = "em"},
                                {.name = "vmx0", .ip = "10.0.0.3", .driver = "vmxnet3"}};
static struct nic vm2_nics[] = {{.name = "em0", .ip = "10.0.0.4", .driver = "em"},
                                {.name = "vmx0", .ip = "10.0.0.5", .driver = "vmxnet3"}};
static struct nic pc_nics[] = {{.name = "eth0", .ip6 = "fd00::6"}};

static struct host hosts[FIXTURE_HOSTS] = {
	{.name = "esx1", .kind = HOST_ESXI, .nics = esx_nics, .nic_count = 1},
	{.name = "vm1", .kind = HOST_VM, .runs_on = &hosts[0], .nics = vm1_nics, .nic_count = 2},
	{.name = "vm2", .kind = HOST_VM, .runs_on = &hosts[0], .nics = vm2_nics, .nic_count = 2},
	{.name = "pc", .kind = HOST_BAREMETAL, .nics = pc_nics, .nic_count = 1},
};
static const struct segment segment = {.name = "lab", .vlan = 42};

static const struct profile sweep = {.name = "sweep"};
static const struct profile blog = {.name = "blog"};
static struct plan_membership both[] = {{&sweep, (double)NAN, -1}, {&blog, 9.4e9, 0}};
static struct plan_membership one[] = {{&sweep, (double)NAN, -1}};

static const char yaml[] = "version: 1\nname: lab\n";

static struct plan_cell cells[FIXTURE_CELLS] = {
	{.src = &pc_nics[0],
         .dst = &esx_nics[0],
         .path_class = PATH_BAREMETAL_HOST,
         .profiles = both,
         .profile_count = 2},
	{.src = &esx_nics[0],
         .dst = &pc_nics[0],
         .path_class = PATH_BAREMETAL_HOST,
         .dst_initiates = true},
	{.src = &vm1_nics[0],
         .dst = &vm2_nics[0],
         .config = {.mtu_bytes = 1500, .window_bytes = 65536}},
	{.src = &vm1_nics[0],
         .dst = &vm2_nics[0],
         .config = {.mtu_bytes = 9000, .window_bytes = 65536}},
	{.src = &vm1_nics[1],
         .dst = &vm2_nics[1],
         .config = {.mtu_bytes = 1500, .window_bytes = 65536}},
};
static struct plan_slot slots[FIXTURE_SLOTS];

static void set_cell(struct plan_cell *cell, uint32_t i)
{
	struct plan_config *c = &cell->config;
	char text[128];

	cell->index = i;
	cell->repeats = FIXTURE_REPEATS;
	c->engine = ENGINE_AGENT;
	c->streams = 2;
	c->duration_ms = 1000;
	c->omit_ms = 500;
	if (cell->profiles == NULL) {
		cell->profiles = one;
		cell->profile_count = 1;
		if (i >= 2)
			cell->path_class = PATH_VM_VM_SAME_HOST;
	}
	(void)snprintf(text, sizeof(text), "%u %llu", c->mtu_bytes,
	               (unsigned long long)c->window_bytes);
	sha256_of(text, strlen(text), cell->config_sha256);
	(void)snprintf(text, sizeof(text), "cell %u", i);
	sha256_of(text, strlen(text), cell->fingerprint);
}

static void set_plan(struct plan *plan, const struct topology *topo)
{
	for (uint32_t i = 0; i < FIXTURE_CELLS; i++)
		set_cell(&cells[i], i);
	for (uint32_t i = 0; i < FIXTURE_SLOTS; i++)
		slots[i] = (struct plan_slot){.cell = i % FIXTURE_CELLS,
		                              .replicate = i / FIXTURE_CELLS + 1,
		                              .block = i / FIXTURE_CELLS + 1,
		                              .round = i + 1,
		                              .seq = i + 1};
	*plan = (struct plan){.topology = topo,
	                      .seed = UINT64_C(0xfedcba9876543210),
	                      .cells = cells,
	                      .cell_count = FIXTURE_CELLS,
	                      .slots = slots,
	                      .slot_count = FIXTURE_SLOTS};
	sha256_of("plan", 4, plan->sha256);
}

static void set_topology(struct topology *topo)
{
	static char source[sizeof(yaml)];

	memcpy(source, yaml, sizeof(yaml));
	for (size_t i = 0; i < FIXTURE_HOSTS; i++)
		for (size_t k = 0; k < hosts[i].nic_count; k++)
			hosts[i].nics[k].host = &hosts[i];
	esx_nics[0].segment = &segment;
	*topo = (struct topology){.path = "labs/lab.yaml",
	                          .source = source,
	                          .source_len = sizeof(yaml) - 1,
	                          .name = "lab",
	                          .hosts = hosts,
	                          .host_count = FIXTURE_HOSTS};
	sha256_of(yaml, sizeof(yaml) - 1, topo->source_sha256);
}

void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	(void)snprintf(f->folder, sizeof(f->folder), "/tmp/vnm-store-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	(void)snprintf(f->path, sizeof(f->path), "%s/results.db", f->folder);
	set_topology(&f->topo);
	set_plan(&f->plan, &f->topo);
	f->run = (struct store_new_run){.name = "lab",
	                                .profile = "sweep blog",
	                                .argv = "vnm run",
	                                .origin = "measured",
	                                .design = "split-plot",
	                                .tool_version = "0.1.0",
	                                .controller = "here"};
}

void fixture_done(struct fixture *f)
{
	DIR *dir = opendir(f->folder);
	const struct dirent *entry;
	char path[sizeof(f->folder) + 260];

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		(void)snprintf(path, sizeof(path), "%s/%s", f->folder, entry->d_name);
		(void)unlink(path);
	}
	(void)closedir(dir);
	assert_int_equal(rmdir(f->folder), 0);
}

int fixture_setup(void **state)
{
	static struct fixture f;

	fixture_init(&f);
	*state = &f;
	return 0;
}

int fixture_teardown(void **state)
{
	fixture_done(*state);
	return 0;
}

struct store *fixture_open(const char *path, enum store_mode mode)
{
	struct err err = {0};
	struct store *store = store_open(path, mode, &err);

	if (store == NULL)
		fail_msg("%s", err.msg);
	return store;
}

int64_t fixture_begin(struct fixture *f, struct store *store)
{
	struct err err = {0};
	int64_t run_id = 0;

	if (!store_begin_run(store, &f->plan, &f->run, &run_id, &err))
		fail_msg("%s", err.msg);
	return run_id;
}

/* Filled once: a list of constants cannot say "unknown" for what is not of interest. */
static struct result_interval intervals[3];
static struct result_stream streams[2];

static void set_lists(void)
{
	for (size_t i = 0; i < COUNT_OF(intervals); i++) {
		result_interval_unknown(&intervals[i]);
		intervals[i].start_s = i == 0 ? 0 : 0.5;
		intervals[i].end_s = i == 0 ? 0.5 : 1;
	}
	intervals[0].omitted = true;
	intervals[0].throughput_bps = 1e9;
	intervals[0].retransmits = 0;
	intervals[0].cpu_pct = 50;
	intervals[1].throughput_bps = 2e9;
	intervals[1].retransmits = 1;
	intervals[1].cwnd_bytes = 100000;
	intervals[1].rtt_us = 250;
	intervals[2] = intervals[1];
	intervals[2].stream = 1;
	intervals[2].throughput_bps = 1e9;
	intervals[2].cwnd_bytes = 50000;
	for (uint32_t i = 0; i < COUNT_OF(streams); i++) {
		result_stream_unknown(&streams[i]);
		streams[i].stream = i + 1;
		streams[i].src_port = 40000 + i;
		streams[i].dst_port = 5201;
		streams[i].throughput_bps = 1e9;
	}
	streams[0].retransmits = 3;
	streams[0].cwnd_max_bytes = 100000;
	streams[0].rtt_us = 250;
	streams[0].cpu = 2;
}

static const struct result_counter counters[] = {{false, "tx_bytes", 123}, {true, "rx_bytes", 120}};

struct test_result fixture_result(const struct fixture *f, size_t slot, double throughput_bps)
{
	const struct plan_slot *s = &f->plan.slots[slot];
	struct test_result r;

	result_test_unknown(&r);
	r.cell = s->cell;
	r.replicate = s->replicate;
	r.block = s->block;
	r.round = s->round;
	r.seq = s->seq;
	r.attempt = 1;
	r.started_wall_ms = INT64_C(1796000000000);
	r.duration_s = 1.0;
	r.throughput_bps = throughput_bps;
	r.sender_bps = throughput_bps * 1.01;
	r.bytes = 125000000;
	r.retransmits = 3;
	r.retransmits_per_gib = 25.5;
	r.rtt_base_us = 200;
	r.cwnd_max_bytes = 100000;
	r.sndbuf_actual_bytes = 2097152;
	r.rcvbuf_actual_bytes = 2097152;
	r.mss_bytes = 1448;
	r.path_mtu_bytes = 1500;
	r.src_cpu_pct = 20;
	r.dst_cpu_pct = 30;
	r.src_core_max_pct = 40;
	r.dst_core_max_pct = 50;
	r.src_cpu_us_per_gib = 60;
	r.dst_cpu_us_per_gib = 70;
	r.rx_drops = 0;
	r.concurrent_tests = 2;
	r.line_rate_bps = 10e9;
	r.tcp_efficiency_pct = 99.5;
	set_lists();
	r.intervals = intervals;
	r.interval_count = COUNT_OF(intervals);
	r.streams = streams;
	r.stream_count = COUNT_OF(streams);
	r.counters = counters;
	r.counter_count = COUNT_OF(counters);
	return r;
}

const char *fixture_ask(const char *path, const char *sql)
{
	static char answer[4096];
	struct sql db = {.name = path, .busy_ms = 1000};
	struct err err = {0};
	sqlite3_stmt *stmt = NULL;
	const char *text;
	bool row = false;

	answer[0] = '\0';
	if (!sql_open(&db, path, SQLITE_OPEN_READWRITE, &err) ||
	    !sql_prepare(&db, sql, &stmt, &err) || !sql_step(&db, stmt, &row, &err))
		fail_msg("%s: %s", sql, err.msg);
	if (row) {
		text = (const char *)sqlite3_column_text(stmt, 0);
		(void)snprintf(answer, sizeof(answer), "%s", text == NULL ? "NULL" : text);
	}
	(void)sqlite3_finalize(stmt);
	sql_close(&db);
	return answer;
}

int64_t fixture_whole_run(struct fixture *f)
{
	struct err err = {0};
	struct store *store = fixture_open(f->path, STORE_WRITE);
	const struct result_sink *sink = store_sink(store);
	int64_t run_id = fixture_begin(f, store);

	for (size_t i = 0; i < f->plan.slot_count; i++) {
		const struct plan_slot *s = &f->plan.slots[i];
		struct test_result r =
			fixture_result(f, i, 1e9 * (s->cell + 1) + 1e6 * s->replicate);
		enum cell_state state = s->replicate == FIXTURE_REPEATS ? CELL_DONE : CELL_RUNNING;

		if (!sink->test(sink->ctx, &r, state, NULL, &err))
			fail_msg("%s", err.msg);
	}
	if (!store_end_run(store, "complete", &err))
		fail_msg("%s", err.msg);
	store_close(store);
	return run_id;
}
