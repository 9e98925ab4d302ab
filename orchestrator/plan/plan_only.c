/* SPDX-License-Identifier: MIT */
#include "plan/plan_only.h"

#include <string.h>

#include "common/hex.h"
#include "common/units.h"
#include "plan/plan_build.h"

enum { INDEX_DIGITS = 7 };

enum value_kind { VALUE_NAME, VALUE_PAIR, VALUE_NUMBER, VALUE_LEVEL, VALUE_CELL };

/* clang-format off */
static const struct {
	const char *name;
	enum value_kind kind;
	enum unit unit;            /* VALUE_NUMBER */
	const char *zero;          /* VALUE_NUMBER: the word for 0, NULL: none */
	const char *(*level_name)(unsigned level); /* VALUE_LEVEL */
	const char *wanted;
} keys[PLAN_ONLY_KEYS] = {
	[PLAN_ONLY_SRC] = {"src", VALUE_NAME, 0, NULL, NULL, "no such host or NIC; hosts: "},
	[PLAN_ONLY_DST] = {"dst", VALUE_NAME, 0, NULL, NULL, "no such host or NIC; hosts: "},
	[PLAN_ONLY_HOST] = {"host", VALUE_NAME, 0, NULL, NULL, "no such host or NIC; hosts: "},
	[PLAN_ONLY_PAIR] = {"pair", VALUE_PAIR, 0, NULL, NULL, "want two hosts or NICs, A:B; hosts: "},
	[PLAN_ONLY_CLASS] = {"class", VALUE_NAME, 0, NULL, NULL, "no such path class; classes: "},
	[PLAN_ONLY_DRIVER] = {"driver", VALUE_NAME, 0, NULL, NULL, "no NIC has this driver; drivers: "},
	[PLAN_ONLY_PROFILE] = {"profile", VALUE_NAME, 0, NULL, NULL, "no such profile in this plan; profiles: "},
	[PLAN_ONLY_MTU] = {"mtu", VALUE_NUMBER, UNIT_COUNT, "unchanged", NULL, "want a number of bytes or unchanged"},
	[PLAN_ONLY_WINDOW] = {"window", VALUE_NUMBER, UNIT_BYTES, "default", NULL, "want a size such as 64K, or default"},
	[PLAN_ONLY_BUFFER] = {"buffer", VALUE_NUMBER, UNIT_BYTES, "default", NULL, "want a size such as 128K, or default"},
	[PLAN_ONLY_STREAMS] = {"streams", VALUE_NUMBER, UNIT_COUNT, NULL, NULL, "want a number"},
	[PLAN_ONLY_DIRECTION] = {"direction", VALUE_LEVEL, 0, NULL, plan_direction_name, "want forward or reverse"},
	[PLAN_ONLY_LRO] = {"lro", VALUE_LEVEL, 0, NULL, plan_toggle_name, "want on, off or unchanged"},
	[PLAN_ONLY_TSO] = {"tso", VALUE_LEVEL, 0, NULL, plan_toggle_name, "want on, off or unchanged"},
	[PLAN_ONLY_CELL] = {"cell", VALUE_CELL, 0, NULL, NULL, "want a cell's index, or at least 8 digits of its fingerprint"},
};
/* clang-format on */

const char *plan_only_key_name(enum plan_only_key key)
{
	return keys[key].name;
}

/* ---- names ---- */

bool plan_only_name_fits(const struct plan_only_name *name, const char *text)
{
	return strncmp(text, name->at, name->len) == 0 &&
	       (name->is_prefix || text[name->len] == '\0');
}

bool plan_only_end_fits(const struct plan_only_name *name, const struct nic *nic)
{
	size_t host_len = strlen(nic->host->name);
	struct plan_only_name rest = *name;

	if (plan_only_name_fits(name, nic->host->name))
		return true;
	if (name->len <= host_len || strncmp(name->at, nic->host->name, host_len) != 0 ||
	    name->at[host_len] != '.')
		return false;
	rest.at += host_len + 1;
	rest.len -= host_len + 1;
	return plan_only_name_fits(&rest, nic->name);
}

/* Calls it with all NICs of the topology until one fits. */
static bool any_nic(const struct topology *topo, const struct plan_only_name *name,
                    bool (*fits)(const struct plan_only_name *name, const struct nic *nic))
{
	for (size_t i = 0; i < topo->host_count; i++) {
		for (size_t j = 0; j < topo->hosts[i].nic_count; j++) {
			if (fits(name, &topo->hosts[i].nics[j]))
				return true;
		}
	}
	return false;
}

static bool driver_fits(const struct plan_only_name *name, const struct nic *nic)
{
	return nic->driver != NULL && plan_only_name_fits(name, nic->driver);
}

static bool class_exists(const struct plan_only_name *name)
{
	for (size_t i = 0; i < PATH_CLASS_COUNT; i++) {
		if (plan_only_name_fits(name, path_class_names[i]))
			return true;
	}
	return false;
}

static bool profile_exists(const struct plan *plan, const struct plan_only_name *name)
{
	for (size_t i = 0; i < plan->profile_count; i++) {
		if (plan_only_name_fits(name, plan->profiles[i]->name))
			return true;
	}
	return false;
}

static bool name_exists(const struct plan *plan, enum plan_only_key key,
                        const struct plan_only_name *name)
{
	if (key == PLAN_ONLY_CLASS)
		return class_exists(name);
	if (key == PLAN_ONLY_PROFILE)
		return profile_exists(plan, name);
	if (key == PLAN_ONLY_DRIVER)
		return any_nic(plan->topology, name, driver_fits);
	return any_nic(plan->topology, name, plan_only_end_fits);
}

/* ---- messages ---- */

static void list_drivers(const struct topology *topo, struct text *list)
{
	for (size_t i = 0; i < topo->host_count; i++) {
		for (size_t j = 0; j < topo->hosts[i].nic_count; j++) {
			if (topo->hosts[i].nics[j].driver != NULL)
				plan_choice_add(list, topo->hosts[i].nics[j].driver);
		}
	}
}

static void list_names(const struct plan *plan, enum plan_only_key key, struct text *list)
{
	const struct topology *topo = plan->topology;

	if (keys[key].kind != VALUE_NAME && keys[key].kind != VALUE_PAIR)
		return;
	if (key == PLAN_ONLY_DRIVER) {
		list_drivers(topo, list);
	} else if (key == PLAN_ONLY_CLASS) {
		for (size_t i = 0; i < PATH_CLASS_COUNT; i++)
			plan_choice_add(list, path_class_names[i]);
	} else if (key == PLAN_ONLY_PROFILE) {
		for (size_t i = 0; i < plan->profile_count; i++)
			plan_choice_add(list, plan->profiles[i]->name);
	} else {
		for (size_t i = 0; i < topo->host_count; i++)
			plan_choice_add(list, topo->hosts[i].name);
	}
}

static bool bad_value(const struct plan *plan, enum plan_only_key key, const char *value,
                      struct err *err)
{
	struct text list = {0};

	list_names(plan, key, &list);
	(void)err_set(err, ERR_USAGE, "--only %s=%.80s: %s%s", keys[key].name, value,
	              keys[key].wanted, text_str(&list));
	text_done(&list);
	return false;
}

static bool bad_key(const char *what, const char *term, struct err *err)
{
	struct text list = {0};

	for (size_t i = 0; i < PLAN_ONLY_KEYS; i++)
		plan_choice_add(&list, keys[i].name);
	(void)err_set(err, ERR_USAGE, "--only: %s `%.80s`; keys: %s", what, term, text_str(&list));
	text_done(&list);
	return false;
}

/* ---- values ---- */

static struct plan_only_name name_of(const char *at, size_t len)
{
	bool is_prefix = len > 0 && at[len - 1] == '*';

	return (struct plan_only_name){at, is_prefix ? len - 1 : len, is_prefix};
}

static bool read_name(const struct plan *plan, enum plan_only_key key, const char *text,
                      struct plan_only_value *out)
{
	if (key == PLAN_ONLY_DRIVER)
		text = topology_driver_family(text);
	out->name = name_of(text, strlen(text));
	return name_exists(plan, key, &out->name);
}

/* A NIC's name may hold a colon too: the one that parts two known ends counts. */
static bool read_pair(const struct plan *plan, enum plan_only_key key, const char *text,
                      struct plan_only_value *out)
{
	for (const char *colon = strchr(text, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
		out->name = name_of(text, (size_t)(colon - text));
		out->other = name_of(colon + 1, strlen(colon + 1));
		if (name_exists(plan, key, &out->name) && name_exists(plan, key, &out->other))
			return true;
	}
	return false;
}

static bool read_number(enum plan_only_key key, const char *text, struct plan_only_value *out)
{
	if (keys[key].zero != NULL && strcmp(text, keys[key].zero) == 0)
		return true;
	return units_parse(keys[key].unit, text, &out->number) && out->number != 0;
}

static bool read_level(enum plan_only_key key, const char *text, struct plan_only_value *out)
{
	for (unsigned level = 0; keys[key].level_name(level) != NULL; level++) {
		if (strcmp(text, keys[key].level_name(level)) == 0) {
			out->number = level;
			return true;
		}
	}
	return false;
}

static bool read_cell(const char *text, struct plan_only_value *out)
{
	size_t len = strlen(text);

	if (len <= INDEX_DIGITS)
		return units_parse(UNIT_COUNT, text, &out->number);
	for (size_t i = 0; i < len; i++) {
		if (hex_value(text[i]) < 0)
			return false;
	}
	out->name = (struct plan_only_name){text, len, true};
	return len < SHA256_HEX_BYTES;
}

static bool read_value(const struct plan *plan, enum plan_only_key key, const char *text,
                       struct plan_only_value *out)
{
	switch (keys[key].kind) {
	case VALUE_NAME:
		return read_name(plan, key, text, out);
	case VALUE_PAIR:
		return read_pair(plan, key, text, out);
	case VALUE_NUMBER:
		return read_number(key, text, out);
	case VALUE_LEVEL:
		return read_level(key, text, out);
	case VALUE_CELL:
		return read_cell(text, out);
	}
	return false;
}

/* ---- the expression ---- */

/* Cuts the text at the next `mark`; returns the piece without blanks around it. */
static char *cut(struct arena *arena, const char **rest, char mark)
{
	const char *at = *rest;
	const char *end = strchr(at, mark);
	size_t len = end == NULL ? strlen(at) : (size_t)(end - at);

	*rest = end == NULL ? NULL : end + 1;
	while (len > 0 && *at == ' ') {
		at++;
		len--;
	}
	while (len > 0 && at[len - 1] == ' ')
		len--;
	return arena_strndup(arena, at, len);
}

static bool read_key(const char *term, const char *name, enum plan_only_key *key, struct err *err)
{
	for (unsigned i = 0; i < PLAN_ONLY_KEYS; i++) {
		if (strcmp(keys[i].name, name) == 0) {
			*key = (enum plan_only_key)i;
			return true;
		}
	}
	return bad_key("unknown key in", term, err);
}

static bool read_term(const char *text, const struct plan *plan, struct arena *arena,
                      struct plan_only_term *out, struct err *err)
{
	const char *rest = text;
	const char *name = cut(arena, &rest, '=');
	size_t room = 0;

	*out = (struct plan_only_term){.text = text};
	if (rest == NULL)
		return bad_key("no key=value in", text, err);
	if (!read_key(text, name, &out->key, err))
		return false;
	while (rest != NULL) {
		const char *value = cut(arena, &rest, '|');
		struct plan_only_value *at;

		out->values = plan_grow(arena, out->values, out->value_count, &room,
		                        sizeof(*out->values));
		at = &out->values[out->value_count++];
		if (!read_value(plan, out->key, value, at))
			return bad_value(plan, out->key, value, err);
	}
	return true;
}

bool plan_only_parse(const char *text, const struct plan *plan, struct arena *arena,
                     struct plan_only *out, struct err *err)
{
	struct plan_only only = {0};
	const char *rest = text;
	size_t room = 0;

	while (rest != NULL) {
		const char *term = cut(arena, &rest, ',');

		only.terms = plan_grow(arena, only.terms, only.count, &room, sizeof(*only.terms));
		if (!read_term(term, plan, arena, &only.terms[only.count], err))
			return false;
		only.count++;
	}
	*out = only;
	return true;
}
