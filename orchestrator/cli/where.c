/* SPDX-License-Identifier: MIT */
#include "cli/where.h"

#include <string.h>

#include "common/text.h"
#include "common/units.h"
#include "plan/plan_only.h"
#include "report/treatment.h"
#include "topology/topology.h"

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
	bool is_cores; /* + in a list may stand for a comma */
};

static const struct where_key keys[] = {
	{"src", fits_src, false},       {"dst", fits_dst, false},
	{"host", fits_host, false},     {"class", fits_class, false},
	{"driver", fits_driver, false}, {"profile", fits_profile, false},
	{"state", fits_state, false},   {"direction", fits_direction, false},
	{"protocol", NULL, false},      {"mode", NULL, false},
	{"zero_copy", NULL, false},     {"mtu", NULL, false},
	{"window", NULL, false},        {"streams", NULL, false},
	{"buffer", NULL, false},        {"lro", NULL, false},
	{"tso", NULL, false},           {"mss", NULL, false},
	{"no_delay", NULL, false},      {"dscp", NULL, false},
	{"congestion", NULL, false},    {"ip_version", NULL, false},
	{"affinity", NULL, true},       {"bind_device", NULL, false},
	{"source_port", NULL, false},   {"bitrate", NULL, false},
	{"bytes", NULL, false},         {"duration", NULL, false},
	{"omit", NULL, false},
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

/* A code point may be written by its name: 46 is ef. */
static bool is_dscp(const char *value, const struct dataset_cell *cell)
{
	return cell->dscp <= (int64_t)TOPOLOGY_DSCP_MAX &&
	       is_value(value, topology_dscp_name(cell->dscp > 0 ? (unsigned)cell->dscp : 0));
}

static bool fits_factor(const struct dataset_cell *cell, const char *factor, const char *value)
{
	struct text level = {0};
	enum unit unit = strcmp(factor, "bitrate") == 0 ? UNIT_BPS : UNIT_BYTES;
	bool fits = treatment_add_level(&level, cell, factor);

	fits = fits && (is_level(unit, value, text_str(&level)) ||
	                (strcmp(factor, "dscp") == 0 && is_dscp(value, cell)));

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
	for (char *at = value; term.key->is_cores && *at != '\0'; at++) {
		if (*at == '+')
			*at = ',';
	}
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
			char *word = rest;
			char *end = rest + plan_only_term_len(rest);

			rest = *end == '\0' ? NULL : end + 1;
			*end = '\0';
			if (!parse_term(word, arena, &where.terms[where.count++], err))
				return false;
		}
	}
	*out = where;
	return true;
}
