/* SPDX-License-Identifier: MIT */
#include "hostops/ethtool.h"

#include <stdio.h>
#include <string.h>

#include "common/json_read.h"
#include "hostops/keyed.h"

static bool begins(const struct keyed_line *line, const char *word)
{
	size_t len = strlen(word);

	return line->value_len >= len && memcmp(line->value, word, len) == 0;
}

static bool ends(const struct keyed_line *line, const char *word)
{
	size_t len = strlen(word);

	return line->value_len >= len &&
	       memcmp(line->value + line->value_len - len, word, len) == 0;
}

void ethtool_read_feature(struct ethtool_features *f, const char *line)
{
	struct ethtool_feature *feature = &f->at[f->count];
	struct keyed_line l;

	if (f->count == ETHTOOL_FEATURES_MAX || !keyed_next(&line, &l) || !l.is_pair ||
	    l.key_len == 0 || l.key_len >= ETHTOOL_NAME_BYTES ||
	    (!begins(&l, "on") && !begins(&l, "off")))
		return;
	memcpy(feature->name, l.key, l.key_len);
	feature->name[l.key_len] = '\0';
	feature->is_on = begins(&l, "on");
	feature->is_fixed = ends(&l, "[fixed]");
	feature->is_requested =
		ends(&l, "[requested on]") || (feature->is_on && !ends(&l, "[requested off]"));
	f->count++;
}

/* {"active": true, "fixed": null, "requested": null}: null for a group of features. */
static bool read_json_feature(struct ethtool_features *f, struct json_reader *r)
{
	struct ethtool_feature *feature = &f->at[f->count];
	bool is_requested_said = false;
	bool is_cut = r->is_cut || strlen(r->key) >= ETHTOOL_NAME_BYTES;
	enum json_event e;

	if (f->count == ETHTOOL_FEATURES_MAX || is_cut)
		return json_read_skip(r);
	(void)snprintf(feature->name, sizeof(feature->name), "%.*s", ETHTOOL_NAME_BYTES - 1,
	               r->key);
	feature->is_on = feature->is_fixed = feature->is_requested = false;
	while ((e = json_read_next(r)) != JSON_OBJECT_END) {
		if (e == JSON_BAD || ((e == JSON_OBJECT || e == JSON_LIST) && !json_read_skip(r)))
			return false;
		if (strcmp(r->key, "active") == 0)
			feature->is_on = e == JSON_TRUE;
		else if (strcmp(r->key, "fixed") == 0)
			feature->is_fixed = e == JSON_TRUE;
		else if (strcmp(r->key, "requested") == 0) {
			feature->is_requested = e == JSON_TRUE;
			is_requested_said = e == JSON_TRUE || e == JSON_FALSE;
		}
	}
	if (!is_requested_said || feature->is_fixed)
		feature->is_requested = feature->is_on;
	f->count++;
	return true;
}

bool ethtool_read_features_json(struct ethtool_features *f, const char *text)
{
	struct json_reader r;
	enum json_event e;

	json_read_begin(&r, text);
	while ((e = json_read_next(&r)) != JSON_END) {
		if (e == JSON_BAD)
			return false;
		if (e == JSON_OBJECT && r.key[0] != '\0' && !read_json_feature(f, &r))
			return false;
	}
	return true;
}

const struct ethtool_feature *ethtool_feature(const struct ethtool_features *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++) {
		if (strcmp(f->at[i].name, name) == 0)
			return &f->at[i];
	}
	return NULL;
}

static size_t find_count(struct ethtool_counts *c, const struct keyed_line *l)
{
	size_t i = 0;

	while (i < c->count && !keyed_is(l, c->at[i].name))
		i++;
	if (i == c->count && c->count < ETHTOOL_COUNTS_MAX) {
		memcpy(c->at[i].name, l->key, l->key_len);
		c->at[i].name[l->key_len] = '\0';
		c->at[i].max = c->at[i].now = ETHTOOL_NONE;
		c->count++;
	}
	return i;
}

void ethtool_read_count(struct ethtool_counts *c, const char *line)
{
	struct keyed_line l;
	int64_t value;
	size_t i;

	if (!keyed_next(&line, &l) || !l.is_pair || l.key_len >= ETHTOOL_NAME_BYTES)
		return;
	if (keyed_is(&l, "Pre-set maximums")) {
		c->part = ETHTOOL_MAXIMUMS;
		return;
	}
	if (keyed_is(&l, "Current hardware settings")) {
		c->part = ETHTOOL_CURRENT;
		return;
	}
	if (c->part == ETHTOOL_BEFORE)
		return;
	i = find_count(c, &l);
	if (i == ETHTOOL_COUNTS_MAX || !keyed_int(l.value, l.value_len, &value) || value == 0)
		return;
	if (c->part == ETHTOOL_MAXIMUMS)
		c->at[i].max = value;
	else
		c->at[i].now = value;
}

bool ethtool_count(const struct ethtool_counts *c, const char *name, int64_t *max, int64_t *now)
{
	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->at[i].name, name) == 0) {
			*max = c->at[i].max;
			*now = c->at[i].now;
			return true;
		}
	}
	return false;
}

int64_t ethtool_speed(const char *text)
{
	char value[32];
	int64_t speed;
	size_t digits;

	if (!keyed_find(text, "Speed", value, sizeof(value)))
		return ETHTOOL_NONE;
	digits = strspn(value, "0123456789");
	if (strcmp(value + digits, "Mb/s") != 0 || !keyed_int(value, digits, &speed))
		return ETHTOOL_NONE;
	return speed;
}
