/* SPDX-License-Identifier: MIT */
#include "common/wire/msg.h"

#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

static void a_new_message_knows_nothing(void **state)
{
	struct msg msg;

	(void)state;
	memset(&msg, 0x5a, sizeof(msg));
	msg_init(&msg, MSG_PREPARE, 7);
	assert_int_equal(msg.type, MSG_PREPARE);
	assert_int_equal(msg.id, 7);
	assert_int_equal(msg.u.prepare.streams, WIRE_UNKNOWN_U32);
	assert_int_equal(msg.u.prepare.window_bytes, WIRE_UNKNOWN_U64);
	assert_string_equal(msg.u.prepare.token, "");
	assert_string_equal(msg.u.prepare.peer, "");
}

static void every_message_has_its_row(void **state)
{
	(void)state;
	for (int t = 0; t < MSG_TYPE_COUNT; t++) {
		assert_non_null(wire_messages[t].verb);
		assert_true(wire_messages[t].field_count > 0);
	}
	assert_string_equal(wire_messages[MSG_HELLO].verb, "hello");
	assert_int_equal(wire_messages[MSG_HELLO].dir, WIRE_TO_AGENT);
	assert_string_equal(wire_messages[MSG_SAMPLE].verb, "sample");
	assert_int_equal(wire_messages[MSG_SAMPLE].dir, WIRE_TO_ORCH);
}

static void names_are_unique_words_and_id_is_free(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	(void)state;
	for (size_t t = 0; t < MSG_TYPE_COUNT; t++) {
		const struct wire_message *m = &wire_messages[t];

		assert_int_equal(strspn(m->verb, letters), strlen(m->verb));
		for (size_t other = 0; other < t; other++)
			assert_string_not_equal(m->verb, wire_messages[other].verb);
		/* The codec notes what it has seen in 64 bits, one of them for the id. */
		assert_true(m->field_count < 64);
		for (size_t i = 0; i < m->field_count; i++) {
			const char *name = m->fields[i].name;

			assert_int_equal(strspn(name, letters), strlen(name));
			assert_string_not_equal(name, "id");
			for (size_t other = 0; other < i; other++)
				assert_string_not_equal(name, m->fields[other].name);
		}
	}
}

static void fields_lie_within_the_message_and_apart(void **state)
{
	static const size_t bytes[] = {
		[WIRE_KIND_u32] = sizeof(uint32_t),
		[WIRE_KIND_u64] = sizeof(uint64_t),
		[WIRE_KIND_str] = WIRE_STR_BYTES,
	};

	(void)state;
	for (size_t t = 0; t < MSG_TYPE_COUNT; t++) {
		const struct wire_message *m = &wire_messages[t];
		size_t end = offsetof(struct msg, u);

		for (size_t i = 0; i < m->field_count; i++) {
			assert_true(m->fields[i].offset >= end);
			end = m->fields[i].offset + bytes[m->fields[i].kind];
		}
		assert_true(end <= sizeof(struct msg));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_message_knows_nothing),
		cmocka_unit_test(every_message_has_its_row),
		cmocka_unit_test(names_are_unique_words_and_id_is_free),
		cmocka_unit_test(fields_lie_within_the_message_and_apart),
	};

	return cmocka_run_group_tests_name("common/wire/msg", tests, NULL, NULL);
}
