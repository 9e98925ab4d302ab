/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include "common/attr.h"
#include "topology/address.h"

static void literals_are_read_and_have_one_text(void **state)
{
	static const struct {
		const char *text, *want; /* want NULL: no address */
	} cases[] = {
		{"192.0.2.1", "192.0.2.1"},
		{"2001:DB8::1", "2001:db8::1"},
		{"2001:db8:0:0:0:0:0:1", "2001:db8::1"},
		{"192.0.2.01", NULL},
		{"192.0.2", NULL},
		{"192.0.2.256", NULL},
		{"fe80::1%eth0", NULL},
		{"host", NULL},
		{"", NULL},
	};
	char out[ADDRESS_TEXT_BYTES];
	struct address a;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(address_parse(cases[i].text, &a), cases[i].want != NULL);
		if (cases[i].want != NULL)
			assert_string_equal(address_format(&a, out), cases[i].want);
	}
}

static void addresses_that_no_nic_can_have_are_named(void **state)
{
	static const struct {
		const char *text, *want; /* want NULL: fine */
	} cases[] = {
		{"10.0.0.1", NULL},
		{"127.0.0.1", NULL},
		{"::1", NULL},
		{"0.0.0.0", "stands for no address"},
		{"::", "stands for no address"},
		{"224.0.0.1", "is a multicast address"},
		{"ff02::1", "is a multicast address"},
		{"255.255.255.255", "is a broadcast or reserved address"},
		{"fe80::1", "is a link-local address, which is not yet supported"},
		{"169.254.1.1", NULL},
	};
	struct address a;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_true(address_parse(cases[i].text, &a));
		if (cases[i].want == NULL)
			assert_null(address_problem(&a));
		else
			assert_string_equal(address_problem(&a), cases[i].want);
	}
}

static void subnets_are_read_or_refused_with_the_reason(void **state)
{
	static const struct {
		const char *text, *want; /* want NULL: fine */
	} cases[] = {
		{"10.1.0.0/24", NULL},
		{"0.0.0.0/0", NULL},
		{"10.1.0.7/32", NULL},
		{"2001:db8::/64", NULL},
		{"10.1.0.0", "is no subnet such as 10.1.0.0/24"},
		{"10.1.0.0/", "is no subnet such as 10.1.0.0/24"},
		{"10.1.0.0/a", "is no subnet such as 10.1.0.0/24"},
		{"net/24", "is no subnet such as 10.1.0.0/24"},
		{"10.1.0.0/33", "has a prefix that is longer than the address"},
		{"10.1.0.1/24", "has bits set behind its prefix: write the address of the network"},
		{"2001:db8::1/64",
	         "has bits set behind its prefix: write the address of the network"},
	};
	struct subnet net;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *got = subnet_parse(cases[i].text, &net);

		if (cases[i].want == NULL)
			assert_null(got);
		else
			assert_string_equal(got, cases[i].want);
	}
}

static void a_subnet_holds_its_addresses_only(void **state)
{
	static const struct {
		const char *net, *address;
		bool want;
	} cases[] = {
		{"10.1.0.0/24", "10.1.0.255", true},
		{"10.1.0.0/24", "10.1.1.0", false},
		{"10.1.0.128/25", "10.1.0.127", false},
		{"10.1.0.128/25", "10.1.0.128", true},
		{"0.0.0.0/0", "8.8.8.8", true},
		{"0.0.0.0/0", "::1", false},
		{"10.1.0.7/32", "10.1.0.7", true},
		{"10.1.0.7/32", "10.1.0.6", false},
		{"2001:db8::/33", "2001:db8:7fff::1", true},
		{"2001:db8::/33", "2001:db8:8000::1", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct subnet net;
		struct address a;

		assert_null(subnet_parse(cases[i].net, &net));
		assert_true(address_parse(cases[i].address, &a));
		assert_int_equal(subnet_holds(&net, &a), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_are_read_and_have_one_text),
		cmocka_unit_test(addresses_that_no_nic_can_have_are_named),
		cmocka_unit_test(subnets_are_read_or_refused_with_the_reason),
		cmocka_unit_test(a_subnet_holds_its_addresses_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
