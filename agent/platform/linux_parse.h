/* SPDX-License-Identifier: MIT */
/*
 * linux_parse.h - what the text files of /proc, /sys and /etc say.
 *
 * Pure: text in, values out. What is not there or not as it should be is false,
 * never a 0 that was invented. Formats: proc(5), os-release(5).
 */
#ifndef AGENT_PLATFORM_LINUX_PARSE_H
#define AGENT_PLATFORM_LINUX_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

/*
 * The value of the first line "<key> <separator> <value>", blanks around the
 * separator ignored, quotes around the value taken off: /proc/cpuinfo and
 * /proc/meminfo with ':', os-release with '='. False when there is none, or
 * none that is not empty.
 */
bool linux_find_value(const char *text, const char *key, char separator, char *out,
                      size_t out_bytes) NODISCARD;

/* Each run of blanks becomes one, none at the ends: "4096\t131072\t6291456\n". */
void linux_squeeze(char *text);

/* One of the words between blanks is this one. */
bool linux_has_word(const char *text, const char *word) NODISCARD;

/* How many numbers a list such as "0-3,8" has. */
bool linux_count_list(const char *text, uint64_t *out) NODISCARD;

/* The counter `name` of the group, as "Tcp" "RetransSegs", in /proc/net/snmp or
 * /proc/net/netstat: a line of names and a line of values, both after "Tcp:". */
bool linux_find_counter(const char *text, const char *group, const char *name,
                        uint64_t *out) NODISCARD;

/* /proc/net/softnet_stat: the sum of a column (from 0) over all cores, hex. */
bool linux_sum_softnet(const char *text, unsigned column, uint64_t *out) NODISCARD;

#define LINUX_CORES_MAX 1024u

struct linux_core {
	uint64_t all;  /* ticks; 0 in both readings: no such core */
	uint64_t busy; /* neither idle nor waiting for I/O */
	uint64_t steal;
};

/* The lines cpu0, cpu1, ... of /proc/stat, by their number. Cores that are not in
 * the text are zero. False when there is none at all. */
bool linux_parse_stat(const char *text, struct linux_core cores[LINUX_CORES_MAX]) NODISCARD;

/* What the busiest core and the hypervisor did between two readings, in
 * thousandths. False when no time has passed. */
bool linux_compare_stat(const struct linux_core before[LINUX_CORES_MAX],
                        const struct linux_core after[LINUX_CORES_MAX], uint64_t *busiest_permille,
                        uint64_t *steal_permille) NODISCARD;

#endif
