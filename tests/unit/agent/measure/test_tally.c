/* SPDX-License-Identifier: MIT */
/* The tally with counters and a clock that the test sets; no thread runs. */
#include <string.h>

#include "common/clock.h"
#include "measure/tally.h"
#include "platform/platform.h"
#include "tests/fakes/clock_fake.h"
#include "tests/support/test.h"

#define MS CLOCK_NS_PER_MS
#define T0 (UINT64_C(1000) * MS)

static struct streams streams;
static struct tally tally;
static struct tally_interval interval;

static void start(enum request_side side, uint64_t omit_ns, uint64_t duration_ns,
                  uint64_t interval_ns)
{
	struct request request = {
		.omit_ns = omit_ns, .duration_ns = duration_ns, .interval_ns = interval_ns};

	memset(&streams, 0, sizeof(streams));
	streams.side = side;
	streams.count = 2;
	for (uint32_t i = 0; i < streams.count; i++)
		streams.stream[i].fd = -1; /* of which the kernel knows nothing */
	clock_fake_set(T0, 0);
	tally_start(&tally, &request, &streams, T0);
}

/* Both streams have moved this much when the clock says at_ms after t0. */
static void read_at(uint64_t at_ms, uint64_t first, uint64_t second)
{
	clock_fake_set(T0 + at_ms * MS, 0);
	atomic_store(&streams.stream[0].bytes, first);
	atomic_store(&streams.stream[1].bytes, second);
	tally_read(&tally, &interval);
}

static void each_interval_has_what_moved_in_it(void **state)
{
	(void)state;
	start(REQUEST_RECV, 100 * MS, 200 * MS, 100 * MS);
	assert_int_equal(tally_due_ns(&tally), T0 + 100 * MS);
	read_at(100, 1000, 10);
	assert_true(interval.cut.is_omitted && interval.cut.opens);
	assert_int_equal(interval.flow[0].bytes, 1000);
	assert_int_equal(interval.flow[1].bytes, 10);
	assert_int_equal(interval.all.bytes, 1010);
	read_at(210, 3000, 10);
	assert_int_equal(interval.cut.end_ns - interval.cut.start_ns, 110 * MS);
	assert_int_equal(interval.flow[0].bytes, 2000);
	assert_int_equal(interval.flow[1].bytes, 0); /* a silent stream is visible */
	assert_int_equal(interval.all.bytes, 2000);
	read_at(300, 3500, 20);
	assert_true(interval.cut.closes);
	assert_int_equal(tally_due_ns(&tally), UINT64_MAX);
	assert_int_equal(tally.stream[0].measured_bytes, 2500);
	assert_int_equal(tally.stream[1].measured_bytes, 10);
	assert_int_equal(tally.sampler.closed_ns - tally.sampler.opened_ns, 200 * MS);
}

static void without_omit_all_bytes_since_t0_count(void **state)
{
	(void)state;
	start(REQUEST_RECV, 0, 100 * MS, 100 * MS);
	read_at(100, 700, 300);
	assert_false(interval.cut.is_omitted);
	assert_int_equal(tally.stream[0].measured_bytes, 700);
	assert_int_equal(interval.all.bytes, 1000);
}

static void what_the_kernel_does_not_tell_is_unknown(void **state)
{
	static const enum request_side sides[] = {REQUEST_SEND, REQUEST_RECV};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		start(sides[i], 0, 100 * MS, 100 * MS);
		read_at(100, 1, 1);
		assert_int_equal(interval.all.tcp.retransmits, PLATFORM_UNKNOWN);
		assert_int_equal(interval.all.tcp.cwnd_bytes, PLATFORM_UNKNOWN);
		assert_int_equal(interval.all.tcp.rtt_us, PLATFORM_UNKNOWN);
		assert_int_equal(tally.stream[0].measured.retransmits, PLATFORM_UNKNOWN);
		assert_int_equal(tally.stream[0].cwnd_max_bytes, PLATFORM_UNKNOWN);
		assert_int_equal(tally.stream[0].rtt_count, 0);
	}
}

static void cpu_time_is_of_the_interval_and_of_the_measured_time(void **state)
{
	volatile uint64_t work = 0;

	(void)state;
	start(REQUEST_RECV, 10 * MS, 100 * MS, 100 * MS);
	read_at(10, 1, 1);
	for (uint64_t i = 0; i < 20000000; i++)
		work += i;
	read_at(110, 2, 2);
	assert_true(work > 0);
	assert_in_range(interval.cpu_us, 1000, 10000000);
	assert_int_equal(tally.measured_cpu_us, interval.cpu_us);
}

static void the_wall_clock_plays_no_part(void **state)
{
	(void)state;
	start(REQUEST_RECV, 0, 100 * MS, 50 * MS);
	clock_fake_set(T0 + 50 * MS, INT64_C(3600000)); /* an hour on */
	tally_read(&tally, &interval);
	assert_int_equal(interval.cut.end_ns, 50 * MS);
	clock_fake_set(T0 + 100 * MS, INT64_C(-3600000)); /* and back */
	tally_read(&tally, &interval);
	assert_true(interval.cut.closes);
	assert_int_equal(interval.cut.end_ns, 100 * MS);
}

/* Streams that ended by themselves, the last at_ms after t0. */
static void bytes_are_measured_until_the_last_stream_ended(void **state)
{
	(void)state;
	start(REQUEST_RECV, 0, 1000 * MS, 100 * MS);
	read_at(100, 100, 50);
	clock_fake_set(T0 + 199 * MS, 0); /* looked at long after */
	atomic_store(&streams.stream[0].bytes, 170);
	atomic_store(&streams.stream[1].bytes, 130);
	tally_finish(&tally, T0 + 150 * MS, &interval);
	assert_true(interval.cut.closes);
	assert_int_equal(interval.cut.start_ns, 100 * MS);
	assert_int_equal(interval.cut.end_ns, 150 * MS);
	assert_int_equal(interval.all.bytes, 150);
	assert_int_equal(tally.stream[0].measured_bytes, 170);
	assert_int_equal(tally.stream[1].measured_bytes, 130);
	assert_int_equal(tally.sampler.closed_ns - tally.sampler.opened_ns, 150 * MS);
	assert_int_equal(tally_due_ns(&tally), UINT64_MAX);
}

static void the_sender_of_bytes_is_patient_for_its_receiver(void **state)
{
	struct request r = {.duration_ns = 100 * MS, .interval_ns = 1000 * MS, .bytes = 7};

	(void)state;
	start(REQUEST_SEND, 0, 100 * MS, 100 * MS);
	tally_start(&tally, &r, &streams, T0);
	assert_int_equal(tally_due_ns(&tally), T0 + 1000 * MS);
	read_at(1000, 1, 1);
	assert_false(interval.cut.closes);
	assert_int_equal(tally_due_ns(&tally), T0 + 100 * MS + TALLY_PATIENCE_NS);
	streams.side = REQUEST_RECV;
	tally_start(&tally, &r, &streams, T0);
	assert_int_equal(tally_due_ns(&tally), T0 + 100 * MS);
}

static void missing_datagrams_are_counted_once(void **state)
{
	struct request r = {
		.duration_ns = 1000 * MS, .interval_ns = 100 * MS, .protocol = REQUEST_UDP};
	static const uint64_t missing[] = {5, 3, 4, 9}; /* two came late, then more were lost */
	static const uint64_t told[] = {5, 0, 0, 4};

	(void)state;
	start(REQUEST_RECV, 0, 100 * MS, 100 * MS);
	tally_start(&tally, &r, &streams, T0);
	for (uint64_t i = 0; i < COUNT_OF(missing); i++) {
		atomic_store(&streams.stream[0].lost, missing[i]);
		read_at(100 + 100 * i, i, i);
		assert_int_equal(interval.flow[0].lost, told[i]);
		assert_int_equal(interval.all.lost, told[i]);
	}
	start(REQUEST_RECV, 0, 100 * MS, 100 * MS);
	read_at(100, 1, 1);
	assert_int_equal(interval.all.lost, PLATFORM_UNKNOWN); /* TCP loses none */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_interval_has_what_moved_in_it),
		cmocka_unit_test(without_omit_all_bytes_since_t0_count),
		cmocka_unit_test(what_the_kernel_does_not_tell_is_unknown),
		cmocka_unit_test(cpu_time_is_of_the_interval_and_of_the_measured_time),
		cmocka_unit_test(the_wall_clock_plays_no_part),
		cmocka_unit_test(bytes_are_measured_until_the_last_stream_ended),
		cmocka_unit_test(the_sender_of_bytes_is_patient_for_its_receiver),
		cmocka_unit_test(missing_datagrams_are_counted_once),
	};

	return cmocka_run_group_tests_name("agent/measure/tally", tests, NULL, NULL);
}
