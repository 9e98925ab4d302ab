/* SPDX-License-Identifier: MIT */
#include "plan/plan_only.h"

#include <string.h>

#include "common/hex.h"
#include "common/units.h"
#include "plan/plan_build.h"

enum { INDEX_DIGITS = 7 };

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

	if (plan_only_row(key)->kind != PLAN_ONLY_NAME &&
	    plan_only_row(key)->kind != PLAN_ONLY_ENDS)
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
	(void)err_set(err, ERR_USAGE, "--only %s=%.80s: %s%s", plan_only_row(key)->name, value,
	              plan_only_row(key)->wanted, text_str(&list));
	text_done(&list);
	return false;
}

static bool bad_key(const char *what, const char *term, struct err *err)
{
	struct text list = {0};

	for (size_t i = 0; i < PLAN_ONLY_KEYS; i++)
		plan_choice_add(&list, plan_only_row((enum plan_only_key)i)->name);
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

static bool read_dscp(const char *text, struct plan_only_value *out)
{
	for (unsigned dscp = 0; dscp <= TOPOLOGY_DSCP_MAX; dscp++) {
		const char *name = topology_dscp_name(dscp);

		if (name != NULL && strcmp(text, name) == 0) {
			out->number = dscp;
			return true;
		}
	}
	return false;
}

static bool read_number(enum plan_only_key key, const char *text, struct plan_only_value *out)
{
	const struct plan_only_row *row = plan_only_row(key);

	if (row->zero != NULL && strcmp(text, row->zero) == 0)
		return true;
	if (key == PLAN_ONLY_DSCP && read_dscp(text, out))
		return true;
	return units_parse(row->unit, text, &out->number) && out->number != 0;
}

static bool read_level(enum plan_only_key key, const char *text, struct plan_only_value *out)
{
	const char *(*name)(unsigned level) = plan_only_row(key)->level_name;

	for (unsigned level = 0; name(level) != NULL; level++) {
		if (strcmp(text, name(level)) == 0) {
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
	switch (plan_only_row(key)->kind) {
	case PLAN_ONLY_NAME:
		return read_name(plan, key, text, out);
	case PLAN_ONLY_ENDS:
		return read_pair(plan, key, text, out);
	case PLAN_ONLY_NUMBER:
		return read_number(key, text, out);
	case PLAN_ONLY_LEVEL:
		return read_level(key, text, out);
	case PLAN_ONLY_TEXT:
		out->name = name_of(text, strlen(text));
		return true;
	case PLAN_ONLY_ONE:
		return read_cell(text, out);
	}
	return false;
}

/* ---- the expression ---- */

size_t plan_only_term_len(const char *text)
{
	const char *key = text + strspn(text, " ");
	size_t key_len = strcspn(key, " =,");
	bool is_cores = key_len == strlen("affinity") && strncmp(key, "affinity", key_len) == 0;
	size_t len = strcspn(text, ",");

	while (is_cores && text[len] != '\0') { /* no key begins with a digit */
		if (text[len + 1] < '0' || text[len + 1] > '9')
			break;
		len += 1 + strcspn(text + len + 1, ",");
	}
	return len;
}

/* Cuts the text after `len` bytes, and what stands there; returns the piece without blanks around it. */
static char *cut_at(struct arena *arena, const char **rest, size_t len)
{
	const char *at = *rest;

	*rest = at[len] == '\0' ? NULL : at + len + 1;
	while (len > 0 && *at == ' ') {
		at++;
		len--;
	}
	while (len > 0 && at[len - 1] == ' ')
		len--;
	return arena_strndup(arena, at, len);
}

/* Cuts the text at the next `mark`. */
static char *cut(struct arena *arena, const char **rest, char mark)
{
	const char marks[] = {mark, '\0'};

	return cut_at(arena, rest, strcspn(*rest, marks));
}

static bool read_key(const char *term, const char *name, enum plan_only_key *key, struct err *err)
{
	for (unsigned i = 0; i < PLAN_ONLY_KEYS; i++) {
		if (strcmp(plan_only_row((enum plan_only_key)i)->name, name) == 0) {
			*key = (enum plan_only_key)i;
			return true;
		}
	}
	return bad_key("unknown key in", term, err);
}

/* Where commas stand between terms cores may have + instead. */
static void restore_commas(char *cores)
{
	for (; *cores != '\0'; cores++) {
		if (*cores == '+')
			*cores = ',';
	}
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
		char *value = cut(arena, &rest, '|');
		struct plan_only_value *at;

		out->values = plan_grow(arena, out->values, out->value_count, &room,
		                        sizeof(*out->values));
		at = &out->values[out->value_count++];
		if (out->key == PLAN_ONLY_AFFINITY)
			restore_commas(value);
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
		const char *term = cut_at(arena, &rest, plan_only_term_len(rest));

		only.terms = plan_grow(arena, only.terms, only.count, &room, sizeof(*only.terms));
		if (!read_term(term, plan, arena, &only.terms[only.count], err))
			return false;
		only.count++;
	}
	*out = only;
	return true;
}
