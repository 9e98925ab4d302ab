/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/platform.h"
#include "tests/support/test.h"

static void a_congestion_control_is_chosen_from_what_is_loaded(void **state)
{
	char name[PLATFORM_NAME_BYTES];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(platform_set_congestion(fd, "reno"), 0); /* every kernel has it */
	assert_true(platform_get_congestion(fd, name));
	assert_string_equal(name, "reno");
	assert_int_equal(platform_set_congestion(fd, "ren"), ENOENT);
	assert_int_equal(platform_set_congestion(fd, ""), ENOENT);
	assert_true(platform_get_congestion(fd, name));
	assert_string_equal(name, "reno");
	(void)close(fd);
}

static void a_refusal_says_what_to_do(void **state)
{
	char text[PLATFORM_TEXT_BYTES];

	(void)state;
	platform_explain_congestion("no_such_thing", ENOENT, text);
	assert_memory_equal(text, "there are: ", strlen("there are: "));
	assert_non_null(strstr(text, "reno"));
	platform_explain_congestion("../../tcp_bbr", ENOENT, text); /* a name is no path */
	assert_memory_equal(text, "there are: ", strlen("there are: "));
	platform_explain_congestion("bbr", EPERM, text);
	assert_non_null(strstr(text, "net.ipv4.tcp_allowed_congestion_control"));
	platform_explain_congestion("bbr", EINVAL, text);
	assert_string_equal(text, "");
}

static void a_nic_that_is_not_there_cannot_be_bound_to(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(platform_bind_device(fd, "nosuch0"), ENODEV);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_congestion_control_is_chosen_from_what_is_loaded),
		cmocka_unit_test(a_refusal_says_what_to_do),
		cmocka_unit_test(a_nic_that_is_not_there_cannot_be_bound_to),
	};

	return cmocka_run_group_tests_name("agent/platform/linux_socket", tests, NULL, NULL);
}
