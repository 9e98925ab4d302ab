/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"
#include "hostops/tunable.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/samples.h"

static const struct tunable tso = {TUNABLE_LINUX, TUNABLE_TSO, "eth1"};
static const struct tunable mtu = {TUNABLE_LINUX, TUNABLE_MTU, "eth1"};

/* Reads lines of a probe, each ended by a newline. */
static struct tunable_reading reading_of(const struct tunable *t, const char *said)
{
	struct tunable_reading reading;
	struct tunable_reader r;
	char *text = strdup(said);

	assert_non_null(text);
	tunable_read_begin(&r, t, &reading, 1);
	for (char *line = text; *line != '\0';) {
		char *end = line + strcspn(line, "\n");
		char *next = end + (*end == '\n');

		*end = '\0';
		tunable_read(&r, line);
		line = next;
	}
	tunable_read_done(&r);
	free(text);
	return reading;
}

static struct tunable_reading mtu_of(const char *sample, const char *rest)
{
	char *json = sample_load(sample);
	struct tunable_reading reading;
	struct text said = {0};

	text_printf(&said, "tun 0 value 1500\ntun 0 has ip\ntun 0 link %s\n%stun 0 end\n", json,
	            rest);
	reading = reading_of(&mtu, text_str(&said));
	text_done(&said);
	free(json);
	return reading;
}

static void limits_of_an_mtu_have_their_reasons(void **state)
{
	struct tunable_reading r = mtu_of("linux/ip-j-link-vmxnet3.json", "");
	struct err err;

	(void)state;
	assert_int_equal(r.min, 60);
	assert_int_equal(r.max, 9000);
	assert_true(tunable_check(&mtu, &r, "9000", &err));
	assert_false(tunable_check(&mtu, &r, "9190", &err));
	assert_string_equal(err.msg, "mtu 9190 is above 9000: the device takes no more");
	assert_true(tunable_check(&mtu, &r, "1000", &err));
	assert_false(tunable_check(&mtu, &r, "9k", &err));
	assert_string_equal(err.msg, "mtu is a number, not '9k'");
	r = mtu_of("linux/ip-j-link-virtio.json", "tun 0 noipv6 0\n");
	assert_int_equal(r.max, 65535);
	assert_false(tunable_check(&mtu, &r, "1279", &err));
	assert_string_equal(err.msg, "mtu 1279 is below 1280: IPv6 is on, and would lose its "
	                             "addresses for good");
	r = mtu_of("linux/ip-j-link-virtio.json", "tun 0 noipv6 1\n");
	assert_true(tunable_check(&mtu, &r, "1279", &err));
}

static void without_limits_from_the_kernel_the_device_table_counts(void **state)
{
	static const struct {
		const char *driver;
		int64_t max;
	} cases[] = {{"vmxnet3", 9000}, {"e1000", 16110}, {"e1000e", 9216}, {"other", -1}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char said[200];

		(void)snprintf(said, sizeof(said),
		               "tun 0 value 1500\ntun 0 driver %s\ntun 0 link\ntun 0 end\n",
		               cases[i].driver);
		assert_int_equal(reading_of(&mtu, said).max, cases[i].max);
	}
	/* The kernel knows of device version 6. */
	assert_int_equal(reading_of(&mtu, "tun 0 driver vmxnet3\n"
	                                  "tun 0 link [{\"ifname\":\"a\",\"max_mtu\":9190}]\n"
	                                  "tun 0 end\n")
	                         .max,
	                 9190);
}

static void where_ip_is_missing_ifconfig_sets_the_mtu(void **state)
{
	struct tunable_reading r = reading_of(&mtu, "tun 0 value 1500\ntun 0 end\n");
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(tunable_set_line(&line, &mtu, &r, "9000", &err));
	text_add(&line, "; ");
	assert_true(tunable_undo_line(&line, &mtu, &r, &err));
	assert_string_equal(text_str(&line), "ifconfig eth1 mtu 9000; ifconfig eth1 mtu 1500");
	text_done(&line);
}

static void where_ethtool_is_missing_the_message_says_what_to_install(void **state)
{
	struct tunable_reading r = reading_of(&tso, "tun 0 value\ntun 0 end\n");
	struct err err;

	(void)state;
	assert_false(tunable_check(&tso, &r, "off", &err));
	assert_non_null(strstr(err.msg, "install the package ethtool"));
}

/* Newer kernels than ethtool: the switch alone would leave it on. */
static void features_that_the_switch_does_not_know_are_named(void **state)
{
	struct tunable_reading r =
		reading_of(&tso, "tun 0 value on\ntun 0 has ethtool\n"
	                         "tun 0 feature tx-checksumming: on\n"
	                         "tun 0 feature tcp-segmentation-offload: on\n"
	                         "tun 0 feature \ttx-tcp-segmentation: on\n"
	                         "tun 0 feature \ttx-tcp6-segmentation: off [requested on]\n"
	                         "tun 0 feature \ttx-tcp-ecn-segmentation: off [fixed]\n"
	                         "tun 0 feature \ttx-tcp-accecn-segmentation: on\n"
	                         "tun 0 feature generic-segmentation-offload: on\n"
	                         "tun 0 end\n");
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(tunable_check(&tso, &r, "off", &err));
	assert_true(tunable_set_line(&line, &tso, &r, "off", &err));
	assert_string_equal(text_str(&line),
	                    "ethtool -K eth1 tso off tx-tcp-accecn-segmentation off");
	text_clear(&line);
	assert_true(tunable_undo_line(&line, &tso, &r, &err));
	assert_string_equal(text_str(&line), "ethtool -K eth1 tx-tcp-segmentation on "
	                                     "tx-tcp6-segmentation on "
	                                     "tx-tcp-accecn-segmentation on");
	text_done(&line);
}

static void what_a_feature_needs_is_told(void **state)
{
	struct tunable_reading r = reading_of(&tso, "tun 0 value off\ntun 0 has ethtool\n"
	                                            "tun 0 feature tx-checksumming: off\n"
	                                            "tun 0 feature tcp-segmentation-offload: off\n"
	                                            "tun 0 feature \ttx-tcp-segmentation: off\n"
	                                            "tun 0 end\n");
	struct err err;

	(void)state;
	assert_false(tunable_check(&tso, &r, "on", &err));
	assert_string_equal(err.msg,
	                    "tso stays off: tx-checksumming of eth1 is off, which it needs");
	assert_true(tunable_check(&tso, &r, "off", &err));
}

static void what_is_not_known_is_neither_changed_nor_put_back(void **state)
{
	struct tunable_reading r = reading_of(&mtu, "tun 0 value bogus\ntun 1 value 9000\n"
	                                            "tun 0 nothing\ntun x\nother\ntun 0 end\n"
	                                            "tun 0 value 1400\n");
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(r.is_complete);
	assert_string_equal(r.value, "");
	assert_false(tunable_check(&mtu, &r, "9000", &err));
	assert_string_equal(err.msg, "mtu of eth1 cannot be read, so it is not changed");
	assert_false(tunable_undo_line(&line, &mtu, &r, &err));
	assert_string_equal(err.msg, "mtu of eth1 is not known, so it cannot be put back");
	assert_string_equal(text_str(&line), "");
	text_done(&line);
}

static void names_that_a_shell_would_read_are_refused(void **state)
{
	static const struct tunable bad[] = {
		{TUNABLE_LINUX, TUNABLE_MTU, "eth0;reboot"},
		{TUNABLE_LINUX, TUNABLE_MTU, "../x"},
		{TUNABLE_LINUX, TUNABLE_MTU, ".."},
		{TUNABLE_LINUX, TUNABLE_TSO, "-K"},
		{TUNABLE_LINUX, TUNABLE_TSO, ""},
		{TUNABLE_FREEBSD, TUNABLE_LRO, "$(reboot)"},
		{TUNABLE_GENERIC, TUNABLE_MTU, "a b"},
		{TUNABLE_ESXI, TUNABLE_MTU, "vmk`x`"},
		{TUNABLE_ESXI, TUNABLE_VSWITCH_MTU, "a\"b"},
		{TUNABLE_ESXI, TUNABLE_OPTION, "--help"},
		{TUNABLE_ESXI, TUNABLE_SECPOLICY, "a/;s/b"},
	};
	static const struct tunable_reading none = {.value = "1500"};
	struct tunable_reading reading = none;
	struct text line = {0};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (tunable_read_line(&line, &bad[i], &err))
			fail_msg("%s: %s", bad[i].object, text_str(&line));
		(void)snprintf(reading.value, sizeof(reading.value), "%s",
		               bad[i].kind == TUNABLE_TSO || bad[i].kind == TUNABLE_LRO ? "on"
		                                                                        : "1500");
		if (bad[i].kind != TUNABLE_SECPOLICY)
			assert_false(tunable_undo_line(&line, &bad[i], &reading, &err));
	}
	assert_string_equal(text_str(&line), "");
	text_done(&line);
}

static void a_name_with_blanks_is_one_argument(void **state)
{
	static const struct tunable t = {TUNABLE_ESXI, TUNABLE_VSWITCH_MTU, "lab [10G]"};
	struct tunable_reading none = {.min = -1};
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(tunable_read_line(&line, &t, &err));
	text_add(&line, "\n");
	assert_true(tunable_set_line(&line, &t, &none, "9000", &err));
	assert_string_equal(text_str(&line),
	                    "esxcli network vswitch standard list | "
	                    "grep -F -x -A 20 \"   Name: lab [10G]\" | "
	                    "sed -n \"s/^ *MTU: //p\" | head -n 1\n"
	                    "esxcli network vswitch standard set -v \"lab [10G]\" -m 9000");
	text_done(&line);
}

static void what_a_system_does_not_have_is_told(void **state)
{
	static const struct {
		struct tunable t;
		const char *why;
	} cases[] = {
		{{TUNABLE_FREEBSD, TUNABLE_GRO, "em0"}, "FreeBSD has no setting gro"},
		{{TUNABLE_LINUX, TUNABLE_SECPOLICY, "appDom"}, "Linux has no setting secpolicy"},
		{{TUNABLE_GENERIC, TUNABLE_TSO, "em0"},
	         "a system that is neither Linux, FreeBSD nor ESXi has no setting tso"},
		{{TUNABLE_ESXI, TUNABLE_GSO, "vmk0"}, "ESXi has no setting gso"},
		{{TUNABLE_ESXI, TUNABLE_TSO, "vmk0"},
	         "ESXi has no TSO of one NIC: it is the host's options /Net/UseHwTSO and "
	         "/Net/UseHwTSO6"},
	};
	struct text line = {0};
	struct tunable_reading none = {.min = -1};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *value = cases[i].t.kind == TUNABLE_SECPOLICY ? "disabled" : "off";

		assert_false(tunable_read_line(&line, &cases[i].t, &err));
		assert_string_equal(err.msg, cases[i].why);
		assert_false(tunable_set_line(&line, &cases[i].t, &none, value, &err));
		assert_string_equal(err.msg, cases[i].why);
	}
	assert_string_equal(text_str(&line), "");
	text_done(&line);
}

static void socket_buffers_are_settings_of_the_host(void **state)
{
	static const struct tunable t = {TUNABLE_LINUX, TUNABLE_RMEM_MAX, ""};
	struct tunable_reading r = reading_of(&t, "tun 0 value 212992\ntun 0 end\n");
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(tunable_read_line(&line, &t, &err));
	text_add(&line, "\n");
	assert_true(tunable_set_line(&line, &t, &r, "16777216", &err));
	text_add(&line, "\n");
	assert_true(tunable_undo_line(&line, &t, &r, &err));
	assert_string_equal(text_str(&line), "cat /proc/sys/net/core/rmem_max\n"
	                                     "sysctl -w net.core.rmem_max=16777216\n"
	                                     "sysctl -w net.core.rmem_max=212992");
	assert_false(tunable_check(&t, &r, "2147483648", &err));
	text_done(&line);
}

static void changes_have_an_order(void **state)
{
	static const struct tunable sw = {TUNABLE_ESXI, TUNABLE_VSWITCH_MTU, "vSwitch0"};
	static const struct tunable vmk = {TUNABLE_ESXI, TUNABLE_MTU, "vmk1"};
	static const struct tunable tx = {TUNABLE_LINUX, TUNABLE_TX_CHECKSUM, "eth1"};

	(void)state;
	assert_true(tunable_rank(&sw, "1500", "9000") < tunable_rank(&vmk, "1500", "9000"));
	assert_true(tunable_rank(&sw, "9000", "1500") > tunable_rank(&vmk, "9000", "1500"));
	assert_true(tunable_rank(&tx, "off", "on") < tunable_rank(&tso, "off", "on"));
	assert_true(tunable_rank(&tx, "on", "off") > tunable_rank(&tso, "on", "off"));
}

static void a_vmk_is_a_port_of_its_switch(void **state)
{
	static const struct tunable t = {TUNABLE_ESXI, TUNABLE_MTU, "vmk1"};
	struct tunable_reading r = reading_of(
		&t, "tun 0 value 1500\ntun 0 switch switch01\ntun 0 switch    Name: switch01\n"
		    "tun 0 switch    MTU: 9000\ntun 0 list vmk1\ntun 0 list    Name: vmk1\n"
		    "tun 0 list    Portset: switch01\ntun 0 end\n");

	(void)state;
	assert_string_equal(r.under, "switch01");
	assert_int_equal(r.under_mtu, 9000);
	r = reading_of(
		&t, "tun 0 value 1500\ntun 0 switch x\ntun 0 list vmk1\n"
		    "tun 0 list    Name: vmk1\ntun 0 list    Portset: DvsPortset-0\ntun 0 end\n");
	assert_string_equal(r.under, "DvsPortset-0");
	assert_int_equal(r.under_mtu, TUNABLE_UNKNOWN);
}

static void what_one_should_know_is_said(void **state)
{
	static const struct tunable vmk = {TUNABLE_ESXI, TUNABLE_MTU, "vmk1"};
	static const struct tunable exec = {TUNABLE_ESXI, TUNABLE_EXEC_INSTALLED_ONLY, ""};
	static const struct tunable lro = {TUNABLE_LINUX, TUNABLE_LRO, "eth1"};

	(void)state;
	assert_string_equal(tunable_note(&vmk), "it outlives a reboot");
	assert_non_null(strstr(tunable_note(&exec), "raises alarms"));
	assert_non_null(strstr(tunable_note(&mtu), "takes the link away"));
	assert_null(tunable_note(&lro));
}

static void systems_are_told_by_uname(void **state)
{
	(void)state;
	assert_int_equal(tunable_system_of("Linux/x86_64"), TUNABLE_LINUX);
	assert_int_equal(tunable_system_of("FreeBSD"), TUNABLE_FREEBSD);
	assert_int_equal(tunable_system_of("VMkernel esx-a 7.0.3"), TUNABLE_ESXI);
	assert_int_equal(tunable_system_of("Linuxes"), TUNABLE_GENERIC);
	assert_int_equal(tunable_system_of(""), TUNABLE_GENERIC);
}

static void names_go_both_ways(void **state)
{
	(void)state;
	for (unsigned k = 0; k < TUNABLE_KIND_COUNT; k++) {
		enum tunable_kind kind;

		assert_true(tunable_by_name(tunable_name((enum tunable_kind)k), &kind));
		assert_int_equal(kind, k);
	}
	assert_false(tunable_by_name("colour", &(enum tunable_kind){TUNABLE_MTU}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_of_an_mtu_have_their_reasons),
		cmocka_unit_test(without_limits_from_the_kernel_the_device_table_counts),
		cmocka_unit_test(where_ip_is_missing_ifconfig_sets_the_mtu),
		cmocka_unit_test(where_ethtool_is_missing_the_message_says_what_to_install),
		cmocka_unit_test(features_that_the_switch_does_not_know_are_named),
		cmocka_unit_test(what_a_feature_needs_is_told),
		cmocka_unit_test(what_is_not_known_is_neither_changed_nor_put_back),
		cmocka_unit_test(names_that_a_shell_would_read_are_refused),
		cmocka_unit_test(a_name_with_blanks_is_one_argument),
		cmocka_unit_test(what_a_system_does_not_have_is_told),
		cmocka_unit_test(socket_buffers_are_settings_of_the_host),
		cmocka_unit_test(changes_have_an_order),
		cmocka_unit_test(a_vmk_is_a_port_of_its_switch),
		cmocka_unit_test(what_one_should_know_is_said),
		cmocka_unit_test(systems_are_told_by_uname),
		cmocka_unit_test(names_go_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
