/* SPDX-License-Identifier: MIT */
/* Any other system with an ifconfig(8): the MTU, no limit of which is known. */
#include "hostops/tunable_system.h"

static bool add_read_generic(struct text *out, const struct tunable *t, struct err *err)
{
	if (t->kind != TUNABLE_MTU)
		return tunable_unsupported(t, "a system that is neither Linux, FreeBSD nor ESXi",
		                           err);
	if (!tunable_check_plain(t->object, err))
		return false;
	/* "mtu 1500", and "MTU:1500" of older ones of Linux. */
	text_printf(out,
	            "ifconfig %s | tr \"MTU:\" \"mtu \" | sed -n \"s/.* mtu //p\" | "
	            "cut -d \" \" -f 1",
	            t->object);
	return true;
}

static void end_generic(struct tunable_reader *r, const struct tunable *t,
                        struct tunable_reading *to)
{
	(void)r;
	(void)t;
	tunable_limit_min(to, TUNABLE_IPV6_MTU_MIN,
	                  "IPv6 may be on, and would lose its addresses for good");
}

static bool add_set_generic(struct text *out, const struct tunable *t,
                            const struct tunable_reading *reading, const char *value,
                            struct err *err)
{
	(void)reading;
	if (t->kind != TUNABLE_MTU)
		return tunable_unsupported(t, "a system that is neither Linux, FreeBSD nor ESXi",
		                           err);
	if (!tunable_check_plain(t->object, err))
		return false;
	text_printf(out, "ifconfig %s mtu %s", t->object, value);
	return true;
}

const struct tunable_ops tunable_generic = {
	.add_read = add_read_generic,
	.read_end = end_generic,
	.add_set = add_set_generic,
};
