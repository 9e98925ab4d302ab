/* SPDX-License-Identifier: MIT */
/* test_load.c - what agents tell of processors is what the kernel counted. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/agent/driver.h"
#include "tests/support/test.h"

static struct agent one;
static struct agent two;
static struct outcome sent;
static struct outcome received;

static int start_two(void **state)
{
	(void)state;
	agent_start(&one, 500, 20000);
	agent_start(&two, 500, 20000);
	return 0;
}

static int end_two(void **state)
{
	(void)state;
	return agent_bye(&one) == 0 && agent_bye(&two) == 0 ? 0 : -1;
}

static void run(const struct spec *spec)
{
	driver_run(&one, &two, spec, &sent, &received);
	if (sent.has_failed || received.has_failed)
		fail_msg("%s; %s", sent.failed.reason, received.failed.reason);
}

/* Of all threads of an agent's process since its start, by the kernel's own count. */
static uint64_t process_us(const struct agent *a)
{
	struct timespec t = {0};
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(a->pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &t), 0);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void check_cpu(const struct outcome *o, uint64_t used_us)
{
	/* What it takes beside the measured time: preparing buffers, the end. */
	assert_in_range(o->result.cpu_us, used_us / 2, used_us);
	/* A thousandth of each of the intervals is rounded down. */
	assert_in_range(o->cpu_us, o->result.cpu_us - o->result.cpu_us / 20, o->result.cpu_us);
	assert_in_range((uint64_t)o->result.thread_max_permille * o->result.measured_ns / 1000000,
	                1, o->result.cpu_us + 10000);
}

static void cpu_time_is_what_the_kernel_counted(void **state)
{
	static const struct spec spec = {.streams = 2, .omit_ms = 100, .duration_ms = 1500};
	uint64_t before[2] = {process_us(&one), process_us(&two)};

	(void)state;
	run(&spec);
	check_cpu(&received, process_us(&one) - before[0]);
	check_cpu(&sent, process_us(&two) - before[1]);
}

/* Ticks of all cores together, from /proc/stat: in all, and those that a hypervisor took. False
 * where there is no such file. */
static bool read_ticks(uint64_t *all, uint64_t *idle, uint64_t *stolen)
{
	unsigned long long t[8];
	FILE *f = fopen("/proc/stat", "re");
	int got;

	if (f == NULL)
		return false;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
	got = fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
	             &t[4], &t[5], &t[6], &t[7]);
	(void)fclose(f);
	assert_int_equal(got, 8);
	*all = 0;
	for (size_t i = 0; i < COUNT_OF(t); i++)
		*all += t[i];
	*idle = t[3] + t[4];
	*stolen = t[7];
	return true;
}

/* The busiest core is at least as busy as all of them are on the average. */
static void the_machines_load_is_what_the_kernel_counted(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 1500};
	const struct outcome *ends[] = {&sent, &received};
	uint64_t before[3] = {0};
	uint64_t after[3] = {0};

	(void)state;
	if (strstr(one.caps, ",load,") == NULL || !read_ticks(&before[0], &before[1], &before[2]))
		skip();
	run(&spec);
	assert_true(read_ticks(&after[0], &after[1], &after[2]));
	for (size_t i = 0; i < 3; i++)
		after[i] -= before[i];
	assert_true(after[0] > 0);
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const struct msg_result *r = &ends[i]->result;
		uint64_t busy = 1000 - after[1] * 1000 / after[0];
		uint64_t stolen = after[2] * 1000 / after[0];

		/* Ours lasted a little longer than theirs. */
		assert_in_range(r->core_max_permille + 150, busy, 1150);
		assert_in_range(r->steal_permille + 100, stolen, stolen + 200);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_is_what_the_kernel_counted),
		cmocka_unit_test(the_machines_load_is_what_the_kernel_counted),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/load", tests, start_two, end_two);
}
