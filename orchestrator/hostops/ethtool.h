/* SPDX-License-Identifier: MIT */
/*
 * ethtool.h - reads what ethtool prints: features (-k, and --json -k), rings and queues
 * (-g, -l). Its lines of key and value (-i, -c, and without an option) are keyed.h's.
 *
 * ethtool 6 prints "n/a" where older ones print 0: both are "there is none".
 */
#ifndef HOSTOPS_ETHTOOL_H
#define HOSTOPS_ETHTOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

#define ETHTOOL_FEATURES_MAX 128
#define ETHTOOL_NAME_BYTES   48
#define ETHTOOL_COUNTS_MAX   16
#define ETHTOOL_NONE         (-1)

struct ethtool_feature {
	char name[ETHTOOL_NAME_BYTES];
	bool is_on;
	bool is_fixed;     /* nobody can change it */
	bool is_requested; /* what was asked for; differs from is_on where something holds it */
};

/* {0} is empty. */
struct ethtool_features {
	struct ethtool_feature at[ETHTOOL_FEATURES_MAX];
	size_t count;
};

/* Reads a line of `ethtool -k`; what is no feature is passed over. */
void ethtool_read_feature(struct ethtool_features *f, const char *line);

/* Reads all of `ethtool --json -k`; false when it is cut off. */
bool ethtool_read_features_json(struct ethtool_features *f, const char *text) NODISCARD;

const struct ethtool_feature *ethtool_feature(const struct ethtool_features *f,
                                              const char *name) NODISCARD;

/* "RX:", "Combined:" of ethtool -g and -l. {0} is empty. */
struct ethtool_counts {
	struct {
		char name[ETHTOOL_NAME_BYTES];
		int64_t max, now; /* ETHTOOL_NONE */
	} at[ETHTOOL_COUNTS_MAX];
	size_t count;
	enum { ETHTOOL_BEFORE, ETHTOOL_MAXIMUMS, ETHTOOL_CURRENT } part;
};

void ethtool_read_count(struct ethtool_counts *c, const char *line);

/* False when it is not there; *max and *now may be ETHTOOL_NONE. */
bool ethtool_count(const struct ethtool_counts *c, const char *name, int64_t *max,
                   int64_t *now) NODISCARD;

/* The speed in Mbit/s of a line "Speed: 10000Mb/s"; ETHTOOL_NONE when it is unknown. */
int64_t ethtool_speed(const char *text) NODISCARD;

#endif
