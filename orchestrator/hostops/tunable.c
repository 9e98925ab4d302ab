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

const struct tunable_ops *tunable_ops_of(const struct tunable *t)
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

/*
 * MTU: VMware's e1000 loses its carrier for 2 s, iflib restarts the interface, others reset the
 * device. ESXi: "Configure and Manage the ESXi Firewall"; Broadcom KB 337148 (security domains);
 * the audit event esx.audit.uw.security.execInstalledOnly.violation.
 */
/* clang-format off */
static const struct {
	enum tunable_kind kind;
	int system; /* -1: any */
	const char *note;
} notes[] = {
	{TUNABLE_MTU, TUNABLE_LINUX, "some drivers reset the device, which takes the link away for seconds"},
	{TUNABLE_MTU, TUNABLE_FREEBSD, "the interface restarts, which takes the link away for seconds; TrueNAS may set it back by itself"},
	{TUNABLE_LRO, TUNABLE_FREEBSD, "the interface may restart; TrueNAS may set it back by itself"},
	{TUNABLE_TSO, TUNABLE_FREEBSD, "the interface may restart; TrueNAS may set it back by itself"},
	{TUNABLE_RX_CHECKSUM, TUNABLE_FREEBSD, "the interface may restart"},
	{TUNABLE_TX_CHECKSUM, TUNABLE_FREEBSD, "the interface may restart"},
	{TUNABLE_RX_RING, -1, "the device is reset, which takes the link away for seconds"},
	{TUNABLE_TX_RING, -1, "the device is reset, which takes the link away for seconds"},
	{TUNABLE_MTU, TUNABLE_ESXI, "it outlives a reboot"},
	{TUNABLE_VSWITCH_MTU, -1, "it is that of all that is on the switch, and outlives a reboot"},
	{TUNABLE_OPTION, -1, "it is the whole host's, outlives a reboot, and on some releases takes effect after one only"},
	{TUNABLE_FIREWALL, -1, "while it is off the whole host is open; it outlives a reboot"},
	{TUNABLE_FIREWALL_ACTION, -1, "with PASS the whole host is open; it outlives a reboot"},
	{TUNABLE_SECPOLICY, -1, "vCenter warns of it; on ESXi 8 it outlives a reboot"},
	{TUNABLE_EXEC_INSTALLED_ONLY, -1, "it is logged and raises alarms, since attackers do the same; it outlives a reboot"},
	{TUNABLE_RMEM_MAX, -1, "it is the whole machine's, containers included"},
	{TUNABLE_WMEM_MAX, -1, "it is the whole machine's, containers included"},
	{TUNABLE_MAXSOCKBUF, -1, "it is the whole machine's, jails included"},
};
/* clang-format on */

const char *tunable_note(const struct tunable *t)
{
	for (size_t i = 0; i < COUNT_OF(notes); i++) {
		if (notes[i].kind == t->kind &&
		    (notes[i].system < 0 || notes[i].system == (int)t->system))
			return notes[i].note;
	}
	return NULL;
}

bool tunable_unsupported(const struct tunable *t, const char *system, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s has no setting %s", system, kinds[t->kind].name);
}

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/@-";

static bool check_argument(const char *object, struct err *err)
{
	if (object[0] == '\0' || object[0] == '-')
		return err_set(err, ERR_INPUT, "'%.80s' can be no argument of a command", object);
	return true;
}

bool tunable_check_object(const struct tunable *t, struct err *err)
{
	return !kinds[t->kind].is_of_object || check_argument(t->object, err);
}

bool tunable_add_object(struct text *out, const char *object, struct err *err)
{
	if (!check_argument(object, err))
		return false;
	if (strspn(object, plain) < strlen(object))
		return shell_word(out, object, err);
	text_add(out, object);
	return true;
}

bool tunable_check_plain(const char *object, struct err *err)
{
	if (!check_argument(object, err))
		return false;
	if (strspn(object, plain) < strlen(object) || strchr(object, '/') != NULL ||
	    strcmp(object, ".") == 0 || strcmp(object, "..") == 0)
		return err_set(err, ERR_INPUT, "'%.80s' is not the name of a NIC or a rule",
		               object);
	return true;
}

bool tunable_is_value(enum tunable_kind kind, const char *value)
{
	enum form form = kinds[kind].form;
	int64_t n;

	if (form == FORM_NUMBER)
		return strlen(value) < TUNABLE_VALUE_BYTES && strchr(value, ' ') == NULL &&
		       keyed_int(value, strlen(value), &n);
	return strcmp(value, words[form][0]) == 0 || strcmp(value, words[form][1]) == 0;
}

static bool check_form(const struct tunable *t, const char *value, struct err *err)
{
	enum form form = kinds[t->kind].form;

	if (tunable_is_value(t->kind, value))
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
	bool ok = check_form(t, value, err) && tunable_check_object(t, err) &&
	          tunable_ops_of(t)->add_set(&line, t, reading, value, err);

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
	if (tunable_ops_of(t)->add_undo != NULL)
		return tunable_ops_of(t)->add_undo(out, t, reading, err);
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
