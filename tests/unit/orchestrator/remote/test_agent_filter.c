/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/attr.h"
#include "common/clock.h"
#include "remote/agent_filter.h"
#include "tests/support/test.h"

/* Messages without their length: the list of two keys "AB" one and "CD" two, a request to
 * sign, and what the fake agent answers to it. */
#define TWO_KEYS "\014\0\0\0\2\0\0\0\2AB\0\0\0\3one\0\0\0\2CD\0\0\0\3two"
#define SIGN     "\015\0\0\0\2CD\0\0\0\1x\0\0\0\0"
#define SIGNED   "\016\0\0\0\4sign"
/* A security key "sk-ABC", and the request to sign with it. */
#define TOKEN      "\014\0\0\0\1\0\0\0\012\0\0\0\6sk-ABC\0\0\0\5token"
#define SIGN_TOKEN "\015\0\0\0\012\0\0\0\6sk-ABC\0\0\0\1x\0\0\0\0"

struct fake_agent {
	int listener;
	char path[64];
	pthread_t thread;
	bool is_silent; /* takes a request to sign and never answers */
	bool is_token;  /* has a security key alone, which signs when touch_fd is written to */
	int touch_fd;
	int stop_fd;
};

static void put(int fd, const char *message, size_t len)
{
	const unsigned char head[4] = {0, 0, 0, (unsigned char)len};

	assert_int_equal(write(fd, head, 4), 4);
	assert_int_equal(write(fd, message, len), (ssize_t)len);
}

/* Returns the length, 0 at the end. */
static size_t get(int fd, char message[256])
{
	unsigned char head[4];

	if (recv(fd, head, 4, MSG_WAITALL) != 4)
		return 0;
	assert_int_equal(recv(fd, message, head[3], MSG_WAITALL), head[3]);
	return head[3];
}

static void *serve(void *arg)
{
	struct fake_agent *a = arg;
	int fd = accept(a->listener, NULL, NULL);
	char message[256];
	size_t len;

	while ((len = get(fd, message)) > 0) {
		eventfd_t stop;

		if (message[0] == 11 && a->is_token) {
			put(fd, TOKEN, sizeof(TOKEN) - 1);
		} else if (message[0] == 11) {
			put(fd, TWO_KEYS, sizeof(TWO_KEYS) - 1);
		} else if (a->is_silent) {
			(void)eventfd_read(a->stop_fd, &stop);
			break;
		} else if (a->is_token && len == sizeof(SIGN_TOKEN) - 1 &&
		           memcmp(message, SIGN_TOKEN, len) == 0) {
			(void)eventfd_read(a->touch_fd, &stop);
			put(fd, SIGNED, sizeof(SIGNED) - 1);
		} else if (len == sizeof(SIGN) - 1 && memcmp(message, SIGN, len) == 0) {
			put(fd, SIGNED, sizeof(SIGNED) - 1);
		} else {
			put(fd, "?", 1); /* should not have been passed on */
		}
	}
	(void)close(fd);
	return NULL;
}

static void start_agent(struct fake_agent *a, bool is_silent)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char folder[] = "/tmp/test-agent-XXXXXX";

	assert_non_null(mkdtemp(folder));
	(void)snprintf(a->path, sizeof(a->path), "%s/s", folder);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", a->path);
	a->is_silent = is_silent;
	a->stop_fd = eventfd(0, EFD_CLOEXEC);
	a->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(a->listener, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(a->listener, 1), 0);
	assert_int_equal(pthread_create(&a->thread, NULL, serve, a), 0);
}

static void stop_agent(struct fake_agent *a)
{
	(void)eventfd_write(a->stop_fd, 1);
	assert_int_equal(pthread_join(a->thread, NULL), 0);
	(void)close(a->listener);
	(void)close(a->stop_fd);
	assert_int_equal(unlink(a->path), 0);
	*strrchr(a->path, '/') = '\0';
	assert_int_equal(rmdir(a->path), 0);
}

/* Good for one call. */
static const struct wait_limit *within(uint64_t ms, int wake_fd)
{
	static struct wait_limit limit;

	limit = (struct wait_limit){clock_now_ns() + ms * CLOCK_NS_PER_MS, wake_fd};
	return &limit;
}

static void the_list_is_the_offered_key_alone(void **state)
{
	static const char *const lists[] = {"\014\0\0\0\1\0\0\0\2AB\0\0\0\0",
	                                    "\014\0\0\0\1\0\0\0\2CD\0\0\0\0"};
	struct fake_agent agent = {.touch_fd = -1};
	struct agent_filter *f;
	struct err err;
	char answer[256] = {0};
	int fd;

	(void)state;
	start_agent(&agent, false);
	f = agent_filter_open(agent.path, within(20000, -1), &err);
	assert_non_null(f);
	assert_int_equal(agent_filter_count(f), 2);
	assert_string_equal(agent_filter_key(f, 1)->comment, "two");
	fd = agent_filter_socket(f);
	for (size_t i = 0; i < 2; i++) {
		agent_filter_offer(f, i);
		put(fd, "\013", 1);
		assert_int_equal(get(fd, answer), 15);
		assert_memory_equal(answer, lists[i], 15);
	}
	agent_filter_close(f);
	(void)close(fd);
	stop_agent(&agent);
}

static void signatures_are_passed_on_and_nothing_else(void **state)
{
	struct fake_agent agent = {.touch_fd = -1};
	struct agent_filter *f;
	struct err err;
	char answer[256] = {0};
	int fd;

	(void)state;
	start_agent(&agent, false);
	f = agent_filter_open(agent.path, within(20000, -1), &err);
	assert_non_null(f);
	fd = agent_filter_socket(f);
	put(fd, SIGN, sizeof(SIGN) - 1);
	assert_int_equal(get(fd, answer), sizeof(SIGNED) - 1);
	assert_memory_equal(answer, SIGNED, sizeof(SIGNED) - 1);
	put(fd, "\023", 1); /* remove all identities */
	assert_int_equal(get(fd, answer), 1);
	assert_int_equal(answer[0], 5);
	agent_filter_close(f);
	(void)close(fd);
	stop_agent(&agent);
}

/* libssh reads the agent's answer without a limit of its own. */
static void a_silent_agent_is_left_at_the_deadline(void **state)
{
	struct fake_agent agent = {.touch_fd = -1};
	struct agent_filter *f;
	struct err err;
	char answer[256] = {0};
	int fd;

	(void)state;
	start_agent(&agent, true);
	f = agent_filter_open(agent.path, within(400, -1), &err);
	assert_non_null(f);
	fd = agent_filter_socket(f);
	put(fd, SIGN, sizeof(SIGN) - 1);
	assert_int_equal(get(fd, answer), 0);
	agent_filter_close(f);
	(void)close(fd);
	stop_agent(&agent);
}

static void a_silent_agent_is_left_when_woken(void **state)
{
	int wake_fd = eventfd(0, EFD_CLOEXEC);
	struct fake_agent agent = {.touch_fd = -1};
	struct agent_filter *f;
	struct err err;
	char answer[256] = {0};
	int fd;

	(void)state;
	start_agent(&agent, true);
	f = agent_filter_open(agent.path, within(60000, wake_fd), &err);
	assert_non_null(f);
	fd = agent_filter_socket(f);
	put(fd, SIGN, sizeof(SIGN) - 1);
	assert_int_equal(eventfd_write(wake_fd, 1), 0);
	assert_int_equal(get(fd, answer), 0);
	agent_filter_close(f);
	(void)close(fd);
	(void)close(wake_fd);
	stop_agent(&agent);
}

static void a_certificate_is_signed_for_by_the_agents_key(void **state)
{
	static const struct key_blob certificate = {(const unsigned char *)"certificate", 11};
	struct fake_agent agent = {.touch_fd = -1};
	struct agent_filter *f;
	struct err err;
	char answer[256] = {0};
	int fd;

	(void)state;
	start_agent(&agent, false);
	f = agent_filter_open(agent.path, within(20000, -1), &err);
	assert_non_null(f);
	fd = agent_filter_socket(f);
	agent_filter_offer_as(f, 1, &certificate);
	put(fd, "\013", 1);
	assert_int_equal(get(fd, answer), 24);
	assert_memory_equal(answer, "\014\0\0\0\1\0\0\0\013certificate\0\0\0\0", 24);
	put(fd, "\015\0\0\0\013certificate\0\0\0\1x\0\0\0\0", 25);
	assert_int_equal(get(fd, answer), sizeof(SIGNED) - 1);
	assert_memory_equal(answer, SIGNED, sizeof(SIGNED) - 1);
	agent_filter_offer(f, 1); /* the key itself again */
	put(fd, "\013", 1);
	assert_int_equal(get(fd, answer), 15);
	put(fd, SIGN, sizeof(SIGN) - 1);
	assert_int_equal(get(fd, answer), sizeof(SIGNED) - 1);
	agent_filter_close(f);
	(void)close(fd);
	stop_agent(&agent);
}

/* What the filter's thread did, in order: "begin", "waits token", "end". */
struct touching {
	char did[64];
	int touch_fd;
};

static void note(struct touching *t, const char *what)
{
	size_t len = strlen(t->did);

	assert_true(len + strlen(what) + 1 < sizeof(t->did));
	(void)snprintf(t->did + len, sizeof(t->did) - len, "%s ", what);
}

static bool touch_begins(void *ctx)
{
	struct touching *t = ctx;

	note(t, "begin");
	return true;
}

static void touch_is_waited_for(void *ctx, const char *comment)
{
	struct touching *t = ctx;

	note(t, comment);
	assert_int_equal(eventfd_write(t->touch_fd, 1), 0);
}

static void touch_ends(void *ctx)
{
	struct touching *t = ctx;

	note(t, "end");
}

/* The touch takes longer than the limit, and the connection goes on. */
static void a_security_key_has_time_for_a_touch(void **state)
{
	struct touching touching = {.touch_fd = eventfd(0, EFD_CLOEXEC)};
	const struct agent_filter_touch touch = {.ctx = &touching,
	                                         .begin = touch_begins,
	                                         .waits = touch_is_waited_for,
	                                         .end = touch_ends};
	struct fake_agent agent = {.is_token = true, .touch_fd = touching.touch_fd};
	struct agent_filter *f;
	struct err err;
	char answer[256] = {0};
	int fd;

	(void)state;
	start_agent(&agent, false);
	f = agent_filter_open(agent.path, within(350, -1), &err);
	assert_non_null(f);
	agent_filter_watch(f, &touch);
	fd = agent_filter_socket(f);
	put(fd, SIGN_TOKEN, sizeof(SIGN_TOKEN) - 1);
	assert_int_equal(get(fd, answer), sizeof(SIGNED) - 1);
	put(fd, "\013", 1);
	assert_int_equal(get(fd, answer), 23);
	agent_filter_close(f);
	assert_string_equal(touching.did, "begin token end ");
	(void)close(fd);
	stop_agent(&agent);
	(void)close(touching.touch_fd);
}

static void no_agent_is_told(void **state)
{
	struct err err;

	(void)state;
	assert_null(agent_filter_open("/nonexistent/agent", within(1000, -1), &err));
	assert_string_equal(err.msg, "/nonexistent/agent: No such file or directory");
}

static void damaged_lists_are_refused(void **state)
{
#define BYTES(s) s, sizeof(s) - 1
	static const struct {
		const char *data;
		size_t len;
		bool ok;
		size_t count;
	} cases[] = {
		{BYTES(TWO_KEYS), true, 2},
		{BYTES("\014\0\0\0\0"), true, 0},
		{BYTES("\014\0\0\0\0and more"), true, 0},
		{BYTES(""), false, 0},
		{BYTES("\005"), false, 0},
		{BYTES("\014\0\0\0"), false, 0},
		{BYTES("\014\0\0\0\1"), false, 0},
		{BYTES("\014\0\0\0\1\0\0\0\2A"), false, 0},
		{BYTES("\014\0\0\0\1\0\0\0\2AB"), false, 0},
		{BYTES("\014\0\0\0\1\377\377\377\377AB\0\0\0\0"), false, 0},
		{BYTES("\014\0\0\0\1\0\0\0\2AB\377\377\377\377"), false, 0},
	};
#undef BYTES

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct agent_key keys[AGENT_KEYS_MAX];
		struct err err;
		size_t count = 99;

		assert_int_equal(agent_filter_parse((const unsigned char *)cases[i].data,
		                                    cases[i].len, keys, &count, &err),
		                 cases[i].ok);
		if (cases[i].ok)
			assert_int_equal(count, cases[i].count);
	}
}

static void comments_are_made_printable_and_keys_counted(void **state)
{
	static const unsigned char head[] = {12, 0, 0, 0, 200};
	static const unsigned char key[] = {0, 0, 0, 1, 'K', 0, 0, 0, 4, 'a', '\n', 0x1b, 'b'};
	unsigned char data[sizeof(head) + 200 * sizeof(key)];
	struct agent_key keys[AGENT_KEYS_MAX];
	struct err err;
	size_t count;

	(void)state;
	memcpy(data, head, sizeof(head));
	for (size_t i = 0; i < 200; i++)
		memcpy(data + sizeof(head) + i * sizeof(key), key, sizeof(key));
	assert_true(agent_filter_parse(data, sizeof(data), keys, &count, &err));
	assert_int_equal(count, AGENT_KEYS_MAX);
	assert_string_equal(keys[0].comment, "ab");
	assert_int_equal(keys[AGENT_KEYS_MAX - 1].len, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_is_the_offered_key_alone),
		cmocka_unit_test(signatures_are_passed_on_and_nothing_else),
		cmocka_unit_test(a_silent_agent_is_left_at_the_deadline),
		cmocka_unit_test(a_silent_agent_is_left_when_woken),
		cmocka_unit_test(a_certificate_is_signed_for_by_the_agents_key),
		cmocka_unit_test(a_security_key_has_time_for_a_touch),
		cmocka_unit_test(no_agent_is_told),
		cmocka_unit_test(damaged_lists_are_refused),
		cmocka_unit_test(comments_are_made_printable_and_keys_counted),
	};

	return cmocka_run_group_tests_name("remote/agent_filter", tests, NULL, NULL);
}
