/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "measure/failure.h"
#include "tests/support/test.h"
#include "tests/support/wire_doc.h"

static void kinds_are_named_as_the_protocol_names_them(void **state)
{
	static const char *const names[] = {"usage",   "port",      "refused",   "timeout",
	                                    "stalled", "truncated", "cancelled", "system"};
	const char *doc = "";
	const struct wire_message *failed = &wire_messages[MSG_FAILED];

	(void)state;
	for (size_t i = 0; i < failed->field_count; i++) {
		if (strcmp(failed->fields[i].name, "kind") == 0)
			doc = wire_doc_field(MSG_FAILED, i);
	}
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_string_equal(failure_kind_names[i], names[i]);
		assert_non_null(strstr(doc, names[i]));
	}
}

static void the_reason_is_one_text_that_fits_a_message(void **state)
{
	char longer[WIRE_STR_BYTES * 2];
	struct failure f;

	(void)state;
	assert_false(failure_set(&f, FAILURE_PORT, "no port from %d to %d", 1, 2));
	assert_int_equal(f.kind, FAILURE_PORT);
	assert_string_equal(f.reason, "no port from 1 to 2");
	assert_false(failure_set_errno(&f, ENOENT, "stream %d", 3));
	assert_int_equal(f.kind, FAILURE_SYSTEM);
	assert_string_equal(f.reason, "stream 3: No such file or directory");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_false(failure_set(&f, FAILURE_USAGE, "%s", longer));
	assert_int_equal(strlen(f.reason), WIRE_STR_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_named_as_the_protocol_names_them),
		cmocka_unit_test(the_reason_is_one_text_that_fits_a_message),
	};

	return cmocka_run_group_tests_name("agent/measure/failure", tests, NULL, NULL);
}
