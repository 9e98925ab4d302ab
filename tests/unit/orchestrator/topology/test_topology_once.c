/* SPDX-License-Identifier: MIT */
/*
 * A mistake is told once, where it is, and nothing is told that is only wrong
 * because of it. Each case replaces pieces of a good file.
 */
#include "tests/support/test.h"

#include "tests/unit/orchestrator/topology/reading.h"

static struct reading r;

static int teardown(void **state)
{
	(void)state;
	reading_done(&r);
	return 0;
}

/* clang-format off */
static const char base[] =
	/*  1 */ "version: 1\n"
	/*  2 */ "segments:\n"
	/*  3 */ "  lan: { subnet: 10.0.0.0/24 }\n"
	/*  4 */ "  far: { subnet: 10.9.0.0/24 }\n"
	/*  5 */ "hosts:\n"
	/*  6 */ "  esx1: { kind: esxi, mgmt: esx1, nics: { vmk1: { ip: 10.0.0.1, segment: lan } } }\n"
	/*  7 */ "  vm1:\n"
	/*  8 */ "    kind: vm\n"
	/*  9 */ "    runs_on: esx1\n"
	/* 10 */ "    mgmt: vm1\n"
	/* 11 */ "    nics:\n"
	/* 12 */ "      em0: { ip: 10.0.0.11, segment: lan, driver: em }\n"
	/* 13 */ "  pc:\n"
	/* 14 */ "    kind: baremetal\n"
	/* 15 */ "    mgmt: pc\n"
	/* 16 */ "    nics:\n"
	/* 17 */ "      eth0: { ip: 10.9.0.50, segment: far }\n"
	/* 18 */ "routes:\n"
	/* 19 */ "  - { between: [lan, far] }\n"
	/* 20 */ "groups:\n"
	/* 21 */ "  all-nics: [esx1.vmk1, vm1.em0, pc.eth0]\n"
	/* 22 */ "axes:\n"
	/* 23 */ "  mtu: [1500, 9000]\n"
	/* 24 */ "  load: [{ streams: 1, window: default }, { streams: 4, window: 4M }]\n"
	/* 25 */ "profiles:\n"
	/* 26 */ "  grid:\n"
	/* 27 */ "    pairs: [[pc.eth0, vm1.em0]]\n"
	/* 28 */ "    grid: { mtu: all, lro: [on, off] }\n"
	/* 29 */ "    fixed: { streams: 4 }\n"
	/* 30 */ "    published: [{ where: { mtu: 1500 }, gbps: 9 }]\n"
	/* 31 */ "  driver:\n"
	/* 32 */ "    pairs: [[pc.eth0, vm1]]\n"
	/* 33 */ "    fixed: { driver: em }\n"
	/* 34 */ "    grid: { load: all }\n"
	/* 35 */ "  cells:\n"
	/* 36 */ "    cells:\n"
	/* 37 */ "      - { pair: [vm1.em0, esx1.vmk1], class: vm-own-host, streams: 4 }\n"
	/* 38 */ "      - { pair: [10.9.0.50, vm1.em0], load: { streams: 4, window: 4M } }\n"
	/* 39 */ "  classes: { classes: [vm-own-host], between: [all-nics] }\n";
/* clang-format on */

struct swap {
	const char *find, *put; /* NULL: none */
};

static const struct change {
	struct swap swaps[2];
	const char *want;
} changes[] = {
	/* ---- levels ---- */
	{{{"mtu: all, lro: [on, off]", "streams: [0, 1], lro: [on, off]"},
          {"    fixed: { streams: 4 }\n    published: [{ where: { mtu: 1500 }, gbps: 9 }]\n", ""}},
         "28:23: `streams`: `0` is out of range: 1 to 128"},
	{{{"mtu: all, lro: [on, off]", "window: [64K, 64], direction: [reverse]"}},
         "28:27: `window`: `64` is out of range: 4K to 512M, or `default`"},
	{{{"mtu: all, lro: [on, off]", "mtu: [1500, 1], lro: [on, off], tso: [maybe, on]"}},
         "28:25: `mtu`: `1` is out of range: 576 to 65535, or `unchanged`\n"
         "28:51: `tso` must be one of on, off, yes, no, true, false, unchanged, not `maybe`"},
	{{{"mtu: all, lro: [on, off]", "mtu: all, mtuu: [1], lro: [on, off]"}},
         "28:23: unknown axis `mtuu`, did you mean `mtu`?"},
	{{{"  mtu: [1500, 9000]", "  mtu: [15000000]"}},
         "23:9: `mtu`: `15000000` is out of range: 576 to 65535, or `unchanged`"},
	{{{"  mtu: [1500, 9000]", "  mtuu: [1500, 9000]"}},
         "23:3: unknown axis `mtuu`, did you mean `mtu`?"},
	{{{"axes:", "axs:"}}, "22:1: unknown key `axs`, did you mean `axes`?"},
	{{{"{ streams: 1, window: default }", "{ streams: 0, window: default }"}},
         "24:21: `streams`: `0` is out of range: 1 to 128"},
	{{{"{ streams: 1, window: default }", "{ streams: 1, windw: default }"}},
         "24:24: unknown key `windw`, did you mean `window`?"},

	{{{"fixed: { streams: 4 }", "fixed: { ip_version: 5 }"}},
         "29:26: `ip_version` must be one of default, 4, 6, not `5`"},
	{{{"fixed: { streams: 4 }", "fixed: { protocol: upd, mss: 1400 }"}},
         "29:24: `protocol` must be one of tcp, udp, not `upd`, did you mean `udp`?"},
	{{{"fixed: { streams: 4 }", "fixed: { protocol: udp, mss: 14 }"}},
         "29:34: `mss`: `14` is out of range: 88 to 65483, or `default`"},

	/* ---- a driver that could not be read chooses nothing, and is there ---- */
	{{{"fixed: { driver: em }", "fixed: { driver: -em }"}},
         "33:22: `driver`: `-em` begins with `-`: write a name of letters, digits, `_` and `-`"},
	{{{"fixed: { driver: em }", "fixed: { drivr: em }"}},
         "33:14: unknown key `drivr`, did you mean `driver`?"},
	{{{"    fixed: { driver: em }\n    grid: { load: all }", "    grid: { driver: [-em] }"}},
         "33:22: `driver`: `-em` begins with `-`: write a name of letters, digits, `_` and `-`"},
	{{{"    fixed: { driver: em }\n    grid: { load: all }", "    grid: { drivr: [em] }"}},
         "33:13: unknown axis `drivr`, did you mean `driver`?"},
	{{{"    fixed: { driver: em }\n    grid: { load: all }", "    grid: { driver: all }"}},
         "33:13: unknown axis `driver`: add it to `axes`, or correct the name"},
	{{{"    fixed: { driver: em }\n    grid: { load: all }", "    cells: [{ driver: -em }]"}},
         "33:23: `driver`: `-em` begins with `-`: write a name of letters, digits, `_` and `-`"},
	{{{"segment: lan, driver: em", "segment: lan, driver: -em"}},
         "12:51: `driver`: `-em` begins with `-`: write a name of letters, digits, `_` and `-`"},
	{{{"segment: lan, driver: em", "segment: lan, drivr: em"}},
         "12:43: unknown key `drivr`, did you mean `driver`?"},

	/* ---- sections and hosts that could not be read ---- */
	{{{"segments:\n", "segmnets:\n"}}, "2:1: unknown key `segmnets`, did you mean `segments`?"},
	{{{"hosts:\n", "hsots:\n"}}, "5:1: unknown key `hsots`, did you mean `hosts`?"},
	{{{"hosts:\n", "machines:\n"}},
         "1:1: `hosts` is missing: it must be a mapping of names, see HOSTS\n"
         "5:1: unknown key `machines`: the keys here are version, defaults, resources, segments, "
         "hosts, routes, groups, design, safety, axes, profiles, expect, name, store and those "
         "that begin with `x-`"},
	{{{"groups:\n  all-nics: [esx1.vmk1, vm1.em0, pc.eth0]", "groups: [all-nics]"}},
         "20:9: `groups` must be a mapping such as `groups: { all-vms: [vm1.eth0, vm2.eth0] }`, "
         "not a list"},
	{{{"routes:\n", "rotues:\n"}}, "18:1: unknown key `rotues`, did you mean `routes`?"},
	{{{"between: [lan, far]", "between: [lan, fra]"}},
         "19:22: unknown segment `fra`, did you mean `far`?"},
	{{{"    nics:\n      em0: { ip: 10.0.0.11, segment: lan, driver: em }", "    nics: em0"}},
         "11:11: `nics` must be a mapping such as `nics: { eth0: { ip: 192.0.2.1 } }`, not `em0`"},
	{{{"    nics:\n      em0", "    nisc:\n      em0"}},
         "11:5: unknown key `nisc`, did you mean `nics`?"},
	{{{"  pc:\n    kind: baremetal\n    mgmt: pc\n    nics:\n"
           "      eth0: { ip: 10.9.0.50, segment: far }\n",
           "  pc: 10.9.0.50\n"}},
         "13:7: expected a mapping (`key: value`), not `10.9.0.50`"},
	{{{"eth0: { ip: 10.9.0.50, segment: far }", "eth0: 10.9.0.50"}},
         "17:13: expected a mapping (`key: value`), not `10.9.0.50`"},
	{{{"eth0: { ip: 10.9.0.50", "eth0: { ip: [10.9.0.50]"}},
         "17:19: `ip` must be an IPv4 or IPv6 address, not a list"},
	{{{"eth0: { ip: 10.9.0.50", "eth0: { ipp: 10.9.0.50"}},
         "17:15: unknown key `ipp`, did you mean `ip`?"},
	{{{"eth0: { ip: 10.9.0.50", "eth0: { ip6: [fd00::50]"}},
         "17:20: `ip6` must be an IPv4 or IPv6 address, not a list"},
	{{{"eth0: { ip: 10.9.0.50", "eth0: { ipv6: \"fd00::50\""}},
         "17:15: unknown key `ipv6`, did you mean `ip6`?"},
	{{{"eth0: { ip: 10.9.0.50", "eth0: { ip: 10.9.0.500"}},
         "17:19: `ip`: `10.9.0.500` is no IPv4 or IPv6 address"},
	{{{"runs_on: esx1", "runs_on: esx2"}}, "9:14: unknown host `esx2`, did you mean `esx1`?"},
	{{{"runs_on: esx1", "runs_on: pc"}},
         "9:14: `vm1` cannot run on `pc`, which is no esxi host but baremetal"},
	{{{"runs_on: esx1", "run_on: esx1"}}, "9:5: unknown key `run_on`, did you mean `runs_on`?"},
	{{{"runs_on: esx1", "runs_on: [esx1]"}},
         "9:14: `runs_on` must be the name of another entry, not a list"},
	{{{"    runs_on: esx1", "    note: x"}},
         "7:3: `vm1` is a vm and has no `runs_on`: name its hypervisor"},
	{{{"  vm1:\n    kind: vm\n    runs_on: esx1", "  \"vm 1\":\n    kind: vm\n    note: x"},
          {"profiles:", "x-profiles:"}},
         "1:1: `profiles` is missing: it must be a mapping of names, see PROFILES\n"
         "7:3: host `vm 1` holds a blank: write a name of letters, digits, `_` and `-`\n"
         "7:3: `vm 1` is a vm and has no `runs_on`: name its hypervisor\n"
         "21:25: unknown host `vm1`, did you mean `vm 1`?"},
	{{{"  vm1:\n    kind: vm\n    runs_on: esx1", "  ~:\n    kind: vm\n    note: x"},
          {"profiles:", "x-profiles:"}},
         "1:1: `profiles` is missing: it must be a mapping of names, see PROFILES\n"
         "7:3: host nothing holds a character that is not allowed here: write a name of "
         "letters, digits, `_` and `-`\n"
         "7:3: `nothing` is a vm and has no `runs_on`: name its hypervisor\n"
         "21:25: unknown host `vm1`: add it to `hosts`, or correct the name"},
	{{{"kind: esxi", "kind: exsi"}},
         "6:17: `kind` must be one of esxi, vm, baremetal, not `exsi`, did you mean `esxi`?"},

	/* ---- profiles ---- */
	{{{"    pairs: [[pc.eth0, vm1.em0]]", "    paris: [[pc.eth0, vm1.em0]]"}},
         "27:5: unknown key `paris`, did you mean `pairs`?"},
	{{{"classes: { classes: [", "classes: { clases: ["}},
         "39:14: unknown key `clases`, did you mean `class`?"},
	{{{"{ pair: [vm1.em0, esx1.vmk1], class", "{ pari: [vm1.em0, esx1.vmk1], class"}},
         "37:11: unknown key `pari`, did you mean `pair`?"},
	{{{"[vm1.em0, esx1.vmk1], class: vm-own-host, streams: 4",
           "[vm1.em0, esx1.vmk1], streams: 0 }\n"
           "      - { pair: [vm1.em0, esx1.vmk1], streams: 129"}},
         "37:48: `streams`: `0` is out of range: 1 to 128\n"
         "38:48: `streams`: `129` is out of range: 1 to 128"},
	{{{"load: { streams: 4, window: 4M } }",
           "bogus: 1 }\n      - { pair: [10.9.0.50, vm1.em0], bogus: 2 }"}},
         "38:39: unknown key `bogus`: the keys here are mtu, window, streams, buffer, direction, "
         "driver, lro, tso, duration, omit, bytes, protocol, mode, zero_copy, bitrate, mss, "
         "no_delay, dscp, congestion, ip_version, affinity, bind_device, source_port, pair, class, "
         "published_gbps, published_retransmits, note and "
         "`offload` and the bundles in `axes`\n"
         "39:39: unknown key `bogus`: the keys here are mtu, window, streams, buffer, direction, "
         "driver, lro, tso, duration, omit, bytes, protocol, mode, zero_copy, bitrate, mss, "
         "no_delay, dscp, congestion, ip_version, affinity, bind_device, source_port, pair, class, "
         "published_gbps, published_retransmits, note and "
         "`offload` and the bundles in `axes`"},
	{{{"where: { mtu: 1500 }, gbps: 9", "where: { mtu: 1500 }, gpbs: 9"}},
         "30:41: unknown key `gpbs`, did you mean `gbps`?"},
	{{{"where: { mtu: 1500 }, gbps: 9", "where: { mtu: 1500 }, retransmits: few"}},
         "30:54: `retransmits` must be a whole number such as 8, not `few`"},
	{{{"where: { mtu: 1500 }, gbps: 9", "where: 1500, gbps: 9"}},
         "30:26: `where` must be a mapping such as `where: { streams: 1 }`, not `1500`"},
	{{{"{ where: { mtu: 1500 }, gbps: 9 }",
           "{ where: { mtu: 1 }, gbps: 9 }, { where: { mtu: 2 }, gbps: 8 }"}},
         "30:33: `mtu`: `1` is out of range: 576 to 65535, or `unchanged`\n"
         "30:65: `mtu`: `2` is out of range: 576 to 65535, or `unchanged`"},
	{{{"    fixed: { streams: 4 }\n", "    fixed: { streams: 4 }\n    repeats: 3\n"}},
         "30:14: `repeats` must be a mapping such as `repeats: { min: 3, max: 3 }`, not `3`"},
	{{{"    fixed: { streams: 4 }\n",
           "    fixed: { streams: 4 }\n    repeats: { min: none, max: 3 }\n"}},
         "30:21: `min` must be a whole number such as 8, not `none`"},
	{{{"    fixed: { streams: 4 }", "    fixed: 4"}},
         "29:12: `fixed` must be a mapping such as `fixed: { streams: 4 }`, not `4`"},
	{{{"    grid: { mtu: all, lro: [on, off] }", "    grid: all"}},
         "28:11: `grid` must be a mapping such as `grid: { window: [default, 64K], mtu: all }`, "
         "not `all`"},

	/* ---- another version: what else it says is not known ---- */
	{{{"version: 1", "version: 2"}, {"hosts:", "machines:"}},
         "1:10: version 2 is not known to this vnm, which reads 1"},
	{{{"version: 1", "version: one"}, {"hosts:", "machines:"}},
         "1:10: `version` must be 1, not `one`"},
	{{{"version: 1", "version: [1]"}, {"hosts:", "machines:"}},
         "1:10: `version` must be 1, not a list"},
	{{{"version: 1\n", ""}}, "1:1: `version` is missing: it must be 1"},
	{{{"version: 1", "versoin: 1"}}, "1:1: unknown key `versoin`, did you mean `version`?"},
};

static void replace(struct text *text, const struct swap *swap)
{
	const char *at = strstr(text_str(text), swap->find);
	struct text out = {0};

	if (at == NULL)
		fail_msg("not in the base text: %s", swap->find);
	text_add_bytes(&out, text->at, (size_t)(at - text->at));
	text_add(&out, swap->put);
	text_add(&out, at + strlen(swap->find));
	text_done(text);
	*text = out;
}

static void the_base_text_is_good(void **state)
{
	(void)state;
	assert_string_equal(reading_of(&r, base), "");
	assert_true(r.ok);
}

static void a_mistake_is_told_once_and_nothing_false_follows(void **state)
{
	size_t bad = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		const struct change *c = &changes[i];
		struct text text = {0};

		text_add(&text, base);
		for (size_t k = 0; k < COUNT_OF(c->swaps) && c->swaps[k].find != NULL; k++)
			replace(&text, &c->swaps[k]);
		if (strcmp(reading_of(&r, text_str(&text)), c->want) != 0) {
			bad++;
			print_error("%s\n- %s\n+ %s\n", c->swaps[0].put, c->want,
			            text_str(&r.told));
		}
		assert_false(r.ok);
		text_done(&text);
	}
	assert_int_equal(bad, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_base_text_is_good),
		TEST(a_mistake_is_told_once_and_nothing_false_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
