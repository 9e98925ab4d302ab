/* SPDX-License-Identifier: MIT */
/*
 * topology_internal.h - what the parts of the topology loader share.
 *
 * The structs of topology.h hold what the lab is; the source_ structs here hold
 * where it is written and what was written before it was resolved. Arrays of
 * both run in parallel. All of it lies in the topology's arena.
 *
 *	topology_load.c     the file's sections in their order
 *	topology_fields*.c  the tables of keys
 *	topology_lab.c      resources, segments, routes, groups
 *	topology_hosts.c    hosts and NICs
 *	topology_endpoint.c "esx1.vmk1", "esx1@10.1.0.21", "esx1", pairs
 *	topology_setting.c  factors, axes, bundles
 *	topology_profile.c  profiles
 *	topology_check*.c   rules across entries; topology_combos.c and _demand.c help them
 */
#ifndef TOPOLOGY_TOPOLOGY_INTERNAL_H
#define TOPOLOGY_TOPOLOGY_INTERNAL_H

#include "config/field.h"
#include "topology/address.h"
#include "topology/setting.h"
#include "topology/topology.h"

struct source_resource {
	const struct node *node;
	bool has_kind;
};

struct source_segment {
	const struct node *node;
	struct subnet subnet;
};

struct source_nic {
	const struct node *node;
	uint64_t said;  /* rows of nic_fields: load_said() */
	bool is_broken; /* something of it could not be read, and was told */
	const char *segment;
	struct text_list uses;
	struct address address, address6; /* of ip and ip6; ADDRESS_NONE: not said or bad */
};

struct source_host {
	const struct node *node;
	bool has_kind; /* false: bad or missing, and told */
	const char *runs_on;
	struct text_list uses;
	const struct node *ssh, *nics_node;
	uint64_t said;   /* rows of host_fields: load_said() */
	bool hides_nics; /* its NICs could not all be read, and it was told */
	struct source_nic *nics;
};

struct group {
	const char *name;
	const struct nic **nics;
	size_t nic_count;
};

/* Where the levels of an axis stand. */
struct source_axis {
	const struct node **levels;
	uint32_t unread;   /* factors of levels that could not be read */
	const char *meant; /* the axis that a misspelled name is near to; NULL: none */
};

struct source_pair {
	const struct node *node; /* the list of two */
	int expected_class;      /* enum path_class, -1: not said */
	const struct node *class_node;
};

struct source_cell {
	const struct node *node;
	struct source_pair pair; /* node NULL: the cell has none */
	uint64_t said;           /* rows of cell_fields: load_said() */
	uint32_t unread;         /* factors that are there and could not be read */
	bool is_broken;          /* something of it could not be read, and was told */
};

struct source_where {
	const struct node *node;
	bool is_broken;
};

struct source_profile {
	const struct node *node;
	uint64_t said;   /* rows of profile_fields: load_said() */
	uint32_t unread; /* factors of grid and fixed that could not be read */
	bool is_broken;  /* something of it could not be read, and was told */
	const struct node *pairs, *between, *grid, *cells, *fixed, *repeats, *published;
	int expected_class; /* of all its pairs; -1: not said */
	struct source_pair *pair_list;
	struct source_axis *axes;
	struct source_cell *cell_list;
	struct source_where *published_where;
};

/* The entries of a section by name, and what messages call them. */
struct named {
	struct name_index index;
	const char *what, *section; /* "axis", "axes" */
	bool is_broken; /* the section could not be read, and it was told: any name may be in it */
};

struct load {
	struct topology *topo;
	struct diag_list *diags;
	struct field_loader fields;
	struct ssh_settings ssh; /* defaults.ssh */
	struct named resources, segments, hosts, groups, axes;
	bool lab_is_broken; /* hosts, groups or what they rest on could not all be read, and it was told */
	bool routes_are_broken;      /* the same of `routes`, which have no names */
	struct name_index addresses; /* address_format() -> struct nic */
	bool hides_addresses;        /* some could not be read, and it was told */
	struct source_resource *source_resources;
	struct source_segment *source_segments;
	struct source_host *source_hosts;
	struct source_profile *source_profiles;
	struct group *group_list;
	size_t group_count;
	struct axis *axis_list;
	struct source_axis *source_axes;
	size_t axis_count;
	const struct axis *grid; /* of the profile that is being read: its bundles may be named */
	size_t grid_count;
};

/* ---- topology_fields.c: one row a key ---- */

struct source_root {
	int version;
	struct safety safety;
	const struct node *defaults, *resources, *segments, *hosts, *routes, *groups, *design,
		*axes, *profiles, *expect;
};

struct source_defaults {
	struct ssh_settings ssh;
	int engine;
	const struct node *ports;
};

struct source_route {
	const struct node *between;
	struct route route;
};

struct source_design {
	struct design design;
	const struct node *repeats, *sentinel;
};

struct source_listed_cell {
	struct listed_cell cell;
	int expected_class;
	const struct node *pair;
};

struct source_pair_entry {
	const struct node *pair;
	int expected_class;
};

struct source_figure {
	struct published figure;
	const struct node *where;
};

struct source_profile_fields {
	struct source_profile source;
	uint32_t classes;
	bool complete;
};

struct source_resource_fields {
	int kind;
	struct resource resource;
};

struct source_host_fields {
	int kind;
	struct source_host source;
	struct host host;
};

struct source_nic_fields {
	struct source_nic source;
	struct nic nic;
};

extern const struct field root_fields[];     /* struct source_root, struct topology in parts */
extern const struct field topology_fields[]; /* struct topology: name, store */
extern const struct field defaults_fields[]; /* struct source_defaults */
extern const struct field ssh_fields[];      /* struct ssh_settings */
extern const struct field resource_fields[]; /* struct source_resource_fields */
extern const struct field segment_fields[];  /* struct segment */
extern const struct field host_fields[];     /* struct source_host_fields */
extern const struct field nic_fields[];      /* struct source_nic_fields */
extern const struct field route_fields[];    /* struct source_route */
extern const struct field sentinel_fields[]; /* struct source_pair_entry */
extern const struct field design_fields[];   /* struct source_design */
extern const struct field repeats_fields[];  /* struct repeats */
extern const struct field
	setting_fields[]; /* struct setting; the first FACTOR_COUNT rows are the factors */
extern const struct field profile_fields[]; /* struct source_profile_fields */
extern const struct field pair_fields[];    /* struct source_pair_entry */
extern const struct field cell_fields[];    /* struct source_listed_cell */
extern const struct field figure_fields[];  /* struct source_figure */
extern const struct field search_fields[];  /* checked only */
extern const struct field expect_fields[];  /* struct source_pair_entry */

/* ---- helpers of topology_load.c ---- */

/*
 * The name of an entry, held to the rule; after telling what is wrong with it,
 * the name as node_show() has it, so that no later message disturbs a terminal.
 */
const char *load_name(struct load *l, const struct node *key, enum text_rule rule,
                      const char *what);

/* Reads one mapping by one table; returns which rows are said, for load_said(). */
uint64_t load_fields(struct load *l, const struct field *rows, const struct node *map, void *out);

/*
 * Was the key written: well, with a bad value, or misspelled so that it was
 * suggested? What is missing may only be told when it was not.
 */
bool load_said(const struct field *rows, uint64_t said, const char *key);

/* field_want() with the example of the key's row. */
bool load_want(struct load *l, const struct field *rows, const char *key, const struct node *node,
               enum node_kind kind);

/* The entry of that name; NULL after telling "unknown host `x`, did you mean `y`?". */
const void *load_find(struct load *l, const struct named *named, const char *name,
                      struct src_pos pos);

/* ---- the parts ---- */

void load_resources(struct load *l, const struct node *section);
void load_segments(struct load *l, const struct node *section);
void load_hosts(struct load *l, const struct node *section);
void load_routes(struct load *l, const struct node *section);
void load_groups(struct load *l, const struct node *section);
void load_axes(struct load *l, const struct node *section);
void load_profiles(struct load *l, const struct node *section);

/* Resolves names of resources; the list keeps the order. */
const struct resource **load_uses(struct load *l, const struct text_list *names, size_t *count);

/* "HOST.NIC", "HOST@ADDRESS", "ADDRESS" or "HOST" (nic NULL). False after telling why not. */
bool load_endpoint(struct load *l, const struct node *node, struct endpoint *out);

/* A list of two endpoints. */
bool load_pair(struct load *l, const struct node *node, struct pair *out);

/*
 * A mapping of factors and bundles; `extra` (may be NULL) takes further keys of
 * the same mapping. Returns the factors that are there but could not be read.
 */
uint32_t load_setting(struct load *l, const struct node *map, struct field_part *extra,
                      struct setting *out);

/*
 * One axis of `axes` or of a grid: a list of levels, or one level. False after
 * telling what is wrong; out->name stays NULL when the name is that of no axis.
 * `out` and `source` must be all zero.
 */
bool load_axis(struct load *l, const struct node_entry *entry, struct axis *out,
               struct source_axis *source);

/* min, max and precision over what `out` holds; notes what is not acted on. */
void load_repeats(struct load *l, const struct node *node, struct repeats *out);

/* The bit of the factor of that name in setting.given; 0 when it is no factor. */
uint32_t setting_factor_bit(const char *name);

/* Where a factor's level stands: the level itself, or the factor's key in a bundle. */
struct src_pos setting_pos(const struct node *level, enum factor factor);

/* ---- rules, after everything is read ---- */

void check_lab(struct load *l);
void check_profiles(struct load *l);

#endif
