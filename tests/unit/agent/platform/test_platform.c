/* SPDX-License-Identifier: MIT */
/* The contract that every platform keeps, whatever it knows. */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "measure/address.h"
#include "platform/platform.h"
#include "tests/support/test.h"

struct seen {
	unsigned count;
	bool has_kernel;
	bool has_nic;
	uint64_t tx_bytes; /* PLATFORM_UNKNOWN */
};

static void see_fact(void *ctx, const char *key, const char *value, const char *source)
{
	struct seen *seen = ctx;
	struct utsname name;

	seen->count++;
	assert_true(key[0] != '\0' && value[0] != '\0' && source[0] != '\0');
	assert_null(strpbrk(value, "\n\t"));
	for (const char *c = key; *c != '\0'; c++)
		assert_non_null(strchr("abcdefghijklmnopqrstuvwxyz0123456789._", *c));
	if (strcmp(key, "os.kernel") == 0) {
		assert_int_equal(uname(&name), 0);
		assert_string_equal(value, name.release);
		seen->has_kernel = true;
	}
	seen->has_nic = seen->has_nic || strcmp(key, "nic.name") == 0;
}

static void see_counter(void *ctx, const char *name, uint64_t delta)
{
	struct seen *seen = ctx;

	seen->count++;
	assert_int_not_equal(delta, PLATFORM_UNKNOWN);
	if (strcmp(name, "nic.tx_bytes") == 0)
		seen->tx_bytes = delta;
}

static void facts_have_a_key_a_value_and_a_source(void **state)
{
	struct seen seen = {0};
	struct platform_sink sink = {see_fact, &seen};
	struct address loopback;

	(void)state;
	platform_host_facts(&sink);
	assert_true(seen.has_kernel);
	assert_true(address_parse("127.0.0.1", &loopback));
	seen.count = 0;
	assert_true(platform_nic_facts(&loopback.at.any, &sink));
	assert_int_equal(seen.has_nic, seen.count > 0);
}

/* One datagram to ourselves over the loopback. */
static void send_bytes(const struct address *to, size_t len)
{
	static char bytes[1000];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct address at = *to;
	socklen_t at_len = sizeof(at.at);

	assert_true(len <= sizeof(bytes));
	assert_int_equal(bind(fd, &at.at.any, at.len), 0);
	assert_int_equal(getsockname(fd, &at.at.any, &at_len), 0);
	assert_int_equal(sendto(fd, bytes, len, 0, &at.at.any, at.len), len);
	(void)close(fd);
}

static void counters_tell_how_far_they_went(void **state)
{
	struct platform_watch *watch = platform_watch_new();
	struct seen seen = {.tx_bytes = PLATFORM_UNKNOWN};
	struct address loopback;

	(void)state;
	assert_true(address_parse("127.0.0.1", &loopback));
	for (int i = 0; i < 3; i++) { /* from the same descriptors, again and again */
		platform_watch_counters_start(watch, &loopback.at.any);
		send_bytes(&loopback, 1000);
		platform_watch_counters_end(watch, see_counter, &seen);
		if (seen.count > 0)
			assert_in_range(seen.tx_bytes, 1000, UINT64_C(1) << 40);
	}
	platform_watch_free(watch);
}

static void check_load(const struct platform_load *load)
{
	assert_int_equal(load->core_max_permille == PLATFORM_UNKNOWN,
	                 load->steal_permille == PLATFORM_UNKNOWN);
	if (load->core_max_permille == PLATFORM_UNKNOWN)
		return;
	assert_in_range(load->core_max_permille, 0, 1000);
	assert_in_range(load->steal_permille, 0, 1000);
}

static void the_load_is_in_thousandths(void **state)
{
	struct platform_watch *watch = platform_watch_new();
	volatile uint64_t work = 0;
	struct platform_load load;

	(void)state;
	platform_watch_load_start(watch);
	for (uint64_t i = 0; i < 60000000; i++)
		work += i;
	assert_true(work > 0);
	platform_watch_load_next(watch, false, &load);
	check_load(&load);
	if (load.core_max_permille != PLATFORM_UNKNOWN)
		assert_true(load.core_max_permille > 0);
	platform_watch_load_all(watch, &load);
	check_load(&load);
	platform_watch_free(watch);
}

static void nothing_to_watch_with_tells_nothing(void **state)
{
	struct seen seen = {0};
	struct platform_load load = {0};
	struct address loopback;

	(void)state;
	assert_true(address_parse("127.0.0.1", &loopback));
	platform_watch_counters_start(NULL, &loopback.at.any);
	platform_watch_counters_end(NULL, see_counter, &seen);
	assert_int_equal(seen.count, 0);
	platform_watch_load_start(NULL);
	platform_watch_load_next(NULL, true, &load);
	assert_int_equal(load.core_max_permille, PLATFORM_UNKNOWN);
	load.steal_permille = 0;
	platform_watch_load_all(NULL, &load);
	assert_int_equal(load.steal_permille, PLATFORM_UNKNOWN);
	platform_watch_free(NULL);
}

static void what_is_no_tcp_socket_is_unknown(void **state)
{
	struct platform_tcp_info info = {0};
	uint64_t numbers[sizeof(info) / sizeof(uint64_t)];
	char name[PLATFORM_NAME_BYTES];

	(void)state;
	platform_tcp_info(-1, &info);
	memcpy(numbers, &info, sizeof(info));
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		assert_int_equal(numbers[i], PLATFORM_UNKNOWN);
	assert_false(platform_get_congestion(-1, name));
	assert_int_not_equal(platform_set_congestion(-1, "no_such_thing"), 0);
	assert_int_not_equal(platform_bind_device(-1, "lo"), 0);
}

static void the_nic_of_an_address_is_found_or_not_known(void **state)
{
	struct platform_nic nic;
	struct address address;

	(void)state;
	assert_true(address_parse("127.0.0.1", &address));
	if (platform_find_nic(&address.at.any, NULL, &nic)) {
		assert_int_not_equal(if_nametoindex(nic.name), 0);
		assert_in_range(nic.mtu_bytes, 1280, 1 << 20);
	}
	assert_true(address_parse("192.0.2.1", &address)); /* of documentation: nobody's */
	assert_false(platform_find_nic(&address.at.any, NULL, &nic));
}

static void a_thread_is_kept_to_the_cores_it_was_given(void **state)
{
	struct number_set own;
	struct number_set one = {0};
	struct number_set now;

	(void)state;
	if (!platform_own_cores(&own)) {
		assert_int_not_equal(platform_keep_to(&one), 0); /* "affinity" is not in caps */
		assert_null(strstr(platform_caps, "affinity"));
		return;
	}
	assert_non_null(strstr(platform_caps, "affinity"));
	number_set_add(&one, number_set_nth(&own, number_set_count(&own) - 1));
	assert_int_equal(platform_keep_to(&one), 0);
	assert_int_equal(platform_this_cpu(), number_set_nth(&one, 0));
	assert_true(platform_own_cores(&now));
	assert_memory_equal(&now, &one, sizeof(now));
	assert_int_equal(platform_keep_to(&own), 0);
	assert_int_equal(platform_keep_to(&(struct number_set){0}), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_have_a_key_a_value_and_a_source),
		cmocka_unit_test(counters_tell_how_far_they_went),
		cmocka_unit_test(the_load_is_in_thousandths),
		cmocka_unit_test(nothing_to_watch_with_tells_nothing),
		cmocka_unit_test(what_is_no_tcp_socket_is_unknown),
		cmocka_unit_test(the_nic_of_an_address_is_found_or_not_known),
		cmocka_unit_test(a_thread_is_kept_to_the_cores_it_was_given),
	};

	return cmocka_run_group_tests_name("agent/platform", tests, NULL, NULL);
}
