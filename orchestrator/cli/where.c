/* SPDX-License-Identifier: MIT */
#include "cli/where.h"

#include <string.h>

#include "common/text.h"
#include "common/units.h"
#include "report/treatment.h"

/* True when a cell's text is what a value says. */
static bool is_value(const char *value, const char *text)
{
	size_t len = strlen(value);

	if (text == NULL)
		return false;
	if (len > 0 && value[len - 1] == '*')
		return strncmp(value, text, len - 1) == 0;
	return strcmp(value, text) == 0;
}

static bool fits_src(const struct dataset_cell *c, const char *value)
{
	return is_value(value, c->src) || is_value(value, c->src_host);
}

static bool fits_dst(const struct dataset_cell *c, const char *value)
{
	return is_value(value, c->dst) || is_value(value, c->dst_host);
}

static bool fits_host(const struct dataset_cell *c, const char *value)
{
	return fits_src(c, value) || fits_dst(c, value);
}

static bool fits_class(const struct dataset_cell *c, const char *value)
{
	return is_value(value, c->path_class);
}

static bool fits_driver(const struct dataset_cell *c, const char *value)
{
	return is_value(value, c->src_driver) || is_value(value, c->dst_driver);
}

static bool fits_direction(const struct dataset_cell *c, const char *value)
{
	bool dst_opened = strcmp(c->initiator, "dst") == 0;

	return is_value(value, c->bidir != 0 ? "bidir" : dst_opened ? "reverse" : "forward");
}

static bool fits_state(const struct dataset_cell *c, const char *value)
{
	return is_value(value, c->state);
}

/* Any of the names between blanks. */
static bool fits_profile(const struct dataset_cell *c, const char *value)
{
	const char *at = c->profiles != NULL ? c->profiles : "";
	bool fits = false;

	while (*at != '\0' && !fits) {
		size_t len = strcspn(at, " ");
		struct text name = {0};

		text_add_bytes(&name, at, len);
		fits = is_value(value, text_str(&name));
		text_done(&name);
		at += len + strspn(at + len, " ");
	}
	return fits;
}

struct where_key {
	const char *name;
	bool (*fits)(const struct dataset_cell *cell, const char *value); /* NULL: a factor */
};

static const struct where_key keys[] = {
	{"src", fits_src},       {"dst", fits_dst},
	{"host", fits_host},     {"class", fits_class},
	{"driver", fits_driver}, {"profile", fits_profile},
	{"state", fits_state},   {"direction", fits_direction},
	{"protocol", NULL},      {"mode", NULL},
	{"zero_copy", NULL},     {"mtu", NULL},
	{"window", NULL},        {"streams", NULL},
	{"buffer", NULL},        {"lro", NULL},
	{"tso", NULL},           {"mss", NULL},
	{"no_delay", NULL},      {"dscp", NULL},
	{"congestion", NULL},    {"ip_version", NULL},
	{"affinity", NULL},      {"bind_device", NULL},
	{"source_port", NULL},   {"bitrate", NULL},
	{"bytes", NULL},         {"duration", NULL},
	{"omit", NULL},
};

/* A size or rate may be written in any way that a topology allows: 65536 is 64K. */
static bool is_level(enum unit unit, const char *value, const char *level)
{
	uint64_t asked;
	uint64_t has;

	if (is_value(value, level))
		return true;
	return units_parse(unit, value, &asked) && units_parse(unit, level, &has) && asked == has;
}

static bool fits_factor(const struct dataset_cell *cell, const char *factor, const char *value)
{
	struct text level = {0};
	enum unit unit = strcmp(factor, "bitrate") == 0 ? UNIT_BPS : UNIT_BYTES;
	bool fits = treatment_add_level(&level, cell, factor);

	/* A comma ends a term, so lists of cores are written with +, as in --only. */
	for (size_t i = 0; i < level.len; i++) {
		if (level.at[i] == ',')
			level.at[i] = '+';
	}
	fits = fits && is_level(unit, value, text_str(&level));

	text_done(&level);
	return fits;
}

static bool term_fits(const struct where_term *term, const struct dataset_cell *cell)
{
	for (size_t i = 0; i < term->value_count; i++) {
		const char *value = term->values[i];

		if (term->key->fits != NULL ? term->key->fits(cell, value)
		                            : fits_factor(cell, term->key->name, value))
			return true;
	}
	return false;
}

bool where_fits(const struct where *where, const struct dataset_cell *cell)
{
	for (size_t i = 0; i < where->count; i++) {
		if (!term_fits(&where->terms[i], cell))
			return false;
	}
	return true;
}

static bool refuse(const char *term, struct err *err)
{
	struct text list = {0};

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		text_printf(&list, "%s%s", i > 0 ? ", " : "", keys[i].name);
	(void)err_set(err, ERR_USAGE, "--where: '%s' is not KEY=VALUE with a KEY of %s", term,
	              text_str(&list));
	text_done(&list);
	return false;
}

static size_t count_parts(const char *text, char separator)
{
	size_t count = 1;

	for (; *text != '\0'; text++)
		count += *text == separator;
	return count;
}

static bool parse_term(char *word, struct arena *arena, struct where_term *out, struct err *err)
{
	char *value = strchr(word, '=');
	struct where_term term = {0};

	for (size_t i = 0; value != NULL && i < COUNT_OF(keys); i++) {
		if (strlen(keys[i].name) == (size_t)(value - word) &&
		    strncmp(keys[i].name, word, (size_t)(value - word)) == 0)
			term.key = &keys[i];
	}
	if (term.key == NULL || value[1] == '\0')
		return refuse(word, err);
	value++;
	term.values = arena_alloc(arena, count_parts(value, '|'), sizeof(*term.values));
	while (value != NULL)
		term.values[term.value_count++] = strsep(&value, "|");
	*out = term;
	return true;
}

bool where_parse(const char *text, struct arena *arena, struct where *out, struct err *err)
{
	struct where where = {0};
	char *rest;

	if (text != NULL) {
		where.terms = arena_alloc(arena, count_parts(text, ','), sizeof(*where.terms));
		rest = arena_strndup(arena, text, strlen(text));
		while (rest != NULL) {
			char *word = strsep(&rest, ",");

			if (!parse_term(word, arena, &where.terms[where.count++], err))
				return false;
		}
	}
	*out = where;
	return true;
}
