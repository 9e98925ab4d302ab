/* SPDX-License-Identifier: MIT */
#include "report/cell_tables.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/summary.h"
#include "report/table.h"

/* ---- rows ---- */

/* A test with what is reckoned from it. */
struct shown_test {
	struct dataset_test t;
	/* Of the time of all streams, and of it: see v_limits in schemas/results. */
	double busy_pct, rwnd_pct, sndbuf_pct, way_pct;
};

static double share_pct(int64_t part, double whole)
{
	return part == RESULT_UNKNOWN || !(whole > 0) ? (double)NAN : 100.0 * (double)part / whole;
}

static void show_test(const struct dataset_cell *cell, const struct dataset_test *test,
                      struct shown_test *out)
{
	double busy = test->busy_us == RESULT_UNKNOWN ? (double)NAN : (double)test->busy_us;

	out->t = *test;
	out->busy_pct = share_pct(test->busy_us, test->duration_s * 1e6 * (double)cell->streams);
	out->rwnd_pct = share_pct(test->rwnd_limited_us, busy);
	out->sndbuf_pct = share_pct(test->sndbuf_limited_us, busy);
	out->way_pct = 100 - out->rwnd_pct - out->sndbuf_pct;
}

static const void **show_tests(const struct dataset_cell *cell, struct arena *arena)
{
	struct shown_test *tests = arena_alloc(arena, cell->test_count, sizeof(*tests));
	const void **rows = arena_alloc(arena, cell->test_count, sizeof(*rows));

	for (size_t i = 0; i < cell->test_count; i++) {
		show_test(cell, &cell->tests[i], &tests[i]);
		rows[i] = &tests[i];
	}
	return rows;
}

static void print_tests(FILE *out, const struct dataset_cell *cell, const struct table *table)
{
	struct arena arena = {0};

	table_print(out, table, show_tests(cell, &arena), cell->test_count);
	arena_done(&arena);
}

/* A table below another, where it has anything to tell. */
static void print_news(FILE *out, const struct dataset_cell *cell, const struct table *table,
                       const char *words)
{
	struct arena arena = {0};
	const void **rows = show_tests(cell, &arena);

	if (table_has_news(table, rows, cell->test_count)) {
		(void)fputc('\n', out);
		table_print(out, table, rows, cell->test_count);
		(void)fputs(words, out);
	}
	arena_done(&arena);
}

/* clang-format off */
#define TEST(head, kind, member, look) \
	{{head, COLUMN_##kind, offsetof(struct shown_test, t.member)}, TABLE_##look, false}
#define NEWS(head, kind, member, look) \
	{{head, COLUMN_##kind, offsetof(struct shown_test, t.member)}, TABLE_##look, true}
#define SHARE(head, member) \
	{{head, COLUMN_REAL, offsetof(struct shown_test, member)}, TABLE_PLAIN, true}
#define WHICH \
	TEST("test", INT, test_id, PLAIN), TEST("repeat", U32, replicate, PLAIN), \
	TEST("try", U32, attempt, PLAIN), TEST("status", STR, status, PLAIN)

/* ---- what each test moved ---- */

static const struct table_column bulk_columns[] = {
	WHICH, TEST(NULL, REAL, throughput_bps, RATE), TEST("sent", REAL, sender_bps, RATE),
	TEST("retr", INT, retransmits, PLAIN), TEST("per GiB", REAL, retransmits_per_gib, PLAIN),
	TEST("rtt us", REAL, rtt_base_us, PLAIN), TEST("loaded us", REAL, rtt_loaded_us, PLAIN),
	TEST("delay %", REAL, buffer_delay_pct, PLAIN), TEST("cwnd max", INT, cwnd_max_bytes, ABOUT),
	TEST("rx drops", INT, rx_drops, PLAIN), TEST("NIC %", REAL, nic_byte_match_pct, PLAIN),
	TEST("at once", INT, concurrent_tests, PLAIN),
};

static const struct table_column udp_columns[] = {
	WHICH, TEST(NULL, REAL, throughput_bps, RATE), TEST("sent", REAL, sender_bps, RATE),
	TEST("datagrams", INT, datagrams_received, PLAIN), TEST("lost", INT, datagrams_lost, PLAIN),
	TEST("loss %", REAL, loss_pct, PLAIN), TEST("reordered", INT, datagrams_reordered, PLAIN),
	TEST("doubles", INT, datagrams_duplicate, PLAIN), TEST("jitter us", REAL, jitter_us, PLAIN),
	TEST("rx drops", INT, rx_drops, PLAIN), TEST("NIC %", REAL, nic_byte_match_pct, PLAIN),
	TEST("at once", INT, concurrent_tests, PLAIN),
};

static const struct table_column rr_columns[] = {
	WHICH, TEST("a second", REAL, rr_per_s, PLAIN), TEST("min us", REAL, rr_min_us, PLAIN),
	TEST("mean", REAL, rr_mean_us, PLAIN), TEST("p50", REAL, rr_p50_us, PLAIN),
	TEST("p90", REAL, rr_p90_us, PLAIN), TEST("p99", REAL, rr_p99_us, PLAIN),
	TEST("p99.9", REAL, rr_p999_us, PLAIN), TEST("max us", REAL, rr_max_us, PLAIN),
	TEST("retr", INT, retransmits, PLAIN), TEST("rx drops", INT, rx_drops, PLAIN),
	TEST("at once", INT, concurrent_tests, PLAIN),
};

static const struct table_column back_columns[] = {
	TEST("test", INT, test_id, PLAIN), TEST(NULL, REAL, reverse_bps, RATE),
	TEST("sent", REAL, reverse_sender_bps, RATE), NEWS("retr", INT, reverse_retransmits, PLAIN),
	NEWS("loaded us", REAL, reverse_rtt_loaded_us, PLAIN),
	NEWS("loss %", REAL, reverse_loss_pct, PLAIN), NEWS("jitter us", REAL, reverse_jitter_us, PLAIN),
};

/* ---- what the systems gave ---- */

#define SOCKETS \
	TEST("test", INT, test_id, PLAIN), TEST("window asked", INT, window_requested_bytes, ASKED), \
	TEST("sndbuf", INT, sndbuf_actual_bytes, SIZE), TEST("rcvbuf", INT, rcvbuf_actual_bytes, SIZE), \
	TEST("mss", INT, mss_bytes, PLAIN), TEST("path mtu", INT, path_mtu_bytes, PLAIN)

/* Requests are small: CPU time for a GiB of them tells nothing. */
static const struct table_column rr_ends_columns[] = {
	SOCKETS, TEST("src cpu %", REAL, src_cpu_pct, PLAIN),
	TEST("core max %", REAL, src_core_max_pct, PLAIN), TEST("dst cpu %", REAL, dst_cpu_pct, PLAIN),
	TEST("core max %", REAL, dst_core_max_pct, PLAIN),
};

static const struct table_column ends_columns[] = {
	SOCKETS, TEST("src cpu %", REAL, src_cpu_pct, PLAIN), TEST("core max %", REAL, src_core_max_pct, PLAIN),
	TEST("us/GiB", REAL, src_cpu_us_per_gib, PLAIN), TEST("dst cpu %", REAL, dst_cpu_pct, PLAIN),
	TEST("core max %", REAL, dst_core_max_pct, PLAIN), TEST("us/GiB", REAL, dst_cpu_us_per_gib, PLAIN),
};

static const struct table_column how_columns[] = {
	TEST("test", INT, test_id, PLAIN), NEWS("src by", STR, src_method, PLAIN),
	NEWS("dst by", STR, dst_method, PLAIN), NEWS("congestion", STR, tcp_cc_actual, PLAIN),
	NEWS("no-delay", INT, no_delay_actual, SWITCH), NEWS("dscp", INT, dscp_actual, PLAIN),
	NEWS("src cores", STR, src_affinity, PLAIN), NEWS("dst cores", STR, dst_affinity, PLAIN),
	NEWS("src thread %", REAL, src_thread_max_pct, PLAIN),
	NEWS("dst thread %", REAL, dst_thread_max_pct, PLAIN),
	NEWS("src steal %", REAL, src_steal_pct, PLAIN), NEWS("dst steal %", REAL, dst_steal_pct, PLAIN),
	NEWS("skew us", REAL, start_skew_us, PLAIN),
};

static const struct table_column limit_columns[] = {
	TEST("test", INT, test_id, PLAIN), SHARE("busy %", busy_pct), SHARE("rwnd %", rwnd_pct),
	SHARE("sndbuf %", sndbuf_pct), SHARE("way %", way_pct),
};

static const struct table_column probe_columns[] = {
	TEST("test", INT, test_id, PLAIN), NEWS("rtt min us", REAL, rtt_min_us, PLAIN),
	NEWS("probes", INT, rtt_probe_count, PLAIN), NEWS("p50 us", REAL, rtt_probe_p50_us, PLAIN),
	NEWS("p99 us", REAL, rtt_probe_p99_us, PLAIN), NEWS("max us", REAL, rtt_probe_max_us, PLAIN),
};

/* ---- how the last test went ---- */

struct shown_interval {
	struct dataset_interval v;
	bool counts;
};

#define PIECE(head, kind, member, look) \
	{{head, COLUMN_##kind, offsetof(struct shown_interval, v.member)}, TABLE_##look, false}
#define MORE(head, kind, member, look) \
	{{head, COLUMN_##kind, offsetof(struct shown_interval, v.member)}, TABLE_##look, true}

static const struct table_column interval_columns[] = {
	PIECE("from s", REAL, start_s, PLAIN), PIECE("to s", REAL, end_s, PLAIN),
	PIECE(NULL, REAL, throughput_bps, RATE),
	MORE("datagrams", INT, datagrams, PLAIN), MORE("lost", INT, datagrams_lost, PLAIN),
	MORE("retransmits", INT, retransmits, PLAIN), MORE("cwnd", INT, cwnd_bytes, ABOUT),
	MORE("rtt us", INT, rtt_us, PLAIN), MORE("src cpu %", REAL, src_cpu_pct, PLAIN),
	MORE("core max %", REAL, src_core_max_pct, PLAIN), MORE("steal %", REAL, src_steal_pct, PLAIN),
	MORE("dst cpu %", REAL, cpu_pct, PLAIN), MORE("core max %", REAL, dst_core_max_pct, PLAIN),
	MORE("steal %", REAL, dst_steal_pct, PLAIN),
	{{"counts", COLUMN_BOOL, offsetof(struct shown_interval, counts)}, TABLE_PLAIN, false},
};
/* clang-format on */

#define TABLE(list, its_unit)                                                         \
	&(const struct table)                                                         \
	{                                                                             \
		.columns = (list), .column_count = COUNT_OF(list), .unit = (its_unit) \
	}

/* What the heads of a table are too short to tell. */
static const char bulk_words[] =
	"rtt us: round trip before the load; loaded us: during it; delay %: how much\n"
	"longer that is, spent in buffers on the way. NIC %: bytes that the receiver's\n"
	"NIC counted, in percent of the test's: headers make it a little more than 100,\n"
	"other traffic far more; it is less where the test took another way.\n";
static const char udp_words[] =
	"lost: datagrams of the measured time that never came; doubles: that came more\n"
	"than once; jitter us: how unevenly they came (RFC 3550). NIC %: bytes that the\n"
	"receiver's NIC counted, in percent of the test's.\n";
static const char rr_words[] =
	"a second: requests that were answered, all streams together; the rest: how long\n"
	"an answer took; p99: 99 of 100 came within this time.\n";

void cell_tables_flow(FILE *out, const struct dataset_cell *cell, struct format_unit unit)
{
	if (summary_is_rr(cell)) {
		print_tests(out, cell, TABLE(rr_columns, unit));
		(void)fputs(rr_words, out);
	} else if (summary_is_udp(cell)) {
		print_tests(out, cell, TABLE(udp_columns, unit));
		(void)fputs(udp_words, out);
	} else {
		print_tests(out, cell, TABLE(bulk_columns, unit));
		(void)fputs(bulk_words, out);
	}
	if (cell->bidir == 0)
		return;
	(void)fputs("\nthe way back, at the same time\n", out);
	print_tests(out, cell, TABLE(back_columns, unit));
}

void cell_tables_ends(FILE *out, const struct dataset_cell *cell)
{
	const struct format_unit none = {1, ""};

	if (summary_is_rr(cell))
		print_tests(out, cell, TABLE(rr_ends_columns, none));
	else
		print_tests(out, cell, TABLE(ends_columns, none));
	print_news(
		out, cell, TABLE(how_columns, none),
		"by: the calls that moved the bytes; cores: those the data threads may use;\n"
		"thread %: the busiest of them; steal %: taken by the hypervisor; skew us: from\n"
		"the first byte of the first stream to that of the last.\n");
	print_news(out, cell, TABLE(limit_columns, none),
	           "busy %: the sender had data to send, of the measured time. Of that it waited\n"
	           "for the receiver's window (rwnd %), for room in its socket buffer (sndbuf %);\n"
	           "the rest is the way's: congestion window and links.\n");
	print_news(
		out, cell, TABLE(probe_columns, none),
		"rtt min us: least round trip that the sender's system saw; probes: small round\n"
		"trips on a connection of their own beside the load, and how long they took.\n");
}

/* Requests answered a second, as the end counts that asked: the other end's bytes are those of
 * requests that it has, and are no answers yet. */
static double transactions_per_s(const struct dataset_interval *v)
{
	if (v->transactions == RESULT_UNKNOWN || !(v->end_s > v->start_s))
		return (double)NAN;
	return (double)v->transactions / (v->end_s - v->start_s);
}

static size_t show_intervals(const struct report_cell *cell, int64_t direction, const void **rows,
                             struct arena *arena)
{
	bool is_rr = summary_is_rr(&cell->data->cells[0]);
	size_t count = 0;

	for (size_t i = 0; i < cell->interval_count; i++) {
		const struct dataset_interval *v = &cell->intervals[i];
		struct shown_interval *shown;

		if (v->stream != 0 || v->direction != direction)
			continue; /* the sum; single streams are in --json */
		shown = arena_alloc(arena, 1, sizeof(*shown));
		shown->v = *v;
		shown->counts = !v->omitted;
		if (is_rr)
			shown->v.throughput_bps = transactions_per_s(v);
		rows[count++] = shown;
	}
	return count;
}

void cell_tables_intervals(FILE *out, const struct report_cell *cell, struct format_unit unit)
{
	const struct dataset_cell *c = &cell->data->cells[0];

	if (summary_is_rr(c))
		unit.scale = 1; /* no bits */
	for (int64_t direction = 0; direction <= 1; direction++) {
		struct arena arena = {0};
		const void **rows = arena_alloc(&arena, cell->interval_count, sizeof(*rows));
		size_t count = show_intervals(cell, direction, rows, &arena);

		if (count > 0) {
			(void)fprintf(out,
			              "\nintervals of test %" PRId64 ", all streams together%s\n",
			              c->tests[c->test_count - 1].test_id,
			              direction == 0 ? "" : ", the way back (src: who sends)");
			table_print(out, TABLE(interval_columns, unit), rows, count);
		}
		arena_done(&arena);
	}
}
