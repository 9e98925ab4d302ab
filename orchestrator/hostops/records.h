/* SPDX-License-Identifier: MIT */
/*
 * records.h - what esxcli and localcli list, in each of their formats, as records of fields.
 *
 * Keys differ between the formats ("Link Status", "LinkStatus"): record_get() takes no notice
 * of blanks and case. Text lies in the arena. Formats: see tests/data/samples/esxi.
 */
#ifndef HOSTOPS_RECORDS_H
#define HOSTOPS_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"

#define RECORDS_UNKNOWN     (-1)
#define RECORDS_FIELDS_MAX  64 /* of one record; more are left out */
#define RECORDS_MAX         4096
#define RECORDS_COLUMNS_MAX 32

struct record {
	const char *name; /* the line above a block; "" where the format has none */
	struct record_field {
		const char *key, *value;
	} * fields;
	size_t count;
};

struct records {
	struct record *at;
	size_t count;
};

/* A table: headings, a line of dashes, rows. The dashes say where columns are, in characters,
 * since values hold blanks. What is no table gives no records. */
struct records records_read_table(struct arena *arena, const char *text);

/* Blocks of "   Key: value", each below its name, or without one after an empty line; deeper
 * levels are fields, too. */
struct records records_read_blocks(struct arena *arena, const char *text);

/* esxcli --formatter=csv: RFC 4180 with a comma at the end of each line. */
struct records records_read_csv(struct arena *arena, const char *text);

/* localcli --formatter=json: a list of objects, or one. Lists within become "a, b". */
struct records records_read_json(struct arena *arena, const char *text);

/* esxcli --formatter=xml: each <structure> with its <field name="...">. */
struct records records_read_xml(struct arena *arena, const char *text);

/* NULL when there is no such field. */
const char *record_get(const struct record *r, const char *key) NODISCARD;

/* RECORDS_UNKNOWN when there is none, or it is no number of 0 and above. */
int64_t record_int(const struct record *r, const char *key) NODISCARD;

/* The one with this value in this field, or with this name (key NULL); NULL: none. */
const struct record *records_find(const struct records *all, const char *key,
                                  const char *value) NODISCARD;

/* For the readers. Adds a record, or returns NULL when there are too many. */
struct record *records_add(struct arena *arena, struct records *all);
/* Adds a field; its texts are copied. */
void record_add(struct arena *arena, struct record *r, const char *key, size_t key_len,
                const char *value, size_t value_len);

#endif
