/* SPDX-License-Identifier: MIT */
#include "common/wire/reader.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

struct taken {
	char text[4096]; /* every line with '|' after it */
	struct err err;
	int last; /* what the last call returned */
};

/* Brings data in pieces of so many bytes and takes every line. */
static void feed(struct wire_reader *r, const char *data, size_t len, size_t piece,
                 struct taken *out)
{
	size_t used = 0;

	memset(out, 0, sizeof(*out));
	for (size_t at = 0; at < len; at += piece) {
		const char *part = data + at;
		size_t left = piece < len - at ? piece : len - at;

		while ((out->last = wire_reader_take(r, &part, &left, &out->err)) == 1) {
			int n = snprintf(out->text + used, sizeof(out->text) - used, "%s|",
			                 r->line);

			used += (size_t)n;
		}
		if (out->last < 0)
			return;
		assert_int_equal(left, 0);
		assert_ptr_equal(part, data + at + (piece < len - at ? piece : len - at));
	}
}

static void lines_come_out_whole_however_the_bytes_come_in(void **state)
{
	static const char data[] = "one\n\nbeat id=0 clock_ns=1\nlast\nunfinished";

	(void)state;
	for (size_t piece = 1; piece <= sizeof(data); piece++) {
		struct wire_reader r;
		struct taken got;

		wire_reader_init(&r, false);
		assert_true(wire_reader_greeted(&r));
		feed(&r, data, sizeof(data) - 1, piece, &got);
		assert_string_equal(got.text, "one||beat id=0 clock_ns=1|last|");
		assert_int_equal(got.last, 0);
	}
}

static void everything_before_the_greeting_is_noise(void **state)
{
	static const struct {
		const char *before;
		const char *noise;
	} cases[] = {
		{"", ""},
		{"Welcome to esx1!\n", "Welcome to esx1!\n"},
		{"no newline", "no newline"},
		{"\n", "\n"},
		{"\n\n\n", "\n\n\n"},
		{"\n\001VNM-AGENT-2\n", "\n\001VNM-AGENT-2\n"},
		{"\n\001VNM-AG", "\n\001VNM-AG"},
		{"\001VNM-AGENT-1", "\001VNM-AGENT-1"},
		{"ready id=1\n", "ready id=1\n"},
	};
	static const char after[] = WIRE_GREETING "ready id=1\n";

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char data[256];
		int len = snprintf(data, sizeof(data), "%s%s", cases[i].before, after);

		for (size_t piece = 1; piece <= (size_t)len; piece++) {
			struct wire_reader r;
			struct taken got;

			wire_reader_init(&r, true);
			assert_false(wire_reader_greeted(&r));
			feed(&r, data, (size_t)len, piece, &got);
			assert_true(wire_reader_greeted(&r));
			assert_string_equal(got.text, "ready id=1|");
			assert_int_equal(r.noise_len, strlen(cases[i].noise));
			assert_memory_equal(r.noise, cases[i].noise, r.noise_len);
		}
	}
}

static void a_greeting_that_never_comes_leaves_the_end_of_the_noise(void **state)
{
	struct wire_reader r;
	static const char last[] = "Permission denied\n";
	struct taken got;
	char noise[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = i % 5 == 0 ? '\n' : '\0'; /* before the greeting a NUL is noise, too */
	memcpy(noise + sizeof(noise) - (sizeof(last) - 1), last, sizeof(last) - 1);
	wire_reader_init(&r, true);
	feed(&r, noise, sizeof(noise), 100, &got);
	assert_int_equal(got.last, 0);
	assert_false(wire_reader_greeted(&r));
	assert_true(r.noise_len >= sizeof(r.noise) / 2);
	assert_memory_equal(r.noise, noise + sizeof(noise) - r.noise_len, r.noise_len);
}

static void a_second_greeting_is_a_line_like_any_other(void **state)
{
	static const char data[] = WIRE_GREETING WIRE_GREETING;
	struct wire_reader r;
	struct taken got;

	(void)state;
	wire_reader_init(&r, true);
	feed(&r, data, sizeof(data) - 1, 3, &got);
	assert_string_equal(got.text, "|\001VNM-AGENT-1|");
}

static void the_longest_line_passes_and_one_more_byte_does_not(void **state)
{
	char data[WIRE_LINE_MAX + 10];
	struct wire_reader r;
	struct taken got;

	(void)state;
	memset(data, 'x', sizeof(data));
	data[WIRE_LINE_MAX - 2] = '\n'; /* with the NUL that makes WIRE_LINE_MAX */
	wire_reader_init(&r, false);
	feed(&r, data, WIRE_LINE_MAX - 1, 100, &got);
	assert_int_equal(strlen(got.text), WIRE_LINE_MAX - 1);

	data[WIRE_LINE_MAX - 2] = 'x';
	data[WIRE_LINE_MAX - 1] = '\n';
	wire_reader_init(&r, false);
	feed(&r, data, WIRE_LINE_MAX, 100, &got);
	assert_int_equal(got.last, -1);
	assert_int_equal(got.err.kind, ERR_REMOTE);
	assert_string_equal(got.err.msg, "message longer than 1024 bytes");
}

static void a_nul_is_refused_for_good(void **state)
{
	static const char data[] = "hello\0id\n";
	struct wire_reader r;
	struct err err = {0};
	const char *at = data;
	size_t len = sizeof(data) - 1;

	(void)state;
	wire_reader_init(&r, false);
	assert_int_equal(wire_reader_take(&r, &at, &len, &err), -1);
	assert_int_equal(err.kind, ERR_REMOTE);
	assert_string_equal(err.msg, "binary data instead of a message");
	memset(&err, 0, sizeof(err));
	assert_int_equal(wire_reader_take(&r, &at, &len, &err), -1);
	assert_string_equal(err.msg, "binary data instead of a message");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_out_whole_however_the_bytes_come_in),
		cmocka_unit_test(everything_before_the_greeting_is_noise),
		cmocka_unit_test(a_greeting_that_never_comes_leaves_the_end_of_the_noise),
		cmocka_unit_test(a_second_greeting_is_a_line_like_any_other),
		cmocka_unit_test(the_longest_line_passes_and_one_more_byte_does_not),
		cmocka_unit_test(a_nul_is_refused_for_good),
	};

	return cmocka_run_group_tests_name("common/wire/reader", tests, NULL, NULL);
}
