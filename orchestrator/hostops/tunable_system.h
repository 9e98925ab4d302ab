/* SPDX-License-Identifier: MIT */
/* tunable_system.h - what each system's file gives to tunable.c. */
#ifndef HOSTOPS_TUNABLE_SYSTEM_H
#define HOSTOPS_TUNABLE_SYSTEM_H

#include "hostops/tunable.h"

#define TUNABLE_IPV6_MTU_MIN 1280 /* RFC 8200, section 5 */

struct tunable_ops {
	bool (*add_read)(struct text *out, const struct tunable *t, struct err *err);
	/* The probe's lines besides the value; NULL: none. */
	bool (*add_probe)(struct text *out, const struct tunable *t, struct err *err);
	void (*read)(struct tunable_reader *r, const struct tunable *t, struct tunable_reading *to,
	             const char *said);
	void (*read_end)(struct tunable_reader *r, const struct tunable *t,
	                 struct tunable_reading *to);
	bool (*add_set)(struct text *out, const struct tunable *t,
	                const struct tunable_reading *reading, const char *value, struct err *err);
	/* NULL: the line that sets the value that was read. */
	bool (*add_undo)(struct text *out, const struct tunable *t,
	                 const struct tunable_reading *reading, struct err *err);
};

extern const struct tunable_ops tunable_linux;
extern const struct tunable_ops tunable_freebsd;
extern const struct tunable_ops tunable_esxi;
extern const struct tunable_ops tunable_generic;

const struct tunable_ops *tunable_ops_of(const struct tunable *t);

/* Has it the form of this kind's values? */
bool tunable_is_value(enum tunable_kind kind, const char *value) NODISCARD;

/* False when the setting is of an object, and that cannot be an argument. */
bool tunable_check_object(const struct tunable *t, struct err *err) NODISCARD;

/* The rest of `said` after a section's name and one blank; NULL when it is another's. */
const char *tunable_section(const char *said, const char *section) NODISCARD;

/* Adds a name to a line, in quotes where it needs them; false when it can be no argument. */
bool tunable_add_object(struct text *out, const char *object, struct err *err) NODISCARD;

/* The same for names that become part of a path or a pattern: letters, digits, "_.:-". */
bool tunable_check_plain(const char *object, struct err *err) NODISCARD;

/* Takes a limit when it is tighter. */
void tunable_limit_min(struct tunable_reading *to, int64_t min, const char *why);
void tunable_limit_max(struct tunable_reading *to, int64_t max, const char *why);

/* The greatest MTU of a driver's devices, by its source or documentation. */
struct tunable_device {
	const char *driver, *device; /* device: part of its description; NULL: any */
	int64_t max_mtu;
	const char *why;
};

/* Sets the error: this system has no such setting. */
bool tunable_unsupported(const struct tunable *t, const char *system, struct err *err);

#endif
