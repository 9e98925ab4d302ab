/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/resolve.h"
#include "tests/support/test.h"

static struct wait_limit soon(int wake_fd)
{
	return (struct wait_limit){clock_now_ns() + 20 * CLOCK_NS_PER_S, wake_fd};
}

static void a_number_is_its_own_address(void **state)
{
	struct wait_limit limit = soon(-1);
	struct resolved found;
	struct err err;
	const struct sockaddr_in *v4;
	const struct sockaddr_in6 *v6;

	(void)state;
	assert_true(resolve("127.0.0.1", 2222, AF_UNSPEC, &limit, &found, &err));
	assert_int_equal(found.count, 1);
	v4 = (const struct sockaddr_in *)(const void *)&found.at[0].address;
	assert_int_equal(v4->sin_family, AF_INET);
	assert_int_equal(ntohs(v4->sin_port), 2222);
	assert_int_equal(ntohl(v4->sin_addr.s_addr), INADDR_LOOPBACK);

	assert_true(resolve("::1", 22, AF_UNSPEC, &limit, &found, &err));
	v6 = (const struct sockaddr_in6 *)(const void *)&found.at[0].address;
	assert_int_equal(v6->sin6_family, AF_INET6);
	assert_int_equal(ntohs(v6->sin6_port), 22);
}

static void a_family_can_be_asked_for(void **state)
{
	struct wait_limit limit = soon(-1);
	struct resolved found;
	struct err err;

	(void)state;
	assert_true(resolve("127.0.0.1", 22, AF_INET, &limit, &found, &err));
	assert_true(resolve("localhost", 22, AF_INET, &limit, &found, &err));
	for (size_t i = 0; i < found.count; i++)
		assert_int_equal(found.at[i].address.ss_family, AF_INET);
	assert_false(resolve("127.0.0.1", 22, AF_INET6, &limit, &found, &err));
	assert_int_equal(err.kind, ERR_REMOTE);
	assert_non_null(strstr(err.msg, "AddressFamily"));
}

static void a_name_is_looked_up(void **state)
{
	struct wait_limit limit = soon(-1);
	struct resolved found;
	struct err err;

	(void)state;
	assert_true(resolve("localhost", 22, AF_UNSPEC, &limit, &found, &err));
	assert_in_range(found.count, 1, RESOLVE_MAX);
}

/* RFC 6761: .invalid never exists. Without a name server the reason is another. */
static void a_name_that_does_not_exist_is_told(void **state)
{
	struct wait_limit limit = soon(-1);
	struct resolved found;
	struct err err;

	(void)state;
	assert_false(resolve("no-such-host.invalid", 22, AF_UNSPEC, &limit, &found, &err));
	assert_non_null(strstr(err.msg, "resolve no-such-host.invalid: "));
	assert_non_null(strchr(err.msg, '?'));
}

static void a_look_up_ends_with_the_time(void **state)
{
	struct wait_limit limit = soon(-1);
	struct resolved found;
	struct err err;

	(void)state;
	limit.deadline_ns = clock_now_ns();
	assert_false(resolve("no-such-host.invalid", 22, AF_UNSPEC, &limit, &found, &err));
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_string_equal(err.msg,
	                    "resolve no-such-host.invalid: no answer from the name server");
}

static void a_look_up_can_be_given_up(void **state)
{
	int wake_fd = eventfd(1, EFD_CLOEXEC);
	struct wait_limit limit = soon(wake_fd);
	struct resolved found;
	struct err err;

	(void)state;
	assert_false(resolve("no-such-host.invalid", 22, AF_UNSPEC, &limit, &found, &err));
	assert_int_equal(err.kind, ERR_CANCELLED);
	(void)close(wake_fd);
}

static void a_name_that_no_resolver_takes_is_refused(void **state)
{
	char name[400];
	struct wait_limit limit = soon(-1);
	struct resolved found;
	struct err err;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_false(resolve(name, 22, AF_UNSPEC, &limit, &found, &err));
	assert_int_equal(err.kind, ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_is_its_own_address),
		cmocka_unit_test(a_family_can_be_asked_for),
		cmocka_unit_test(a_name_is_looked_up),
		cmocka_unit_test(a_name_that_does_not_exist_is_told),
		cmocka_unit_test(a_look_up_ends_with_the_time),
		cmocka_unit_test(a_look_up_can_be_given_up),
		cmocka_unit_test(a_name_that_no_resolver_takes_is_refused),
	};

	return cmocka_run_group_tests_name("remote/resolve", tests, NULL, NULL);
}
