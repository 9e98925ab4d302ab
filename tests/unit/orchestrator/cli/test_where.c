/* SPDX-License-Identifier: MIT */
#include "cli/where.h"

#include <string.h>

#include "run/result.h"
#include "tests/support/test.h"

static const struct dataset_cell cell = {
	.src = "esx1.vmk1",
	.src_host = "esx1",
	.dst = "vm1.vmx0",
	.dst_host = "vm1",
	.path_class = "vm-own-host",
	.dst_driver = "vmxnet3",
	.engine = "agent",
	.mtu_bytes = 9216,
	.window_bytes = 65536,
	.streams = 4,
	.buffer_bytes = RESULT_UNKNOWN,
	.lro = "on",
	.tso = "unchanged",
	.duration_s = 10,
	.omit_s = 0.5,
	.state = "done",
	.profiles = "quick full-matrix",
	.initiator = "dst",
	.protocol = "udp",
	.mode = "bulk",
	.target_bps = 2500000000,
	.tcp_cc = "bbr",
	.ip_version = 6,
	.dscp = 46,
	.affinity = "0-3,6",
	.bind_device = 1,
	.bytes = RESULT_UNKNOWN,
};

static const struct {
	const char *text;
	bool fits;
} choices[] = {
	{NULL, true},
	{"src=esx1", true},
	{"src=esx1.vmk1", true},
	{"src=esx*", true},
	{"src=vm1", false},
	{"dst=vm1.*", true},
	{"host=vm1", true},
	{"host=pc", false},
	{"class=vm-own-host", true},
	{"class=vm-vm*", false},
	{"driver=vmxnet3", true},
	{"driver=em", false},
	{"profile=quick", true},
	{"profile=full*", true},
	{"profile=matrix", false},
	{"state=done", true},
	{"mtu=9216", true},
	{"mtu=9K", true},
	{"mtu=1500|9216", true},
	{"window=64K", true},
	{"window=65536", true},
	{"window=default", false},
	{"streams=4", true},
	{"streams=40", false},
	{"buffer=default", true},
	{"lro=on", true},
	{"tso=on|unchanged", true},
	{"duration=10s", true},
	{"omit=500ms", true},
	{"direction=reverse", true},
	{"direction=forward|bidir", false},
	{"protocol=udp", true},
	{"mode=rr", false},
	{"zero_copy=off", true},
	{"bitrate=2.5G", true},
	{"bitrate=2500M", true},
	{"bitrate=unlimited", false},
	{"congestion=bbr", true},
	{"ip_version=6", true},
	{"affinity=0-3+6", true},
	{"affinity=0-3,6", true},
	{"affinity=0-3,6,mtu=9216", true},
	{"mtu=9216,affinity=1,2|0-3,6", true},
	{"affinity=0-3,6,mtu=1500", false},
	{"affinity=0-3,7", false},
	{"affinity=off", false},
	{"bind_device=on", true},
	{"no_delay=on", false},
	{"bytes=none", true},
	{"dscp=46", true},
	{"dscp=ef", true},
	{"dscp=cs1|e*", true},
	{"dscp=af11", false},
	{"dscp=cs0", false},
	{"dscp=default", false},
	{"src=esx1,streams=4", true},
	{"src=esx1,streams=1|2", false},
};

static void terms_choose_cells(void **state)
{

	(void)state;
	for (size_t i = 0; i < COUNT_OF(choices); i++) {
		struct arena arena = {0};
		struct where where;
		struct err err = {0};

		assert_true(where_parse(choices[i].text, &arena, &where, &err));
		if (where_fits(&where, &cell) != choices[i].fits)
			fail_msg("%s", choices[i].text);
		arena_done(&arena);
	}
}

static void wrong_terms_are_refused_with_the_keys(void **state)
{
	static const char *const cases[] = {"",   "src",  "src=",      "speed=1", "src=a,,dst=b",
	                                    "=x", "sr=a", "mtu=1500,6"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct arena arena = {0};
		struct where where;
		struct err err = {0};

		assert_false(where_parse(cases[i], &arena, &where, &err));
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.msg,
		                       "is not KEY=VALUE with a KEY of src, dst, host, class, "
		                       "driver, profile, state, direction, protocol, mode, "
		                       "zero_copy, mtu, window, streams, buffer, lro, tso, "
		                       "mss, no_delay, dscp, congestion, ip_version, affinity, "
		                       "bind_device, source_port, bitrate, bytes, duration, "
		                       "omit"));
		arena_done(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_choose_cells),
		cmocka_unit_test(wrong_terms_are_refused_with_the_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
