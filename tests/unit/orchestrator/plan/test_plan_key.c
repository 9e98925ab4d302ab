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
	static const char config_text[] = "vnm-config 1\nengine=agent 1\nmtu=unchanged\n"
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
	                    "d533da7af9afcfbeb3afcd2589e7722042487ae46bcb6b4cb63feb6e108d7abf");
	assert_string_equal(cell.fingerprint,
	                    "ed8d9cf83bcf2d5ee221e2e3892bd41ecab102049b8ec7fb293768949bc61478");
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
	enum { CHANGES = 14 };
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
		cmocka_unit_test(every_level_has_its_word),
		cmocka_unit_test(whatever_the_experimenter_controls_changes_the_fingerprint),
		cmocka_unit_test(a_nic_with_another_driver_is_another_cell),
		cmocka_unit_test(moving_a_vm_or_its_address_keeps_the_fingerprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
