/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "platform/linux_parse.h"
#include "tests/support/test.h"

static const char os_release[] = "NAME=\"Debian GNU/Linux\"\n"
				 "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
				 "ID=debian\nEMPTY=\nQUOTES=\"\"\nSINGLE='one two'\n";
static const char cpuinfo[] =
	"processor\t: 0\nvendor_id\t: AuthenticAMD\n"
	"model name\t: AMD EPYC\ncpu MHz\t\t: 2596.148\n"
	"flags\t\t: fpu vme hypervisor\n\nprocessor\t: 1\nmodel name\t: other\n";
static const char meminfo[] = "MemTotal:       24684084 kB\nMemFree:        1 kB";

static void values_are_found_by_their_key(void **state)
{
	static const struct {
		const char *text;
		const char *key;
		char separator;
		const char *value; /* NULL: not there */
	} cases[] = {
		{os_release, "PRETTY_NAME", '=', "Debian GNU/Linux 12 (bookworm)"},
		{os_release, "ID", '=', "debian"},
		{os_release, "SINGLE", '=', "one two"},
		{os_release, "EMPTY", '=', NULL},
		{os_release, "QUOTES", '=', NULL},
		{os_release, "VERSION", '=', NULL},
		{cpuinfo, "model name", ':', "AMD EPYC"}, /* the first */
		{cpuinfo, "cpu MHz", ':', "2596.148"},
		{cpuinfo, "model", ':', NULL}, /* not a part of another key */
		{cpuinfo, "processor", '=', NULL},
		{meminfo, "MemTotal", ':', "24684084 kB"},
		{meminfo, "MemFree", ':', "1 kB"}, /* no newline at the end */
		{"", "x", ':', NULL},
		{"x", "x", ':', NULL},
		{"x:", "x", ':', NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char value[64] = "untouched";
		bool found = linux_find_value(cases[i].text, cases[i].key, cases[i].separator,
		                              value, sizeof(value));

		assert_int_equal(found, cases[i].value != NULL);
		assert_string_equal(value, found ? cases[i].value : "untouched");
	}
}

static void a_long_value_is_cut(void **state)
{
	char value[5];

	(void)state;
	assert_true(linux_find_value("key: abcdefgh\n", "key", ':', value, sizeof(value)));
	assert_string_equal(value, "abcd");
}

static void blanks_are_squeezed(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} cases[] = {
		{"4096\t131072\t33554432\n", "4096 131072 33554432"},
		{"  a  b \r\n", "a b"},
		{"", ""},
		{"\n", ""},
		{"plain", "plain"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[64];

		memcpy(text, cases[i].in, strlen(cases[i].in) + 1);
		linux_squeeze(text);
		assert_string_equal(text, cases[i].out);
	}
}

static void lists_are_counted(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t count;
	} cases[] = {
		{"0\n", true, 1},
		{"0-3", true, 4},
		{"0-3,8\n", true, 5},
		{"1,3,5-6", true, 4},
		{"", false, 0},
		{"-1", false, 0},
		{"3-1", false, 0},
		{"0-", false, 0},
		{"0,", false, 0},
		{"a", false, 0},
		{"0 1", false, 0},
		{"0-99999999999", false, 0},
		{"99999999999999999999", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t count = 77;

		assert_int_equal(linux_count_list(cases[i].text, &count), cases[i].ok);
		assert_int_equal(count, cases[i].ok ? cases[i].count : 77);
	}
}

static const char snmp[] = "Ip: Forwarding DefaultTTL\nIp: 2 64\n"
			   "Tcp: RtoMin MaxConn InSegs OutSegs RetransSegs InErrs\n"
			   "Tcp: 200 -1 1000 2000 17 0\n"
			   "TcpShort: One Two\nTcpShort: 1\nTcpAlone: One\nUdp: A\nUdp: 5\n";

static void counters_are_found_by_group_and_name(void **state)
{
	static const struct {
		const char *group;
		const char *name;
		bool ok;
		uint64_t value;
	} cases[] = {
		{"Tcp", "RetransSegs", true, 17}, {"Tcp", "InErrs", true, 0},
		{"Ip", "Forwarding", true, 2},    {"Tcp", "MaxConn", false, 0}, /* -1 */
		{"Tcp", "Retrans", false, 0},     {"Icmp", "InMsgs", false, 0},
		{"TcpShort", "Two", false, 0},    {"TcpShort", "One", true, 1},
		{"TcpAlone", "One", false, 0},    {"Udp", "A", true, 5},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t value = 77;

		assert_int_equal(linux_find_counter(snmp, cases[i].group, cases[i].name, &value),
		                 cases[i].ok);
		if (cases[i].ok)
			assert_int_equal(value, cases[i].value);
	}
}

static void softnet_columns_are_summed_over_the_cores(void **state)
{
	static const char text[] = "00001000 00000002 0000000a 00000000\n"
				   "00002000 00000001 000000ff 00000000\n";
	uint64_t sum = 0;

	(void)state;
	assert_true(linux_sum_softnet(text, 0, &sum));
	assert_int_equal(sum, 0x3000);
	assert_true(linux_sum_softnet(text, 1, &sum));
	assert_int_equal(sum, 3);
	assert_true(linux_sum_softnet(text, 2, &sum));
	assert_int_equal(sum, 0x109);
	assert_false(linux_sum_softnet(text, 9, &sum));
	assert_false(linux_sum_softnet("", 0, &sum));
	assert_false(linux_sum_softnet("zz\n", 0, &sum));
}

static struct linux_core before[LINUX_CORES_MAX];
static struct linux_core after[LINUX_CORES_MAX];

static void cores_are_read_by_their_number(void **state)
{
	(void)state;
	assert_true(linux_parse_stat("cpu  3 0 3 30 3 0 0 0 0 0\n"
	                             "cpu0 1 2 3 10 5 1 1 7 99 99\n"
	                             "cpu3 0 0 0 100 0 0 0 0 0 0\n"
	                             "intr 12345\nctxt 1\n",
	                             before));
	assert_int_equal(before[0].all, 30); /* guest time is in user time already */
	assert_int_equal(before[0].busy, 15);
	assert_int_equal(before[0].steal, 7);
	assert_int_equal(before[1].all, 0);
	assert_int_equal(before[3].all, 100);
	assert_int_equal(before[3].busy, 0);
	assert_false(linux_parse_stat("cpu  1 2 3 4 5 6 7 8\nbtime 5\n", after));
	assert_false(linux_parse_stat("cpu0 1 2\ncpu99999 1 2 3 4 5 6 7 8 9 9\n", after));
	assert_false(linux_parse_stat("", after));
}

static void words_are_found_whole(void **state)
{
	(void)state;
	assert_true(linux_has_word("reno cubic bbr", "reno"));
	assert_true(linux_has_word("reno cubic bbr\n", "bbr"));
	assert_false(linux_has_word("reno cubic bbr", "bb"));
	assert_false(linux_has_word("reno cubic bbr", "cubics"));
	assert_false(linux_has_word("", "reno"));
	assert_false(linux_has_word("reno", ""));
}

static void the_busiest_core_and_the_stolen_time_are_shares(void **state)
{
	uint64_t busiest = 77;
	uint64_t steal = 77;

	(void)state;
	assert_true(linux_parse_stat("cpu0 100 0 0 100 0 0 0 0\ncpu1 0 0 0 500 0 0 0 10\n"
	                             "cpu2 5 0 0 5 0 0 0 0\n",
	                             before));
	assert_true(linux_parse_stat("cpu0 110 0 0 190 0 0 0 0\ncpu1 60 0 0 520 0 0 0 30\n"
	                             "cpu4 9 0 0 1 0 0 0 0\n",
	                             after));
	/* cpu0: 10 of 100; cpu1: 80 of 100, 20 stolen; cpu2 left, cpu4 came. */
	assert_true(linux_compare_stat(before, after, &busiest, &steal));
	assert_int_equal(busiest, 800);
	assert_int_equal(steal, 100);
	assert_false(linux_compare_stat(after, after, &busiest, &steal)); /* no time passed */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found_by_their_key),
		cmocka_unit_test(a_long_value_is_cut),
		cmocka_unit_test(blanks_are_squeezed),
		cmocka_unit_test(lists_are_counted),
		cmocka_unit_test(counters_are_found_by_group_and_name),
		cmocka_unit_test(softnet_columns_are_summed_over_the_cores),
		cmocka_unit_test(words_are_found_whole),
		cmocka_unit_test(cores_are_read_by_their_number),
		cmocka_unit_test(the_busiest_core_and_the_stolen_time_are_shares),
	};

	return cmocka_run_group_tests_name("agent/platform/linux_parse", tests, NULL, NULL);
}
