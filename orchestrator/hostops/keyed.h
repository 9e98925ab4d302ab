/* SPDX-License-Identifier: MIT */
/*
 * keyed.h - lines of a key and a value, as most tools print them:
 *
 *	driver: vmxnet3				ethtool -i, -c, -S
 *	   Int Value: 1				esxcli ... get
 *	   Device NUMA Node:0			vsish
 *	net.core.rmem_max = 212992		sysctl of Linux; FreeBSD's has ": "
 *	ethernet0.virtualDev = "vmxnet3"	.vmx
 */
#ifndef HOSTOPS_KEYED_H
#define HOSTOPS_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

struct keyed_line {
	const char *key,
		*value; /* not ended by NUL; the value has no blanks and quotes around it */
	size_t key_len, value_len;
	size_t indent; /* blanks before the key */
	bool is_pair;  /* has a separator; else the key is the whole line */
};

/* Takes the next line off *at; false at the end. */
bool keyed_next(const char **at, struct keyed_line *out) NODISCARD;

bool keyed_is(const struct keyed_line *line, const char *key) NODISCARD;

/* The value of the first line with this key; false when there is none, or it does not fit. */
bool keyed_find(const char *text, const char *key, char *out, size_t room) NODISCARD;

/* The same as a number, 0 to INT64_MAX, of digits alone or before a blank ("4700 MHz"). */
bool keyed_find_int(const char *text, const char *key, int64_t *out) NODISCARD;

/* All of `text` as a number, as above. */
bool keyed_int(const char *text, size_t len, int64_t *out) NODISCARD;

#endif
