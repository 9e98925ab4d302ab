/* SPDX-License-Identifier: MIT */
#include "plan/plan_key.h"

#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/plan/lab.h"

static struct plan_cell example(void)
{
	return (struct plan_cell){
		.src = lab_nic("esx1.vmk1"),
		.dst = lab_nic("truenas.vmx0"),
		.config = {.engine = ENGINE_AGENT,
	                   .window_bytes = 65536,
	                   .streams = 4,
	                   .lro = TOGGLE_OFF,
	                   .duration_ms = 10000,
	                   .omit_ms = 2000},
	};
}

/* Frozen: series of results hang on these texts and on their hashes. */
static void the_texts_are_as_documented(void **state)
{
	static const char config_text[] = "vnm-config 1\nengine=agent 2\nmtu=unchanged\n"
					  "window=65536\nstreams=4\nbuffer=default\nlro=off\n"
					  "tso=unchanged\nduration_ms=10000\nomit_ms=2000\n";
	static const char ends_text[] = "vnm-cell 1\nsrc=esx1 vmk1\ndst=truenas vmx0\n"
					"initiator=src\nsrc_driver=-\ndst_driver=vmxnet3\n";
	struct plan_cell cell = example();
	struct plan_key_maker keys = {0};
	struct text text = {0};
	char wanted[SHA256_HEX_BYTES];

	(void)state;
	plan_key_config_text(&cell.config, &text);
	assert_string_equal(text_str(&text), config_text);
	text_clear(&text);
	plan_key_cell_text(&cell, &text);
	assert_int_equal(text.len, strlen(ends_text) + strlen(config_text));
	assert_memory_equal(text.at, ends_text, strlen(ends_text));
	assert_string_equal(text.at + strlen(ends_text), config_text);
	sha256_of(text.at, text.len, wanted);
	plan_key_cell(&keys, &cell);
	assert_string_equal(cell.fingerprint, wanted);
	plan_key_maker_done(&keys);
	text_done(&text);
	assert_string_equal(cell.config_sha256,
	                    "95abffa8eeaff65b060fed638aeefa25ab0060471ca7d9d75cc88d8837760b7f");
	assert_string_equal(cell.fingerprint,
	                    "d86accf0c8d2fc88b2850f13e7dc8314fd42ab0f83c9ce5d52f2eeb78f2c8640");
}

/* What the example has beside the factors that later versions added. */
#define EXAMPLE(measured_ms)                                                            \
	.engine = ENGINE_AGENT, .window_bytes = 65536, .streams = 4, .lro = TOGGLE_OFF, \
	.duration_ms = (measured_ms), .omit_ms = 2000

/* Frozen as well: a line behind those of the first version, only where the level is another. */
static void a_later_factor_appends_a_line(void **state)
{
	/* clang-format off */
	static const struct {
		struct plan_config config;
		const char *line, *fingerprint;
	} cases[] = {
		{{.is_bidir = true, EXAMPLE(10000)}, "bidir=1\n",
		 "110cb10f0bbd864c71e80ade1e151f8e90ff7066c501c8ddf8698161c8c247c8"},
		{{.bytes = UINT64_C(10) << 30, EXAMPLE(0)}, "bytes=10737418240\n",
		 "3bfe8ed8eb3e9c542932c3a8d05fa15f3a46cfc04e6be73cc9a3edd5b202e8a2"},
		{{.protocol = PROTOCOL_UDP, EXAMPLE(10000)}, "protocol=udp\n",
		 "78cefe80b668014cde7e7101b2305d093f943c3f72b50c42fa58e2476ead8fdd"},
		{{.mode = MODE_RR, EXAMPLE(10000)}, "mode=rr\n",
		 "ee977e5aa2b832b762619ffbd08b85fa5424dd7afa3a89fffbcb5d445c0d7951"},
		{{.zero_copy = ZERO_COPY_SENDER, EXAMPLE(10000)}, "zero_copy=sender\n",
		 "b487662dca0da412a3db5620b84cab11f0b109b2607ce66247f6b69a2ca770d5"},
		{{.zero_copy = ZERO_COPY_BOTH, EXAMPLE(10000)}, "zero_copy=both\n",
		 "fac7ab210a70a658bf5f96b615ac97fb9ff8c453638d3041b661e9ab1437cf46"},
		{{.rate_bps = 500000000, EXAMPLE(10000)}, "rate_bps=500000000\n",
		 "2801838b7bd5c690d5471946fc7070247d47acf8d6d4ea7c31059eb141e989f1"},
		{{.mss_bytes = 1400, EXAMPLE(10000)}, "mss=1400\n",
		 "9445df6d75aa2d06847701769546a924102ae59dc3dae726af77f96a39ca2691"},
		{{.no_delay = true, EXAMPLE(10000)}, "no_delay=1\n",
		 "f6fbbf6f1596994bd0857414c8bfbcd7f310f30c801a5477e4b31e59382ee74f"},
		{{.dscp = 46, EXAMPLE(10000)}, "dscp=46\n",
		 "7b89a6a8a6ad07c33ca41a7bcc145ba34e778c07a70de4c691ba15521dc1195f"},
		{{.congestion = "bbr", EXAMPLE(10000)}, "congestion=bbr\n",
		 "37446ac536f8e1bc685c86fe329900bfaea91a7807d06c75a3aabbd020b0cede"},
		{{.ip_version = 6, EXAMPLE(10000)}, "ip_version=6\n",
		 "e6fb41851fb4e612921a5e374a2cc945f9a512282f81f4175b5c303ea95b0214"},
		{{.affinity = "0-3,6", EXAMPLE(10000)}, "affinity=0-3,6\n",
		 "8066c197f3826d8e38028c88a41c803d77fd75b5ea69b16977bf14c5d145d5ca"},
		{{.bind_device = true, EXAMPLE(10000)}, "bind_device=1\n",
		 "45a5b4229f4af078d39c1ea3593451cb2184ec94fcb487f7472a2f56cd04433f"},
		{{.source_port = 40000, EXAMPLE(10000)}, "source_port=40000\n",
		 "c7304dcb0be117790c78059fa7a5d134f9923173d2191f139e47c4fb8ce2fbf8"},
	};
	/* clang-format on */
	struct plan_key_maker keys = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan_cell cell = example();
		struct text text = {0};

		cell.config = cases[i].config;
		plan_key_config_text(&cell.config, &text);
		assert_non_null(strstr(text_str(&text), "\nomit_ms=2000\n"));
		assert_string_equal(strstr(text_str(&text), "omit_ms=2000\n") + 13, cases[i].line);
		plan_key_cell(&keys, &cell);
		if (strcmp(cell.fingerprint, cases[i].fingerprint) != 0)
			fail_msg("%s: %s", cases[i].line, cell.fingerprint);
		text_done(&text);
	}
	plan_key_maker_done(&keys);
}

static void later_factors_stand_in_the_order_in_which_they_came(void **state)
{
	const struct plan_config config = {
		EXAMPLE(0),
		.bytes = 1,
		.is_bidir = true,
		.protocol = PROTOCOL_UDP,
		.mode = MODE_RR,
		.zero_copy = ZERO_COPY_BOTH,
		.rate_bps = 8000,
		.mss_bytes = 88,
		.no_delay = true,
		.dscp = 1,
		.congestion = "cubic",
		.ip_version = 4,
		.affinity = "auto",
		.bind_device = true,
		.source_port = 1024,
	};
	struct text text = {0};

	(void)state;
	plan_key_config_text(&config, &text);
	assert_string_equal(strstr(text_str(&text), "duration_ms="),
	                    "duration_ms=0\nomit_ms=2000\nbidir=1\nbytes=1\nprotocol=udp\n"
	                    "mode=rr\nzero_copy=both\nrate_bps=8000\nmss=88\nno_delay=1\ndscp=1\n"
	                    "congestion=cubic\nip_version=4\naffinity=auto\nbind_device=1\n"
	                    "source_port=1024\n");
	text_done(&text);
}

static void every_level_has_its_word(void **state)
{
	struct plan_cell cell = example();
	struct text text = {0};

	(void)state;
	cell.config = (struct plan_config){.engine = ENGINE_IPERF3,
	                                   .mtu_bytes = 9000,
	                                   .streams = 1,
	                                   .buffer_bytes = 131072,
	                                   .lro = TOGGLE_ON,
	                                   .tso = TOGGLE_OFF,
	                                   .duration_ms = 3000};
	plan_key_config_text(&cell.config, &text);
	assert_string_equal(text_str(&text),
	                    "vnm-config 1\nengine=iperf3 3\nmtu=9000\nwindow=default\nstreams=1\n"
	                    "buffer=131072\nlro=on\ntso=off\nduration_ms=3000\nomit_ms=0\n");
	text_clear(&text);
	cell.dst_initiates = true;
	plan_key_cell_text(&cell, &text);
	assert_non_null(strstr(text_str(&text), "\ninitiator=dst\n"));
	text_done(&text);
}

/* Each row differs from the example in one thing. */
static void whatever_the_experimenter_controls_changes_the_fingerprint(void **state)
{
	enum { CHANGES = 28 };
	struct plan_cell cells[CHANGES];
	struct plan_key_maker keys = {0};

	(void)state;
	for (size_t i = 0; i < CHANGES; i++)
		cells[i] = example();
	/* ends */
	cells[1].src = lab_nic("esx2.vmk1");
	cells[2].src = lab_nic("esx1.vmk2");
	cells[3].dst = lab_nic("truenas.em0");
	cells[4].dst_initiates = true;
	/* config */
	cells[5].config.engine = ENGINE_IPERF3;
	cells[6].config.mtu_bytes = 1500;
	cells[7].config.window_bytes = 0;
	cells[8].config.streams = 1;
	cells[9].config.buffer_bytes = 131072;
	cells[10].config.lro = TOGGLE_ON;
	cells[11].config.duration_ms = 3000;
	cells[12].config.omit_ms = 0;
	cells[13].config.tso = TOGGLE_ON;
	cells[14].config.bytes = 1;
	cells[15].config.is_bidir = true;
	cells[16].config.protocol = PROTOCOL_UDP;
	cells[17].config.mode = MODE_RR;
	cells[18].config.zero_copy = ZERO_COPY_SENDER;
	cells[19].config.rate_bps = 8000;
	cells[20].config.mss_bytes = 1400;
	cells[21].config.no_delay = true;
	cells[22].config.dscp = 46;
	cells[23].config.congestion = "bbr";
	cells[24].config.ip_version = 6;
	cells[25].config.affinity = "auto";
	cells[26].config.bind_device = true;
	cells[27].config.source_port = 1024;
	for (size_t i = 0; i < CHANGES; i++) {
		/* What the maker keeps is that of the cell before, which differs in one thing. */
		plan_key_cell(&keys, &cells[0]);
		plan_key_cell(&keys, &cells[i]);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(cells[i].fingerprint, cells[j].fingerprint);
			if (i >= 5)
				assert_string_not_equal(cells[i].config_sha256,
				                        cells[j].config_sha256);
			else
				assert_string_equal(cells[i].config_sha256, cells[j].config_sha256);
		}
	}
	plan_key_maker_done(&keys);
}

static void a_nic_with_another_driver_is_another_cell(void **state)
{
	struct nic changed = *lab_nic("truenas.vmx0");
	struct plan_cell before = example();
	struct plan_cell after = example();
	struct plan_key_maker keys = {0};

	(void)state;
	changed.driver = "em";
	after.dst = &changed;
	plan_key_cell(&keys, &before);
	plan_key_cell(&keys, &after);
	assert_string_not_equal(before.fingerprint, after.fingerprint);
	assert_string_equal(before.config_sha256, after.config_sha256);
	plan_key_maker_done(&keys);
}

/* The lab's state is not the experimenter's: it is compared, not part of the name. */
static void moving_a_vm_or_its_address_keeps_the_fingerprint(void **state)
{
	struct nic changed = *lab_nic("truenas.vmx0");
	struct plan_cell before = example();
	struct plan_cell after = example();
	struct plan_key_maker keys = {0};

	(void)state;
	changed.ip = "192.0.2.200";
	changed.segment = NULL;
	changed.speed_bps = 10;
	after.dst = &changed;
	after.path_class = PATH_VM_OTHER_HOST;
	after.is_routed = true;
	after.repeats = 9;
	plan_key_cell(&keys, &before);
	plan_key_cell(&keys, &after);
	assert_string_equal(before.fingerprint, after.fingerprint);
	plan_key_maker_done(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_texts_are_as_documented),
		cmocka_unit_test(a_later_factor_appends_a_line),
		cmocka_unit_test(later_factors_stand_in_the_order_in_which_they_came),
		cmocka_unit_test(every_level_has_its_word),
		cmocka_unit_test(whatever_the_experimenter_controls_changes_the_fingerprint),
		cmocka_unit_test(a_nic_with_another_driver_is_another_cell),
		cmocka_unit_test(moving_a_vm_or_its_address_keeps_the_fingerprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
