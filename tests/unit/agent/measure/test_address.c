/* SPDX-License-Identifier: MIT */
#include "common/attr.h"
#include "measure/address.h"
#include "tests/support/test.h"

static void literals_are_read_and_written(void **state)
{
	static const struct {
		const char *literal;
		const char *text; /* NULL: refused */
	} cases[] = {
		{"192.0.2.7", "192.0.2.7"},
		{"127.0.0.1", "127.0.0.1"},
		{"2001:db8::7", "2001:db8::7"},
		{"2001:0DB8:0:0::7", "2001:db8::7"},
		{"::1", "::1"},
		{"fe80::1%1", "fe80::1"},
		{"fe80::1%lo", "fe80::1"},
		{"fe80::1%no-such-nic", NULL},
		{"fe80::1%0", NULL},
		{"fe80::1%1x", NULL},
		{"fe80::1%", NULL},
		{"", NULL},
		{"localhost", NULL},
		{"192.0.2", NULL},
		{"192.0.2.7 ", NULL},
		{"192.0.2.256", NULL},
		{"0.0.0.0", NULL},
		{"::", NULL},
		{"224.0.0.1", NULL},
		{"255.255.255.255", NULL},
		{"ff02::1", NULL},
		{"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd:eeee", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[ADDRESS_TEXT_BYTES];
		struct address a;

		assert_int_equal(address_parse(cases[i].literal, &a), cases[i].text != NULL);
		if (cases[i].text == NULL)
			continue;
		address_format(&a, text);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(address_port(&a), 0);
		address_set_port(&a, 5201);
		assert_int_equal(address_port(&a), 5201);
	}
}

static void only_an_own_address_can_be_bound_to(void **state)
{
	struct failure f;
	struct address a;

	(void)state;
	assert_true(address_parse("127.0.0.1", &a));
	address_set_port(&a, 1); /* of no account: any port is tried */
	assert_true(address_check_own(&a, &f));
	assert_true(address_parse("198.51.100.3", &a));
	assert_false(address_check_own(&a, &f));
	assert_int_equal(f.kind, FAILURE_USAGE);
	assert_string_equal(f.reason, "no NIC of this machine has the address 198.51.100.3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_are_read_and_written),
		cmocka_unit_test(only_an_own_address_can_be_bound_to),
	};

	return cmocka_run_group_tests_name("agent/measure/address", tests, NULL, NULL);
}
