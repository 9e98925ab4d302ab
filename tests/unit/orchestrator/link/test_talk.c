/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "link/talk.h"
#include "remote/transport_ops.h"
#include "tests/support/test.h"

/* A transport in memory that takes `window` bytes at a time. */
struct memory {
	struct transport base;
	struct text written;
	size_t window;
};

static size_t write_some(struct transport *t, const void *data, size_t len)
{
	struct memory *m = (struct memory *)t;
	size_t n = len < m->window ? len : m->window;

	text_add_bytes(&m->written, data, n);
	m->window -= n;
	return n;
}

static void close_memory(struct transport *t)
{
	text_done(&((struct memory *)t)->written);
}

static const struct transport_ops ops = {.write = write_some, .close = close_memory};

struct fixture {
	struct memory memory;
	struct talk talk;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->memory.base.ops = &ops;
	talk_init(&f->talk, &f->memory.base);
}

static void end(struct fixture *f)
{
	talk_done(&f->talk);
	transport_close(&f->memory.base);
}

static void come(struct fixture *f, const char *text)
{
	transport_came_output(&f->memory.base, text, strlen(text));
}

static void messages_come_after_noise_and_greeting(void **state)
{
	struct fixture f;
	struct msg msg;
	struct err err;

	(void)state;
	begin(&f);
	come(&f, "*** Welcome ***\nalive id=0 clock_ns=1\n");
	assert_int_equal(talk_take(&f.talk, &msg, &err), 0);
	assert_false(talk_is_greeted(&f.talk));
	come(&f, WIRE_GREETING "done id=3\nalive id=0 clo");
	assert_int_equal(talk_take(&f.talk, &msg, &err), 1);
	assert_true(talk_is_greeted(&f.talk));
	assert_int_equal(msg.type, MSG_DONE);
	assert_int_equal(msg.id, 3);
	assert_int_equal(talk_take(&f.talk, &msg, &err), 0);
	come(&f, "ck_ns=5\ndone id=4\n");
	assert_int_equal(talk_take(&f.talk, &msg, &err), 1);
	assert_int_equal(msg.u.alive.clock_ns, 5);
	assert_int_equal(talk_take(&f.talk, &msg, &err), 1);
	assert_int_equal(msg.id, 4);
	assert_int_equal(talk_take(&f.talk, &msg, &err), 0);
	end(&f);
}

static void what_is_no_message_is_told(void **state)
{
	static const struct {
		const char *line;
		const char *why;
	} cases[] = {
		{"dance id=1\n", "unknown message 'dance'"},
		{"done\n", "done: no id"},
		{"hello id=1 version=1 beat_ms=1 lease_ms=1\n",
	         "the agent sent hello, which is for agents"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct fixture f;
		struct msg msg;
		struct err err;

		begin(&f);
		come(&f, WIRE_GREETING);
		come(&f, cases[i].line);
		assert_int_equal(talk_take(&f.talk, &msg, &err), -1);
		assert_string_equal(err.msg, cases[i].why);
		end(&f);
	}
}

static void what_the_host_does_not_take_waits_in_order(void **state)
{
	struct fixture f;
	struct msg msg;
	struct err err;

	(void)state;
	begin(&f);
	msg_init(&msg, MSG_BYE, 1);
	assert_true(talk_add_message(&f.talk, &msg, &err));
	f.memory.window = 5;
	talk_flush(&f.talk);
	assert_string_equal(text_str(&f.memory.written), "bye i");
	talk_flush(&f.talk);
	talk_add(&f.talk, "next\n", 5);
	f.memory.window = 100;
	talk_flush(&f.talk);
	assert_string_equal(text_str(&f.memory.written), "bye id=1\nnext\n");
	talk_flush(&f.talk);
	assert_string_equal(text_str(&f.memory.written), "bye id=1\nnext\n");
	end(&f);
}

static void a_message_that_fits_no_line_is_refused(void **state)
{
	struct fixture f;
	struct msg msg;
	struct err err;

	(void)state;
	begin(&f);
	msg_init(&msg, MSG_HELLO, 1); /* its required numbers are not set */
	assert_false(talk_add_message(&f.talk, &msg, &err));
	assert_string_equal(err.msg, "the message hello does not fit into a line");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_after_noise_and_greeting),
		cmocka_unit_test(what_is_no_message_is_told),
		cmocka_unit_test(what_the_host_does_not_take_waits_in_order),
		cmocka_unit_test(a_message_that_fits_no_line_is_refused),
	};

	return cmocka_run_group_tests_name("link/talk", tests, NULL, NULL);
}
