/* SPDX-License-Identifier: MIT */
#include "report/treatment.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "report/format.h"
#include "run/result.h"

enum kind { SIZE, COUNT, RATE, FLAG, SECONDS, WORD };

/* When a title tells a factor; one that is set (not its preset) it always does.
 * ONLY_SET is left out at its preset where all are told, too: few know that it is there. */
enum saying { ONLY_SET, IF_SET, IF_VARYING, ALWAYS };

/* A row tells everything about a factor: where its level is, and how it is said. */
static const struct factor_row {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *preset; /* an unknown number's name, or the word that goes without saying */
	enum saying saying;
	const char *before, *after, *after_one; /* around the level; after_one where it is 1 */
} factors[] = {
/* clang-format off */
#define AT(member) offsetof(struct dataset_cell, member)
	{"protocol", WORD, AT(protocol), "tcp", IF_SET, "", "", ""},
	{"mode", WORD, AT(mode), "bulk", IF_SET, "", "", ""},
	{"bidir", FLAG, AT(bidir), "off", ONLY_SET, "bidir", "", ""},
	{"zero_copy", WORD, AT(zero_copy), "off", IF_SET, "zero-copy ", "", ""},
	{"mtu", COUNT, AT(mtu_bytes), "unchanged", IF_VARYING, "mtu ", "", ""},
	{"window", SIZE, AT(window_bytes), "default", ALWAYS, "window ", "", ""},
	{"streams", COUNT, AT(streams), "-", ALWAYS, "", " streams", " stream"},
	{"buffer", SIZE, AT(buffer_bytes), "default", IF_SET, "buffer ", "", ""},
	{"lro", WORD, AT(lro), "unchanged", IF_SET, "lro ", "", ""},
	{"tso", WORD, AT(tso), "unchanged", IF_SET, "tso ", "", ""},
	{"engine", WORD, AT(engine), "agent", IF_SET, "engine ", "", ""},
	{"mss", COUNT, AT(mss_bytes), "default", ONLY_SET, "mss ", "", ""},
	{"no_delay", FLAG, AT(no_delay), "off", ONLY_SET, "no-delay", "", ""},
	{"dscp", COUNT, AT(dscp), "default", ONLY_SET, "dscp ", "", ""},
	{"congestion", WORD, AT(tcp_cc), "default", ONLY_SET, "congestion ", "", ""},
	{"ip_version", COUNT, AT(ip_version), "default", ONLY_SET, "IPv", "", ""},
	{"affinity", WORD, AT(affinity), "off", ONLY_SET, "affinity ", "", ""},
	{"bind_device", FLAG, AT(bind_device), "off", ONLY_SET, "bound to the NIC", "", ""},
	{"source_port", COUNT, AT(source_port), "any", ONLY_SET, "source port ", "", ""},
	{"bitrate", RATE, AT(target_bps), "unlimited", ONLY_SET, "bitrate ", " a stream", " a stream"},
	{"bytes", SIZE, AT(bytes), "none", ONLY_SET, "", " measured", " measured"},
	{"duration", SECONDS, AT(duration_s), "-", IF_VARYING, "", " measured", " measured"},
	{"omit", SECONDS, AT(omit_s), "-", IF_VARYING, "after ", " omitted", " omitted"},
#undef AT
	/* clang-format on */
};

static const void *member_of(const struct dataset_cell *cell, const struct factor_row *f)
{
	return (const char *)cell + f->offset;
}

/* RESULT_UNKNOWN at its preset: no level is 0. */
static int64_t number_of(const struct dataset_cell *cell, const struct factor_row *f)
{
	int64_t number = *(const int64_t *)member_of(cell, f);

	return number > 0 ? number : RESULT_UNKNOWN;
}

static double seconds_of(const struct dataset_cell *cell, const struct factor_row *f)
{
	return *(const double *)member_of(cell, f);
}

static const char *word_of(const struct dataset_cell *cell, const struct factor_row *f)
{
	const char *word = *(const char *const *)member_of(cell, f);

	return word == NULL ? f->preset : word;
}

static int compare_words(const struct factor_row *f, const char *a, const char *b)
{
	bool a_is_preset = strcmp(a, f->preset) == 0;
	bool b_is_preset = strcmp(b, f->preset) == 0;

	if (a_is_preset != b_is_preset)
		return a_is_preset ? -1 : 1;
	return strcmp(a, b);
}

static int compare_factor(const struct factor_row *f, const struct dataset_cell *a,
                          const struct dataset_cell *b)
{
	switch (f->kind) {
	case SIZE:
	case RATE:
	case FLAG:
	case COUNT: /* RESULT_UNKNOWN is the least number there is */
		return (number_of(a, f) > number_of(b, f)) - (number_of(a, f) < number_of(b, f));
	case SECONDS: /* NAN, which is neither more nor less, is alike to all */
		return (seconds_of(a, f) > seconds_of(b, f)) -
		       (seconds_of(a, f) < seconds_of(b, f));
	case WORD:
		return compare_words(f, word_of(a, f), word_of(b, f));
	}
	return 0;
}

int treatment_compare(const struct dataset_cell *a, const struct dataset_cell *b)
{
	int order = 0;

	for (size_t i = 0; i < COUNT_OF(factors) && order == 0; i++)
		order = compare_factor(&factors[i], a, b);
	return order;
}

uint32_t treatment_varying(const struct dataset_cell *const *cells, size_t count)
{
	uint32_t varying = 0;

	for (size_t c = 1; c < count; c++) {
		for (size_t i = 0; i < COUNT_OF(factors); i++) {
			if (compare_factor(&factors[i], cells[0], cells[c]) != 0)
				varying |= 1u << i;
		}
	}
	return varying;
}

static void add_level(struct text *out, const struct dataset_cell *cell, const struct factor_row *f)
{
	char number[FORMAT_BYTES];
	char rate[UNITS_TEXT_BYTES];
	char time[UNITS_TEXT_BYTES];

	switch (f->kind) {
	case SIZE:
		text_add(out, format_size(number_of(cell, f), f->preset, number));
		return;
	case COUNT:
		text_add(out, number_of(cell, f) < 0 ? f->preset
		                                     : format_count(number_of(cell, f), number));
		return;
	case RATE:
		text_add(out, number_of(cell, f) < 0
		                      ? f->preset
		                      : units_format_bps((uint64_t)number_of(cell, f), rate));
		return;
	case FLAG:
		text_add(out, number_of(cell, f) > 0 ? "on" : f->preset);
		return;
	case SECONDS:
		text_add(out,
		         isnan(seconds_of(cell, f))
		                 ? f->preset
		                 : units_format_ms((uint64_t)llround(seconds_of(cell, f) * 1000),
		                                   time));
		return;
	case WORD:
		text_add(out, word_of(cell, f));
		return;
	}
}

static bool is_preset(const struct dataset_cell *cell, const struct factor_row *f)
{
	switch (f->kind) {
	case SIZE:
	case RATE:
	case FLAG:
	case COUNT:
		return number_of(cell, f) < 0;
	case SECONDS:
		return true;
	case WORD:
		return strcmp(word_of(cell, f), f->preset) == 0;
	}
	return false;
}

/* Bytes end the test: there is no duration to tell. */
static bool is_moot(const struct dataset_cell *cell, const struct factor_row *f)
{
	return f->kind == SECONDS && isnan(seconds_of(cell, f)) && cell->bytes > 0;
}

static void add_factors(struct text *out, const struct dataset_cell *cell, uint32_t set)
{
	const char *gap = "";

	for (size_t i = 0; i < COUNT_OF(factors); i++) {
		const struct factor_row *f = &factors[i];
		bool is_one = f->kind == COUNT && number_of(cell, f) == 1;

		if ((set & 1u << i) == 0 || is_moot(cell, f))
			continue;
		text_printf(out, "%s%s", gap, f->before);
		if (f->kind != FLAG)
			add_level(out, cell, f);
		text_add(out, is_one ? f->after_one : f->after);
		gap = ", ";
	}
}

/* The factors of a cell that are set. */
static uint32_t set_factors(const struct dataset_cell *cell)
{
	uint32_t set = 0;

	for (size_t i = 0; i < COUNT_OF(factors); i++) {
		if (!is_preset(cell, &factors[i]))
			set |= 1u << i;
	}
	return set;
}

/* The factors that are to be said at least then. */
static uint32_t factors_said(enum saying saying)
{
	uint32_t set = 0;

	for (size_t i = 0; i < COUNT_OF(factors); i++) {
		if (factors[i].saying >= saying)
			set |= 1u << i;
	}
	return set;
}

void treatment_add(struct text *out, const struct dataset_cell *cell, uint32_t also)
{
	add_factors(out, cell,
	            factors_said(ALWAYS) | set_factors(cell) | (also & factors_said(IF_SET)));
}

void treatment_add_title(struct text *out, const struct dataset_cell *cell, uint32_t varying)
{
	uint32_t told = varying & (set_factors(cell) | factors_said(IF_VARYING));

	add_factors(out, cell, factors_said(ALWAYS) | told);
}

void treatment_add_common(struct text *out, const struct dataset_cell *cell, uint32_t varying)
{
	add_factors(out, cell, set_factors(cell) & ~factors_said(ALWAYS) & ~varying);
}

bool treatment_add_level(struct text *out, const struct dataset_cell *cell, const char *factor)
{
	for (size_t i = 0; i < COUNT_OF(factors); i++) {
		if (strcmp(factors[i].name, factor) == 0) {
			add_level(out, cell, &factors[i]);
			return true;
		}
	}
	return false;
}
