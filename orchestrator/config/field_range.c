/* SPDX-License-Identifier: MIT */
#include "config/field_range.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/text.h"

static const char *number_text(enum unit unit, uint64_t n, char out[UNITS_TEXT_BYTES])
{
	switch (unit) {
	case UNIT_BYTES:
		return units_format_bytes(n, out);
	case UNIT_MS:
		return units_format_ms(n, out);
	case UNIT_BPS:
		return units_format_bps(n, out);
	case UNIT_PERMILLE:
		(void)snprintf(out, UNITS_TEXT_BYTES, "%g%%", (double)n / 10);
		return out;
	case UNIT_COUNT:
		break;
	}
	(void)snprintf(out, UNITS_TEXT_BYTES, "%" PRIu64, n);
	return out;
}

static void list_words(const struct field_word *words, struct text *out)
{
	for (const struct field_word *w = words; w->word != NULL; w++) {
		text_printf(out, "%s%s", w == words ? "" : ", ", w->word);
	}
}

static void add_zero_word(const struct field *row, struct text *out)
{
	if (row->zero_word != NULL)
		text_printf(out, ", or `%s`", row->zero_word);
}

const char *field_wanted(const struct field *row, char out[FIELD_RANGE_BYTES])
{
	struct text t = {0};

	switch (row->kind) {
	case FIELD_TEXT:
	case FIELD_TEXTS:
		text_add(&t, text_rule_wanted(row->rule));
		add_zero_word(row, &t);
		break;
	case FIELD_NUMBER:
		text_add(&t, units_wanted(row->unit));
		add_zero_word(row, &t);
		if (row->words != NULL) {
			text_add(&t, ", or one of ");
			list_words(row->words, &t);
		}
		break;
	case FIELD_REAL:
		text_add(&t, "a number such as 9.26");
		break;
	case FIELD_WORD:
	case FIELD_WORDS:
		if (row->words[0].word != NULL && row->words[1].word != NULL)
			text_add(&t, "one of ");
		list_words(row->words, &t);
		break;
	case FIELD_MAP:
		text_add(&t, "a mapping");
		break;
	case FIELD_NODE:
		text_add(&t, row->shape);
		break;
	}
	(void)snprintf(out, FIELD_RANGE_BYTES, "%s", text_str(&t));
	text_done(&t);
	return out;
}

const char *field_range(const struct field *row, char out[FIELD_RANGE_BYTES])
{
	char min[UNITS_TEXT_BYTES], max[UNITS_TEXT_BYTES];

	out[0] = '\0';
	if (row->max != 0)
		(void)snprintf(out, FIELD_RANGE_BYTES, "%s to %s%s%s%s",
		               number_text(row->unit, row->min, min),
		               number_text(row->unit, row->max, max),
		               row->zero_word != NULL ? ", or `" : "",
		               row->zero_word != NULL ? row->zero_word : "",
		               row->zero_word != NULL ? "`" : "");
	return out;
}
