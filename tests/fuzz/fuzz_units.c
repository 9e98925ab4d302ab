/* SPDX-License-Identifier: MIT */
/* Byte 0: the unit; the rest: text. What was read is written so that it reads back. */
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_format(enum unit unit, uint64_t value)
{
	char text[UNITS_TEXT_BYTES];
	uint64_t back = value + 1;

	if (unit == UNIT_BYTES)
		(void)units_format_bytes(value, text);
	else
		(void)units_format_ms(value, text);
	if (!units_parse(unit, text, &back) || back != value)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[UNITS_TEXT_BYTES];
	char *input;
	uint64_t value = 77;
	enum unit unit;

	if (size == 0)
		return 0;
	unit = (enum unit)(data[0] % (UNIT_PERMILLE + 1));
	input = malloc(size);
	if (input == NULL)
		abort();
	memcpy(input, data + 1, size - 1);
	input[size - 1] = '\0';
	if (units_parse(unit, input, &value)) {
		if (unit == UNIT_BYTES || unit == UNIT_MS)
			check_format(unit, value);
		if (strlen(units_format_eta(value, text)) >= sizeof(text))
			abort();
		if (strlen(units_format_rate((double)value, text)) >= sizeof(text))
			abort();
	} else if (value != 77) {
		abort();
	}
	free(input);
	return 0;
}
