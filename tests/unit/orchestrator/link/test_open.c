/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "link/link_parts.h"
#include "tests/support/test.h"

static int wake_fd = -1;

static int setup(void **state)
{
	(void)state;
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return wake_fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	return close(wake_fd);
}

static struct transport *open_target(const struct link_target *target, struct transport_info *info,
                                     struct err *err)
{
	struct link_set set = {.options = {.agent_path = NULL}};
	const struct link_host host = {.set = &set, .target = *target};
	const struct wait_limit limit = {.deadline_ns = clock_now_ns() + 10 * CLOCK_NS_PER_S,
	                                 .wake_fd = wake_fd};

	return link_open(&host, &limit, info, err);
}

static void this_machine_needs_no_address(void **state)
{
	const struct link_target target = {.name = "here", .transport = LINK_LOCAL};
	uint64_t end_ns = clock_now_ns() + 10 * CLOCK_NS_PER_S;
	struct transport_info info;
	struct transport_end how;
	struct transport *t;
	struct err err;

	(void)state;
	t = open_target(&target, &info, &err);
	assert_non_null(t);
	assert_int_equal(info.stage, TRANSPORT_OPEN);
	assert_string_equal(info.login, "local");
	assert_true(transport_exec(t, "exec /bin/sh -c 'exit 9'", end_ns, &err));
	while (!transport_ended(t, &how) && clock_now_ns() < end_ns)
		assert_true(transport_pump(t, end_ns, &err));
	assert_int_equal(how.status, 9);
	transport_close(t);
}

static void a_password_is_not_for_the_systems_ssh(void **state)
{
	const struct link_target file = {.name = "web",
	                                 .address = "web",
	                                 .transport = LINK_OPENSSH,
	                                 .password_file = "/k/password"};
	const struct link_target env = {.name = "web",
	                                .address = "web",
	                                .transport = LINK_OPENSSH,
	                                .password_env = "LAB_PASSWORD"};
	const struct link_target *const targets[] = {&file, &env};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(targets); i++) {
		struct transport_info info = {.stage = TRANSPORT_CONNECTING};
		struct err err = {0};

		assert_null(open_target(targets[i], &info, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		assert_string_equal(err.msg,
		                    "a password does not go with `transport: openssh`: use a key "
		                    "or an agent, or `transport: libssh`");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine_needs_no_address),
		cmocka_unit_test(a_password_is_not_for_the_systems_ssh),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
