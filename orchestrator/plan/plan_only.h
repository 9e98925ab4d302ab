/* SPDX-License-Identifier: MIT */
/*
 * plan_only.h - the language of --only: which cells of a plan are wanted.
 *
 *	class=vm-vm*,streams=4|8,lro=on
 *
 * Terms stand between commas and must all hold; a term is key=value, or
 * key=value|value where one of the values must hold. Blanks around terms and
 * values do not matter.
 *
 *	src, dst    a host, or a NIC as host.nic: the sender, the receiver
 *	host        the same: either of them
 *	pair        A:B, each a host or a NIC, in either order
 *	class       a path class
 *	driver      a driver family, or a driver of it: of either end's NIC
 *	profile     a profile of this plan
 *	mtu         bytes, or unchanged
 *	window      a size, or default
 *	buffer      a size, or default
 *	streams     a number
 *	direction   forward, reverse or bidir
 *	lro, tso    on, off or unchanged
 *	bytes       a size, or none
 *	protocol    tcp or udp
 *	mode        bulk or rr
 *	zero_copy   off, sender or both
 *	bitrate     a rate, or unlimited
 *	mss         bytes, or default
 *	no_delay, bind_device  on or off
 *	dscp        a number, a name such as ef, or default
 *	congestion  an algorithm, or default
 *	ip_version  4, 6 or default
 *	affinity    auto, off, or cores, as in the topology or with + for commas: 0-3,6 or 0-3+6
 *	source_port a number, or any
 *	cell        a cell's index without --only (up to 7 digits), or at least 8
 *	            digits of its fingerprint
 *
 * A name (src to profile, congestion, affinity) may end in *, which stands for any rest.
 */
#ifndef PLAN_PLAN_ONLY_H
#define PLAN_PLAN_ONLY_H

#include "common/text.h"
#include "common/units.h"
#include "plan/plan.h"

enum plan_only_key {
	PLAN_ONLY_SRC,
	PLAN_ONLY_DST,
	PLAN_ONLY_HOST,
	PLAN_ONLY_PAIR,
	PLAN_ONLY_CLASS,
	PLAN_ONLY_DRIVER,
	PLAN_ONLY_PROFILE,
	PLAN_ONLY_MTU,
	PLAN_ONLY_WINDOW,
	PLAN_ONLY_BUFFER,
	PLAN_ONLY_STREAMS,
	PLAN_ONLY_DIRECTION,
	PLAN_ONLY_LRO,
	PLAN_ONLY_TSO,
	PLAN_ONLY_BYTES,
	PLAN_ONLY_PROTOCOL,
	PLAN_ONLY_MODE,
	PLAN_ONLY_ZERO_COPY,
	PLAN_ONLY_BITRATE,
	PLAN_ONLY_MSS,
	PLAN_ONLY_NO_DELAY,
	PLAN_ONLY_DSCP,
	PLAN_ONLY_CONGESTION,
	PLAN_ONLY_IP_VERSION,
	PLAN_ONLY_AFFINITY,
	PLAN_ONLY_BIND_DEVICE,
	PLAN_ONLY_SOURCE_PORT,
	PLAN_ONLY_CELL,
	PLAN_ONLY_KEYS
};

/* A name as written, without its *. */
struct plan_only_name {
	const char *at;
	size_t len;
	bool is_prefix;
};

struct plan_only_value {
	struct plan_only_name name;  /* src to profile, texts; cell: digits of a fingerprint */
	struct plan_only_name other; /* pair: the second end */
	uint64_t number; /* of a factor: the level; cell: the index when name.at is NULL */
};

struct plan_only_term {
	enum plan_only_key key;
	const char *text; /* the whole term, for messages */
	struct plan_only_value *values;
	size_t value_count;
};

struct plan_only {
	struct plan_only_term *terms;
	size_t count;
};

/*
 * Reads an expression for a plan whose topology and profiles are set; what
 * *out points to lies in the arena. ERR_USAGE names the term and says what
 * could stand there.
 */
bool plan_only_parse(const char *text, const struct plan *plan, struct arena *arena,
                     struct plan_only *out, struct err *err) NODISCARD;

enum plan_only_kind {
	PLAN_ONLY_NAME,   /* of an end, a class, a profile, a driver */
	PLAN_ONLY_ENDS,   /* of a pair */
	PLAN_ONLY_NUMBER, /* a level of a factor */
	PLAN_ONLY_LEVEL,  /* one that has a name */
	PLAN_ONLY_TEXT,   /* one that is a text */
	PLAN_ONLY_ONE     /* cell */
};

/* What a key is about. */
struct plan_only_row {
	const char *name; /* "src", "dst", ... */
	enum plan_only_kind kind;
	enum unit unit;                            /* NUMBER */
	const char *zero;                          /* NUMBER, TEXT: the word for 0, NULL: none */
	const char *(*level_name)(unsigned level); /* LEVEL: NULL beyond the last */
	size_t offset, width;                      /* in struct plan_config; width 0: not there */
	const char *wanted;
};

const struct plan_only_row *plan_only_row(enum plan_only_key key);

/* True when the value is the cell's level of the factor; its kind is NUMBER, LEVEL or TEXT. */
bool plan_only_level_fits(enum plan_only_key key, const struct plan_only_value *value,
                          const struct plan_cell *cell);

/* Adds the cell's level of the factor to a list of choices, as it may be written. */
void plan_only_add_level(enum plan_only_key key, const struct plan_cell *cell, struct text *list);

/* True when the NIC, or its host, is the one named. */
bool plan_only_end_fits(const struct plan_only_name *name, const struct nic *nic);

bool plan_only_name_fits(const struct plan_only_name *name, const char *text);

/*
 * Up to the comma that ends the first term of an expression, or all of it. A comma between
 * the cores of a list ends nothing: affinity=0-3,6,mtu=9000 are two terms.
 */
size_t plan_only_term_len(const char *text);

/*
 * Keeps the plan's cells that fit and numbers them anew. ERR_USAGE when the
 * expression is wrong or nothing is left.
 */
bool plan_select(struct plan *plan, const char *only, struct err *err) NODISCARD;

#endif
