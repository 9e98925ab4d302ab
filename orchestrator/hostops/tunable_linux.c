/* SPDX-License-Identifier: MIT */
/*
 * Linux: ip(8) of iproute2 or busybox, else ifconfig(8); ethtool(8); /sys and /proc for what
 * needs no tool.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "hostops/ethtool.h"
#include "hostops/ip_link.h"
#include "hostops/keyed.h"
#include "hostops/tunable_system.h"

#define NO_ETHTOOL                                                                           \
	"ethtool is not installed on the host: install the package ethtool (apt, dnf, apk, " \
	"zypper)"

/* A switch of `ethtool -K`, its line in `ethtool -k`, the features that it stands for. */
struct offload {
	enum tunable_kind kind;
	const char *word, *line;
	const char *parts; /* pattern; NULL: there is but one */
	const char *needs; /* the kernel holds it off while this is off; NULL: nothing */
};

static const struct offload offloads[] = {
	{TUNABLE_LRO, "lro", "large-receive-offload", NULL, "rx-checksumming"},
	{TUNABLE_TSO, "tso", "tcp-segmentation-offload", "tx-tcp*-segmentation", "tx-checksumming"},
	{TUNABLE_GRO, "gro", "generic-receive-offload", NULL, NULL},
	{TUNABLE_GSO, "gso", "generic-segmentation-offload", NULL, "scatter-gather"},
	{TUNABLE_RX_CHECKSUM, "rx", "rx-checksumming", NULL, NULL},
	{TUNABLE_TX_CHECKSUM, "tx", "tx-checksumming", "tx-checksum-*", NULL},
};

static const struct {
	enum tunable_kind kind;
	const char *word, *line; /* of ethtool -G and -g */
} rings[] = {{TUNABLE_RX_RING, "rx", "RX"}, {TUNABLE_TX_RING, "tx", "TX"}};

static const struct {
	enum tunable_kind kind;
	const char *name, *path;
} sysctls[] = {
	{TUNABLE_RMEM_MAX, "net.core.rmem_max", "/proc/sys/net/core/rmem_max"},
	{TUNABLE_WMEM_MAX, "net.core.wmem_max", "/proc/sys/net/core/wmem_max"},
};

/*
 * Where the kernel does not tell (before 4.10, or iproute2 without max_mtu). vmxnet3: device
 * versions below 6 (drivers/net/vmxnet3); e1000: MAX_JUMBO_FRAME_SIZE 0x3f00 less 18;
 * e1000e: 9234 less 18, the least of those with jumbo frames.
 */
static const struct tunable_device devices[] = {
	{"vmxnet3", NULL, 9000, "vmxnet3 below device version 6 takes 9000"},
	{"e1000", NULL, 16110, "e1000 takes 16110"},
	{"e1000e", NULL, 9216, "e1000e takes 9216"},
};

static const struct offload *offload_of(enum tunable_kind kind)
{
	for (size_t i = 0; i < COUNT_OF(offloads); i++) {
		if (offloads[i].kind == kind)
			return &offloads[i];
	}
	return NULL;
}

static bool add_read_linux(struct text *out, const struct tunable *t, struct err *err)
{
	const struct offload *o = offload_of(t->kind);

	for (size_t i = 0; i < COUNT_OF(sysctls); i++) {
		if (sysctls[i].kind == t->kind) {
			text_printf(out, "cat %s", sysctls[i].path);
			return true;
		}
	}
	if (!tunable_check_plain(t->object, err))
		return false;
	if (t->kind == TUNABLE_MTU) {
		text_printf(out, "cat /sys/class/net/%s/mtu", t->object);
		return true;
	}
	if (o != NULL) {
		text_printf(out, "ethtool -k %s | sed -n \"s/^%s: //p\" | cut -d \" \" -f 1",
		            t->object, o->line);
		return true;
	}
	for (size_t i = 0; i < COUNT_OF(rings); i++) {
		if (rings[i].kind == t->kind) {
			text_printf(out,
			            "ethtool -g %s | sed \"1,/^Current/d\" | "
			            "sed -n \"s/^%s:[^0-9]*//p\"",
			            t->object, rings[i].line);
			return true;
		}
	}
	return tunable_unsupported(t, "Linux", err);
}

static bool add_probe_linux(struct text *out, const struct tunable *t, struct err *err)
{
	(void)err;
	if (t->kind == TUNABLE_MTU) {
		text_printf(out,
		            "has ip; { ip -j -d link show dev %s 2>/dev/null </dev/null; } | "
		            "fold -w 200 | mark link; "
		            "if test -L /sys/class/net/%s/device/driver; then "
		            "readlink /sys/class/net/%s/device/driver | sed \"s,.*/,,\" | "
		            "mark driver; fi; ",
		            t->object, t->object, t->object);
		text_printf(out,
		            "if test -e /proc/sys/net/ipv6/conf/%s; then "
		            "mark noipv6 </proc/sys/net/ipv6/conf/%s/disable_ipv6; fi; ",
		            t->object, t->object);
	} else if (offload_of(t->kind) != NULL) {
		text_printf(out,
		            "has ethtool; ethtool -k %s 2>/dev/null </dev/null | mark feature; ",
		            t->object);
	} else if (t->kind == TUNABLE_RX_RING || t->kind == TUNABLE_TX_RING) {
		text_printf(out, "has ethtool; ethtool -g %s 2>/dev/null </dev/null | mark ring; ",
		            t->object);
	}
	return true;
}

/* A feature that the switch stands for, or another one that it needs. */
static void take_feature(const struct tunable *t, struct tunable_reading *to, const char *line)
{
	const struct offload *o = offload_of(t->kind);
	struct ethtool_features f = {0};
	struct tunable_part *part = &to->parts[to->part_count];

	ethtool_read_feature(&f, line);
	/* Its name becomes part of a command: what no feature is called is left out. */
	if (o == NULL || f.count == 0 ||
	    f.at[0].name[strspn(f.at[0].name, "abcdefghijklmnopqrstuvwxyz0123456789-_")] != '\0')
		return;
	if (strcmp(f.at[0].name, o->line) == 0) {
		if (f.at[0].is_fixed)
			(void)snprintf(to->fixed_why, sizeof(to->fixed_why),
			               "the driver of %s has it fixed at %s", t->object,
			               f.at[0].is_on ? "on" : "off");
		else if (f.at[0].is_requested && !f.at[0].is_on && to->held_why[0] == '\0')
			(void)snprintf(to->held_why, sizeof(to->held_why),
			               "it is asked for already, and the kernel holds it off "
			               "(forwarding, a bridge, XDP, or a feature that it needs)");
	} else if (o->needs != NULL && strcmp(f.at[0].name, o->needs) == 0) {
		if (!f.at[0].is_on)
			(void)snprintf(to->held_why, sizeof(to->held_why),
			               "%s of %s is off, which it needs", o->needs, t->object);
	}
	if (to->part_count == TUNABLE_PARTS_MAX)
		return;
	if (strcmp(f.at[0].name, o->line) != 0 &&
	    (o->parts == NULL || fnmatch(o->parts, f.at[0].name, 0) != 0))
		return;
	(void)snprintf(part->name, sizeof(part->name), "%s", f.at[0].name);
	part->is_on = f.at[0].is_on;
	part->is_fixed = f.at[0].is_fixed;
	part->is_requested = f.at[0].is_requested;
	to->part_count++;
}

static void take_link(struct tunable_reading *to, const char *json)
{
	struct ip_link link;

	if (!ip_link_read(&link, json))
		return;
	if (link.min_mtu != IP_LINK_UNKNOWN)
		tunable_limit_min(to, link.min_mtu, "the device takes no less");
	if (link.max_mtu != IP_LINK_UNKNOWN)
		tunable_limit_max(to, link.max_mtu, "the device takes no more");
}

static void read_linux(struct tunable_reader *r, const struct tunable *t,
                       struct tunable_reading *to, const char *said)
{
	const char *rest;

	if ((rest = tunable_section(said, "has")) != NULL) {
		to->has_ip = to->has_ip || strcmp(rest, "ip") == 0;
		if (strcmp(rest, "ethtool") == 0)
			text_add(&r->said[1], rest);
	} else if ((rest = tunable_section(said, "link")) != NULL) {
		text_add(&r->said[0], rest);
	} else if ((rest = tunable_section(said, "feature")) != NULL) {
		take_feature(t, to, rest);
	} else if ((rest = tunable_section(said, "ring")) != NULL) {
		text_printf(&r->said[0], "%s\n", rest);
	} else if ((rest = tunable_section(said, "noipv6")) != NULL) {
		if (strcmp(rest, "0") == 0)
			tunable_limit_min(to, TUNABLE_IPV6_MTU_MIN,
			                  "IPv6 is on, and would lose its addresses for good");
	} else if ((rest = tunable_section(said, "driver")) != NULL) {
		text_add(&r->said[1], rest);
	}
}

static void end_ring(struct tunable_reader *r, const struct tunable *t, struct tunable_reading *to)
{
	struct ethtool_counts counts = {0};
	const char *text = text_str(&r->said[0]);
	int64_t max, now;

	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		ethtool_read_count(&counts, line);
	if (ethtool_count(&counts, t->kind == TUNABLE_RX_RING ? "RX" : "TX", &max, &now) &&
	    max != ETHTOOL_NONE) {
		tunable_limit_min(to, 1, "a ring has descriptors");
		tunable_limit_max(to, max, "the device's ring has no more");
	}
}

/* A group has no "[fixed]" of its own: it is so when all in it are, or one of them stays on. */
static void end_offload(const struct tunable *t, struct tunable_reading *to)
{
	const struct offload *o = offload_of(t->kind);
	size_t behind = 0;
	size_t free_ones = 0;
	const char *stuck = NULL;

	for (size_t i = 0; i < to->part_count; i++) {
		const struct tunable_part *p = &to->parts[i];

		if (o == NULL || strcmp(p->name, o->line) == 0)
			continue;
		behind++;
		free_ones += !p->is_fixed;
		if (p->is_fixed && p->is_on)
			stuck = p->name;
	}
	if (to->fixed_why[0] != '\0' || behind == 0)
		return;
	if (stuck != NULL)
		(void)snprintf(to->fixed_why, sizeof(to->fixed_why),
		               "the driver of %s has %s fixed at on", t->object, stuck);
	else if (free_ones == 0)
		(void)snprintf(to->fixed_why, sizeof(to->fixed_why),
		               "the driver of %s has it fixed at %s", t->object, to->value);
}

static void end_linux(struct tunable_reader *r, const struct tunable *t, struct tunable_reading *to)
{
	const char *tool = text_str(&r->said[1]);

	if (t->kind == TUNABLE_MTU) {
		take_link(to, text_str(&r->said[0]));
		for (size_t i = 0; i < COUNT_OF(devices) && to->max == TUNABLE_UNKNOWN; i++) {
			if (strcmp(tool, devices[i].driver) == 0)
				tunable_limit_max(to, devices[i].max_mtu, devices[i].why);
		}
		return;
	}
	if (t->kind == TUNABLE_RMEM_MAX || t->kind == TUNABLE_WMEM_MAX) {
		tunable_limit_max(to, INT32_MAX, "the kernel takes no more");
		return;
	}
	if (strcmp(tool, "ethtool") != 0)
		(void)snprintf(to->fixed_why, sizeof(to->fixed_why), "%s", NO_ETHTOOL);
	else if (t->kind == TUNABLE_RX_RING || t->kind == TUNABLE_TX_RING)
		end_ring(r, t, to);
	else
		end_offload(t, to);
}

/* Those of every version of ethtool. */
static bool is_classic(const char *part)
{
	static const char *const classic[] = {
		"tx-tcp-segmentation",
		"tx-tcp-ecn-segmentation",
		"tx-tcp-mangleid-segmentation",
		"tx-tcp6-segmentation",
	};

	for (size_t i = 0; i < COUNT_OF(classic); i++) {
		if (strcmp(part, classic[i]) == 0)
			return true;
	}
	return strncmp(part, "tx-checksum-", 12) == 0;
}

/*
 * The switch, and each feature that newer kernels have behind it and older versions of
 * ethtool do not know to be there: while one stays on, `ethtool -k` says on.
 */
static void add_offload(struct text *out, const struct tunable *t, const struct offload *o,
                        const struct tunable_reading *reading, const char *value)
{
	text_printf(out, "ethtool -K %s %s %s", t->object, o->word, value);
	for (size_t i = 0; i < reading->part_count && strcmp(value, "off") == 0; i++) {
		const struct tunable_part *p = &reading->parts[i];

		if (p->is_on && !p->is_fixed && strcmp(p->name, o->line) != 0 &&
		    !is_classic(p->name))
			text_printf(out, " %s off", p->name);
	}
}

static bool add_set_linux(struct text *out, const struct tunable *t,
                          const struct tunable_reading *reading, const char *value, struct err *err)
{
	const struct offload *o = offload_of(t->kind);

	for (size_t i = 0; i < COUNT_OF(sysctls); i++) {
		if (sysctls[i].kind == t->kind) {
			text_printf(out, "sysctl -w %s=%s", sysctls[i].name, value);
			return true;
		}
	}
	if (!tunable_check_plain(t->object, err))
		return false;
	if (t->kind == TUNABLE_MTU) {
		text_printf(out,
		            reading->is_complete && !reading->has_ip ? "ifconfig %s mtu %s"
		                                                     : "ip link set dev %s mtu %s",
		            t->object, value);
		return true;
	}
	if (o != NULL) {
		add_offload(out, t, o, reading, value);
		return true;
	}
	for (size_t i = 0; i < COUNT_OF(rings); i++) {
		if (rings[i].kind == t->kind) {
			text_printf(out, "ethtool -G %s %s %s", t->object, rings[i].word, value);
			return true;
		}
	}
	return tunable_unsupported(t, "Linux", err);
}

/* What was asked for of each feature; a switch alone would turn on those that were off. */
static bool add_undo_linux(struct text *out, const struct tunable *t,
                           const struct tunable_reading *reading, struct err *err)
{
	const struct offload *o = offload_of(t->kind);
	const char *value = reading->value;
	size_t named = 0;

	if (o == NULL)
		return tunable_set_line(out, t, reading, value, err);
	if (!tunable_check_plain(t->object, err))
		return false;
	text_printf(out, "ethtool -K %s", t->object);
	for (size_t i = 0; i < reading->part_count; i++) {
		const struct tunable_part *p = &reading->parts[i];

		if (strcmp(p->name, o->line) == 0)
			value = p->is_requested ? "on" : value;
		else if (!p->is_fixed) {
			text_printf(out, " %s %s", p->name, p->is_requested ? "on" : "off");
			named++;
		}
	}
	if (named == 0)
		text_printf(out, " %s %s", o->word, value);
	return true;
}

const struct tunable_ops tunable_linux = {
	.add_read = add_read_linux,
	.add_probe = add_probe_linux,
	.read = read_linux,
	.read_end = end_linux,
	.add_set = add_set_linux,
	.add_undo = add_undo_linux,
};
