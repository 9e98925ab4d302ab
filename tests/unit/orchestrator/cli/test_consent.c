/* SPDX-License-Identifier: MIT */
#include "cli/consent.h"

#include <string.h>

#include "tests/support/test.h"

static void consents_are_named_one_by_one(void **state)
{
	const char *words[] = {"sysctl", "lro-on-router", "sysctl"};
	struct option_list list = {.at = words, .count = 3};
	struct run_consent consent = {.no_change = true};
	struct err err = {0};

	(void)state;
	assert_true(consent_parse(false, &list, &consent, &err));
	assert_false(consent.no_change);
	assert_int_equal(consent.allow, CONSENT_SYSCTL | CONSENT_LRO_ON_ROUTER);
	list.count = 0;
	assert_true(consent_parse(true, &list, &consent, &err));
	assert_true(consent.no_change);
	assert_int_equal(consent.allow, 0);
}

static void what_is_not_known_or_contradicts_is_refused(void **state)
{
	static const struct {
		bool no_change;
		const char *word, *message;
	} rows[] = {
		{false, "sysctls",
	         "--allow: 'sysctls' is not known: it must be sysctl, esxi-exec or lro-on-router"},
		{false, "",
	         "--allow: '' is not known: it must be sysctl, esxi-exec or lro-on-router"},
		{true, "esxi-exec", "--no-change and --allow exclude each other"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *words[] = {rows[i].word};
		const struct option_list list = {.at = words, .count = 1};
		struct run_consent consent = {.allow = 99};
		struct err err = {0};

		assert_false(consent_parse(rows[i].no_change, &list, &consent, &err));
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(err.msg, rows[i].message);
		assert_int_equal(consent.allow, 99); /* left alone */
	}
}

static struct host hosts[] = {{.name = "a"}, {.name = "b"}};
static struct nic nics[] = {
	{.name = "eth1", .host = &hosts[0]},
	{.name = "eth0", .host = &hosts[1], .role = NIC_MGMT},
};
static uint32_t mtus[] = {1500, 9000};
static uint32_t toggles[] = {TOGGLE_OFF, TOGGLE_ON};
static struct plan_change wanted[] = {
	{&nics[0], PLAN_MTU, mtus, 2, 12},
	{&nics[0], PLAN_LRO, toggles + 1, 1, 1},
	{&nics[0], PLAN_TSO, toggles, 2, 2},
	{&nics[1], PLAN_MTU, mtus, 2, 12},
};
static const struct plan_changes all = {wanted, COUNT_OF(wanted)};

static void the_list_says_what_where_to_which_values_and_how_often(void **state)
{
	const struct topology topo = {.safety = {.change = SAFETY_MTU | SAFETY_TSO}};
	struct text text = {0};

	(void)state;
	assert_int_equal(consent_add_list(&text, &topo, &all), 12 + 1 + 2 + 1);
	assert_string_equal(
		text_str(&text),
		"to be changed, and put back at the end:\n"
		"  mtu of a.eth1: 1500, 9000 (12 changes)\n"
		"  tso of a.eth1: off, on (2 changes)\n"
		"  16 times in all, and each may take the link of its NIC down for some seconds\n"
		"left alone, so cells that need it are skipped:\n"
		"  lro of a.eth1: on (not in `change` of `safety` in the topology)\n"
		"  mtu of b.eth0: 1500, 9000 (its role is mgmt: never changed)\n");
	text_done(&text);
}

static void nothing_is_asked_for_where_nothing_is_allowed_or_wanted(void **state)
{
	const struct topology nothing = {.safety = {.change = 0}};
	const struct topology everything = {
		.safety = {.change = SAFETY_MTU | SAFETY_LRO | SAFETY_TSO}};
	struct text text = {0};

	(void)state;
	assert_int_equal(consent_add_list(&text, &nothing, &all), 0);
	assert_null(strstr(text_str(&text), "to be changed"));
	assert_non_null(strstr(text_str(&text), "left alone"));
	text_clear(&text);
	assert_int_equal(consent_add_list(&text, &everything, &(struct plan_changes){0}), 0);
	assert_string_equal(text_str(&text), "");
	text_done(&text);
	/* A NIC of role mgmt is never changed, whatever is allowed. */
	assert_non_null(consent_refusal(&everything, &wanted[3]));
	assert_null(consent_refusal(&everything, &wanted[0]));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(consents_are_named_one_by_one),
		cmocka_unit_test(what_is_not_known_or_contradicts_is_refused),
		cmocka_unit_test(the_list_says_what_where_to_which_values_and_how_often),
		cmocka_unit_test(nothing_is_asked_for_where_nothing_is_allowed_or_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
