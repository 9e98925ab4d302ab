/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/dataset.h"
#include "tests/unit/orchestrator/store/fixture.h"

/* Opened for writing with a run begun; the test closes it. */
static struct store *begin(struct fixture *f, int64_t *run_id)
{
	struct store *store = fixture_open(f->path, STORE_WRITE);

	*run_id = fixture_begin(f, store);
	return store;
}

static void put(struct store *store, const struct test_result *result, enum cell_state state,
                const char *reason)
{
	const struct result_sink *sink = store_sink(store);
	struct err err = {0};

	if (!sink->test(sink->ctx, result, state, reason, &err))
		fail_msg("%s", err.msg);
}

static void a_run_keeps_what_is_needed_to_repeat_it(void **state)
{
	struct fixture *f = *state;
	int64_t run_id = 0;

	f->run.only = "window=64K";
	store_close(begin(f, &run_id));
	assert_int_equal(run_id, 1);
	EXPECT(f, "SELECT status FROM runs", "running");
	EXPECT(f, "SELECT topology_path||' '||topology_yaml FROM runs",
	       "labs/lab.yaml version: 1\nname: lab\n");
	EXPECT(f, "SELECT topology_sha256 FROM runs", f->topo.source_sha256);
	EXPECT(f, "SELECT plan_sha256 FROM runs", f->plan.sha256);
	EXPECT(f, "SELECT printf('%x',random_seed) FROM runs", "fedcba9876543210");
	EXPECT(f,
	       "SELECT "
	       "name||'|'||profile||'|'||selection||'|'||argv||'|'||origin||'|'||design||'|'||"
	       "tool_version||'|'||controller FROM runs",
	       "lab|sweep blog|window=64K|vnm run|measured|split-plot|0.1.0|here");
	EXPECT(f, "SELECT length(run_uuid) FROM runs", "36");
	EXPECT(f, "SELECT ended_utc FROM runs", "NULL");
	EXPECT(f, "SELECT started_utc GLOB '20[0-9][0-9]-*T*Z' FROM runs", "1");
}

static void hosts_nics_and_cells_have_their_rows(void **state)
{
	struct fixture *f = *state;
	int64_t run_id = 0;

	store_close(begin(f, &run_id));
	EXPECT(f, "SELECT group_concat(name||'='||kind,' ') FROM hosts",
	       "esx1=esxi vm1=vm vm2=vm pc=baremetal");
	EXPECT(f,
	       "SELECT group_concat(h.name||'='||ifnull(p.name,'-'),' ') FROM run_hosts r JOIN "
	       "hosts h USING(host_id)"
	       " LEFT JOIN hosts p ON p.host_id=r.parent_host_id",
	       "esx1=- vm1=esx1 vm2=esx1 pc=-");
	EXPECT(f,
	       "SELECT ip||' '||ip6||' '||ifnull(driver,'-')||' '||vswitch||' '||portgroup||' "
	       "'||uplink||' "
	       "'||vlan"
	       " FROM run_nics WHERE nic_id=1",
	       "10.0.0.1 fd00::1 - vSwitch1 pg vmnic1 42");
	EXPECT(f, "SELECT group_concat(ip||' '||ifnull(ip6,'-'),' ') FROM run_nics WHERE nic_id>4",
	       "10.0.0.5 - fd00::6 -");
	EXPECT(f, "SELECT group_concat(ifnull(driver,'-'),' ') FROM run_nics",
	       "- em vmxnet3 em vmxnet3 -");
	EXPECT(f, "SELECT count(*) FROM configs", "3");
	EXPECT(f,
	       "SELECT "
	       "engine||ifnull(mtu_bytes,'-')||ifnull(window_bytes,'-')||streams||ifnull(buffer_"
	       "bytes,'-')||"
	       "lro||tso||duration_s||'/'||omit_s FROM configs WHERE config_id=1",
	       "agent--2-unchangedunchanged1.0/0.5");
	EXPECT(f, "SELECT group_concat(state||initiator,' ') FROM cells",
	       "pendingsrc pendingdst pendingsrc pendingsrc pendingsrc");
	EXPECT(f, "SELECT fingerprint FROM cells WHERE cell_id=3", f->plan.cells[2].fingerprint);
	EXPECT(f,
	       "SELECT group_concat(profile||'='||ifnull(published_bps,'-'),' ') FROM "
	       "(SELECT * FROM cell_profiles WHERE cell_id=1 ORDER BY rowid)",
	       "sweep=- blog=9400000000.0");
	EXPECT(f, "SELECT published_retransmits FROM cell_profiles WHERE profile='blog'", "0");
}

static void a_second_run_shares_hosts_nics_and_configs(void **state)
{
	struct fixture *f = *state;
	int64_t run_id = 0;

	store_close(begin(f, &run_id));
	store_close(begin(f, &run_id));
	assert_int_equal(run_id, 2);
	EXPECT(f, "SELECT count(*) FROM hosts", "4");
	EXPECT(f, "SELECT count(*) FROM nics", "6");
	EXPECT(f, "SELECT count(*) FROM configs", "3");
	EXPECT(f, "SELECT count(*) FROM run_hosts", "8");
	EXPECT(f, "SELECT count(*) FROM cells", "10");
	EXPECT(f, "SELECT count(DISTINCT run_uuid) FROM runs", "2");
}

static void a_test_is_kept_whole(void **state)
{
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, 2e9);
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	put(store, &result, CELL_RUNNING, NULL);
	store_close(store);
	EXPECT(f,
	       "SELECT cell_id||' '||replicate||' '||block||' '||round||' '||seq||' '||attempt||' "
	       "'||started_utc||' '||"
	       "status FROM tests",
	       "1 1 1 1 1 1 2026-11-30T00:53:20.000Z ok");
	EXPECT(f,
	       "SELECT throughput_bps||' '||sender_bps||' '||bytes||' '||retransmits||' "
	       "'||retransmits_per_gib FROM tests",
	       "2000000000.0 2020000000.0 125000000 3 25.5");
	EXPECT(f,
	       "SELECT rtt_base_us||' '||cwnd_max_bytes||' '||sndbuf_actual_bytes||' "
	       "'||rcvbuf_actual_bytes||' '||"
	       "mss_bytes||' '||path_mtu_bytes||' '||rx_drops||' '||concurrent_tests||' "
	       "'||line_rate_bps FROM tests",
	       "200.0 100000 2097152 2097152 1448 1500 0 2 10000000000.0");
	EXPECT(f,
	       "SELECT src_cpu_pct||' '||dst_cpu_pct||' '||src_core_max_pct||' "
	       "'||dst_core_max_pct||' '||"
	       "src_cpu_us_per_gib||' '||dst_cpu_us_per_gib||' '||tcp_efficiency_pct||' "
	       "'||duration_s FROM tests",
	       "20.0 30.0 40.0 50.0 60.0 70.0 99.5 1.0");
	EXPECT(f,
	       "SELECT stream||' '||start_s||' '||end_s||' '||omitted||' '||throughput_bps||' "
	       "'||retransmits||' '||cpu_pct"
	       " FROM intervals WHERE start_s=0",
	       "0 0.0 0.5 1 1000000000.0 0 50.0");
	EXPECT(f, "SELECT count(*) FROM intervals", "3");
	EXPECT(f,
	       "SELECT src_port||' '||dst_port||' '||throughput_bps||' '||retransmits||' "
	       "'||cwnd_max_bytes||' '||rtt_us||' '"
	       "||cpu FROM streams WHERE stream=1",
	       "40000 5201 1000000000.0 3 100000 250.0 2");
	EXPECT(f,
	       "SELECT group_concat(h.name||'.'||c.name||'='||delta,' ') FROM counters c JOIN "
	       "hosts h USING(host_id)",
	       "esx1.rx_bytes=120 pc.tx_bytes=123");
	EXPECT(f, "SELECT state FROM cells WHERE cell_id=1", "running");
}

static void what_is_unknown_is_null(void **state)
{
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, 2e9);
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	put(store, &result, CELL_RUNNING, "");
	store_close(store);
	EXPECT(f,
	       "SELECT (reason IS NULL)+(rtt_loaded_us IS NULL)+(window_requested_bytes IS NULL)+"
	       "(nic_byte_match_pct IS NULL)+(buffer_delay_pct IS NULL)+(limited_by IS NULL) FROM "
	       "tests",
	       "6");
	EXPECT(f, "SELECT (cwnd_bytes IS NULL)+(rtt_us IS NULL) FROM intervals WHERE start_s=0",
	       "2");
	EXPECT(f, "SELECT count(*) FROM intervals WHERE cpu_pct IS NULL", "2");
	EXPECT(f,
	       "SELECT (retransmits IS NULL)+(cwnd_max_bytes IS NULL)+(rtt_us IS NULL)+(cpu IS "
	       "NULL) FROM streams"
	       " WHERE stream=2",
	       "4");
	EXPECT(f, "SELECT reason FROM cells WHERE cell_id=1", "NULL");
}

static void each_test_status_and_cell_state_can_be_kept(void **state)
{
	struct fixture *f = *state;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);
	struct err err = {0};

	for (int i = 0; test_status_names[i] != NULL; i++) {
		struct test_result result = fixture_result(f, 0, (double)NAN);

		result.status = (enum test_status)i;
		memcpy(result.reason, "because", sizeof("because"));
		result.replicate = (uint32_t)i + 1;
		put(store, &result, CELL_RUNNING, NULL);
	}
	for (int i = 0; cell_state_names[i] != NULL; i++) {
		const struct result_sink *sink = store_sink(store);

		assert_true(sink->cell(sink->ctx, 1, (enum cell_state)i, "why", &err));
		EXPECT(f, "SELECT state FROM cells WHERE cell_id=2", cell_state_names[i]);
	}
	store_close(store);
	EXPECT(f, "SELECT group_concat(status,' ') FROM tests",
	       "ok invalid failed timeout stalled truncated cancelled");
	EXPECT(f, "SELECT reason FROM cells WHERE cell_id=2", "why");
}

static void attempts_count_on(void **state)
{
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, (double)NAN);
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	result.status = TEST_FAILED;
	put(store, &result, CELL_RUNNING, NULL);
	put(store, &result, CELL_RUNNING, NULL); /* as after a resume: attempt 1 again */
	result.attempt = 7;
	put(store, &result, CELL_RUNNING, NULL);
	store_close(store);
	EXPECT(f, "SELECT group_concat(attempt,' ') FROM tests", "1 2 7");
}

static void the_statistics_follow_each_test(void **state)
{
	static const double bps[FIXTURE_REPEATS] = {5e9, 3e9, 1e9, 6e9, 2e9, 4e9};
	struct fixture *f = *state;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);
	struct test_result result;

	for (size_t i = 0; i < FIXTURE_REPEATS; i++) {
		result = fixture_result(f, i * FIXTURE_CELLS, bps[i]);
		put(store, &result, CELL_RUNNING, NULL);
		if (i == 0) {
			EXPECT(f,
			       "SELECT n||' '||median_bps||' '||mean_bps||' '||min_bps||' "
			       "'||max_bps||' '||line_rate_pct"
			       " FROM cell_stats",
			       "1 5000000000.0 5000000000.0 5000000000.0 5000000000.0 50.0");
			EXPECT(f,
			       "SELECT (ci_lo_bps IS NULL)+(ci_hi_bps IS NULL)+(ci_confidence IS "
			       "NULL)+"
			       "(stddev_bps IS NULL)+(cv_pct IS NULL)+(precision_pct IS "
			       "NULL)+(noise IS NULL)+"
			       "(outliers IS NULL)+(limited_by IS NULL) FROM cell_stats",
			       "9");
			EXPECT(f, "SELECT method FROM cell_stats",
			       "median; screening: below 6 tests there is no interval");
		}
		if (i == 4)
			EXPECT(f, "SELECT n||' '||ifnull(ci_lo_bps,'-') FROM cell_stats", "5 -");
	}
	result = fixture_result(f, 0, 99e9);
	result.status = TEST_INVALID;
	put(store, &result, CELL_DONE, NULL);
	store_close(store);
	EXPECT(f,
	       "SELECT n||' '||n_invalid||' '||median_bps||' '||ci_lo_bps||' '||ci_hi_bps||' "
	       "'||ci_confidence"
	       " FROM cell_stats",
	       "6 1 3500000000.0 1000000000.0 6000000000.0 0.96875");
	EXPECT(f,
	       "SELECT round(stddev_bps)||' '||round(cv_pct,2)||' '||round(precision_pct,2)||' "
	       "'||noise||' '||outliers"
	       " FROM cell_stats",
	       "1870828693.0 53.45 71.43 noisy 0");
	EXPECT(f, "SELECT method FROM cell_stats",
	       "median; exact interval by order statistics [x1,x6] of 6");
	EXPECT(f, "SELECT count(*) FROM cell_stats", "1");
}

static void a_cell_with_failed_tests_only_has_no_figures(void **state)
{
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, (double)NAN);
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	result.status = TEST_FAILED;
	put(store, &result, CELL_FAILED, "host is gone");
	store_close(store);
	EXPECT(f,
	       "SELECT n||ifnull(median_bps,'-')||ifnull(line_rate_pct,'-')||ifnull(min_bps,'-') "
	       "FROM cell_stats",
	       "0---");
	EXPECT(f,
	       "SELECT n||ifnull(gbps,'-')||ifnull(ci_lo,'-')||state||reason FROM v_cells WHERE "
	       "cell_id=1",
	       "0--failedhost is gone");
}

static void facts_keep_their_source_and_the_first_value_before(void **state)
{
	static const struct result_fact facts[] = {
		{FIXTURE_ESX1, NULL, false, "os.name", "Linux", "uname"},
		{FIXTURE_ESX1, NULL, false, "cpu.count", "16", "sysconf"},
		{FIXTURE_ESX1, NULL, false, "sysctl.x", "1", "/proc/sys/x"},
		{FIXTURE_ESX1, NULL, true, "cpu.count", "8", "sysconf"},
		{FIXTURE_VM1, "em0", false, "nic.mtu", "1500", "sysfs"},
		{FIXTURE_VM1, "vmx0", false, "nic.mtu", "9000", "sysfs"},
	};
	static const struct result_fact later[] = {
		{FIXTURE_ESX1, NULL, false, "os.name", "Other", "uname"},
		{FIXTURE_ESX1, NULL, true, "cpu.count", "4", "sysconf"},
	};
	struct fixture *f = *state;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);
	const struct result_sink *sink = store_sink(store);
	struct err err = {0};

	assert_true(sink->facts(sink->ctx, facts, COUNT_OF(facts), &err));
	assert_true(sink->facts(sink->ctx, later, COUNT_OF(later), &err));
	store_close(store);
	EXPECT(f, "SELECT count(*) FROM facts", "6");
	EXPECT(f, "SELECT value||' '||source_command FROM facts WHERE key='sysctl.x'",
	       "1 /proc/sys/x");
	EXPECT(f, "SELECT value FROM facts WHERE key='cpu.count' AND phase='before'", "16");
	EXPECT(f, "SELECT value FROM facts WHERE key='cpu.count' AND phase='after'", "4");
	EXPECT(f, "SELECT value FROM facts WHERE key='os.name'", "Linux");
	EXPECT(f, "SELECT os||' '||cpu_count FROM run_hosts WHERE host_id=1", "Linux 16");
	EXPECT(f, "SELECT value FROM facts JOIN nics USING(nic_id) WHERE name='vmx0'", "9000");
}

static void known_facts_fill_their_columns(void **state)
{
	static const struct {
		const char *key, *value;
		const char *column, *stored; /* of run_hosts or, with a key "nic...", of run_nics */
	} rows[] = {
		{"os.name", "Linux", "os", "Linux"},
		{"os.version", "Debian 12", "os_version", "Debian 12"},
		{"os.kernel", "6.1.0", "kernel", "6.1.0"},
		{"hypervisor.build", "25205845", "hypervisor_build", "25205845"},
		{"dmi.bios_version", "2.1", "bios_version", "2.1"},
		{"power.governor", "performance", "power_policy", "performance"},
		{"cpu.model", "Xeon", "cpu_model", "Xeon"},
		{"cpu.count", "8", "cpu_count", "8"},
		{"cpu.mhz", "fast", "cpu_mhz", "NULL"},
		{"numa.nodes", "2", "numa_nodes", "2"},
		{"memory.bytes", "8589934592", "memory_bytes", "8589934592"},
		{"vm.hardware_version", "21", "vm_hardware_version", "21"},
		{"tcp.congestion", "cubic", "tcp_cc", "cubic"},
		{"ip.forwarding", "0", "ip_forwarding", "0"},
		{"nic.driver", "vmxnet3", "driver_actual", "vmxnet3"},
		{"nic.driver_version", "1.7", "driver_version", "1.7"},
		{"nic.firmware", "", "firmware", ""},
		{"nic.pci_slot", "0000:03:00.0", "pci_slot", "0000:03:00.0"},
		{"nic.pcie_speed", "8.0 GT/s PCIe", "pcie_gts", "8.0"},
		{"nic.pcie_width", "16", "pcie_width", "16"},
		{"nic.pcie_speed_max", "Unknown", "pcie_max_gts", "NULL"},
		{"nic.pcie_width_max", "255", "pcie_max_width", "NULL"},
		{"nic.numa_node", "1", "numa_node", "1"},
		{"nic.speed_bps", "100000000000", "link_speed_bps", "100000000000"},
		{"nic.rx_queues", "8", "rx_queues", "8"},
		{"nic.tx_queues", "4 or so", "tx_queues", "NULL"},
		{"nic.rx_ring", "1024", "rx_ring", "1024"},
		{"nic.tx_ring", "99999999999999999999", "tx_ring", "NULL"},
	};
	const struct result_fact mac = {FIXTURE_VM1,         "vmx0", false, "nic.mac",
	                                "00:0c:29:00:00:01", "sysfs"};
	const struct result_fact misplaced = {FIXTURE_VM1,  NULL,    false,
	                                      "nic.driver", "e1000", "sysfs"};
	struct fixture *f = *state;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);
	const struct result_sink *sink = store_sink(store);
	struct err err = {0};

	assert_true(sink->facts(sink->ctx, &mac, 1, &err));
	assert_true(sink->facts(sink->ctx, &misplaced, 1, &err));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		bool is_nic = strncmp(rows[i].key, "nic.", 4) == 0;
		const struct result_fact fact = {.host = FIXTURE_VM1,
		                                 .nic = is_nic ? "vmx0" : NULL,
		                                 .key = rows[i].key,
		                                 .value = rows[i].value,
		                                 .source = "test"};
		char sql[128];

		if (!sink->facts(sink->ctx, &fact, 1, &err))
			fail_msg("%s: %s", rows[i].key, err.msg);
		(void)snprintf(sql, sizeof(sql), "SELECT %s FROM %s", rows[i].column,
		               is_nic ? "run_nics WHERE nic_id=3" : "run_hosts WHERE host_id=2");
		EXPECT(f, sql, rows[i].stored);
	}
	store_close(store);
	EXPECT(f, "SELECT mac FROM nics WHERE nic_id=3", "00:0c:29:00:00:01");
	EXPECT(f, "SELECT count(*) FROM facts", "30");
	EXPECT(f, "SELECT count(*) FROM run_nics WHERE driver_actual IS NOT NULL", "1");
}

static void a_host_and_an_event_are_kept(void **state)
{
	struct fixture *f = *state;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);
	const struct result_sink *sink = store_sink(store);
	const struct result_host host = {.host = FIXTURE_PC,
	                                 .engine = "agent",
	                                 .engine_version = "0.1.0",
	                                 .clock_offset_us = -1500,
	                                 .agent_sha256 = "abc",
	                                 .agent_arch = "aarch64",
	                                 .agent_origin = "compiled",
	                                 .agent_place = "/mnt/tank"};
	const struct result_host unknown = {.host = FIXTURE_VM1,
	                                    .engine = "agent",
	                                    .engine_version = "0.1.0",
	                                    .clock_offset_us = RESULT_UNKNOWN,
	                                    .agent_origin = ""};
	struct err err = {0};

	assert_true(sink->host(sink->ctx, &host, &err));
	assert_true(sink->host(sink->ctx, &unknown, &err));
	assert_true(sink->event(sink->ctx, "warn", FIXTURE_PC, "lost", &err));
	assert_true(sink->event(sink->ctx, "info", SIZE_MAX, "paused", &err));
	assert_false(sink->event(sink->ctx, "shout", SIZE_MAX, "x", &err));
	store_close(store);
	EXPECT(f,
	       "SELECT engine||' '||engine_version||' '||clock_offset_us FROM run_hosts WHERE "
	       "host_id=4",
	       "agent 0.1.0 -1500");
	EXPECT(f, "SELECT clock_offset_us FROM run_hosts WHERE host_id=2", "NULL");
	EXPECT(f,
	       "SELECT group_concat(key||'='||value,' ') FROM (SELECT * FROM facts ORDER BY key)",
	       "agent.arch=aarch64 agent.folder=/mnt/tank agent.origin=compiled agent.sha256=abc");
	EXPECT(f,
	       "SELECT group_concat(run_id||level||ifnull(host_id,'-')||message,' ') FROM events",
	       "1warn4lost 1info-paused");
}

static void the_end_of_a_run_is_kept(void **state)
{
	struct fixture *f = *state;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);
	const struct result_sink *sink = store_sink(store);
	struct err err = {0};

	assert_true(sink->cell(sink->ctx, 0, CELL_RUNNING, NULL, &err));
	assert_true(store_end_run(store, "interrupted", &err));
	store_close(store);
	EXPECT(f, "SELECT status||(ended_utc>=started_utc) FROM runs", "interrupted1");
	EXPECT(f, "SELECT count(*) FROM cells WHERE state='pending'", "5");
}

static void what_a_peer_tells_twice_counts_once(void **state)
{
	static const struct result_interval twice[] = {
		{.end_s = 1, .throughput_bps = 1e9},
		{.end_s = 1, .throughput_bps = 2e9},
	};
	static const struct result_counter counters[] = {
		{true, "rx", 1}, {true, "rx", 2}, {true, "no", RESULT_UNKNOWN}};
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, 2e9);
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	result.intervals = twice;
	result.interval_count = 2;
	result.counters = counters;
	result.counter_count = 3;
	put(store, &result, CELL_RUNNING, NULL);
	store_close(store);
	EXPECT(f, "SELECT group_concat(throughput_bps) FROM intervals", "2000000000.0");
	EXPECT(f, "SELECT group_concat(name||delta) FROM counters", "rx2");
}

/* Figures of struct test_result that came with the engine. */
/* clang-format off */
#define ENGINE_REALS(X) \
	X(rtt_min_us) X(start_skew_us) X(src_thread_max_pct) X(dst_thread_max_pct) \
	X(src_steal_pct) X(dst_steal_pct) X(rtt_probe_p50_us) X(rtt_probe_p99_us) \
	X(rtt_probe_max_us) X(loss_pct) X(jitter_us) X(rr_per_s) X(rr_min_us) \
	X(rr_mean_us) X(rr_p50_us) X(rr_p90_us) X(rr_p99_us) X(rr_p999_us) \
	X(rr_max_us) X(reverse_bps) X(reverse_sender_bps) X(reverse_rtt_loaded_us) \
	X(reverse_loss_pct) X(reverse_jitter_us)
#define ENGINE_INTS(X) \
	X(no_delay_actual) X(dscp_actual) X(busy_us) X(rwnd_limited_us) \
	X(sndbuf_limited_us) X(rtt_probe_count) X(datagrams_sent) \
	X(datagrams_received) X(datagrams_lost) X(datagrams_reordered) \
	X(datagrams_duplicate) X(transactions) X(reverse_bytes) X(reverse_retransmits)
#define ENGINE_TEXTS(X) \
	X(tcp_cc_actual) X(src_affinity) X(dst_affinity) X(src_method) X(dst_method)
/* clang-format on */

static void set_engine_figures(struct test_result *r)
{
	double real = 0.5;
	int64_t integer = 100;

#define SET(member) r->member = real++;
	ENGINE_REALS(SET)
#undef SET
#define SET(member) r->member = integer++;
	ENGINE_INTS(SET)
#undef SET
#define SET(member) r->member = "the " #member;
	ENGINE_TEXTS(SET)
#undef SET
}

static void expect_engine_figures(const struct dataset_test *t, const struct test_result *r)
{
#define EXPECT_ONE(member) assert_float_equal(t->member, r->member, 0);
	ENGINE_REALS(EXPECT_ONE)
#undef EXPECT_ONE
#define EXPECT_ONE(member) assert_int_equal(t->member, r->member);
	ENGINE_INTS(EXPECT_ONE)
#undef EXPECT_ONE
#define EXPECT_ONE(member) assert_string_equal(t->member, r->member);
	ENGINE_TEXTS(EXPECT_ONE)
#undef EXPECT_ONE
}

/* Each figure gets a value of its own: one that lands in the column of another is seen. */
static void figures_of_the_engine_are_kept_and_read(void **state)
{
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, 2e9);
	struct dataset data;
	struct err err = {0};
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	set_engine_figures(&result);
	put(store, &result, CELL_RUNNING, NULL);
	assert_true(dataset_load_cell(store, 1, &data, &err));
	expect_engine_figures(&data.cells[0].tests[0], &result);
	assert_float_equal(data.cells[0].reverse_median_bps, result.reverse_bps, 0);
	assert_float_equal(data.cells[0].median_loss_pct, result.loss_pct, 0);
	assert_float_equal(data.cells[0].reverse_median_loss_pct, result.reverse_loss_pct, 0);
	assert_float_equal(data.cells[0].median_jitter_us, result.jitter_us, 0);
	assert_float_equal(data.cells[0].median_rr_per_s, result.rr_per_s, 0);
	assert_float_equal(data.cells[0].median_rr_p50_us, result.rr_p50_us, 0);
	assert_float_equal(data.cells[0].median_rr_p99_us, result.rr_p99_us, 0);
	dataset_done(&data);
	store_close(store);
}

static void intervals_of_both_directions_are_kept_and_read(void **state)
{
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, 2e9);
	struct result_interval given[2];
	struct dataset_interval *read;
	struct arena arena = {0};
	struct err err = {0};
	size_t count = 0;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	for (uint32_t i = 0; i < COUNT_OF(given); i++) {
		result_interval_unknown(&given[i]);
		given[i].direction = i;
		given[i].end_s = 1;
		given[i].busy_us = 900000 + i;
		given[i].src_cpu_pct = 11;
	}
	given[1].rttvar_us = 31;
	given[1].datagrams_lost = 0;
	given[1].dst_core_max_pct = 22;
	given[1].dst_steal_pct = 0.5;
	result.intervals = given;
	result.interval_count = COUNT_OF(given);
	put(store, &result, CELL_RUNNING, NULL);
	assert_true(dataset_load_intervals(store, 1, &arena, &read, &count, &err));
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(read[i].direction, i);
		assert_int_equal(read[i].busy_us, 900000 + i);
		assert_float_equal(read[i].src_cpu_pct, 11, 0);
	}
	assert_true(read[0].datagrams_lost == RESULT_UNKNOWN && isnan(read[0].dst_steal_pct));
	assert_int_equal(read[1].rttvar_us, 31);
	assert_int_equal(read[1].datagrams_lost, 0);
	assert_true(read[1].mss_bytes == RESULT_UNKNOWN);
	assert_float_equal(read[1].dst_core_max_pct, 22, 0);
	assert_float_equal(read[1].dst_steal_pct, 0.5, 0);
	arena_done(&arena);
	store_close(store);
}

static void streams_and_what_befell_them_are_kept_and_read(void **state)
{
	static const struct result_trouble troubles[] = {
		{RESULT_FORTH, 2, false, "reset by the other end"},
		{RESULT_BACK, 1, true, "did not connect"},
	};
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, 2e9);
	struct result_stream stream;
	struct dataset_stream *streams;
	struct dataset_trouble *told;
	struct arena arena = {0};
	struct err err = {0};
	size_t count = 0;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);

	result_stream_unknown(&stream);
	stream.direction = RESULT_BACK;
	stream.stream = 2;
	stream.rtt_min_us = 77;
	stream.datagrams_reordered = 5;
	stream.jitter_us = 1.5;
	result.streams = &stream;
	result.stream_count = 1;
	result.troubles = troubles;
	result.trouble_count = COUNT_OF(troubles);
	put(store, &result, CELL_RUNNING, NULL);
	assert_true(dataset_load_streams(store, 1, &arena, &streams, &count, &err));
	assert_int_equal(count, 1);
	assert_int_equal(streams[0].direction, 1);
	assert_int_equal(streams[0].stream, 2);
	assert_int_equal(streams[0].rtt_min_us, 77);
	assert_int_equal(streams[0].datagrams_reordered, 5);
	assert_float_equal(streams[0].jitter_us, 1.5, 0);
	assert_true(streams[0].datagrams_lost == RESULT_UNKNOWN);
	assert_true(dataset_load_troubles(store, 1, &arena, &told, &count, &err));
	assert_int_equal(count, 2);
	assert_string_equal(told[0].host, "pc"); /* the cell's src */
	assert_int_equal(told[0].stream, 2);
	assert_string_equal(told[0].reason, "reset by the other end");
	assert_string_equal(told[1].host, "esx1");
	assert_int_equal(told[1].direction, 1);
	arena_done(&arena);
	store_close(store);
}

/* NULL where a factor has its level of before, so that an older vnm's config is the same row. */
static void each_factor_of_the_engine_has_its_column(void **state)
{
	struct fixture *f = *state;
	struct plan_config *c = &f->plan.cells[2].config;
	const struct plan_config before = *c;
	int64_t run_id = 0;

	c->bytes = 1073741824;
	c->duration_ms = 0;
	c->is_bidir = true;
	c->protocol = PROTOCOL_UDP;
	c->mode = MODE_RR;
	c->zero_copy = ZERO_COPY_BOTH;
	c->rate_bps = 500000000;
	c->mss_bytes = 1200;
	c->no_delay = true;
	c->dscp = 46;
	c->congestion = "bbr";
	c->ip_version = 6;
	c->affinity = "0-3,6";
	c->bind_device = true;
	c->source_port = 40000;
	store_close(begin(f, &run_id));
	*c = before;
	EXPECT(f,
	       "SELECT group_concat(bytes||' '||bidir||' '||protocol||' '||mode||' '||zero_copy||' "
	       "'||target_bps||' '||mss_bytes||' '||no_delay||' '||dscp||' '||tcp_cc||' "
	       "'||ip_version||' '||affinity||' '||bind_device||' '||source_port||' "
	       "'||ifnull(duration_s,'-')) FROM configs",
	       "1073741824 1 udp rr both 500000000 1200 1 46 bbr 6 0-3,6 1 40000 -");
	EXPECT(f,
	       "SELECT protocol||mode||bidir||duration_s||(bytes IS NULL)||(zero_copy IS NULL)||"
	       "(target_bps IS NULL)||(mss_bytes IS NULL)||(no_delay IS NULL)||(dscp IS NULL)||"
	       "(tcp_cc IS NULL)||(ip_version IS NULL)||(affinity IS NULL)||(bind_device IS NULL)||"
	       "(source_port IS NULL) FROM configs WHERE config_id=1",
	       "tcpbulk01.011111111111");
}

static void a_result_that_cannot_be_kept_leaves_nothing_behind(void **state)
{
	struct fixture *f = *state;
	struct test_result result = fixture_result(f, 0, 2e9);
	struct result_interval bad;
	int64_t run_id = 0;
	struct store *store = begin(f, &run_id);
	const struct result_sink *sink = store_sink(store);
	struct err err = {0};

	result_interval_unknown(&bad);
	bad.start_s = NAN; /* start_s is NOT NULL */
	result.intervals = &bad;
	result.interval_count = 1;
	assert_false(sink->test(sink->ctx, &result, CELL_DONE, NULL, &err));
	assert_non_null(
		strstr(err.msg, "results.db: NOT NULL constraint failed: intervals.start_s"));
	EXPECT(f, "SELECT count(*) FROM tests", "0");
	EXPECT(f, "SELECT state FROM cells WHERE cell_id=1", "pending");
	result.interval_count = 0;
	put(store, &result, CELL_DONE, NULL); /* the store goes on */
	store_close(store);
	EXPECT(f, "SELECT count(*) FROM tests", "1");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_run_keeps_what_is_needed_to_repeat_it),
		FIXTURE_TEST(hosts_nics_and_cells_have_their_rows),
		FIXTURE_TEST(a_second_run_shares_hosts_nics_and_configs),
		FIXTURE_TEST(a_test_is_kept_whole),
		FIXTURE_TEST(what_is_unknown_is_null),
		FIXTURE_TEST(each_test_status_and_cell_state_can_be_kept),
		FIXTURE_TEST(attempts_count_on),
		FIXTURE_TEST(the_statistics_follow_each_test),
		FIXTURE_TEST(a_cell_with_failed_tests_only_has_no_figures),
		FIXTURE_TEST(facts_keep_their_source_and_the_first_value_before),
		FIXTURE_TEST(known_facts_fill_their_columns),
		FIXTURE_TEST(a_host_and_an_event_are_kept),
		FIXTURE_TEST(the_end_of_a_run_is_kept),
		FIXTURE_TEST(what_a_peer_tells_twice_counts_once),
		FIXTURE_TEST(figures_of_the_engine_are_kept_and_read),
		FIXTURE_TEST(intervals_of_both_directions_are_kept_and_read),
		FIXTURE_TEST(streams_and_what_befell_them_are_kept_and_read),
		FIXTURE_TEST(each_factor_of_the_engine_has_its_column),
		FIXTURE_TEST(a_result_that_cannot_be_kept_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
