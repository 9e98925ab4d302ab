/* SPDX-License-Identifier: MIT */
/* Levels of the engine's factors: how each is read, and which cannot meet in a cell. */
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/topology/reading.h"

#define LAB(nics_of_a, nics_of_b, profile)                                     \
	"version: 1\n"                                                         \
	"hosts:\n"                                                             \
	"  a: { kind: baremetal, mgmt: a, nics: { e0: { " nics_of_a " } } }\n" \
	"  b: { kind: baremetal, mgmt: b, nics: { e0: { " nics_of_b " } } }\n" \
	"profiles:\n"                                                          \
	"  p:\n" profile

#define V4_ONLY(profile) \
	LAB("ip: 192.0.2.1", "ip: 192.0.2.2", "    pairs: [[a.e0, b.e0]]\n" profile)
#define BOTH(profile)                                                                     \
	LAB("ip: 192.0.2.1, ip6: \"2001:db8::1\"", "ip: 192.0.2.2, ip6: \"2001:db8::2\"", \
	    "    pairs: [[a.e0, b.e0]]\n" profile)
#define FIXED(levels) BOTH("    fixed: { " levels " }\n")

static struct reading r;

static int teardown(void **state)
{
	(void)state;
	reading_done(&r);
	return 0;
}

/* What `fixed` gives after reading a good file. */
static const struct setting *fixed_of(const char *file)
{
	assert_string_equal(reading_of(&r, file), "");
	assert_true(r.ok);
	return &r.topo.profiles[0].fixed;
}

static void what_is_not_given_is_as_before(void **state)
{
	const struct setting *s = fixed_of(FIXED("streams: 2"));

	(void)state;
	assert_int_equal(s->given, 1u << FACTOR_STREAMS);
	assert_true(s->bytes == 0 && s->rate_bps == 0);
	assert_int_equal(s->protocol, PROTOCOL_TCP);
	assert_int_equal(s->mode, MODE_BULK);
	assert_int_equal(s->zero_copy, ZERO_COPY_OFF);
	assert_null(s->congestion);
	assert_null(s->affinity);
	assert_false(s->no_delay || s->bind_device);
}

static void the_words_for_the_default_are_the_default(void **state)
{
	const struct setting *s = fixed_of(
		FIXED("bytes: none, protocol: tcp, mode: bulk, zero_copy: off, bitrate: unlimited, "
	              "mss: default, no_delay: off, dscp: default, congestion: default, "
	              "ip_version: default, affinity: off, bind_device: off, source_port: any"));
	struct setting none = {0};

	(void)state;
	for (unsigned f = FACTOR_BYTES; f < FACTOR_COUNT; f++) {
		struct setting given = *s;

		assert_int_equal(given.given >> f & 1, 1);
		if (f == FACTOR_CONGESTION)
			assert_null(given.congestion);
		else if (f == FACTOR_AFFINITY)
			assert_null(given.affinity);
	}
	assert_true(s->bytes == none.bytes && s->rate_bps == 0 && s->mss_bytes == 0);
	assert_true(s->dscp == 0 && s->ip_version == 0 && s->source_port == 0);
	assert_true(s->zero_copy == ZERO_COPY_OFF && !s->no_delay && !s->bind_device);
}

static void each_level_is_read(void **state)
{
	const struct setting *s = fixed_of(
		FIXED("direction: bidir, bytes: 2G, zero_copy: both, bitrate: 2.5G, mss: 1400, "
	              "no_delay: on, dscp: 63, congestion: bbr, ip_version: 6, affinity: auto, "
	              "bind_device: on, source_port: 40000"));

	(void)state;
	assert_int_equal(s->direction, DIRECTION_BIDIR);
	assert_true(s->bytes == UINT64_C(2) << 30);
	assert_int_equal(s->zero_copy, ZERO_COPY_BOTH);
	assert_true(s->rate_bps == UINT64_C(2500000000));
	assert_int_equal(s->mss_bytes, 1400);
	assert_true(s->no_delay && s->bind_device);
	assert_int_equal(s->dscp, 63);
	assert_string_equal(s->congestion, "bbr");
	assert_int_equal(s->ip_version, 6);
	assert_string_equal(s->affinity, "auto");
	assert_int_equal(s->source_port, 40000);
	s = fixed_of(FIXED("protocol: udp, bitrate: 8K, bytes: 1, ip_version: 4, zero_copy: off"));
	assert_int_equal(s->protocol, PROTOCOL_UDP);
	assert_true(s->rate_bps == 8000);
	assert_int_equal(s->ip_version, 4);
	s = fixed_of(FIXED("mode: rr, no_delay: on, buffer: 1, window: 64K, streams: 8"));
	assert_int_equal(s->mode, MODE_RR);
	s = fixed_of(FIXED("zero_copy: sender"));
	assert_int_equal(s->zero_copy, ZERO_COPY_SENDER);
	s = fixed_of(FIXED("bytes: 1024T, bitrate: 1T, mss: 88, dscp: 0, source_port: 65535"));
	assert_true(s->bytes == UINT64_C(1) << 50);
	assert_int_equal(s->dscp, 0);
}

static void code_points_have_names(void **state)
{
	static const struct {
		const char *name;
		uint32_t dscp;
	} names[] = {{"cs0", 0},   {"le", 1},    {"cs1", 8},   {"af11", 10},
	             {"af13", 14}, {"af23", 22}, {"af32", 28}, {"af41", 34},
	             {"va", 44},   {"ef", 46},   {"cs5", 40},  {"cs7", 56}};
	char file[1024];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(file, sizeof(file), V4_ONLY("    fixed: { dscp: %s }\n"),
		               names[i].name);
		assert_int_equal(fixed_of(file)->dscp, names[i].dscp);
	}
}

static void a_list_of_cores_has_one_text(void **state)
{
	static const struct {
		const char *written, *kept;
	} lists[] = {
		{"0", "0"},     {"0-3,6", "0-3,6"},   {"0,1,2,3,6", "0-3,6"},
		{"0,1", "0-1"}, {"2-2,3-4,5", "2-5"}, {"1,3,1023", "1,3,1023"},
	};
	char file[1024];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		(void)snprintf(file, sizeof(file),
		               V4_ONLY("    grid: { affinity: [off, \"%s\"] }\n"),
		               lists[i].written);
		assert_string_equal(reading_of(&r, file), "");
		assert_string_equal(r.topo.profiles[0].grid[0].levels[1].affinity, lists[i].kept);
	}
}

/* Lines: 6 is `p:`, 7 its pairs, 8 what the case gives. */
static const struct {
	const char *file, *want;
} refusals[] = {
	/* ---- levels that there are not ---- */
	{FIXED("bytes: 0"), "8:21: `bytes`: `0` is out of range: 1 to 1024T, or `none`"},
	{FIXED("bytes: 1025T"), "8:21: `bytes`: `1025T` is out of range: 1 to 1024T, or `none`"},
	{FIXED("bitrate: 7K"), "8:23: `bitrate`: `7K` is out of range: 8K to 1T, or `unlimited`"},
	{FIXED("bitrate: 2T"), "8:23: `bitrate`: `2T` is out of range: 8K to 1T, or `unlimited`"},
	{FIXED("mss: 87"), "8:19: `mss`: `87` is out of range: 88 to 65483, or `default`"},
	{FIXED("mss: 65484"), "8:19: `mss`: `65484` is out of range: 88 to 65483, or `default`"},
	{FIXED("dscp: 64"), "8:20: `dscp`: `64` is out of range: 0 to 63, or `default`"},
	{FIXED("dscp: af14"),
         "8:20: `dscp` must be a whole number such as 8, or `default`, or one of cs0, cs1, cs2, "
         "cs3, cs4, cs5, cs6, cs7, af11, af12, af13, af21, af22, af23, af31, af32, af33, af41, "
         "af42, af43, ef, va, le, not `af14`"},
	{FIXED("congestion: \"cubic;reboot\""),
         "8:26: `congestion`: `cubic;reboot` holds a character that is not allowed here: write a "
         "name of 1 to 15 letters, digits, `_` and `-`"},
	{FIXED("congestion: sixteen-letters-"),
         "8:26: `congestion`: `sixteen-letters-` is too long: write a name of 1 to 15 letters, "
         "digits, `_` and `-`"},
	{FIXED("ip_version: 5"), "8:26: `ip_version` must be one of default, 4, 6, not `5`"},
	{FIXED("protocol: sctp"), "8:24: `protocol` must be one of tcp, udp, not `sctp`"},
	{FIXED("mode: crr"), "8:20: `mode` must be one of bulk, rr, not `crr`, did you mean `rr`?"},
	{FIXED("zero_copy: receiver"),
         "8:25: `zero_copy` must be one of off, sender, both, not `receiver`"},
	{FIXED("no_delay: maybe"),
         "8:24: `no_delay` must be one of true, false, on, off, yes, no, not `maybe`"},
	{FIXED("source_port: 1023"),
         "8:27: `source_port`: `1023` is out of range: 1024 to 65535, or `any`"},
	{FIXED("affinity: \"3-0\""),
         "8:24: `affinity`: `3-0` names cores that do not ascend: write `auto`, or cores of 0 to "
         "1023 in ascending order such as 0-3,6"},
	{FIXED("affinity: \"4,4\""),
         "8:24: `affinity`: `4,4` names cores that do not ascend: write `auto`, or cores of 0 to "
         "1023 in ascending order such as 0-3,6"},
	{FIXED("affinity: \"1024\""),
         "8:24: `affinity`: `1024` is no list of cores of 0 to 1023: write `auto`, or cores of 0 "
         "to 1023 in ascending order such as 0-3,6"},
	{FIXED("affinity: \"0-\""),
         "8:24: `affinity`: `0-` is no list of cores of 0 to 1023: write `auto`, or cores of 0 to "
         "1023 in ascending order such as 0-3,6"},
	{FIXED("affinity: \"0,,1\""),
         "8:24: `affinity`: `0,,1` is no list of cores of 0 to 1023: write `auto`, or cores of 0 "
         "to 1023 in ascending order such as 0-3,6"},
	{FIXED("affinity: \"01\""),
         "8:24: `affinity`: `01` is no list of cores of 0 to 1023: write `auto`, or cores of 0 to "
         "1023 in ascending order such as 0-3,6"},
	{FIXED("affinity: 0-3,6"),
         "8:28: unknown key `6`: a value with a comma stands in quotes between braces, such as "
         "\"0-3,6\""},
	{FIXED("affinity: \"0-3,6\""), ""},
	{FIXED("window: 512M"), ""}, /* what the agent takes, too: ranges.c */
	{FIXED("window: 513M"), "8:22: `window`: `513M` is out of range: 4K to 512M, or `default`"},
	{BOTH("    grid: { affinity: [\"0-1\", \"0,1\"] }\n"),
         "8:31: `affinity` has this level already"},
	{BOTH("    grid: { dscp: [ef, 46] }\n"), "8:24: `dscp` has this level already"},
	{BOTH("    grid: { congestion: [default, cubic, default] }\n"),
         "8:42: `congestion` has this level already"},

	/* ---- a test has one end ---- */
	{FIXED("bytes: 1G, duration: 3s"),
         "8:35: `duration` with `bytes` (line 8): a test has one end: remove one of the two (where "
         "cells have no `bytes`, the `duration` of `design` holds)"},
	{BOTH("    grid: { bytes: [none, 1G] }\n    fixed: { duration: 3s }\n"),
         "9:24: `duration` with `bytes` (line 8): a test has one end: remove one of the two (where "
         "cells have no `bytes`, the `duration` of `design` holds)"},
	{BOTH("    grid: { bytes: [none, 1G] }\n"), ""},
	{FIXED("bytes: none, duration: 3s"), ""},

	/* ---- what datagrams cannot ---- */
	{FIXED("protocol: udp, zero_copy: sender"),
         "8:40: `zero_copy` with `protocol: udp` (line 8): datagrams are always copied: write "
         "`zero_copy: off`"},
	{FIXED("protocol: udp, mss: 1400"),
         "8:34: `mss` with `protocol: udp` (line 8): segments are of TCP: remove `mss`, and give "
         "the size of a datagram as `buffer`"},
	{FIXED("protocol: udp, no_delay: on"),
         "8:39: `no_delay` with `protocol: udp` (line 8): datagrams are never gathered: remove "
         "`no_delay`"},
	{FIXED("protocol: udp, congestion: bbr"),
         "8:41: `congestion` with `protocol: udp` (line 8): UDP has no congestion control: remove "
         "`congestion`, and limit the rate with `bitrate`"},
	{FIXED("protocol: udp, mode: rr"),
         "8:35: `mode` with `protocol: udp` (line 8): requests and responses are measured over "
         "TCP: write `protocol: tcp`"},
	{FIXED("protocol: udp, buffer: 65508"),
         "8:37: `buffer` with `protocol: udp` (line 8): a datagram holds 24 to 65507 bytes: lower "
         "`buffer`"},
	{FIXED("protocol: udp, buffer: 65508, ip_version: 6"),
         "8:37: `buffer` with `protocol: udp` (line 8): a datagram holds 24 to 65507 bytes: lower "
         "`buffer`"},
	{FIXED("protocol: udp, buffer: 23"),
         "8:37: `buffer` with `protocol: udp` (line 8): a datagram holds 24 to 65507 bytes: raise "
         "`buffer`"},
	{FIXED("protocol: udp, buffer: default"), ""},
	{FIXED("protocol: udp, buffer: 24"), ""},
	{FIXED("protocol: udp, buffer: 65507, ip_version: 6"), ""},
	{FIXED("protocol: udp, window: 1M, bitrate: 1G, direction: bidir, bytes: 1G"), ""},
	{FIXED("protocol: udp, zero_copy: off, no_delay: off, mss: default, congestion: default"),
         ""},

	/* ---- what requests cannot ---- */
	{FIXED("mode: rr, zero_copy: both"),
         "8:35: `zero_copy` with `mode: rr` (line 8): requests and responses are always copied: "
         "write `zero_copy: off`"},
	{FIXED("mode: rr, direction: bidir"),
         "8:35: `direction` with `mode: rr` (line 8): requests and responses go both ways already: "
         "write `forward` or `reverse`, which say who asks"},
	{FIXED("mode: rr, bitrate: 1M"),
         "8:33: `bitrate` with `mode: rr` (line 8): a request follows the response before it, at "
         "no rate of its own: remove `bitrate`"},
	{FIXED("mode: rr, bytes: 1M"),
         "8:31: `bytes` with `mode: rr` (line 8): requests and responses are measured for a time: "
         "write `duration` instead of `bytes`"},
	{FIXED("mode: rr, direction: reverse, duration: 3s, congestion: bbr, mss: 1400"), ""},

	/* ---- segments and MTU ---- */
	{FIXED("mtu: 1500, mss: 1461"),
         "8:30: `mss` with `mtu` (line 8): segments of 1461 bytes do not fit an MTU of 1500: with "
         "the headers of IPv4 and TCP 1460 do"},
	{FIXED("mtu: 1500, mss: 1441, ip_version: 6"),
         "8:30: `mss` with `mtu` (line 8): segments of 1441 bytes do not fit an MTU of 1500: with "
         "the headers of IPv6 and TCP 1440 do"},
	{BOTH("    grid: { mtu: [9000, 1500], mss: [1400, 8948], ip_version: [4, 6] }\n"),
         "8:44: `mss` with `mtu` (line 8): segments of 8948 bytes do not fit an MTU of 9000: with "
         "the headers of IPv6 and TCP 8940 do"},
	{FIXED("mtu: 1500, mss: 1460"), ""},
	{FIXED("mtu: 1500, mss: 1440, ip_version: 6"), ""},
	{FIXED("mss: 9000"), ""}, /* the MTU is not ours to know */

	/* ---- ports ---- */
	{FIXED("source_port: 65533, streams: 4"),
         "8:27: `source_port` with `streams` (line 8): 4 connections from port 65533 on would need "
         "ports up to 65536, and 65535 is the last: write at most 65532"},
	{FIXED("source_port: 65535, direction: bidir"),
         "8:27: `source_port` with `streams`: 2 connections from port 65535 on would need ports up "
         "to 65536, and 65535 is the last: write at most 65534"},
	{FIXED("source_port: 65532, streams: 4"), ""},
	{FIXED("source_port: 65535"), ""},

	/* ---- where the levels come from ---- */
	{BOTH("    grid: { protocol: [tcp, udp], buffer: [128K, 1K] }\n"),
         "8:44: `buffer` with `protocol: udp` (line 8): a datagram holds 24 to 65507 bytes: lower "
         "`buffer`"},
	{BOTH("    grid: { load: [{ protocol: tcp, mss: 1400 }, { protocol: udp, mss: default }] "
              "}\n"),
         ""},
	{BOTH("    grid: { load: [{ protocol: tcp, mss: 1400 }, { protocol: udp, mss: 1000 }] }\n"),
         "8:72: `mss` with `protocol: udp` (line 8): segments are of TCP: remove `mss`, and give "
         "the size of a datagram as `buffer`"},
	{BOTH("    cells:\n      - { protocol: udp }\n      - { mss: 1400 }\n"), ""},
	{BOTH("    cells:\n      - { protocol: udp, mss: 1300 }\n      - { mss: 1400, protocol: "
              "udp }\n"),
         "9:31: `mss` with `protocol: udp` (line 9): segments are of TCP: remove `mss`, and give "
         "the size of a datagram as `buffer`\n"
         "10:16: `mss` with `protocol: udp` (line 10): segments are of TCP: remove `mss`, and give "
         "the size of a datagram as `buffer`"},
	{BOTH("    fixed: { mss: 1400 }\n    cells:\n      - { protocol: udp }\n"
              "      - { protocol: udp, streams: 2 }\n"),
         "8:19: `mss` with `protocol: udp` (line 10): segments are of TCP: remove `mss`, and give "
         "the size of a datagram as `buffer`"},
	{BOTH("    complete: true\n    cells:\n      - { protocol: udp }\n      - { mss: 1400 }\n"),
         "11:16: `mss` with `protocol: udp` (line 10): segments are of TCP: remove `mss`, and give "
         "the size of a datagram as `buffer`"},

	/* ---- addresses ---- */
	{V4_ONLY("    fixed: { ip_version: 6 }\n"),
         "8:26: `ip_version: 6`, but a.e0 (line 3) has no IPv6 address: give the NIC `ip6`"},
	{LAB("ip6: \"2001:db8::1\"", "ip: \"2001:db8::2\"",
             "    pairs: [[a.e0, b.e0]]\n    grid: { ip_version: [6, 4] }\n"),
         "8:29: `ip_version: 4`, but a.e0 (line 3) has no IPv4 address: write one as `ip`, and the "
         "IPv6 address as `ip6`"},
	{LAB("ip: 192.0.2.1", "ip: 192.0.2.2",
             "    classes: all\n    cells: [{ streams: 1 }, { ip_version: 6 }]\n"),
         "8:43: `ip_version: 6`, but a.e0 (line 3) has no IPv6 address: give the NIC `ip6`, or "
         "name those that can in `between`"},
	{LAB("ip: 192.0.2.1, ip6: \"2001:db8::1\"", "ip: \"2001:db8::2\"",
             "    pairs: [[a.e0, b.e0]]\n"),
         "7:13: a.e0 has an IPv4 address and b.e0 an IPv6 one: they cannot talk; `ip_version: 6` "
         "takes addresses that both have"},
	{LAB("ip: 192.0.2.1, ip6: \"2001:db8::1\"", "ip: \"2001:db8::2\"",
             "    pairs: [[a.e0, b.e0]]\n    fixed: { ip_version: 6 }\n"),
         ""},
	{LAB("ip6: \"2001:db8::1\"", "ip6: \"2001:db8::2\"", "    classes: all\n"), ""},
	{LAB("ip: 192.0.2.1, ip6: 192.0.2.3", "ip: 192.0.2.2", "    classes: all\n"),
         "3:68: `ip6`: 192.0.2.3 is no IPv6 address: write it as `ip`"},
	{LAB("ip: \"2001:db8::1\", ip6: \"2001:db8::3\"", "ip: \"2001:db8::2\"",
             "    classes: all\n"),
         "3:72: `ip6`: `ip` (line 3) is an IPv6 address already: a NIC is measured at one of each "
         "version"},
	{LAB("ip: 192.0.2.1, ip6: \"fe80::1\"", "ip: 192.0.2.2", "    classes: all\n"),
         "3:68: `ip6`: `fe80::1` is a link-local address, which is not yet supported"},
	{LAB("ip: 192.0.2.1, ip6: \"2001:db8::1\"", "ip: 192.0.2.2, ip6: \"2001:db8:0::1\"",
             "    classes: all\n"),
         "4:68: `ip6`: 2001:db8:0::1 is already that of a.e0 (line 3)"},
};

static void what_cannot_be_is_told_where_it_stands(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		const char *told = reading_of(&r, refusals[i].file);

		if (strcmp(told, refusals[i].want) != 0) {
			print_message("%s- %s\n+ %s\n", refusals[i].file, refusals[i].want, told);
			failed++;
		}
		assert_int_equal(r.ok, told[0] == '\0');
	}
	assert_int_equal(failed, 0);
}

static void an_address_of_the_version_is_given(void **state)
{
	static const struct nic v4 = {.ip = "192.0.2.1"};
	static const struct nic v6 = {.ip = "2001:db8::1"};
	static const struct nic both = {.ip = "192.0.2.1", .ip6 = "2001:db8::1"};
	static const struct nic only6 = {.ip6 = "2001:db8::1"};
	static const struct nic none = {0};

	(void)state;
	assert_string_equal(topology_nic_address(&v4, 0), v4.ip);
	assert_string_equal(topology_nic_address(&v4, 4), v4.ip);
	assert_null(topology_nic_address(&v4, 6));
	assert_string_equal(topology_nic_address(&v6, 0), v6.ip);
	assert_string_equal(topology_nic_address(&v6, 6), v6.ip);
	assert_null(topology_nic_address(&v6, 4));
	assert_string_equal(topology_nic_address(&both, 0), both.ip);
	assert_string_equal(topology_nic_address(&both, 4), both.ip);
	assert_string_equal(topology_nic_address(&both, 6), both.ip6);
	assert_string_equal(topology_nic_address(&only6, 0), only6.ip6);
	assert_string_equal(topology_nic_address(&only6, 6), only6.ip6);
	assert_null(topology_nic_address(&only6, 4));
	assert_null(topology_nic_address(&none, 0));
}

/* An end may be written by either address. */
static void a_second_address_names_the_nic(void **state)
{
	(void)state;
	assert_string_equal(
		reading_of(&r, LAB("ip: 192.0.2.1, ip6: \"2001:db8::1\"",
	                           "ip: 192.0.2.2, ip6: \"2001:db8::2\"",
	                           "    pairs: [[\"2001:db8::1\", \"b@2001:db8:0::2\"]]\n")),
		"");
	assert_string_equal(r.topo.profiles[0].pairs[0].a.nic->ip6, "2001:db8::1");
	assert_string_equal(r.topo.profiles[0].pairs[0].b.nic->ip, "192.0.2.2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_given_is_as_before),
		cmocka_unit_test(the_words_for_the_default_are_the_default),
		cmocka_unit_test(each_level_is_read),
		cmocka_unit_test(code_points_have_names),
		cmocka_unit_test(a_list_of_cores_has_one_text),
		cmocka_unit_test(what_cannot_be_is_told_where_it_stands),
		cmocka_unit_test(an_address_of_the_version_is_given),
		cmocka_unit_test(a_second_address_names_the_nic),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
