/* SPDX-License-Identifier: MIT */
/* What the views of schemas/results/views.sql say about rows that are written here by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "store/store_db.h"
#include "tests/unit/orchestrator/store/fixture.h"

static struct fixture fixture;
static struct store *store;

/* Two hosts with two NICs each: a.em0 (1), a.vmx0 (2), b.em0 (3), b.vmx0 (4). */
static const char lab[] = "INSERT INTO hosts VALUES(1,'a','vm'),(2,'b','vm');"
			  "INSERT INTO nics(nic_id,host_id,name) "
			  "VALUES(1,1,'em0'),(2,1,'vmx0'),(3,2,'em0'),(4,2,'vmx0');";

static void run_sql(const char *text)
{
	struct err err = {0};

	if (!sql_exec(&store->sql, text, &err))
		fail_msg("%s: %s", text, err.msg);
}

static int setup(void **state)
{
	struct err err = {0};

	(void)state;
	fixture_init(&fixture);
	store = store_open(fixture.path, STORE_WRITE, &err);
	if (store == NULL)
		fail_msg("%s", err.msg);
	run_sql(lab);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	store_close(store);
	fixture_done(&fixture);
	return 0;
}

static void add_run(int run_id, const char *name, const char *origin)
{
	struct text text = {0};

	text_printf(&text,
	            "INSERT INTO "
	            "runs(run_id,run_uuid,name,status,started_utc,topology_yaml,topology_sha256,"
	            "plan_sha256,origin,random_seed,design,tool_version)"
	            " VALUES(%d,'u%d','%s','complete','2026-11-%02dT10:00:00.000Z','','','','%s',1,"
	            "'serial','0')",
	            run_id, run_id, name, run_id, origin);
	run_sql(text_str(&text));
	text_clear(&text);
	text_printf(&text,
	            "INSERT INTO run_hosts(run_id,host_id) VALUES(%d,1),(%d,2);"
	            "INSERT INTO run_nics(run_id,nic_id,driver) "
	            "VALUES(%d,1,'em'),(%d,2,'vmxnet3'),(%d,3,'em'),"
	            "(%d,4,'vmxnet3')",
	            run_id, run_id, run_id, run_id, run_id, run_id);
	run_sql(text_str(&text));
	text_done(&text);
}

/* config: "mtu_bytes,window_bytes,streams" as SQL values. Returns its id. */
static int add_config(const char *config)
{
	struct text text = {0};
	int id;

	text_printf(
		&text,
		"INSERT OR IGNORE INTO "
		"configs(config_sha256,mtu_bytes,window_bytes,streams,lro,tso,duration_s,omit_s)"
		" VALUES('%s',%s,'unchanged','unchanged',10,2)",
		config, config);
	run_sql(text_str(&text));
	text_clear(&text);
	text_printf(&text, "SELECT config_id FROM configs WHERE config_sha256='%s'", config);
	id = (int)strtol(fixture_ask(fixture.path, text_str(&text)), NULL, 10);
	text_done(&text);
	return id;
}

struct cell {
	int run_id, src, dst;
	const char *config;
	const char *initiator;
	double gbps; /* 0: not measured */
};

static void add_cell(const struct cell *c)
{
	struct text text = {0};
	int config_id = add_config(c->config);

	text_printf(&text,
	            "INSERT INTO "
	            "cells(run_id,src_nic_id,dst_nic_id,path_class,config_id,initiator,fingerprint,"
	            "state)"
	            " VALUES(%d,%d,%d,'vm-vm-same-host',%d,'%s','%d-%d-%d-%s','done');",
	            c->run_id, c->src, c->dst, config_id, c->initiator, c->src, c->dst, config_id,
	            c->initiator);
	if (c->gbps > 0)
		text_printf(&text,
		            "INSERT INTO "
		            "cell_stats(cell_id,n,n_invalid,median_bps,line_rate_pct,method,"
		            "computed_utc)"
		            " VALUES(last_insert_rowid(),1,0,%.17g,%.17g,'m','t')",
		            c->gbps * 1e9, c->gbps * 10);
	run_sql(text_str(&text));
	text_done(&text);
}

static bool add_row(void *arg, int columns, const char *const *names, const char *const *values)
{
	struct text *text = arg;

	(void)names;
	for (int i = 0; i < columns; i++)
		text_printf(text, "%s%s", i == 0 ? "" : " ", values[i] == NULL ? "-" : values[i]);
	text_add(text, "\n");
	return true;
}

static void expect(const char *sql, const char *rows)
{
	struct text text = {0};
	struct err err = {0};

	if (!store_query(store, sql, add_row, &text, &err))
		fail_msg("%s: %s", sql, err.msg);
	assert_string_equal(text_str(&text), rows);
	text_done(&text);
}

static void cells_show_settings_as_people_write_them(void **state)
{
	static const struct {
		const char *config, *window;
	} rows[] = {
		{"NULL,NULL,1", "default\n"}, {"NULL,65536,1", "64K\n"},
		{"NULL,1048576,1", "1M\n"},   {"NULL,1073741824,1", "1G\n"},
		{"NULL,1536,1", "1536\n"},    {"NULL,1572864,1", "1536K\n"},
		{"NULL,12582912,1", "12M\n"}, {"NULL,65000,1", "65000\n"},
	};

	(void)state;
	add_run(1, "r", "measured");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char sql[128];

		add_cell(&(struct cell){1, 1, 3, rows[i].config, "src", 0});
		(void)snprintf(sql, sizeof(sql), "SELECT window FROM v_cells WHERE cell_id=%zu",
		               i + 1);
		expect(sql, rows[i].window);
	}
	add_cell(&(struct cell){1, 3, 1, "NULL,NULL,1", "dst", 1.23456789});
	expect("SELECT "
	       "src,dst,direction,initiator,path_class,src_driver,dst_driver,date,gbps,bps,ci_lo,"
	       "ci_hi,n,buffer"
	       " FROM v_cells WHERE cell_id=9",
	       "b.em0 a.em0 reverse dst vm-vm-same-host em em 2026-11-01 1.235 1234567890.0 - - 1 "
	       "default\n");
}

static void what_was_not_measured_is_null_and_not_0(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,1", "src", 0});
	expect("SELECT n,gbps,bps,ci_lo,ci_hi,cv_pct,line_rate_pct,limited_by,noise FROM v_cells",
	       "0 - - - - - - - -\n");
}

static void latest_is_the_newest_measured_of_each_cell(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	add_run(2, "r", "measured");
	add_run(3, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,1", "src", 1});
	add_cell(&(struct cell){2, 1, 3, "NULL,NULL,1", "src", 2});
	add_cell(&(struct cell){3, 1, 3, "NULL,NULL,1", "src", 0});
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,4", "src", 4});
	expect("SELECT run_id,streams,gbps FROM v_latest ORDER BY streams", "2 1 2.0\n1 4 4.0\n");
}

static void history_compares_with_the_run_before(void **state)
{
	(void)state;
	for (int i = 1; i <= 3; i++)
		add_run(i, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,1", "src", 2});
	add_cell(&(struct cell){2, 1, 3, "NULL,NULL,1", "src", 1});
	add_cell(&(struct cell){3, 1, 3, "NULL,NULL,1", "src", 0});
	add_cell(&(struct cell){3, 1, 3, "NULL,NULL,4", "src", 9});
	expect("SELECT run_id,streams,gbps,previous_gbps,change_pct FROM v_history ORDER BY "
	       "fingerprint,run_id",
	       "1 1 2.0 - -\n2 1 1.0 2.0 -50.0\n3 4 9.0 - -\n");
	expect("SELECT run_id FROM v_history WHERE change_pct<-5", "2\n");
}

/* The published table "em-vs-vmxnet3", a part of it. */
static void driver_and_mtu_stand_side_by_side(void **state)
{
	(void)state;
	add_run(1, "em-vs-vmxnet3", "measured");
	add_cell(&(struct cell){1, 1, 3, "1500,NULL,1", "src", 1.99});
	add_cell(&(struct cell){1, 2, 4, "1500,NULL,1", "src", 2.99});
	add_cell(&(struct cell){1, 1, 3, "9000,NULL,1", "src", 1.72});
	add_cell(&(struct cell){1, 2, 4, "9000,NULL,1", "src", 1.99});
	add_cell(&(struct cell){1, 1, 3, "9000,196608,1", "src", 5.21});
	add_cell(&(struct cell){1, 2, 4, "9000,196608,1", "src", 2.34});
	add_cell(&(struct cell){1, 1, 4, "9000,196608,1", "src",
	                        7.77}); /* mixed drivers: not in the table */
	add_cell(&(struct cell){1, 1, 3, "NULL,262144,1", "src", 3});
	expect("SELECT "
	       "window,em_1500,vmxnet3_1500,em_9000,vmxnet3_9000,em_unchanged,vmxnet3_unchanged "
	       "FROM v_driver_mtu"
	       " WHERE run='em-vs-vmxnet3'",
	       "default 1.99 2.99 1.72 1.99 - -\n192K - - 5.21 2.34 - -\n256K - - - - 3.0 -\n");
	expect("SELECT DISTINCT src_host,dst_host,direction FROM v_driver_mtu", "a b forward\n");
}

static void the_mtu_effect_pairs_cells_that_differ_in_nothing_else(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "1500,NULL,1", "src", 2});
	add_cell(&(struct cell){1, 1, 3, "9000,NULL,1", "src", 3});
	add_cell(&(struct cell){1, 1, 3, "9000,65536,1", "src", 9}); /* window has no partner */
	add_cell(&(struct cell){1, 1, 3, "9000,NULL,4", "src", 9});  /* streams */
	add_cell(&(struct cell){1, 1, 3, "9000,NULL,1", "dst", 9});  /* initiator */
	add_cell(&(struct cell){1, 3, 1, "9000,NULL,1", "src", 9});  /* ends */
	expect("SELECT src,dst,mtu1500_gbps,mtu9000_gbps,change_pct FROM v_mtu_effect",
	       "a.em0 b.em0 2.0 3.0 50.0\n");
	run_sql("UPDATE configs SET omit_s=0 WHERE mtu_bytes=9000");
	expect("SELECT count(*) FROM v_mtu_effect", "0\n");
}

static void asymmetry_has_each_cell_once(void **state)
{
	/* a.em0 -> b.em0 and back; s: opened by the sender, d: by the receiver */
	static const struct {
		double there_s, there_d, back_s, back_d;
		const char *rows;
	} rows[] = {
		{1, 0, 2, 0, "forward 1.0 2.0 2.0\n"}, /* both forward: the only partner */
		{1, 0, 0, 2, "forward 1.0 2.0 2.0\n"}, /* one opener: forward and reverse */
		{1, 3, 2, 4,
	         "forward 1.0 4.0 4.0\nreverse 3.0 2.0 1.5\n"}, /* two openers, two rows */
		{1, 3, 2, 0, "reverse 3.0 2.0 1.5\n"},          /* the same opener goes first */
		{0, 3, 0, 2, "reverse 3.0 2.0 1.5\n"},
		{1, 2, 0, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int run_id = (int)i + 1;
		char sql[160];

		add_run(run_id, "r", "measured");
		add_cell(&(struct cell){run_id, 1, 3, "NULL,NULL,1", "src", rows[i].there_s});
		add_cell(&(struct cell){run_id, 1, 3, "NULL,NULL,1", "dst", rows[i].there_d});
		add_cell(&(struct cell){run_id, 3, 1, "NULL,NULL,1", "src", rows[i].back_s});
		add_cell(&(struct cell){run_id, 3, 1, "NULL,NULL,1", "dst", rows[i].back_d});
		(void)snprintf(sql, sizeof(sql),
		               "SELECT direction,src_to_dst_gbps,dst_to_src_gbps,ratio FROM "
		               "v_asymmetry WHERE run_id=%d"
		               " ORDER BY direction",
		               run_id);
		expect(sql, rows[i].rows);
	}
	expect("SELECT DISTINCT src,dst FROM v_asymmetry", "a.em0 b.em0\n");
}

static void problems_tell_faults_from_choices(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	for (int i = 1; i <= 4; i++) {
		char config[32];

		(void)snprintf(config, sizeof(config), "NULL,NULL,%d", i);
		add_cell(&(struct cell){1, 1, 3, config, "src", 0});
	}
	run_sql("UPDATE cells SET state='skipped',reason='" RESULT_BY_CHOICE "mtu' WHERE cell_id=1;"
	        "UPDATE cells SET state='skipped',reason='b: cannot be reached' WHERE cell_id=2;"
	        "UPDATE cells SET state='skipped',reason=NULL WHERE cell_id=3;"
	        "INSERT INTO tests(cell_id,replicate,block,round,seq,status,reason)"
	        " VALUES(4,1,1,1,1,'invalid','mss'),(4,2,1,1,1,'ok',NULL)");
	expect("SELECT streams,kind,what,id,status,reason FROM v_problems ORDER BY what,id",
	       "1 choice cell 1 skipped " RESULT_BY_CHOICE "mtu\n"
	       "2 fault cell 2 skipped b: cannot be reached\n"
	       "3 fault cell 3 skipped -\n"
	       "4 fault test 1 invalid mss\n");
}

static void what_changed_is_told_against_the_run_that_knew_the_host(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	add_run(2, "r", "measured"); /* reached neither host: no facts */
	add_run(3, "demo", "demo");
	add_run(4, "r", "measured");
	run_sql("INSERT INTO facts(run_id,host_id,nic_id,phase,key,value) VALUES"
	        "(1,1,NULL,'before','kernel','5'),(1,1,NULL,'before','same','x'),(1,1,NULL,'before'"
	        ",'gone','y'),"
	        "(1,1,1,'before','speed','1'),(1,1,2,'before','speed','10'),(1,1,NULL,'after','"
	        "kernel','77'),"
	        "(3,1,NULL,'before','kernel','demo'),"
	        "(4,1,NULL,'before','kernel','6'),(4,1,NULL,'before','same','x'),(4,1,NULL,'before'"
	        ",'new','z'),"
	        "(4,1,1,'before','speed','1'),(4,1,2,'before','speed','25'),(4,2,NULL,'before','"
	        "kernel','1')");
	expect("SELECT run_id,host,nic,key,before,after FROM v_what_changed ORDER BY key",
	       "4 a - gone y -\n4 a - kernel 5 6\n4 a - new - z\n4 a vmx0 speed 10 25\n");
}

/* A NIC that took no part in the run before, or takes none in this one, has not changed. */
static void who_was_not_asked_has_not_changed(void **state)
{
	(void)state;
	add_run(1, "r", "measured"); /* a with em0 */
	add_run(2, "r", "measured"); /* a with vmx0; b for the first time */
	add_run(3, "r", "measured"); /* b alone */
	add_run(4, "r", "measured"); /* a with em0 again: compared with run 1 */
	run_sql("INSERT INTO facts(run_id,host_id,nic_id,phase,key,value) VALUES"
	        "(1,1,NULL,'before','kernel','5'),(1,1,1,'before','speed','1'),"
	        "(2,1,NULL,'before','kernel','5'),(2,1,2,'before','speed','10'),"
	        "(2,2,NULL,'before','kernel','5'),(2,2,3,'before','speed','1'),"
	        "(3,2,NULL,'before','kernel','5'),"
	        "(4,1,NULL,'before','kernel','5'),(4,1,1,'before','speed','25')");
	expect("SELECT run_id,host,nic,key,before,after FROM v_what_changed",
	       "4 a em0 speed 1 25\n");
}

static void a_bidir_cell_shows_both_ways(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,1", "src", 9});
	run_sql("UPDATE configs SET bidir=1; UPDATE cell_stats SET reverse_median_bps=4.5e9");
	expect("SELECT direction,gbps,reverse_gbps FROM v_cells", "bidir 9.0 4.5\n");
	expect("SELECT direction,src_to_dst_gbps,dst_to_src_gbps,ratio FROM v_asymmetry",
	       "bidir 9.0 4.5 2.0\n");
	/* Two of them, one from each end, are two answers and no pair. */
	add_cell(&(struct cell){1, 3, 1, "NULL,NULL,1", "src", 8});
	expect("SELECT count(*) FROM v_asymmetry", "1\n");
}

static void latencies_datagrams_and_limits_are_told_of_tests_that_know_them(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,1", "src", 1});
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,2", "src", 2});
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,4", "src", 4});
	run_sql("UPDATE configs SET mode='rr' WHERE streams=1;"
	        "UPDATE configs SET protocol='udp',target_bps=500000000 WHERE streams=2;"
	        "INSERT INTO tests(cell_id,replicate,block,round,seq,status,rr_per_s,rr_p50_us,"
	        "rr_p99_us) VALUES(1,1,1,1,1,'ok',41000.04,23.44,61.02),"
	        "(1,2,1,1,1,'failed',1,1,1);"
	        "INSERT INTO tests(cell_id,replicate,block,round,seq,status,sender_bps,"
	        "throughput_bps,datagrams_sent,datagrams_received,datagrams_lost,loss_pct,jitter_"
	        "us)"
	        " VALUES(2,1,1,1,1,'ok',1e9,0.999e9,1000,999,1,0.1,12.34);"
	        "INSERT INTO tests(cell_id,replicate,block,round,seq,status,duration_s,"
	        "throughput_bps,busy_us,rwnd_limited_us,sndbuf_limited_us,src_method)"
	        " VALUES(3,1,1,1,1,'ok',10,4e9,20000000,5000000,1000000,'writev'),"
	        "(3,2,1,1,1,'ok',10,4e9,NULL,NULL,NULL,NULL)");
	expect("SELECT mode,rr_per_s,rr_p50_us,rr_p99_us,probes,base_us FROM v_latency",
	       "rr 41000.0 23.4 61.0 - -\n");
	expect("SELECT target_bps,sent_gbps,gbps,datagrams_lost,loss_pct,jitter_us,"
	       "datagrams_reordered,reverse_gbps FROM v_udp",
	       "500000000 1.0 0.999 1 0.1 12.3 - -\n");
	expect("SELECT busy_pct,rwnd_pct,sndbuf_pct,way_pct,src_method,src_steal_pct FROM v_limits",
	       "50.0 25.0 5.0 70.0 writev -\n");
}

static void what_befell_a_stream_is_a_problem(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,2", "src", 0});
	run_sql("INSERT INTO tests(cell_id,replicate,block,round,seq,status,reason)"
	        " VALUES(1,1,1,1,1,'failed','2 streams died');"
	        "INSERT INTO stream_troubles VALUES(1,0,2,1,'connection reset'),"
	        "(1,1,1,2,'no answer')");
	expect("SELECT kind,what,id,status,reason FROM v_problems WHERE what='stream' ORDER BY "
	       "status",
	       "fault stream 1 stream 1 back b: no answer\n"
	       "fault stream 1 stream 2 a: connection reset\n");
}

static void unrestored_settings_are_listed(void **state)
{
	(void)state;
	add_run(1, "r", "measured");
	run_sql("INSERT INTO "
	        "setting_changes(run_id,host_id,nic_id,setting,value_before,value_requested,apply_"
	        "command,"
	        "restore_command,state) VALUES"
	        "(1,1,1,'mtu','1500','9000','a','r1','restore_failed'),(1,1,1,'mtu','1500','9000','"
	        "a','r2','restored'),"
	        "(1,2,NULL,'lro','off','on','a','r3','intended'),(1,2,NULL,'lro','off','on','a','"
	        "r4','not_applied'),"
	        "(1,2,NULL,'lro','off','on','a','r5','foreign')");
	expect("SELECT "
	       "host,nic,setting,value_before,value_requested,value_after,state,restore_command "
	       "FROM v_unrestored ORDER BY host",
	       "a em0 mtu 1500 9000 - restore_failed r1\nb - lro off on - intended r3\n");
}

static void every_example_of_the_help_runs(void **state)
{
	sqlite3_stmt *stmt = NULL;
	struct err err = {0};
	bool row = true;
	int examples = 0;

	(void)state;

	assert_true(sql_prepare(&store->sql, "SELECT view,example FROM v_help", &stmt, &err));
	while (sql_step(&store->sql, stmt, &row, &err) && row) {
		struct text text = {0};

		if (!store_query(store, (const char *)sqlite3_column_text(stmt, 1), add_row, &text,
		                 &err))
			fail_msg("%s: %s", (const char *)sqlite3_column_text(stmt, 1), err.msg);
		text_done(&text);
		examples++;
	}
	(void)sqlite3_finalize(stmt);
	assert_int_equal(examples, 18);
	/* The traps of the tables are told. */
	expect("SELECT view FROM v_help WHERE purpose LIKE '%stream=0 or stream>0%'"
	       " OR purpose LIKE '%not used yet%' OR purpose LIKE '%omitted start and drain%'",
	       "tests\nintervals\nsetting_changes\n");
	expect("SELECT name FROM sqlite_schema WHERE type='view' AND name<>'v_help'"
	       " AND name NOT IN(SELECT view FROM v_help)",
	       "");
}

/* The questions that the documents show to the user. */
static void the_documented_questions_can_be_asked(void **state)
{
	static const char *const questions[] = {
		"SELECT window,em_1500,vmxnet3_1500,em_9000,vmxnet3_9000 FROM v_driver_mtu WHERE "
		"run='em-vs-vmxnet3'",
		"SELECT "
		"src,dst,path_class,mtu_bytes,window,streams,gbps,ci_lo,ci_hi,line_rate_pct,"
		"limited_by FROM v_latest"
		" ORDER BY line_rate_pct IS NULL,line_rate_pct",
		"SELECT src,dst,src_to_dst_gbps,dst_to_src_gbps,ratio FROM v_asymmetry WHERE "
		"ratio>1.5",
		"SELECT src,dst,date,gbps,previous_gbps,change_pct FROM v_history WHERE change_pct "
		"< -5",
		"SELECT host,key,before,after FROM v_what_changed WHERE run_id=3",
		"SELECT host,nic,setting,value_before,value_after,state,restore_command FROM "
		"v_unrestored",
		"SELECT a.src,a.dst,a.window,a.gbps AS mtu1500,b.gbps AS "
		"mtu9000,ROUND(100*(b.gbps/a.gbps-1)) AS pct"
		" FROM v_latest a JOIN v_latest b USING(src,dst,window,streams,direction)"
		" WHERE a.mtu_bytes=1500 AND b.mtu_bytes=9000",
		"SELECT src,dst,window,MAX(gbps) AS gbps FROM v_latest GROUP BY src,dst",
		"SELECT start_s,ROUND(throughput_bps/1e9,2) AS gbps,retransmits,cpu_pct FROM "
		"intervals"
		" WHERE test_id=212 AND stream=0",
		"SELECT view,purpose,example FROM v_help",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(questions); i++) {
		struct text text = {0};
		struct err err = {0};

		if (!store_query(store, questions[i], add_row, &text, &err))
			fail_msg("%s: %s", questions[i], err.msg);
		text_done(&text);
	}
}

static void big_tables_are_searched_and_not_scanned(void **state)
{
	static const struct {
		const char *sql, *index;
	} rows[] = {
		{"EXPLAIN QUERY PLAN SELECT * FROM v_history WHERE fingerprint='x'",
	         "SEARCH c USING INDEX cells_fp"},
		{"EXPLAIN QUERY PLAN SELECT * FROM v_latest",
	         "SEARCH o USING COVERING INDEX cells_fp"},
		{"EXPLAIN QUERY PLAN SELECT * FROM v_what_changed", "b USING INDEX facts_one"},
		{"EXPLAIN QUERY PLAN SELECT * FROM v_problems WHERE run_id=1", "INDEX tests_bad"},
		{"EXPLAIN QUERY PLAN SELECT * FROM v_unrestored", "INDEX sc_open"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct text text = {0};
		struct err err = {0};

		assert_true(store_query(store, rows[i].sql, add_row, &text, &err));
		if (strstr(text_str(&text), rows[i].index) == NULL)
			fail_msg("%s:\n%s", rows[i].sql, text_str(&text));
		text_done(&text);
	}
}

/* A run is deleted with all that is its own; a pinned one is not. */
static void a_run_can_be_deleted_unless_it_is_pinned(void **state)
{
	struct err err = {0};

	(void)state;
	add_run(1, "r", "measured");
	add_cell(&(struct cell){1, 1, 3, "NULL,NULL,1", "src", 1});
	run_sql("INSERT INTO tests(cell_id,replicate,block,round,seq,status) "
	        "VALUES(1,1,1,1,1,'ok');"
	        "INSERT INTO events(run_id,utc,level,test_id,message) VALUES(1,'','info',1,'x');"
	        "INSERT INTO advice(run_id,cell_id,rule,severity,confidence,title,evidence_json)"
	        " VALUES(1,1,'r','info','low','t','{}');"
	        "INSERT INTO baselines VALUES('main',1,'',NULL)");
	assert_false(sql_exec(&store->sql, "DELETE FROM runs", &err));
	assert_non_null(strstr(err.msg, "FOREIGN KEY constraint failed"));
	run_sql("DELETE FROM baselines; DELETE FROM runs");
	expect("SELECT (SELECT count(*) FROM cells)+(SELECT count(*) FROM tests)+(SELECT count(*) "
	       "FROM events)+"
	       "(SELECT count(*) FROM advice)+(SELECT count(*) FROM cell_stats)+(SELECT count(*) "
	       "FROM run_nics)",
	       "0\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cells_show_settings_as_people_write_them, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(what_was_not_measured_is_null_and_not_0, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(latest_is_the_newest_measured_of_each_cell, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(history_compares_with_the_run_before, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(driver_and_mtu_stand_side_by_side, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_mtu_effect_pairs_cells_that_differ_in_nothing_else, setup, teardown),
		cmocka_unit_test_setup_teardown(asymmetry_has_each_cell_once, setup, teardown),
		cmocka_unit_test_setup_teardown(problems_tell_faults_from_choices, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_changed_is_told_against_the_run_that_knew_the_host, setup, teardown),
		cmocka_unit_test_setup_teardown(who_was_not_asked_has_not_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bidir_cell_shows_both_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(
			latencies_datagrams_and_limits_are_told_of_tests_that_know_them, setup,
			teardown),
		cmocka_unit_test_setup_teardown(what_befell_a_stream_is_a_problem, setup, teardown),
		cmocka_unit_test_setup_teardown(unrestored_settings_are_listed, setup, teardown),
		cmocka_unit_test_setup_teardown(every_example_of_the_help_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(the_documented_questions_can_be_asked, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(big_tables_are_searched_and_not_scanned, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(a_run_can_be_deleted_unless_it_is_pinned, setup,
	                                        teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
