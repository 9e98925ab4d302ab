/* SPDX-License-Identifier: MIT */
/*
 * FreeBSD and TrueNAS CORE: ifconfig(8), sysctl(8). Switches are read from the number behind
 * "options=", see ifconfig.h.
 */
#include <stdio.h>
#include <string.h>

#include "hostops/ifconfig.h"
#include "hostops/tunable_system.h"

/* Words of ifconfig(8) with their bits. Those that drivers take along come after their own. */
static const struct {
	enum tunable_kind kind;
	const char *word;
	uint32_t bit;
	bool is_companion; /* some drivers turn it off with the others: put back, but not set */
} switches[] = {
	{TUNABLE_LRO, "lro", IFCONFIG_LRO, false},
	{TUNABLE_TSO, "tso4", IFCONFIG_TSO4, false},
	{TUNABLE_TSO, "tso6", IFCONFIG_TSO6, false},
	{TUNABLE_RX_CHECKSUM, "rxcsum", IFCONFIG_RXCSUM, false},
	{TUNABLE_RX_CHECKSUM, "rxcsum6", IFCONFIG_RXCSUM_IPV6, false},
	{TUNABLE_RX_CHECKSUM, "lro", IFCONFIG_LRO, true},
	{TUNABLE_TX_CHECKSUM, "txcsum", IFCONFIG_TXCSUM, false},
	{TUNABLE_TX_CHECKSUM, "txcsum6", IFCONFIG_TXCSUM_IPV6, false},
	{TUNABLE_TX_CHECKSUM, "tso4", IFCONFIG_TSO4, true},
	{TUNABLE_TX_CHECKSUM, "tso6", IFCONFIG_TSO6, true},
};

/* em(4): if_em.c, 82545 (VMware's e1000) MAX_JUMBO_FRAME_SIZE, else 9234 less 18. vmx(4): the
 * driver accepts 65514, the device 9000 (vmxnet3 before version 6). */
static const struct tunable_device devices[] = {
	{"em", "82545", 16110, "em(4) takes 16110 on an 82545"},
	{"em", NULL, 9216, "em(4) takes 9216"},
	{"vmx", NULL, 9000, "vmxnet3 takes 9000, though vmx(4) accepts more"},
};

static uint32_t bits_of(enum tunable_kind kind)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < COUNT_OF(switches); i++) {
		if (switches[i].kind == kind && !switches[i].is_companion)
			bits |= switches[i].bit;
	}
	return bits;
}

/* "vmx" of "vmx0". */
static size_t driver_len(const char *nic)
{
	size_t len = strlen(nic);

	while (len > 0 && nic[len - 1] >= '0' && nic[len - 1] <= '9')
		len--;
	return len;
}

static bool add_read_freebsd(struct text *out, const struct tunable *t, struct err *err)
{
	uint32_t bits = bits_of(t->kind);

	if (t->kind == TUNABLE_MAXSOCKBUF) {
		text_add(out, "sysctl -n kern.ipc.maxsockbuf");
		return true;
	}
	if (t->kind != TUNABLE_MTU && bits == 0)
		return tunable_unsupported(t, "FreeBSD", err);
	if (!tunable_check_plain(t->object, err))
		return false;
	if (t->kind == TUNABLE_MTU)
		text_printf(out, "ifconfig %s | sed -n \"s/.* mtu //p\" | cut -d \" \" -f 1",
		            t->object);
	else
		text_printf(out,
		            "o=$(ifconfig %s | sed -n \"s/^[[:blank:]]*options=//p\" | "
		            "cut -d \"<\" -f 1); test -n \"$o\" && "
		            "case $((0x$o & %#x)) in 0) echo off ;; *) echo on ;; esac",
		            t->object, bits);
	return true;
}

static bool add_probe_freebsd(struct text *out, const struct tunable *t, struct err *err)
{
	size_t len = driver_len(t->object);

	(void)err;
	if (t->kind == TUNABLE_MAXSOCKBUF)
		return true;
	text_printf(out, "ifconfig -m %s 2>/dev/null </dev/null | mark nic; ", t->object);
	if (t->kind == TUNABLE_MTU && len > 0 && t->object[len] != '\0')
		text_printf(out,
		            "sysctl -n dev.%.*s.%s.%%desc 2>/dev/null </dev/null | mark desc; ",
		            (int)len, t->object, t->object + len);
	return true;
}

static void read_freebsd(struct tunable_reader *r, const struct tunable *t,
                         struct tunable_reading *to, const char *said)
{
	const char *rest;

	(void)t;
	(void)to;
	if ((rest = tunable_section(said, "nic")) != NULL)
		text_printf(&r->said[0], "%s\n", rest);
	else if ((rest = tunable_section(said, "desc")) != NULL)
		text_add(&r->said[1], rest);
}

static void take_mtu_limits(const struct tunable *t, const struct ifconfig *nic, const char *desc,
                            struct tunable_reading *to)
{
	size_t len = driver_len(t->object);

	for (size_t i = 0; i < COUNT_OF(devices); i++) {
		if (strlen(devices[i].driver) != len ||
		    strncmp(devices[i].driver, t->object, len) != 0 ||
		    (devices[i].device != NULL && strstr(desc, devices[i].device) == NULL))
			continue;
		tunable_limit_max(to, devices[i].max_mtu, devices[i].why);
		break;
	}
	if (nic->has_ipv6)
		tunable_limit_min(to, TUNABLE_IPV6_MTU_MIN,
		                  "IPv6 is on, and would lose its addresses for good");
}

static void take_switches(const struct tunable *t, const struct ifconfig *nic,
                          struct tunable_reading *to)
{
	bool is_able = nic->capabilities == IFCONFIG_UNKNOWN;

	if (nic->options == IFCONFIG_UNKNOWN)
		return;
	for (size_t i = 0; i < COUNT_OF(switches); i++) {
		struct tunable_part *part = &to->parts[to->part_count];
		bool can = nic->capabilities == IFCONFIG_UNKNOWN ||
		           (nic->capabilities & (int64_t)switches[i].bit) != 0;

		if (switches[i].kind != t->kind || to->part_count == TUNABLE_PARTS_MAX)
			continue;
		(void)snprintf(part->name, sizeof(part->name), "%s", switches[i].word);
		part->is_on = part->is_requested = (nic->options & (int64_t)switches[i].bit) != 0;
		part->is_fixed = !can && !part->is_on;
		to->part_count++;
		is_able = is_able || (can && !switches[i].is_companion);
	}
	if (!is_able)
		(void)snprintf(to->fixed_why, sizeof(to->fixed_why),
		               "%s is not among the capabilities of %s (ifconfig -m)",
		               tunable_name(t->kind), t->object);
	if (t->kind == TUNABLE_TSO && (nic->options & IFCONFIG_TXCSUM) == 0)
		(void)snprintf(to->held_why, sizeof(to->held_why),
		               "txcsum of %s is off, which it needs", t->object);
}

static void end_freebsd(struct tunable_reader *r, const struct tunable *t,
                        struct tunable_reading *to)
{
	const char *line = text_str(&r->said[0]);
	struct ifconfig nic;

	ifconfig_begin(&nic);
	while (*line != '\0') {
		size_t len = strcspn(line, "\n");
		struct text one = {0};

		text_add_bytes(&one, line, len);
		ifconfig_read(&nic, text_str(&one));
		text_done(&one);
		line += len + (line[len] == '\n');
	}
	if (t->kind == TUNABLE_MTU)
		take_mtu_limits(t, &nic, text_str(&r->said[1]), to);
	else if (t->kind != TUNABLE_MAXSOCKBUF)
		take_switches(t, &nic, to);
}

/* Those of the host's release and device alone: an unknown word would stop ifconfig. */
static void add_switches(struct text *out, const struct tunable *t,
                         const struct tunable_reading *reading, const char *value)
{
	const char *sign = strcmp(value, "on") == 0 ? "" : "-";

	if (t->kind == TUNABLE_TSO) {
		text_printf(out, " %stso", sign);
		return;
	}
	for (size_t i = 0, part = 0; i < COUNT_OF(switches); i++) {
		bool is_fixed;

		if (switches[i].kind != t->kind)
			continue;
		is_fixed = part < reading->part_count && reading->parts[part].is_fixed;
		part++;
		if (!switches[i].is_companion && !is_fixed)
			text_printf(out, " %s%s", sign, switches[i].word);
	}
}

static bool add_set_freebsd(struct text *out, const struct tunable *t,
                            const struct tunable_reading *reading, const char *value,
                            struct err *err)
{
	if (t->kind == TUNABLE_MAXSOCKBUF) {
		text_printf(out, "sysctl kern.ipc.maxsockbuf=%s", value);
		return true;
	}
	if (t->kind != TUNABLE_MTU && bits_of(t->kind) == 0)
		return tunable_unsupported(t, "FreeBSD", err);
	if (!tunable_check_plain(t->object, err))
		return false;
	text_printf(out, "ifconfig %s", t->object);
	if (t->kind == TUNABLE_MTU)
		text_printf(out, " mtu %s", value);
	else
		add_switches(out, t, reading, value);
	return true;
}

static bool add_undo_freebsd(struct text *out, const struct tunable *t,
                             const struct tunable_reading *reading, struct err *err)
{
	if (reading->part_count == 0)
		return tunable_set_line(out, t, reading, reading->value, err);
	if (!tunable_check_plain(t->object, err))
		return false;
	text_printf(out, "ifconfig %s", t->object);
	for (size_t i = 0; i < reading->part_count; i++) {
		if (!reading->parts[i].is_fixed)
			text_printf(out, " %s%s", reading->parts[i].is_on ? "" : "-",
			            reading->parts[i].name);
	}
	return true;
}

const struct tunable_ops tunable_freebsd = {
	.add_read = add_read_freebsd,
	.add_probe = add_probe_freebsd,
	.read = read_freebsd,
	.read_end = end_freebsd,
	.add_set = add_set_freebsd,
	.add_undo = add_undo_freebsd,
};
