/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "measure/udp_stats.h"
#include "tests/support/test.h"

static struct udp_stats stats;

static int clear(void **state)
{
	(void)state;
	memset(&stats, 0, sizeof(stats));
	return 0;
}

static void take(uint64_t sequence)
{
	struct udp_header h = {sequence, 0};

	udp_stats_take(&stats, &h, 0);
}

static void take_range(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i <= to; i++)
		take(i);
}

/* Received, lost, reordered, duplicates. */
static void expect(uint64_t received, uint64_t lost, uint64_t reordered, uint64_t duplicates)
{
	assert_int_equal(stats.received, received);
	assert_int_equal(udp_stats_lost(&stats), lost);
	assert_int_equal(stats.reordered, reordered);
	assert_int_equal(stats.duplicates, duplicates);
	assert_int_equal(stats.unique + stats.duplicates, received);
}

static void nothing_is_lost_of_nothing(void **state)
{
	(void)state;
	expect(0, 0, 0, 0);
}

static void in_order_all_is_well(void **state)
{
	(void)state;
	take_range(1, 3 * UDP_STATS_WINDOW + 7);
	expect(3 * UDP_STATS_WINDOW + 7, 0, 0, 0);
}

static void gaps_are_lost_also_at_the_start(void **state)
{
	(void)state;
	take(4); /* 1, 2, 3 */
	expect(1, 3, 0, 0);
	take_range(5, 10);
	take(13); /* 11, 12 */
	expect(8, 5, 0, 0);
}

static void a_late_one_is_not_lost(void **state)
{
	(void)state;
	take(1);
	take(4);
	expect(2, 2, 0, 0);
	take(2);
	expect(3, 1, 1, 0);
	take(5);
	take(3);
	expect(5, 0, 2, 0);
}

static void duplicates_are_neither_late_nor_new(void **state)
{
	(void)state;
	take(1);
	take(1);
	take(3);
	take(3);
	take(2);
	take(2);
	take(1);
	expect(7, 0, 1, 4);
}

static void the_window_forgets_what_it_held_before(void **state)
{
	(void)state;
	take_range(1, UDP_STATS_WINDOW); /* all bits are set */
	take(UDP_STATS_WINDOW + 3);      /* where 3 was */
	take(UDP_STATS_WINDOW + 1);      /* where 1 was: late, no duplicate */
	expect(UDP_STATS_WINDOW + 2, 1, 1, 0);
	take(UDP_STATS_WINDOW + 1);
	expect(UDP_STATS_WINDOW + 3, 1, 1, 1);
	take(4); /* the oldest that is still known */
	expect(UDP_STATS_WINDOW + 4, 1, 1, 2);
}

static void a_jump_beyond_the_window_forgets_all(void **state)
{
	const uint64_t far = 5 * UDP_STATS_WINDOW;

	(void)state;
	take_range(1, 100);
	take(far);
	expect(101, far - 101, 0, 0);
	for (uint64_t i = far - UDP_STATS_WINDOW + 1; i < far; i++)
		take(i); /* all of them are new */
	expect(100 + UDP_STATS_WINDOW, far - 100 - UDP_STATS_WINDOW, UDP_STATS_WINDOW - 1, 0);
	take(50); /* too old to know: taken for late */
	assert_int_equal(stats.duplicates, 0);
	assert_int_equal(stats.reordered, UDP_STATS_WINDOW);
}

static void the_last_ones_are_missed_when_the_sender_tells_how_many(void **state)
{
	(void)state;
	take_range(1, 10);
	take(10);
	udp_stats_end(&stats, 15);
	expect(11, 5, 0, 1);
	udp_stats_end(&stats, 12); /* nonsense changes nothing */
	expect(11, 5, 0, 1);
	take(15); /* was on its way */
	expect(12, 4, 1, 1);
	udp_stats_end(&stats, 15);
	assert_int_equal(15, stats.received + udp_stats_lost(&stats) - stats.duplicates);
}

static void any_sequence_is_safe(void **state)
{
	(void)state;
	take(UINT64_MAX);
	take(1);
	take(UINT64_MAX);
	take(UINT64_MAX - 1);
	expect(4, UINT64_MAX - 3, 2, 1);
}

/* By hand, with J = J + (|D| - J) / 16 in sixteenths of a ns, A.8:
 * D = (R2 - R1) - (S2 - S1).
 *	S      R       transit   |D|     16 J                           J
 *	0      5000    5000      -       0                              0
 *	1000   6160    5160      160     0 + 160 - (0 + 8) / 16 = 160   10
 *	2000   7000    5000      160     160 + 160 - 168 / 16 = 310     19
 *	3000   8000    5000      0       310 + 0 - 318 / 16 = 291       18
 *	4000   9800    5800      800     291 + 800 - 299 / 16 = 1073    67
 */
static void jitter_is_that_of_rfc_3550(void **state)
{
	static const struct {
		uint64_t sent_ns;
		uint64_t now_ns;
		uint64_t jitter_ns;
	} steps[] = {{0, 5000, 0},
	             {1000, 6160, 10},
	             {2000, 7000, 19},
	             {3000, 8000, 18},
	             {4000, 9800, 67}};
	static const uint64_t offsets[] = {0, UINT64_C(1) << 62, UINT64_MAX - 6000};

	(void)state;
	for (size_t k = 0; k < COUNT_OF(offsets); k++) { /* whatever the receiver's clock says */
		(void)clear(NULL);
		for (size_t i = 0; i < COUNT_OF(steps); i++) {
			struct udp_header h = {i + 1, steps[i].sent_ns};

			udp_stats_take(&stats, &h, steps[i].now_ns + offsets[k]);
			assert_int_equal(udp_stats_jitter_ns(&stats), steps[i].jitter_ns);
		}
	}
}

static void a_batch_counts_once(void **state)
{
	static const uint64_t sent_ns[] = {0, 0, 0, 1000, 1000, 1000};
	static const uint64_t now_ns[] = {5000, 5500, 6000, 6160, 6700, 7200};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sent_ns); i++) {
		struct udp_header h = {i + 1, sent_ns[i]};

		udp_stats_take(&stats, &h, now_ns[i]);
	}
	assert_int_equal(udp_stats_jitter_ns(&stats), 10); /* the second step of the table above */
}

static void a_duplicate_does_not_shake(void **state)
{
	struct udp_header h = {1, 1000};

	(void)state;
	udp_stats_take(&stats, &h, 2000);
	udp_stats_take(&stats, &h, 900000);
	h = (struct udp_header){2, 2000};
	udp_stats_take(&stats, &h, 3000);
	assert_int_equal(udp_stats_jitter_ns(&stats), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, clear)
		TEST(nothing_is_lost_of_nothing),
		TEST(in_order_all_is_well),
		TEST(gaps_are_lost_also_at_the_start),
		TEST(a_late_one_is_not_lost),
		TEST(duplicates_are_neither_late_nor_new),
		TEST(the_window_forgets_what_it_held_before),
		TEST(a_jump_beyond_the_window_forgets_all),
		TEST(the_last_ones_are_missed_when_the_sender_tells_how_many),
		TEST(any_sequence_is_safe),
		TEST(jitter_is_that_of_rfc_3550),
		TEST(a_batch_counts_once),
		TEST(a_duplicate_does_not_shake),
	};

	return cmocka_run_group_tests_name("agent/measure/udp_stats", tests, NULL, NULL);
}
