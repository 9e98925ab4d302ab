/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "measure/address.h"
#include "platform/linux_link.h"
#include "tests/support/test.h"

static void the_interface_of_an_address_is_found(void **state)
{
	static const struct {
		const char *literal;
		const char *name; /* NULL: none */
	} cases[] = {
		{"127.0.0.1", "lo"},
		{"127.9.9.9", "lo"}, /* all of 127.0.0.0/8 */
		{"192.0.2.1", NULL},
		{"2001:db8::1", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char name[IFNAMSIZ] = "";
		struct address a;

		assert_true(address_parse(cases[i].literal, &a));
		assert_int_equal(linux_link_name(&a.at.any, NULL, name), cases[i].name != NULL);
		assert_string_equal(name, cases[i].name != NULL ? cases[i].name : "");
	}
}

static void the_kernel_tells_of_the_loopback(void **state)
{
	_Alignas(8) static char buffer[LINUX_LINK_BUFFER_BYTES];
	struct linux_link link;
	int fd = linux_link_open();

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 2; i++) {
		assert_true(linux_link_read(fd, if_nametoindex("lo"), buffer, &link));
		assert_true(link.has_counters);
		assert_string_equal(linux_link_counters[0].name, "nic.rx_bytes");
		assert_int_equal(link.counters[0],
		                 link.counters[1]); /* all that goes out comes in */
		assert_true(link.rx_queues > 0 && link.tx_queues > 0);
		assert_string_equal(link.kind, "");
	}
	assert_false(linux_link_read(fd, 0x7fffffff, buffer, &link));
	assert_true(linux_link_read(fd, if_nametoindex("lo"), buffer, &link)); /* still works */
	assert_false(linux_link_read(-1, 1, buffer, &link));
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_interface_of_an_address_is_found),
		cmocka_unit_test(the_kernel_tells_of_the_loopback),
	};

	return cmocka_run_group_tests_name("agent/platform/linux_link", tests, NULL, NULL);
}
