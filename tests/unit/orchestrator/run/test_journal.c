/* SPDX-License-Identifier: MIT */
#include "run/journal.h"

#include "tests/support/test.h"

static const struct journal_row mtu = {.host = "a",
                                       .object = "eth1",
                                       .setting = "mtu",
                                       .boot_id = "b1",
                                       .value_before = "1500",
                                       .value_requested = "9000"};

static void every_state_has_its_name_and_is_open_until_it_is_proven(void **state)
{
	static const struct {
		enum journal_state state;
		const char *name;
		bool is_open;
	} rows[] = {
		{JOURNAL_INTENDED, "intended", true},
		{JOURNAL_APPLIED, "applied", true},
		{JOURNAL_CONFIRMED, "confirmed", true},
		{JOURNAL_RESTORED, "restored", false},
		{JOURNAL_RESTORE_FAILED, "restore_failed", true},
		{JOURNAL_NOT_APPLIED, "not_applied", false},
		{JOURNAL_FOREIGN, "foreign", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_string_equal(journal_state_names[rows[i].state], rows[i].name);
		assert_int_equal(journal_is_open(rows[i].state), rows[i].is_open);
	}
	assert_null(journal_state_names[COUNT_OF(rows)]);
}

static void what_is_read_back_decides(void **state)
{
	static const struct {
		const char *boot_of_row, *value, *boot;
		enum journal_verdict verdict;
	} rows[] = {
		{"b1", "1500", "b1", JOURNAL_IS_AS_BEFORE},
		{"b1", "9000", "b1", JOURNAL_MUST_RESTORE},
		{"b1", "4000", "b1", JOURNAL_IS_FOREIGN},
		{"b1", NULL, "b1", JOURNAL_STAYS_OPEN},
		/* restarted: only the value before closes it; what lived on is put back */
		{"b1", "1500", "b2", JOURNAL_IS_AS_BEFORE},
		{"b1", "9000", "b2", JOURNAL_MUST_RESTORE},
		{"b1", "4000", "b2", JOURNAL_STAYS_OPEN},
		{"b1", NULL, "b2", JOURNAL_STAYS_OPEN},
		/* a host that cannot tell whether it was restarted */
		{NULL, "4000", "b1", JOURNAL_IS_FOREIGN},
		{"b1", "4000", NULL, JOURNAL_IS_FOREIGN},
		{NULL, "9000", NULL, JOURNAL_MUST_RESTORE},
		/* texts, not numbers: the read command prints one form */
		{"b1", "01500", "b1", JOURNAL_IS_FOREIGN},
		{"b1", "", "b1", JOURNAL_IS_FOREIGN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct journal_row row = mtu;
		const struct journal_row *list[] = {&row};
		const struct journal_found found = {rows[i].value, rows[i].boot};

		row.boot_id = rows[i].boot_of_row;
		if (journal_judge(list, 1, &found) != rows[i].verdict)
			fail_msg("row %zu", i);
	}
}

/* 1500 -> 4000 -> 9000, each change with the value that was there or with the first one. */
static void several_changes_of_one_setting_go_back_to_the_first_value(void **state)
{
	static const struct {
		const char *before; /* of the second change */
		const char *value;
		enum journal_verdict verdict;
	} rows[] = {
		{"4000", "1500", JOURNAL_IS_AS_BEFORE}, {"4000", "4000", JOURNAL_MUST_RESTORE},
		{"4000", "9000", JOURNAL_MUST_RESTORE}, {"4000", "1400", JOURNAL_IS_FOREIGN},
		{"1500", "1500", JOURNAL_IS_AS_BEFORE}, {"1500", "4000", JOURNAL_MUST_RESTORE},
		{"1500", "9000", JOURNAL_MUST_RESTORE}, {"1500", "1400", JOURNAL_IS_FOREIGN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct journal_row first = mtu;
		struct journal_row second = mtu;
		const struct journal_row *list[] = {&second, &first}; /* the newest first */
		const struct journal_found found = {rows[i].value, "b1"};

		first.value_requested = "4000";
		second.value_before = rows[i].before;
		if (journal_judge(list, 2, &found) != rows[i].verdict)
			fail_msg("row %zu", i);
	}
}

/* What was set before the host was restarted and once more after it: the newest row counts. */
static void the_newest_row_tells_of_which_start_the_host_was(void **state)
{
	struct journal_row first = mtu;
	struct journal_row second = mtu;
	const struct journal_row *list[] = {&second, &first};
	const struct journal_found found = {"4000", "b2"};

	(void)state;
	second.boot_id = "b2";
	assert_int_equal(journal_judge(list, 2, &found), JOURNAL_IS_FOREIGN);
	second.boot_id = "b1";
	first.boot_id = "b2";
	assert_int_equal(journal_judge(list, 2, &found), JOURNAL_STAYS_OPEN);
}

static void a_row_that_was_never_seen_to_change_anything_is_not_applied(void **state)
{
	(void)state;
	assert_int_equal(journal_closed_as(JOURNAL_INTENDED), JOURNAL_NOT_APPLIED);
	assert_int_equal(journal_closed_as(JOURNAL_APPLIED), JOURNAL_RESTORED);
	assert_int_equal(journal_closed_as(JOURNAL_CONFIRMED), JOURNAL_RESTORED);
	assert_int_equal(journal_closed_as(JOURNAL_RESTORE_FAILED), JOURNAL_RESTORED);
}

static void objects_are_told_apart_by_host_object_and_setting(void **state)
{
	static const struct journal_row others[] = {
		{.host = "b", .object = "eth1", .setting = "mtu"},
		{.host = "a", .object = "eth2", .setting = "mtu"},
		{.host = "a", .object = "eth1", .setting = "lro"},
		{.host = "a", .object = NULL, .setting = "mtu"},
	};
	const struct journal_row host = {.host = "a", .setting = "rmem_max", .run_id = 1};
	const struct journal_row again = {.host = "a", .setting = "rmem_max", .run_id = 2};
	struct text name = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_false(journal_same_object(&mtu, &others[i]));
	assert_true(journal_same_object(&mtu, &mtu));
	assert_true(journal_same_object(&host, &again));
	journal_add_name(&name, "mtu", "eth1");
	assert_string_equal(text_str(&name), "mtu of eth1");
	text_clear(&name);
	journal_add_name(&name, "rmem_max", NULL);
	assert_string_equal(text_str(&name), "rmem_max");
	text_done(&name);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_has_its_name_and_is_open_until_it_is_proven),
		cmocka_unit_test(what_is_read_back_decides),
		cmocka_unit_test(several_changes_of_one_setting_go_back_to_the_first_value),
		cmocka_unit_test(the_newest_row_tells_of_which_start_the_host_was),
		cmocka_unit_test(a_row_that_was_never_seen_to_change_anything_is_not_applied),
		cmocka_unit_test(objects_are_told_apart_by_host_object_and_setting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
