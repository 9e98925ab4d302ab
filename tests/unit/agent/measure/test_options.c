/* SPDX-License-Identifier: MIT */
/* Cores and ports; what sockets are told is tests/agent/test_options.c. */
#include <sys/socket.h>
#include <unistd.h>

#include "measure/options.h"
#include "platform/platform.h"
#include "tests/support/test.h"

static struct request request;

static int start(void **state)
{
	(void)state;
	request = (struct request){.streams = 3, .dscp = REQUEST_DSCP_DEFAULT};
	assert_true(address_parse("127.0.0.1", &request.own));
	return 0;
}

static struct number_set cores_now(void)
{
	struct number_set set = {0};

	assert_true(platform_own_cores(&set));
	return set;
}

static void streams_take_the_cores_of_a_list_by_turns(void **state)
{
	struct number_set own;
	struct failure f;
	uint32_t count;

	(void)state;
	if (!platform_own_cores(&own))
		skip();
	request.cores = own;
	count = number_set_count(&own);
	assert_true(options_check(&request, &f));
	for (uint32_t i = 0; i < 2 * count; i++) {
		struct number_set now;

		options_keep_to_cores(&request, i);
		now = cores_now();
		assert_int_equal(number_set_count(&now), 1);
		assert_int_equal(number_set_nth(&now, 0), number_set_nth(&own, i % count));
	}
	request.beside = 1; /* the other test's three streams have the first three */
	options_keep_to_cores(&request, 0);
	assert_int_equal(platform_this_cpu(), number_set_nth(&own, 3 % count));
	request.beside = 0;
	assert_int_equal(platform_keep_to(&own), 0);
}

static void no_list_and_a_virtual_nic_set_no_limit(void **state)
{
	struct number_set own;
	struct number_set now;
	struct failure f;

	(void)state;
	if (!platform_own_cores(&own))
		skip();
	assert_true(options_check(&request, &f));
	options_keep_to_cores(&request, 0);
	request.is_affinity_auto = true;
	assert_true(options_check(&request, &f));
	assert_int_equal(number_set_count(&request.cores), 0);
	options_keep_to_cores(&request, 0);
	now = cores_now();
	assert_memory_equal(&now, &own, sizeof(own));
	/* With some near ones all streams may use all of them. */
	request.cores = own;
	options_keep_to_cores(&request, 1);
	now = cores_now();
	assert_memory_equal(&now, &own, sizeof(own));
}

static void only_streams_have_source_ports(void **state)
{
	int fds[2];
	struct address at = {0};
	socklen_t len = sizeof(at.at);
	struct failure f;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_true(fds[i] >= 0);
	}
	assert_true(options_bind(fds[0], &request, 1, &f)); /* any: one that is free */
	assert_int_equal(getsockname(fds[0], &at.at.any, &len), 0);
	assert_true(address_port(&at) >= 1024);
	assert_int_equal(listen(fds[0], 1), 0);
	request.source_port = address_port(&at);
	assert_false(options_bind(fds[1], &request, 1, &f));
	assert_int_equal(f.kind, FAILURE_PORT);
	assert_true(options_bind(fds[1], &request, 0, &f)); /* the probe's is any other */
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		(void)close(fds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(streams_take_the_cores_of_a_list_by_turns, start),
		cmocka_unit_test_setup(no_list_and_a_virtual_nic_set_no_limit, start),
		cmocka_unit_test_setup(only_streams_have_source_ports, start),
	};

	return cmocka_run_group_tests_name("agent/measure/options", tests, NULL, NULL);
}
