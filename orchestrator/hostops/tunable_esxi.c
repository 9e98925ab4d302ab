/* SPDX-License-Identifier: MIT */
/*
 * ESXi 6.5 to 9: esxcli; localcli for the security domains, which esxcli does not have (Dell KB
 * 000212752). All of it outlives a reboot. Names in lists may hold blanks and brackets, so they
 * are looked for as whole lines, not as patterns.
 */
#include <stdio.h>
#include <string.h>

#include "hostops/records.h"
#include "hostops/tunable_system.h"

#define ESXI_MTU_MAX       9000 /* vSphere Networking, "Jumbo Frames" */
#define EXEC_OPTION        "/User/execInstalledOnly"
#define LIST_OF_INTERFACES "esxcli network ip interface list"
#define LIST_OF_SWITCHES   "esxcli network vswitch standard list"

/* How a value of a list or of a single record is read; the object is %s where it has one. */
static const struct {
	enum tunable_kind kind;
	const char *command;
	const char *field; /* NULL: a table, in which the value follows the object */
} simple[] = {
	{TUNABLE_RX_RING, "esxcli network nic ring current get -n %s", "RX"},
	{TUNABLE_TX_RING, "esxcli network nic ring current get -n %s", "TX"},
	{TUNABLE_OPTION, "esxcli system settings advanced list -o %s", "Int Value"},
	{TUNABLE_EXEC_INSTALLED_ONLY, "esxcli system settings advanced list -o " EXEC_OPTION,
         "Int Value"},
	{TUNABLE_FIREWALL, "esxcli network firewall get", "Enabled"},
	{TUNABLE_FIREWALL_ACTION, "esxcli network firewall get", "Default Action"},
	{TUNABLE_RULESET, "esxcli network firewall ruleset list -r %s", NULL},
	{TUNABLE_SECPOLICY, "localcli system secpolicy domain list", NULL},
};

/* Adds `command` with the object in place of its %s. */
static bool add_command(struct text *out, const char *command, const char *object, struct err *err)
{
	const char *hole = strstr(command, "%s");

	if (hole == NULL) {
		text_add(out, command);
		return true;
	}
	text_add_bytes(out, command, (size_t)(hole - command));
	if (!tunable_add_object(out, object, err))
		return false;
	text_add(out, hole + 2);
	return true;
}

static const char *no_such_setting(enum tunable_kind kind)
{
	switch ((int)kind) {
	case TUNABLE_LRO:
		return "ESXi has no LRO of one NIC: it is the host's option "
		       "/Net/TcpipDefLROEnabled "
		       "for its vmks, /Net/Vmxnet3HwLRO and /Net/Vmxnet3SwLRO for its VMs";
	case TUNABLE_TSO:
		return "ESXi has no TSO of one NIC: it is the host's options /Net/UseHwTSO and "
		       "/Net/UseHwTSO6";
	default:
		return NULL;
	}
}

static bool refuse(const struct tunable *t, struct err *err)
{
	const char *why = no_such_setting(t->kind);

	if (why != NULL)
		return err_set(err, ERR_INPUT, "%s", why);
	return tunable_unsupported(t, "ESXi", err);
}

/* The MTU in the block of this name: the first after the line of its name. */
static bool add_block_read(struct text *out, const char *list, const char *object, struct err *err)
{
	struct text line = {0};
	bool ok;

	text_printf(&line, "   Name: %s", object);
	text_printf(out, "%s | grep -F -x -A 20 ", list);
	ok = shell_word(out, text_str(&line), err);
	text_add(out, " | sed -n \"s/^ *MTU: //p\" | head -n 1");
	text_done(&line);
	return ok;
}

static bool add_simple_read(struct text *out, const struct tunable *t, size_t i, struct err *err)
{
	if (!add_command(out, simple[i].command, t->object, err))
		return false;
	if (simple[i].field != NULL) {
		text_printf(out, " | sed -n \"s/^ *%s: *//p\" | cut -d \" \" -f 1",
		            simple[i].field);
		return true;
	}
	if (!tunable_check_plain(t->object, err))
		return false;
	text_printf(out, " | sed -n \"s/^%s  *//p\" | cut -d \" \" -f 1", t->object);
	return true;
}

static bool add_read_esxi(struct text *out, const struct tunable *t, struct err *err)
{
	if (t->kind == TUNABLE_MTU)
		return add_block_read(out, LIST_OF_INTERFACES, t->object, err);
	if (t->kind == TUNABLE_VSWITCH_MTU)
		return add_block_read(out, LIST_OF_SWITCHES, t->object, err);
	for (size_t i = 0; i < COUNT_OF(simple); i++) {
		if (simple[i].kind == t->kind)
			return add_simple_read(out, t, i, err);
	}
	return refuse(t, err);
}

static bool add_probe_esxi(struct text *out, const struct tunable *t, struct err *err)
{
	struct text command = {0};
	bool ok = true;

	switch ((int)t->kind) {
	case TUNABLE_MTU:
		text_add(&command, LIST_OF_INTERFACES);
		text_add(out, LIST_OF_SWITCHES " 2>/dev/null </dev/null | mark switch; ");
		break;
	case TUNABLE_RX_RING:
	case TUNABLE_TX_RING:
		ok = add_command(&command, "esxcli network nic ring preset get -n %s", t->object,
		                 err);
		break;
	case TUNABLE_OPTION:
		ok = add_command(&command, "esxcli system settings advanced list -o %s", t->object,
		                 err);
		break;
	case TUNABLE_EXEC_INSTALLED_ONLY:
		text_add(&command, "esxcli system settings advanced list -o " EXEC_OPTION);
		break;
	default:
		return true;
	}
	if (ok)
		text_printf(out, "%s 2>&1 </dev/null | mark list; ", text_str(&command));
	text_done(&command);
	return ok;
}

static void read_esxi(struct tunable_reader *r, const struct tunable *t, struct tunable_reading *to,
                      const char *said)
{
	const char *rest;

	(void)t;
	(void)to;
	if ((rest = tunable_section(said, "list")) != NULL)
		text_printf(&r->said[0], "%s\n", rest);
	else if ((rest = tunable_section(said, "switch")) != NULL)
		text_printf(&r->said[1], "%s\n", rest);
}

/* A vmk is a port of a standard switch, whose MTU is raised first, or of a distributed one. */
static void end_vmk(struct arena *arena, struct tunable_reader *r, const struct tunable *t,
                    struct tunable_reading *to)
{
	struct records vmks = records_read_blocks(arena, text_str(&r->said[0]));
	struct records switches = records_read_blocks(arena, text_str(&r->said[1]));
	const struct record *vmk = records_find(&vmks, "Name", t->object);
	const char *portset = vmk == NULL ? NULL : record_get(vmk, "Portset");
	const struct record *on = portset == NULL ? NULL : records_find(&switches, "Name", portset);

	tunable_limit_min(to, TUNABLE_IPV6_MTU_MIN,
	                  "IPv6 may be on, and would lose its addresses for good");
	if (on != NULL) {
		(void)snprintf(to->under, sizeof(to->under), "%s", portset);
		to->under_mtu = record_int(on, "MTU");
		tunable_limit_max(to, ESXI_MTU_MAX, "ESXi takes no more");
	} else if (portset != NULL && text_str(&r->said[1])[0] != '\0') {
		(void)snprintf(to->under, sizeof(to->under), "%s", portset);
		tunable_limit_max(to, ESXI_MTU_MAX, "ESXi takes no more");
	}
}

static void end_option(struct arena *arena, struct tunable_reader *r, const struct tunable *t,
                       struct tunable_reading *to)
{
	const char *name = t->kind == TUNABLE_OPTION ? t->object : EXEC_OPTION;
	struct records all = records_read_blocks(arena, text_str(&r->said[0]));
	const struct record *option = records_find(&all, "Path", name);

	if (option != NULL) {
		tunable_limit_min(to, record_int(option, "Min Value"), "the option's least value");
		tunable_limit_max(to, record_int(option, "Max Value"),
		                  "the option's greatest value");
	} else if (strstr(text_str(&r->said[0]), "Unable to find") != NULL) {
		(void)snprintf(to->fixed_why, sizeof(to->fixed_why),
		               "this release of ESXi has no option %s", name);
	}
}

static void end_ring(struct arena *arena, struct tunable_reader *r, const struct tunable *t,
                     struct tunable_reading *to)
{
	struct records all = records_read_blocks(arena, text_str(&r->said[0]));
	int64_t max = all.count == 0 ? RECORDS_UNKNOWN
	                             : record_int(&all.at[0],
	                                          t->kind == TUNABLE_RX_RING ? "Max RX" : "Max TX");

	tunable_limit_min(to, 1, "a ring has descriptors");
	tunable_limit_max(to, max, "the device's ring has no more");
}

static void end_esxi(struct tunable_reader *r, const struct tunable *t, struct tunable_reading *to)
{
	struct arena arena = {0};

	if (t->kind == TUNABLE_MTU) {
		end_vmk(&arena, r, t, to);
	} else if (t->kind == TUNABLE_VSWITCH_MTU) {
		tunable_limit_min(to, TUNABLE_IPV6_MTU_MIN, "IPv6 needs 1280");
		tunable_limit_max(to, ESXI_MTU_MAX, "ESXi takes no more");
	} else if (t->kind == TUNABLE_OPTION || t->kind == TUNABLE_EXEC_INSTALLED_ONLY) {
		end_option(&arena, r, t, to);
	} else if (t->kind == TUNABLE_RX_RING || t->kind == TUNABLE_TX_RING) {
		end_ring(&arena, r, t, to);
	}
	arena_done(&arena);
}

static const struct {
	enum tunable_kind kind;
	const char *command; /* the value follows it */
} sets[] = {
	{TUNABLE_MTU, "esxcli network ip interface set -i %s -m "},
	{TUNABLE_VSWITCH_MTU, "esxcli network vswitch standard set -v %s -m "},
	{TUNABLE_RX_RING, "esxcli network nic ring current set -n %s -r "},
	{TUNABLE_TX_RING, "esxcli network nic ring current set -n %s -t "},
	{TUNABLE_OPTION, "esxcli system settings advanced set -o %s -i "},
	{TUNABLE_EXEC_INSTALLED_ONLY, "esxcli system settings advanced set -o " EXEC_OPTION " -i "},
	{TUNABLE_FIREWALL, "esxcli network firewall set --enabled "},
	{TUNABLE_FIREWALL_ACTION, "esxcli network firewall set --default-action "},
	{TUNABLE_RULESET, "esxcli network firewall ruleset set -r %s -e "},
	{TUNABLE_SECPOLICY, "localcli system secpolicy domain set -n %s -l "},
};

static bool add_set_esxi(struct text *out, const struct tunable *t,
                         const struct tunable_reading *reading, const char *value, struct err *err)
{
	(void)reading;
	/* Its values are true for PASS and false for DROP. */
	if (t->kind == TUNABLE_FIREWALL_ACTION)
		value = strcmp(value, "PASS") == 0 ? "true" : "false";
	for (size_t i = 0; i < COUNT_OF(sets); i++) {
		if (sets[i].kind != t->kind)
			continue;
		if (!add_command(out, sets[i].command, t->object, err))
			return false;
		text_add(out, value);
		return true;
	}
	return refuse(t, err);
}

const struct tunable_ops tunable_esxi = {
	.add_read = add_read_esxi,
	.add_probe = add_probe_esxi,
	.read = read_esxi,
	.read_end = end_esxi,
	.add_set = add_set_esxi,
};
