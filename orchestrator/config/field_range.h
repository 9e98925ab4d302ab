/* SPDX-License-Identifier: MIT */
/* field_range.h - what a table row accepts, in words: for messages and for the reference. */
#ifndef CONFIG_FIELD_RANGE_H
#define CONFIG_FIELD_RANGE_H

#include "config/field.h"

#define FIELD_RANGE_BYTES 256

/* "a size such as 4096, 64K or 12M, or `default`"; "one of esxi, vm, baremetal". */
const char *field_wanted(const struct field *row, char out[FIELD_RANGE_BYTES]);

/* "4K to 1G" of a number or a real; "" when every value is fine. */
const char *field_range(const struct field *row, char out[FIELD_RANGE_BYTES]);

#endif
