/* SPDX-License-Identifier: MIT */
#include "hostops/tunable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hostops/keyed.h"
#include "hostops/tunable_system.h"

enum form { FORM_NUMBER, FORM_ON_OFF, FORM_TRUE_FALSE, FORM_ACTION, FORM_LEVEL, FORM_BIT };

static const char *const words[][2] = {
	[FORM_ON_OFF] = {"on", "off"},    [FORM_TRUE_FALSE] = {"true", "false"},
	[FORM_ACTION] = {"PASS", "DROP"}, [FORM_LEVEL] = {"enforcing", "disabled"},
	[FORM_BIT] = {"0", "1"},
};

/* clang-format off */
static const struct {
	const char *name;
	enum form form;
	bool is_of_object;
} kinds[TUNABLE_KIND_COUNT] = {
	[TUNABLE_MTU] = {"mtu", FORM_NUMBER, true},
	[TUNABLE_LRO] = {"lro", FORM_ON_OFF, true},
	[TUNABLE_TSO] = {"tso", FORM_ON_OFF, true},
	[TUNABLE_GRO] = {"gro", FORM_ON_OFF, true},
	[TUNABLE_GSO] = {"gso", FORM_ON_OFF, true},
	[TUNABLE_RX_CHECKSUM] = {"rx_checksum", FORM_ON_OFF, true},
	[TUNABLE_TX_CHECKSUM] = {"tx_checksum", FORM_ON_OFF, true},
	[TUNABLE_RX_RING] = {"rx_ring", FORM_NUMBER, true},
	[TUNABLE_TX_RING] = {"tx_ring", FORM_NUMBER, true},
	[TUNABLE_RMEM_MAX] = {"rmem_max", FORM_NUMBER, false},
	[TUNABLE_WMEM_MAX] = {"wmem_max", FORM_NUMBER, false},
	[TUNABLE_MAXSOCKBUF] = {"maxsockbuf", FORM_NUMBER, false},
	[TUNABLE_VSWITCH_MTU] = {"vswitch_mtu", FORM_NUMBER, true},
	[TUNABLE_OPTION] = {"esxi_option", FORM_NUMBER, true},
	[TUNABLE_FIREWALL] = {"firewall_enabled", FORM_TRUE_FALSE, false},
	[TUNABLE_FIREWALL_ACTION] = {"firewall_default_action", FORM_ACTION, false},
	[TUNABLE_RULESET] = {"firewall_ruleset", FORM_TRUE_FALSE, true},
	[TUNABLE_SECPOLICY] = {"secpolicy", FORM_LEVEL, true},
	[TUNABLE_EXEC_INSTALLED_ONLY] = {"exec_installed_only", FORM_BIT, false},
};
/* clang-format on */

static const struct tunable_ops *ops_of(const struct tunable *t)
{
	switch (t->system) {
	case TUNABLE_LINUX:
		return &tunable_linux;
	case TUNABLE_FREEBSD:
		return &tunable_freebsd;
	case TUNABLE_ESXI:
		return &tunable_esxi;
	case TUNABLE_GENERIC:
		break;
	}
	return &tunable_generic;
}

enum tunable_system tunable_system_of(const char *uname)
{
	static const struct {
		const char *word;
		enum tunable_system system;
	} systems[] = {
		{"Linux", TUNABLE_LINUX},
		{"FreeBSD", TUNABLE_FREEBSD},
		{"VMkernel", TUNABLE_ESXI},
	};

	for (size_t i = 0; i < COUNT_OF(systems); i++) {
		size_t len = strlen(systems[i].word);

		if (strncmp(uname, systems[i].word, len) == 0 && strchr(" /\n", uname[len]) != NULL)
			return systems[i].system;
	}
	return TUNABLE_GENERIC;
}

const char *tunable_name(enum tunable_kind kind)
{
	return kinds[kind].name;
}

bool tunable_by_name(const char *name, enum tunable_kind *out)
{
	for (unsigned k = 0; k < TUNABLE_KIND_COUNT; k++) {
		if (strcmp(kinds[k].name, name) == 0) {
			*out = (enum tunable_kind)k;
			return true;
		}
	}
	return false;
}

bool tunable_needs_root_to_read(const struct tunable *t)
{
	return t->system == TUNABLE_ESXI || t->kind == TUNABLE_RX_RING ||
	       t->kind == TUNABLE_TX_RING;
}

bool tunable_unsupported(const struct tunable *t, const char *system, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s has no setting %s", system, kinds[t->kind].name);
}

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/@-";

static bool check_object(const char *object, struct err *err)
{
	if (object[0] == '\0' || object[0] == '-')
		return err_set(err, ERR_INPUT, "'%.80s' can be no argument of a command", object);
	return true;
}

bool tunable_add_object(struct text *out, const char *object, struct err *err)
{
	if (!check_object(object, err))
		return false;
	if (strspn(object, plain) < strlen(object))
		return shell_word(out, object, err);
	text_add(out, object);
	return true;
}

bool tunable_check_plain(const char *object, struct err *err)
{
	if (!check_object(object, err))
		return false;
	if (strspn(object, plain) < strlen(object) || strchr(object, '/') != NULL ||
	    strcmp(object, ".") == 0 || strcmp(object, "..") == 0)
		return err_set(err, ERR_INPUT, "'%.80s' is not the name of a NIC or a rule",
		               object);
	return true;
}

bool tunable_read_line(struct text *out, const struct tunable *t, struct err *err)
{
	struct text line = {0};
	bool ok = (!kinds[t->kind].is_of_object || check_object(t->object, err)) &&
	          ops_of(t)->add_read(&line, t, err);

	if (ok)
		text_add(out, text_str(&line));
	text_done(&line);
	return ok;
}

static bool add_probe_of(struct text *script, const struct tunable *t, size_t index,
                         struct err *err)
{
	text_printf(script, "n=%zu; { ", index);
	if (!tunable_read_line(script, t, err))
		return false;
	text_add(script, "; } 2>/dev/null </dev/null | mark value; ");
	if (ops_of(t)->add_probe != NULL && !ops_of(t)->add_probe(script, t, err))
		return false;
	text_add(script, "tun end; ");
	return true;
}

bool tunable_probe(struct text *script, const struct shell_marker *marker,
                   const struct tunable *list, size_t count, struct err *err)
{
	text_add(script, SHELL_PROLOGUE);
	shell_marker_define(script, marker);
	text_add(script, "tun() { echo \"$m tun $n $*\"; }; "
	                 "mark() { sed \"s/^/$m tun $n $1 /\"; }; "
	                 "has() { if command -v $1 >/dev/null 2>&1; then tun has $1; fi; }; "
	                 "echo; ");
	for (size_t i = 0; i < count; i++) {
		if (!add_probe_of(script, &list[i], i, err))
			return err_prefix(err, "%s of %s", tunable_name(list[i].kind),
			                  list[i].object[0] == '\0' ? "the host" : list[i].object);
	}
	return true;
}

void tunable_read_begin(struct tunable_reader *r, const struct tunable *list,
                        struct tunable_reading *out, size_t count)
{
	*r = (struct tunable_reader){.list = list, .out = out, .count = count};
	memset(out, 0, count * sizeof(*out));
	for (size_t i = 0; i < count; i++)
		out[i].min = out[i].max = out[i].under_mtu = TUNABLE_UNKNOWN;
}

const char *tunable_section(const char *said, const char *section)
{
	size_t len = strlen(section);

	if (strncmp(said, section, len) != 0 || (said[len] != ' ' && said[len] != '\0'))
		return NULL;
	return said + len + (said[len] == ' ');
}

static bool has_form(enum form form, const char *value)
{
	int64_t n;

	if (form == FORM_NUMBER)
		return strlen(value) < TUNABLE_VALUE_BYTES && strchr(value, ' ') == NULL &&
		       keyed_int(value, strlen(value), &n);
	return strcmp(value, words[form][0]) == 0 || strcmp(value, words[form][1]) == 0;
}

void tunable_read(struct tunable_reader *r, const char *marked)
{
	const char *said = tunable_section(marked, "tun");
	struct tunable_reading *to;
	const struct tunable *t;
	const char *value;
	int64_t index;

	if (said == NULL || !keyed_int(said, strcspn(said, " "), &index) ||
	    (uint64_t)index >= r->count)
		return;
	to = &r->out[index];
	t = &r->list[index];
	said += strcspn(said, " ");
	said += *said == ' ';
	if (to->is_complete)
		return;
	value = tunable_section(said, "value");
	if (value != NULL) {
		if (to->value[0] == '\0' && has_form(kinds[t->kind].form, value))
			(void)snprintf(to->value, sizeof(to->value), "%s", value);
	} else if (strcmp(said, "end") == 0) {
		to->is_complete = true;
		if (ops_of(t)->read_end != NULL)
			ops_of(t)->read_end(r, t, to);
		text_clear(&r->said[0]);
		text_clear(&r->said[1]);
	} else if (ops_of(t)->read != NULL) {
		ops_of(t)->read(r, t, to, said);
	}
}

void tunable_read_done(struct tunable_reader *r)
{
	text_done(&r->said[0]);
	text_done(&r->said[1]);
}

void tunable_limit_min(struct tunable_reading *to, int64_t min, const char *why)
{
	if (min <= to->min)
		return;
	to->min = min;
	(void)snprintf(to->min_why, sizeof(to->min_why), "%s", why);
}

void tunable_limit_max(struct tunable_reading *to, int64_t max, const char *why)
{
	if (max == TUNABLE_UNKNOWN || (to->max != TUNABLE_UNKNOWN && max >= to->max))
		return;
	to->max = max;
	(void)snprintf(to->max_why, sizeof(to->max_why), "%s", why);
}

static bool check_form(const struct tunable *t, const char *value, struct err *err)
{
	enum form form = kinds[t->kind].form;

	if (has_form(form, value))
		return true;
	if (form == FORM_NUMBER)
		return err_set(err, ERR_INPUT, "%s is a number, not '%.40s'", tunable_name(t->kind),
		               value);
	return err_set(err, ERR_INPUT, "%s is %s or %s, not '%.40s'", tunable_name(t->kind),
	               words[form][0], words[form][1], value);
}

static bool check_limits(const struct tunable *t, const struct tunable_reading *reading,
                         int64_t wanted, struct err *err)
{
	const char *name = tunable_name(t->kind);
	int64_t before;

	if (reading->min != TUNABLE_UNKNOWN && wanted < reading->min)
		return err_set(err, ERR_INPUT, "%s %" PRId64 " is below %" PRId64 ": %s", name,
		               wanted, reading->min, reading->min_why);
	if (reading->max != TUNABLE_UNKNOWN && wanted > reading->max)
		return err_set(err, ERR_INPUT, "%s %" PRId64 " is above %" PRId64 ": %s", name,
		               wanted, reading->max, reading->max_why);
	if (t->kind == TUNABLE_VSWITCH_MTU &&
	    keyed_int(reading->value, strlen(reading->value), &before) && wanted < before)
		return err_set(err, ERR_INPUT,
		               "%s of %s is %" PRId64
		               " and is never set below, since others use it",
		               name, t->object, before);
	return true;
}

bool tunable_check(const struct tunable *t, const struct tunable_reading *reading,
                   const char *value, struct err *err)
{
	int64_t wanted;

	if (!check_form(t, value, err))
		return false;
	if (reading->fixed_why[0] != '\0')
		return strcmp(value, reading->value) == 0 ||
		       err_set(err, ERR_REMOTE, "%s cannot be changed: %s", tunable_name(t->kind),
		               reading->fixed_why);
	if (reading->value[0] == '\0')
		return err_set(err, ERR_REMOTE, "%s of %s cannot be read, so it is not changed",
		               tunable_name(t->kind),
		               t->object[0] == '\0' ? "the host" : t->object);
	if (strcmp(value, reading->value) == 0)
		return true;
	if (strcmp(value, "on") == 0 && reading->held_why[0] != '\0')
		return err_set(err, ERR_REMOTE, "%s stays off: %s", tunable_name(t->kind),
		               reading->held_why);
	return kinds[t->kind].form != FORM_NUMBER || !keyed_int(value, strlen(value), &wanted) ||
	       check_limits(t, reading, wanted, err);
}

bool tunable_set_line(struct text *out, const struct tunable *t,
                      const struct tunable_reading *reading, const char *value, struct err *err)
{
	struct text line = {0};
	bool ok = check_form(t, value, err) &&
	          (!kinds[t->kind].is_of_object || check_object(t->object, err)) &&
	          ops_of(t)->add_set(&line, t, reading, value, err);

	if (ok)
		text_add(out, text_str(&line));
	text_done(&line);
	return ok;
}

bool tunable_undo_line(struct text *out, const struct tunable *t,
                       const struct tunable_reading *reading, struct err *err)
{
	if (reading->value[0] == '\0')
		return err_set(err, ERR_REMOTE, "%s of %s is not known, so it cannot be put back",
		               tunable_name(t->kind),
		               t->object[0] == '\0' ? "the host" : t->object);
	if (ops_of(t)->add_undo != NULL)
		return ops_of(t)->add_undo(out, t, reading, err);
	return tunable_set_line(out, t, reading, reading->value, err);
}

int tunable_rank(const struct tunable *t, const char *from, const char *to)
{
	bool is_on = strcmp(to, "on") == 0;
	int64_t a = 0;
	int64_t b = 0;

	if (t->kind == TUNABLE_VSWITCH_MTU) {
		if (keyed_int(from, strlen(from), &a) && keyed_int(to, strlen(to), &b) && b < a)
			return 5;
		return 0;
	}
	if (t->kind == TUNABLE_RX_CHECKSUM || t->kind == TUNABLE_TX_CHECKSUM)
		return is_on ? 2 : 4;
	if (kinds[t->kind].form == FORM_ON_OFF)
		return 3;
	return 1;
}
