/* SPDX-License-Identifier: MIT */
/*
 * The files of configs/ are good, use addresses for documentation only (RFC
 * 5737, 3849), and hold exactly the published figures. The figures here were copied
 * from the publications, not from the files.
 */
#include "tests/support/test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>

#include "tests/unit/orchestrator/topology/reading.h"
#include "topology/topology_internal.h"

#define K 1024u
#define M (1024u * K)

static struct reading r;

static int teardown(void **state)
{
	(void)state;
	reading_done(&r);
	return 0;
}

static void read_config(const char *name)
{
	char path[512];

	reading_done(&r);
	(void)snprintf(path, sizeof(path), "%s/%s", CONFIGS_DIR, name);
	r.ok = topology_load(path, "/home/u", &r.topo, &r.diags, &r.err);
	reading_tell(&r);
	if (!r.ok)
		fail_msg("%s\n%s", r.err.msg, text_str(&r.told));
}

static bool is_yaml(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

static bool is_documentation(const char *text)
{
	static const char *const nets[] = {"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
	                                   "2001:db8::/32"};
	struct address a;

	if (!address_parse(text, &a))
		return false;
	for (size_t i = 0; i < COUNT_OF(nets); i++) {
		struct subnet net;

		if (subnet_parse(nets[i], &net) == NULL && subnet_holds(&net, &a))
			return true;
	}
	return false;
}

static void every_file_is_good_and_uses_addresses_for_documentation_only(void **state)
{
	DIR *dir = opendir(CONFIGS_DIR);
	size_t count = 0;

	(void)state;
	assert_non_null(dir);
	for (const struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
		if (!is_yaml(d->d_name))
			continue;
		read_config(d->d_name);
		count++;
		assert_true(r.topo.profile_count > 0);
		for (size_t i = 0; i < r.topo.host_count; i++) {
			const struct host *h = &r.topo.hosts[i];

			assert_true(is_documentation(h->mgmt));
			for (size_t j = 0; j < h->nic_count; j++)
				assert_true(h->nics[j].ip == NULL ||
				            is_documentation(h->nics[j].ip));
			for (size_t j = 0; j < h->nic_count; j++)
				assert_true(h->nics[j].ip6 == NULL ||
				            is_documentation(h->nics[j].ip6));
		}
	}
	assert_int_equal(closedir(dir), 0);
	assert_true(count >= 6);
}

static void these_labs_ask_for_nothing_that_is_not_supported_yet(void **state)
{
	static const char *const names[] = {"truenas-vmxnet3-lro-tso.yaml",
	                                    "freebsd-lro-retransmits.yaml", "em-vs-vmxnet3.yaml",
	                                    "100g-esxi-lab.yaml", "engine-axes.yaml"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		read_config(names[i]);
		assert_string_equal(text_str(&r.told), "");
	}
}

/* One published line. */
struct line {
	const char *profile;
	enum path_class path_class;
	struct setting setting;
	double gbps;
	int64_t retransmits; /* -1: not published */
};

#define COMMON(seconds) .buffer_bytes = 128 * K, .streams = 1, .duration_ms = (seconds)*1000

static const struct line lines[] = {
	{"truenas-vmxnet3-lro-tso",
         PATH_VM_OWN_HOST,
         {COMMON(10), .mtu_bytes = 1500, .direction = DIRECTION_FORWARD, .lro = TOGGLE_OFF,
          .tso = TOGGLE_OFF},
         22.2,
         0},
	{"truenas-vmxnet3-lro-tso",
         PATH_VM_OWN_HOST,
         {COMMON(10), .mtu_bytes = 1500, .direction = DIRECTION_REVERSE, .lro = TOGGLE_OFF,
          .tso = TOGGLE_OFF},
         2.02,
         0},
	{"truenas-vmxnet3-lro-tso",
         PATH_VM_OWN_HOST,
         {COMMON(10), .mtu_bytes = 1500, .direction = DIRECTION_REVERSE, .lro = TOGGLE_ON,
          .tso = TOGGLE_ON},
         23.3,
         0},
	{"freebsd-lro-retransmits",
         PATH_BAREMETAL_VM,
         {COMMON(10), .mtu_bytes = 1500, .lro = TOGGLE_OFF},
         4.65,
         8449},
	{"freebsd-lro-retransmits",
         PATH_BAREMETAL_VM,
         {COMMON(10), .mtu_bytes = 1500, .lro = TOGGLE_ON},
         9.26,
         0},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "em", .mtu_bytes = 1500},
         2.0,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "em", .mtu_bytes = 9000},
         1.7,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "em", .mtu_bytes = 9000, .window_bytes = 192 * K},
         5.3,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "em", .mtu_bytes = 1500, .window_bytes = 256 * K},
         2.0,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "em", .mtu_bytes = 9000, .window_bytes = 256 * K},
         5.6,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "em", .mtu_bytes = 9000, .window_bytes = 384 * K},
         4.4,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "em", .mtu_bytes = 9000, .window_bytes = 512 * K},
         3.9,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "vmxnet3", .mtu_bytes = 1500},
         3.0,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "vmxnet3", .mtu_bytes = 9000},
         2.0,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "vmxnet3", .mtu_bytes = 9000, .window_bytes = 192 * K},
         2.3,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "vmxnet3", .mtu_bytes = 9000, .window_bytes = 256 * K},
         2.5,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "vmxnet3", .mtu_bytes = 1500, .window_bytes = 256 * K},
         3.0,
         -1},
	{"em-vs-vmxnet3",
         PATH_VM_VM_SAME_HOST,
         {COMMON(20), .driver = "vmxnet3", .mtu_bytes = 9000, .window_bytes = 384 * K},
         2.4,
         -1},
	{"100g-esxi-lab",
         PATH_HOST_HOST,
         {.streams = 9, .window_bytes = 12 * M, .buffer_bytes = M, .duration_ms = 10000},
         94.0,
         -1},
	{"100g-esxi-lab",
         PATH_VM_VM_CROSS_HOST,
         {.streams = 1, .window_bytes = 10 * M, .buffer_bytes = M, .duration_ms = 10000},
         38.0,
         -1},
	{"100g-esxi-lab",
         PATH_VM_VM_SAME_HOST,
         {.streams = 3, .window_bytes = 10 * M, .buffer_bytes = M, .duration_ms = 10000},
         39.3,
         -1},
	{"100g-esxi-lab",
         PATH_BAREMETAL_HOST,
         {.streams = 4, .window_bytes = 4 * M, .buffer_bytes = M, .duration_ms = 10000},
         98.9,
         -1},
	{"100g-esxi-lab",
         PATH_BAREMETAL_VM,
         {.streams = 4, .window_bytes = 4 * M, .buffer_bytes = M, .duration_ms = 10000},
         37.4,
         -1},
};

/* The figures of a profile as `struct line`, in the order of the file. */
struct figure {
	enum path_class path_class;
	struct setting setting;
	double bps;
	int64_t retransmits;
};

static enum path_class class_of(const struct pair *pair)
{
	struct nic a = {.host = pair->a.host}, b = {.host = pair->b.host};

	return topology_path_class(&a, &b);
}

static size_t figures_of(const struct profile *p, struct figure *out)
{
	size_t count = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct listed_cell *cell = &p->cells[i];
		struct figure f = {.setting = p->fixed,
		                   .bps = cell->published_bps,
		                   .retransmits = cell->published_retransmits};

		setting_overlay(&f.setting, &cell->setting);
		f.path_class = class_of(cell->has_pair ? &cell->pair : &p->pairs[0]);
		out[count++] = f;
	}
	for (size_t i = 0; i < p->published_count; i++) {
		struct figure f = {.setting = p->fixed,
		                   .bps = p->published[i].bps,
		                   .retransmits = p->published[i].retransmits};

		/* What `where` does not say is an axis of one level. */
		for (size_t j = 0; j < p->axis_count; j++) {
			if (p->grid[j].level_count == 1)
				setting_overlay(&f.setting, &p->grid[j].levels[0]);
		}
		setting_overlay(&f.setting, &p->published[i].where);
		f.path_class = class_of(&p->pairs[0]);
		out[count++] = f;
	}
	return count;
}

static bool is_line(const struct line *line, const struct figure *f)
{
	bool same = line->path_class == f->path_class && line->gbps * 1e9 == f->bps &&
	            line->retransmits == f->retransmits;

	for (unsigned factor = 0; factor < FACTOR_COUNT && same; factor++)
		same = (factor == FACTOR_DRIVER && line->setting.driver == NULL &&
		        f->setting.driver == NULL) ||
		       setting_same(&line->setting, &f->setting, (enum factor)factor);
	return same;
}

static void check_figures(const char *profile_name)
{
	const struct profile *p = topology_profile(&r.topo, profile_name);
	struct figure figures[32];
	size_t count, at = 0;

	assert_non_null(p);
	count = figures_of(p, figures);
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		if (strcmp(lines[i].profile, profile_name) != 0)
			continue;
		if (at >= count || !is_line(&lines[i], &figures[at]))
			fail_msg("%s: figure %zu is not %g Gbit/s as published", profile_name, at,
			         lines[i].gbps);
		at++;
	}
	assert_int_equal(at, count);
}

static const char *const profiles[] = {"truenas-vmxnet3-lro-tso", "freebsd-lro-retransmits",
                                       "em-vs-vmxnet3", "100g-esxi-lab"};

static void each_lab_has_its_published_figures(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(profiles); i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "%s.yaml", profiles[i]);
		read_config(name);
		check_figures(profiles[i]);
	}
}

static void the_home_lab_has_all_published_figures(void **state)
{
	(void)state;
	read_config("homelab.yaml");
	for (size_t i = 0; i < COUNT_OF(profiles); i++)
		check_figures(profiles[i]);
	assert_int_equal(r.diags.notes, 7);
}

/* The published command of "PC to VM" named the address of the hypervisor. */
static void the_published_mistake_is_refused_before_a_run(void **state)
{
	static const char right[] = "[pc.enp4s0, vm3.ens192],  class: baremetal-vm";
	static const struct {
		const char *wrong, *want;
	} cases[] = {
		{"[pc.enp4s0, 198.51.100.21], class: baremetal-vm",
	         "`class` says baremetal-vm, but pc.enp4s0 (baremetal) to esx1.vmk1 (esxi) is "
	         "baremetal-host"},
		{"[pc.enp4s0, vm3@198.51.100.21], class: baremetal-vm",
	         "198.51.100.21 is the address of esx1.vmk1 (esxi), not of vm3 (vm)"},
	};
	struct text text = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *at;

		read_config("100g-esxi-lab.yaml");
		at = strstr(r.topo.source, right);
		assert_non_null(at);
		text_clear(&text);
		text_add_bytes(&text, r.topo.source, (size_t)(at - r.topo.source));
		text_add(&text, cases[i].wrong);
		text_add(&text, at + strlen(right));
		(void)reading_of(&r, text_str(&text));
		assert_false(r.ok);
		assert_non_null(strstr(text_str(&r.told), cases[i].want));
	}
	text_done(&text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_file_is_good_and_uses_addresses_for_documentation_only),
		TEST(these_labs_ask_for_nothing_that_is_not_supported_yet),
		TEST(each_lab_has_its_published_figures),
		TEST(the_home_lab_has_all_published_figures),
		TEST(the_published_mistake_is_refused_before_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
