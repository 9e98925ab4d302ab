/* SPDX-License-Identifier: MIT */
/*
 * tunable.h - what a run may change on a host: how each setting is read, set, put back, and
 * what its limits are, on each kind of system.
 *
 * Pure: makes lines of POSIX shell and reads what they print. Lines that set are such as an
 * administrator types, since the journal keeps them. A NIC's setting has the NIC's name as its
 * object, others what the table below says. Of the order of changes see tunable_rank().
 *
 * All lines go through shell_command() or privilege_command(), and hold only what those take.
 */
#ifndef HOSTOPS_TUNABLE_H
#define HOSTOPS_TUNABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"
#include "hostops/shell.h"

enum tunable_system { TUNABLE_LINUX, TUNABLE_FREEBSD, TUNABLE_ESXI, TUNABLE_GENERIC };

enum tunable_kind {                      /* values		object */
	            TUNABLE_MTU,         /* bytes		NIC; vmk of ESXi */
	            TUNABLE_LRO,         /* on, off		NIC */
	            TUNABLE_TSO,         /* on, off		NIC */
	            TUNABLE_GRO,         /* on, off		NIC */
	            TUNABLE_GSO,         /* on, off		NIC */
	            TUNABLE_RX_CHECKSUM, /* on, off		NIC */
	            TUNABLE_TX_CHECKSUM, /* on, off		NIC */
	            TUNABLE_RX_RING,     /* descriptors	NIC; vmnic of ESXi */
	            TUNABLE_TX_RING,
	            TUNABLE_RMEM_MAX, /* bytes		"": the host */
	            TUNABLE_WMEM_MAX,
	            TUNABLE_MAXSOCKBUF,
	            /* ESXi alone: */
	            TUNABLE_VSWITCH_MTU,     /* bytes		standard vSwitch */
	            TUNABLE_OPTION,          /* number		"/Net/UseHwTSO": of the whole host */
	            TUNABLE_FIREWALL,        /* true, false	"" */
	            TUNABLE_FIREWALL_ACTION, /* PASS, DROP	"" */
	            TUNABLE_RULESET,         /* true, false	ruleset of the firewall */
	            TUNABLE_SECPOLICY,       /* enforcing, disabled	"appDom": a security domain */
	            TUNABLE_EXEC_INSTALLED_ONLY, /* 0, 1		"" */
	            TUNABLE_KIND_COUNT
};

struct tunable {
	enum tunable_system system;
	enum tunable_kind kind;
	const char *object;
};

#define TUNABLE_UNKNOWN     (-1)
#define TUNABLE_VALUE_BYTES 32
#define TUNABLE_NAME_BYTES  64
#define TUNABLE_WHY_BYTES   192
#define TUNABLE_PARTS_MAX   16

/* What the host told of one tunable. */
struct tunable_reading {
	bool is_complete;                /* its probe came to its end */
	char value[TUNABLE_VALUE_BYTES]; /* as the read line prints it; "" = unknown */
	int64_t min, max;                /* TUNABLE_UNKNOWN */
	char min_why[TUNABLE_NAME_BYTES], max_why[TUNABLE_NAME_BYTES];
	char fixed_why[TUNABLE_WHY_BYTES]; /* why nobody can change it, with the remedy; "" */
	char held_why[TUNABLE_WHY_BYTES];  /* why "on" may not come about; "" */
	bool has_ip;                       /* Linux: ip(8) is there, else ifconfig(8) is used */
	/* What a switch stands for, as it was asked for: the undo names each. */
	struct tunable_part {
		char name[TUNABLE_NAME_BYTES];
		bool is_on, is_requested, is_fixed;
	} parts[TUNABLE_PARTS_MAX];
	size_t part_count;
	/* MTU of a vmk: the switch that it is a port of, and that one's MTU. */
	char under[TUNABLE_NAME_BYTES];
	int64_t under_mtu;
};

/* By the first word of `uname -s`, or of "Linux/x86_64" as in machine.h. */
enum tunable_system tunable_system_of(const char *uname) NODISCARD;

/* "mtu", "rx_checksum", "vswitch_mtu", ...: as safety.change and the journal have them. */
const char *tunable_name(enum tunable_kind kind) NODISCARD;
bool tunable_by_name(const char *name, enum tunable_kind *out) NODISCARD;

/*
 * What whoever agrees to a change should know of it: an outage, alarms, what outlives a reboot;
 * NULL when there is nothing to say. One sentence.
 */
const char *tunable_note(const struct tunable *t) NODISCARD;

/*
 * Adds the line that prints the value, as in the table above, and nothing else; an empty line
 * or none means unknown. False, with the reason, when the system has no such setting, or the
 * object cannot be named in a command.
 */
bool tunable_read_line(struct text *out, const struct tunable *t, struct err *err) NODISCARD;

/*
 * Adds the script that asks for value and limits of all of them; it only reads. Its lines are
 * marked: "tun INDEX SECTION TEXT". `marker` NULL: the script is part of a text that has $m.
 */
bool tunable_probe(struct text *script, const struct shell_marker *marker,
                   const struct tunable *list, size_t count, struct err *err) NODISCARD;

/* Reads the probe's lines. */
struct tunable_reader {
	const struct tunable *list;
	struct tunable_reading *out;
	size_t count;
	struct text said[2]; /* lists that are read as a whole */
};

/* `out` has `count` readings, which become unknown; list and out must outlive the reader. */
void tunable_read_begin(struct tunable_reader *r, const struct tunable *list,
                        struct tunable_reading *out, size_t count);
void tunable_read(struct tunable_reader *r, const char *marked); /* see shell_marker_read() */
void tunable_read_done(struct tunable_reader *r);

/* Can it become this? False with the reason: no such value, outside the limits, fixed. */
bool tunable_check(const struct tunable *t, const struct tunable_reading *reading,
                   const char *value, struct err *err) NODISCARD;

/* Adds the line that sets it. Checks nothing but the value's form. */
bool tunable_set_line(struct text *out, const struct tunable *t,
                      const struct tunable_reading *reading, const char *value,
                      struct err *err) NODISCARD;

/* Adds the line that makes it what was read, down to the last feature. False when the value
 * is unknown: what cannot be put back must not be changed. */
bool tunable_undo_line(struct text *out, const struct tunable *t,
                       const struct tunable_reading *reading, struct err *err) NODISCARD;

/*
 * Of changes that belong together, those of lower rank come first: a vSwitch is raised before
 * what is on it and lowered after it; offloads go on after the checksums that they need, and
 * off before them. An undo is a change from the value set to the one before.
 */
int tunable_rank(const struct tunable *t, const char *from, const char *to) NODISCARD;

#endif
