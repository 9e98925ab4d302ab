/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include "tests/unit/orchestrator/topology/reading.h"

static struct reading r;

static int teardown(void **state)
{
	(void)state;
	reading_done(&r);
	return 0;
}

/* A good file. Each case replaces one piece of it, without moving other lines. */
static const char base[] =
	/*  1 */ "version: 1\n"
		 /*  2 */ "defaults: { ssh: { user: u }, engine: auto, ports: 5201-5299 }\n"
		 /*  3 */ "resources:\n"
		 /*  4 */ "  up1: { kind: link, speed: 10G }\n"
		 /*  5 */ "  cpu1: { kind: host-cpu, slots: 1 }\n"
		 /*  6 */ "segments:\n"
		 /*  7 */ "  lan: { subnet: 10.0.0.0/24, max_mtu: 1500 }\n"
		 /*  8 */ "  fast: { subnet: 10.1.0.0/24, max_mtu: 9000 }\n"
		 /*  9 */ "  far: { subnet: 10.9.0.0/24 }\n"
		 /* 10 */ "hosts:\n"
		 /* 11 */ "  esx1:\n"
		 /* 12 */ "    kind: esxi\n"
		 /* 13 */ "    mgmt: 10.0.0.1\n"
		 /* 14 */ "    uses: [cpu1]\n"
		 /* 15 */ "    nics:\n"
		 /* 16 */ "      vmk0: { ip: 10.0.0.1, segment: lan, role: mgmt }\n"
		 /* 17 */ "      vmk1: { ip: 10.1.0.1, segment: fast, uses: [up1] }\n"
		 /* 18 */ "  vm1:\n"
		 /* 19 */ "    kind: vm\n"
		 /* 20 */ "    runs_on: esx1\n"
		 /* 21 */ "    mgmt: vm1.lab\n"
		 /* 22 */ "    nics:\n"
		 /* 23 */ "      em0: { ip: 10.1.0.11, segment: fast, driver: em }\n"
		 /* 24 */ "      vmx0: { ip: 10.0.0.11, segment: lan, driver: vmxnet3 }\n"
		 /* 25 */ "  vm2:\n"
		 /* 26 */ "    kind: vm\n"
		 /* 27 */ "    runs_on: esx1\n"
		 /* 28 */ "    mgmt: vm2.lab\n"
		 /* 29 */ "    nics:\n"
		 /* 30 */ "      em0: { ip: 10.1.0.12, segment: fast, driver: em }\n"
		 /* 31 */ "      vmx0: { ip: 10.0.0.12, segment: lan, driver: vmxnet3 }\n"
		 /* 32 */ "  pc:\n"
		 /* 33 */ "    kind: baremetal\n"
		 /* 34 */ "    mgmt: pc.lab\n"
		 /* 35 */ "    nics:\n"
		 /* 36 */ "      eth0: { ip: 10.1.0.50, segment: fast }\n"
		 /* 37 */ "      eth1: { ip: 10.9.0.50, segment: far }\n"
		 /* 38 */ "routes:\n"
		 /* 39 */ "  - { between: [lan, fast] }\n"
		 /* 40 */ "groups:\n"
		 /* 41 */ "  all-nics: [esx1.vmk1, vm1.em0, vm2.em0, pc.eth0]\n"
		 /* 42 */ "design: { duration: 10s, omit: 2s, repeats: { min: 6 } }\n"
		 /* 43 */ "axes:\n"
		 /* 44 */ "  mtu: [1500, 9000]\n"
		 /* 45 */ "  offload: [{ lro: off, tso: off }, { lro: on, tso: on }]\n"
		 /* 46 */ "profiles:\n"
		 /* 47 */ "  grid:\n"
		 /* 48 */ "    pairs: [[pc.eth0, vm1.em0]]\n"
		 /* 49 */ "    grid: { mtu: all, window: [default, 64K] }\n"
		 /* 50 */ "    fixed: { streams: 1, buffer: 128K }\n"
		 /* 51 */ "    published: [{ where: { mtu: 1500 }, gbps: 9.4 }]\n"
		 /* 52 */ "  driver:\n"
		 /* 53 */ "    pairs: [[vm2, vm1]]\n"
		 /* 54 */ "    fixed: { streams: 1 }\n"
		 /* 55 */ "    cells:\n"
		 /* 56 */ "      - { driver: em, mtu: 9000, window: 64K }\n"
		 /* 57 */ "      - { driver: vmxnet3, mtu: 1500, window: 64K }\n"
		 /* 58 */ "  cells:\n"
		 /* 59 */ "    cells:\n"
		 /* 60 */ "      - { pair: [pc.eth0, esx1.vmk1], class: baremetal-host, streams: 4 "
		 "}\n"
		 /* 61 */ "      - { pair: [pc.eth0, vm1.em0], class: baremetal-vm, streams: 4 }\n"
		 /* 62 */ "  classes:\n"
		 /* 63 */ "    classes: [baremetal-host, vm-own-host]\n"
		 /* 64 */ "    between: [all-nics]\n";

static const struct change {
	const char *find, *put, *want;
} changes[] = {
	/* ---- the top of the file ---- */
	{"version: 1", "versoin: 1", "1:1: unknown key `versoin`, did you mean `version`?"},
	{"version: 1", "name: \"a\\tb\"",
         "1:1: `version` is missing: it must be 1\n"
         "1:7: `name`: `a?b` holds a control character: write a name that may hold blanks, `:`, "
         "`(` "
         "and `)`"},
	{"profiles:", "profile:", "46:1: unknown key `profile`, did you mean `profiles`?"},
	{"ports: 5201-5299", "ports: 5299-5201",
         "2:52: `ports`: the range `5299-5201` ends before it begins"},
	{"ports: 5201-5299", "ports: 0-70000",
         "2:52: `ports` must be a port or a range such as 5201-5299 within 1 to 65535, not "
         "`0-70000`"},
	{"ports: 5201-5299", "ports: [1, 2]",
         "2:52: `ports` must be a port or a range such as 5201-5299 within 1 to 65535, not a list"},
	{"engine: auto", "engine: iperf3",
         "2:39: `engine: iperf3` is not yet supported: use `auto` or `agent`"},
	{"user: u", "user: -oProxyCommand=id",
         "2:26: `user`: `-oProxyCommand=id` begins with `-`: write a name of letters, digits, `_`, "
         "`-`, `.` and `@`"},
	{"user: u", "key: \"~/my key\"", ""}, /* no shell sees it */
	{"user: u", "known_hosts: \"/My Lab/known hosts\"", ""},
	{"version: 1", "version: 1\nstore: \"/My Lab/results.db\"\nx-1: {}\nx-2: {}", ""},
	{"user: u", "key: \"~/my\\tkey\"",
         "2:25: `key`: `~/my?key` holds a control character: write a file name without quotes and "
         "shell characters"},
	{"user: u", "port: 0", "2:26: `port`: `0` is out of range: 1 to 65535"},
	{"user: u", "accept_new: perhaps",
         "2:32: `accept_new` must be one of true, false, on, off, yes, no, not `perhaps`"},

	/* ---- resources, segments, routes, groups ---- */
	{"kind: link, speed: 10G", "kind: lnik, speed: 10G",
         "4:16: `kind` must be one of link, port, host-cpu, not `lnik`, did you mean `link`?"},
	{"kind: link, speed: 10G", "kind: link, slots: 2",
         "4:29: `slots` is for a host-cpu, and `up1` is a link"},
	{"kind: host-cpu, slots: 1", "kind: host-cpu, speed: 1G",
         "5:34: `speed` is for a link or port, and `cpu1` is a host-cpu"},
	{"kind: host-cpu, slots: 1", "slots: 1",
         "5:9: `kind` is missing: it must be one of link, port, host-cpu"},
	{"  up1: {", "  \"up 1\": {",
         "4:3: resource `up 1` holds a blank: write a name of letters, digits, `_` and `-`\n"
         "17:51: unknown resource `up1`, did you mean `up 1`?"},
	{"10.0.0.0/24", "10.0.0.1/24",
         "7:18: `subnet`: `10.0.0.1/24` has bits set behind its prefix: write the address of the "
         "network"},
	{"max_mtu: 1500", "max_mtu: 100", "7:40: `max_mtu`: `100` is out of range: 576 to 65535"},
	{"[lan, fast]", "[lan, fats]", "39:22: unknown segment `fats`, did you mean `fast`?"},
	{"[lan, fast]", "[lan]",
         "39:16: `between` of a route takes two segments, not 1: write a route for each pair of "
         "segments"},
	{"[lan, fast]", "[lan, lan]",
         "39:16: a route from `lan` to itself: NICs of one segment need none"},
	{"  - { between: [lan, fast] }",
         "  - { between: [lan, fast] }\n  - { between: [fast, lan] }",
         "40:16: a second route between `fast` and `lan` (first at line 39)"},
	{"[esx1.vmk1, vm1.em0, vm2.em0, pc.eth0]", "[esx1.vmk1, pc, vm1.em1]",
         "41:25: `pc` names no NIC: a group takes HOST.NIC\n"
         "41:29: host `vm1` has no NIC `em1`, did you mean `em0`?"},

	/* ---- hosts ---- */
	{"    kind: esxi", "    kind: exsi",
         "12:11: `kind` must be one of esxi, vm, baremetal, not `exsi`, did you mean `esxi`?"},
	{"    kind: esxi", "    note: x",
         "12:5: `kind` is missing: it must be one of esxi, vm, baremetal"},
	{"    runs_on: esx1\n    mgmt: vm1.lab", "    note: x\n    mgmt: vm1.lab",
         "18:3: `vm1` is a vm and has no `runs_on`: name its hypervisor"},
	{"    runs_on: esx1", "    runs_on: esx2",
         "20:14: unknown host `esx2`, did you mean `esx1`?"},
	{"    runs_on: esx1", "    runs_on: hyper",
         "20:14: unknown host `hyper`: add it to `hosts`, or correct the name"},
	{"    runs_on: esx1", "    runs_on: pc",
         "20:14: `vm1` cannot run on `pc`, which is no esxi host but baremetal"},
	{"    runs_on: esx1", "    runs_on: vm1",
         "20:14: `vm1` cannot run on `vm1`, which is no esxi host but vm"},
	{"    kind: baremetal", "    kind: baremetal\n    runs_on: esx1",
         "34:14: `runs_on` is for a vm, and `pc` is a baremetal machine"},
	{"    mgmt: 10.0.0.1", "    mgmt: 10.0.0.300",
         "13:11: `mgmt`: `10.0.0.300` is no IPv4 address: write a host name or an IPv4 or IPv6 "
         "address"},
	{"    mgmt: 10.0.0.1", "    mgmt: -oProxyCommand=id",
         "13:11: `mgmt`: `-oProxyCommand=id` begins with `-`: write a host name or an IPv4 or IPv6 "
         "address"},
	{"    mgmt: 10.0.0.1", "    note: none",
         "12:5: `mgmt` is missing: it must be a host name or an IPv4 or IPv6 address"},
	{"    mgmt: vm2.lab", "    mgmt: VM1.lab",
         "28:11: `mgmt`: VM1.lab is already that of `vm1` (line 18)"},
	{"    mgmt: vm2.lab", "    mgmt: 10.0.0.1",
         "28:11: `mgmt`: 10.0.0.1 is already that of `esx1` (line 11)"},
	{"    mgmt: vm2.lab", "    mgmt: 10.1.0.11",
         "28:11: `mgmt`: 10.1.0.11 is the address of vm1.em0 (line 23)"},
	{"    mgmt: vm2.lab", "    mgmt: vm1.lab\n    ssh: { port: 2222 }",
         ""}, /* behind one address */
	{"    mgmt: vm1.lab", "    connection: local", ""},
	{"    mgmt: vm1.lab", "    connection: local\n    mgmt: vm1.lab",
         "22:11: `mgmt`: `connection: local` has no use for it: leave one of them out"},
	{"    mgmt: vm1.lab", "    connection: local\n    ssh: { port: 2222 }",
         "22:10: `ssh`: `connection: local` has no use for it: leave one of them out"},
	{"    mgmt: 10.0.0.1", "    connection: local",
         "13:17: `connection: local`: vnm does not run on an esxi host"},
	{"    mgmt: vm1.lab", "    connection: lokal",
         "21:17: `connection` must be one of ssh, local, not `lokal`, did you mean `local`?"},
	{"    mgmt: vm1.lab", "    connection: ssh",
         "19:5: `mgmt` is missing: it must be a host name or an IPv4 or IPv6 address"},
	{"    mgmt: vm1.lab", "    mgmt: vm1.lab\n    ssh: { transport: openssh }", ""},
	{"    mgmt: vm1.lab", "    mgmt: vm1.lab\n    ssh: { transport: opensh }",
         "22:23: `transport` must be one of libssh, openssh, not `opensh`, did you mean "
         "`openssh`?"},
	{"    mgmt: vm1.lab",
         "    mgmt: vm1.lab\n    ssh: { transport: openssh, password_env: LAB_PASSWORD }",
         "18:3: `vm1` has a password and `transport: openssh`, which takes none: use a key, or "
         "`transport: libssh`"},
	{"    mgmt: vm1.lab", "    mgmt: vm1.lab\n    os: linx",
         "22:9: `os` must be one of linux, freebsd, esxi, windows, macos, openbsd, netbsd, "
         "illumos, "
         "other, not `linx`, did you mean `linux`?"},
	{"    mgmt: vm1.lab", "    mgmt: vm1.lab\n    ssh: { user: \"a;b\" }",
         "22:18: `user`: `a;b` holds a character that is not allowed here: write a name of "
         "letters, "
         "digits, `_`, `-`, `.` and `@`"},
	{"    uses: [cpu1]", "    uses: [cpu1, up1, cpu1, cpu2]",
         "14:11: `up1` is no host-cpu: it belongs to `uses` of the NICs that cross it\n"
         "14:23: resource `cpu1` is listed twice\n"
         "14:29: unknown resource `cpu2`, did you mean `cpu1`?"},
	{"  esx1:\n", "  esx1.lab:\n",
         "11:3: host `esx1.lab` holds a character that is not allowed here: write a name of "
         "letters, "
         "digits, `_` and `-`\n"
         "20:14: unknown host `esx1`: add it to `hosts`, or correct the name\n"
         "27:14: unknown host `esx1`: add it to `hosts`, or correct the name\n"
         "41:14: unknown host `esx1`: add it to `hosts`, or correct the name\n"
         "60:27: unknown host `esx1`: add it to `hosts`, or correct the name"},

	/* ---- NICs ---- */
	{"ip: 10.1.0.11", "ip: 10.1.0.900", "23:18: `ip`: `10.1.0.900` is no IPv4 or IPv6 address"},
	{"ip: 10.1.0.11", "ip: 224.0.0.1", "23:18: `ip`: `224.0.0.1` is a multicast address"},
	{"ip: 10.1.0.12", "ip: 10.1.0.11",
         "30:18: `ip`: 10.1.0.11 is already that of vm1.em0 (line 23)"},
	{"ip: 10.1.0.11", "ip: 10.2.0.11",
         "23:18: `ip`: 10.2.0.11 is not in 10.1.0.0/24, the subnet of segment `fast` (line 8)"},
	{"ip: 10.1.0.11, segment: fast", "ip: 10.1.0.11, segment: fsat",
         "23:38: unknown segment `fsat`, did you mean `fast`?"},
	{"      em0: { ip: 10.1.0.11", "      \"em0;id\": { ip: 10.1.0.11",
         "23:7: NIC `em0;id` holds a character that is not allowed here: write a name of letters, "
         "digits, `_`, `-`, `.` and `:`\n"
         "41:25: host `vm1` has no NIC `em0`: it has em0;id, vmx0\n"
         "48:23: host `vm1` has no NIC `em0`: it has em0;id, vmx0\n"
         "61:27: host `vm1` has no NIC `em0`: it has em0;id, vmx0"},
	{"segment: fast, uses: [up1]", "segment: fast, uses: [cpu1]",
         "17:50: `cpu1` is a host-cpu: it belongs to `uses` of the host"},
	{"segment: fast, uses: [up1]", "portgroup: \"a$b\"",
         "17:40: `portgroup`: `a$b` holds a character that is not allowed here: write a name that "
         "may "
         "hold blanks, `:`, `(` and `)`"},
	{"segment: fast, uses: [up1]", "uplink: \"vmnic 4\"",
         "17:37: `uplink`: `vmnic 4` holds a blank: write a name of letters, digits, `_`, `-`, `.` "
         "and `:`"},
	{"segment: fast, uses: [up1]", "rolle: mgmt",
         "17:29: unknown key `rolle`, did you mean `role`?"},
	{"segment: fast, driver: em }\n      vmx0: { ip: 10.0.0.11",
         "segment: fast, driver: -em }\n      vmx0: { ip: 10.0.0.11",
         "23:52: `driver`: `-em` begins with `-`: write a name of letters, digits, `_` and `-`"},

	/* ---- ends and pairs ---- */
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm3.em0]]",
         "48:23: unknown host `vm3`, did you mean `vm1`?"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1.em1]]",
         "48:23: host `vm1` has no NIC `em1`, did you mean `em0`?"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1.ens192]]",
         "48:23: host `vm1` has no NIC `ens192`: it has em0, vmx0"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, 10.1.0.99]]",
         "48:23: no NIC in `hosts` has the address 10.1.0.99"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1@10.1.0.x]]",
         "48:23: `10.1.0.x` is no IPv4 or IPv6 address"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1@10.1.0.1]]",
         "48:23: 10.1.0.1 is the address of esx1.vmk1 (esxi), not of vm1 (vm): the pair would "
         "measure "
         "another host than it says"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1@10.1.0.11]]", ""},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1.em0, vm2.em0]]",
         "48:13: a pair is a list of two ends: [HOST.NIC, HOST.NIC]"},
	{"[[pc.eth0, vm1.em0]]", "[pc.eth0, vm1.em0]",
         "48:13: a pair is a list of two ends: [HOST.NIC, HOST.NIC]\n"
         "48:22: a pair is a list of two ends: [HOST.NIC, HOST.NIC]"},
	{"[[pc.eth0, vm1.em0]]", "[[vm1.vmx0, vm1.em0]]",
         "48:13: both ends are on `vm1`: traffic of a host with itself is not measured"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1.em0], [pc.eth0, vm1@10.1.0.11]]",
         "48:33: this pair is there already (line 48)"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1.em0], [vm1.em0, pc.eth0]]", ""},
	{"[[pc.eth0, vm1.em0]]", "[]", "48:12: `pairs` is empty"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth0, vm1]]",
         "48:23: `vm1` names no NIC: write `vm1.NIC`, or let a `driver` choose it"},
	{"[[pc.eth0, vm1.em0]]", "[[pc.eth1, vm1.em0]]",
         "48:13: pc.eth1 is in segment `far` and vm1.em0 in `fast`, which no route joins: choose "
         "NICs "
         "of one segment, or add { between: [far, fast] } to `routes`"},
	{"[[pc.eth0, vm1.em0]]\n    grid: { mtu: all",
         "[[pc.eth0, vm1.vmx0]]\n    grid: { mtu: 1500", ""}, /* routed */
	{"eth0: { ip: 10.1.0.50, segment: fast }", "eth0: { segment: fast }",
         "48:14: pc.eth0 (line 36) has no `ip`: a NIC that is measured needs one\n"
         "60:18: pc.eth0 (line 36) has no `ip`: a NIC that is measured needs one\n"
         "61:18: pc.eth0 (line 36) has no `ip`: a NIC that is measured needs one\n"
         "64:14: pc.eth0 (line 36) has no `ip`: a NIC that is measured needs one"},
	{"eth0: { ip: 10.1.0.50, segment: fast }", "eth0: { ip: \"2001:db8::50\" }",
         "48:13: pc.eth0 has an IPv6 address and vm1.em0 an IPv4 one: they cannot talk; give "
         "vm1.em0 an `ip6`, and the cells `ip_version: 6`\n"
         "60:17: pc.eth0 has an IPv6 address and esx1.vmk1 an IPv4 one: they cannot talk; give "
         "esx1.vmk1 an `ip6`, and the cells `ip_version: 6`\n"
         "61:17: pc.eth0 has an IPv6 address and vm1.em0 an IPv4 one: they cannot talk; give "
         "vm1.em0 an `ip6`, and the cells `ip_version: 6`\n"
         "63:14: esx1.vmk1 has an IPv4 address and pc.eth0 an IPv6 one: they cannot talk; give "
         "esx1.vmk1 an `ip6`, and the cells `ip_version: 6`, or name those that can in `between`"},

	{"eth1: { ip: 10.9.0.50, segment: far }\nroutes:\n  - { between: [lan, fast] }\ngroups:\n"
         "  all-nics: [esx1.vmk1, vm1.em0, vm2.em0, pc.eth0]",
         "eth1: { ip: \"2001:db8::50\" }\nroutes:\n  - { between: [lan, fast] }\ngroups:\n"
         "  all-nics: [esx1.vmk1, vm1.em0, vm2.em0, pc.eth1]",
         "63:14: esx1.vmk1 has an IPv4 address and pc.eth1 an IPv6 one: they cannot talk; give "
         "esx1.vmk1 an `ip6`, and the cells `ip_version: 6`, or name those that can in `between`"},

	/* ---- a pair is of the class that it says: the published "PC to VM" that named a host ---- */
	{"[pc.eth0, vm1.em0], class: baremetal-vm, streams: 4",
         "[pc.eth0, 10.1.0.1], class: baremetal-vm",
         "61:45: `class` says baremetal-vm, but pc.eth0 (baremetal) to esx1.vmk1 (esxi) is "
         "baremetal-host (line 61)"},
	{"[pc.eth0, vm1.em0], class: baremetal-vm", "[pc.eth0, vm1@10.1.0.1], class: baremetal-vm",
         "61:27: 10.1.0.1 is the address of esx1.vmk1 (esxi), not of vm1 (vm): the pair would "
         "measure "
         "another host than it says"},
	{"[pc.eth0, vm1.em0], class: baremetal-vm", "[pc.eth0, vm1.vmk1], class: baremetal-vm",
         "61:27: host `vm1` has no NIC `vmk1`: it has em0, vmx0"},
	{"[[pc.eth0, vm1.em0]]", "[{ pair: [pc.eth0, esx1.vmk1], class: baremetal-vm }]",
         "48:50: `class` says baremetal-vm, but pc.eth0 (baremetal) to esx1.vmk1 (esxi) is "
         "baremetal-host (line 48)"},
	{"    pairs: [[vm2, vm1]]", "    pairs: [[vm2, vm1]]\n    class: vm-own-host",
         "54:12: `class` says vm-own-host, but vm2 (vm) to vm1 (vm) is vm-vm-same-host (line 53)"},
	{"class: baremetal-vm", "class: baremetal-vms",
         "61:44: `class` must be one of host-host, vm-vm-same-host, vm-vm-cross-host, vm-own-host, "
         "vm-other-host, baremetal-host, baremetal-vm, baremetal-baremetal, not `baremetal-vms`, "
         "did "
         "you mean `baremetal-vm`?"},
	{"driver: em, mtu: 9000, window: 64K",
         "driver: em, mtu: 9000, window: 64K, class: vm-own-host",
         "56:54: `class` of a cell is that of its own `pair`, and it has none"},

	/* ---- drivers ---- */
	{"driver: em, mtu: 9000", "driver: igb, mtu: 9000",
         "56:19: `vm2` has no test NIC with driver igb: it has em (em0), vmxnet3 (vmx0)\n"
         "56:19: `vm1` has no test NIC with driver igb: it has em (em0), vmxnet3 (vmx0)"},
	{"      - { driver: em, mtu", "      - { mtu",
         "53:14: `vm2` names no NIC: write `vm2.NIC`, or let a `driver` choose it\n"
         "53:19: `vm1` names no NIC: write `vm1.NIC`, or let a `driver` choose it"},
	{"segment: lan, driver: vmxnet3 }\n  vm2", "segment: lan, driver: e1000 }\n  vm2",
         "56:19: `vm1` has more than one test NIC with driver em: name it as HOST.NIC\n"
         "57:19: `vm1` has no test NIC with driver vmxnet3: it has em (em0), em (vmx0)"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { driver: em }",
         "50:22: driver em has nothing to choose: the pair at line 48 names both NICs, and pc.eth0 "
         "is "
         "not em; name a host where the driver is to choose"},
	{"[[vm2, vm1]]", "[[pc.eth0, vm1]]", ""}, /* chooses at one end */
	{"    between: [all-nics]", "    between: [all-nics]\n    grid: { driver: em }",
         "65:21: `driver` chooses NICs of hosts in `pairs`; `classes` combines NICs"},

	/* ---- MTU ---- */
	{"driver: vmxnet3, mtu: 1500", "driver: vmxnet3, mtu: 9000",
         "57:33: MTU 9000 is above 1500, the max_mtu of segment `lan` (line 7) of vm2.vmx0\n"
         "57:33: MTU 9000 is above 1500, the max_mtu of segment `lan` (line 7) of vm1.vmx0"},
	{"mtu: [1500, 9000]", "mtu: [1500, 9216]",
         "49:18: MTU 9216 is above 9000, the max_mtu of segment `fast` (line 8) of pc.eth0\n"
         "49:18: MTU 9216 is above 9000, the max_mtu of segment `fast` (line 8) of vm1.em0"},
	{"mtu: all,", "mtu: [1500, 9216],",
         "49:25: MTU 9216 is above 9000, the max_mtu of segment `fast` (line 8) of pc.eth0\n"
         "49:25: MTU 9216 is above 9000, the max_mtu of segment `fast` (line 8) of vm1.em0"},
	{"    between: [all-nics]", "    between: [pc.eth0, esx1.vmk1]\n    fixed: { mtu: 9216 }",
         "65:19: MTU 9216 is above 9000, the max_mtu of segment `fast` (line 8) of pc.eth0\n"
         "65:19: MTU 9216 is above 9000, the max_mtu of segment `fast` (line 8) of esx1.vmk1"},

	/* ---- levels and axes ---- */
	{"mtu: [1500, 9000]", "mtuu: [1500, 9000]",
         "44:3: unknown axis `mtuu`, did you mean `mtu`?"},
	{"mtu: [1500, 9000]", "sizes: [1500, 9000]",
         "44:3: unknown axis `sizes`: it is no factor, and its levels are no mappings of factors\n"
         "49:13: unknown axis `mtu`: add it to `axes`, or correct the name"},
	{"mtu: [1500, 9000]", "mtu: [1500, 9000, 1500]", "44:21: `mtu` has this level already"},
	{"mtu: [1500, 9000]", "mtu: []", "44:8: `mtu` has 0 levels: 1 to 256 are possible"},
	{"mtu: [1500, 9000]", "mtu: [1500, 100]",
         "44:15: `mtu`: `100` is out of range: 576 to 65535, or `unchanged`"},
	{"{ lro: on, tso: on }]", "{ lro: on }]",
         "45:37: levels of `offload` must set the same factors: this one sets lro, the first one "
         "lro, "
         "tso"},
	{"{ lro: on, tso: on }]", "{}]", "45:37: this level of `offload` sets nothing"},
	{"{ lro: on, tso: on }]", "{ lro: on, tos: on }]",
         "45:48: unknown key `tos`, did you mean `tso`?"},
	{"offload: [{ lro: off, tso: off }, { lro: on, tso: on }]", "load: [{ streams: 1 }, 4]",
         "45:26: `load` is no factor, so its levels are mappings such as { streams: 4, window: 4M "
         "}, "
         "not `4`"},
	{"window: [default, 64K]", "window: [default, 64Q]",
         "49:41: `window` must be a size such as 4096, 64K or 12M, or `default`, not `64Q`"},
	{"window: [default, 64K]", "window: [1K, 2G]",
         "49:32: `window`: `1K` is out of range: 4K to 512M, or `default`\n"
         "49:36: `window`: `2G` is out of range: 4K to 512M, or `default`"},
	{"window: [default, 64K]", "windw: [64K]",
         "49:23: unknown axis `windw`, did you mean `window`?"},
	{"window: [default, 64K]", "window: all",
         "49:23: unknown axis `window`: add it to `axes`, or correct the name"},
	{"grid: { mtu: all, window: [default, 64K] }", "grid: {}",
         "49:11: `grid` is empty: name at least one axis, or remove it"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { streams: 0 }",
         "50:23: `streams`: `0` is out of range: 1 to 128"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { streams: 129 }",
         "50:23: `streams`: `129` is out of range: 1 to 128"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { buffer: 17M }",
         "50:22: `buffer`: `17M` is out of range: 1 to 16M, or `default`"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { duration: 100ms, omit: 2m }",
         "50:24: `duration`: `100ms` is out of range: 500ms to 1h\n"
         "50:37: `omit`: `2m` is out of range: 0ms to 1m"},
	{"fixed: { streams: 1, buffer: 128K }",
         "fixed: { protocol: tcp, mode: bulk, zero_copy: off }", ""},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { lro: yes, tso: no }", ""},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { offload: no }", ""},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { lro: maybe }",
         "50:19: `lro` must be one of on, off, yes, no, true, false, unchanged, not `maybe`"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { offload: { lro: on, tso: on }, lro: on }",
         "50:50: `lro` is given twice: on its own and by a bundle"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { offload: [on] }",
         "50:23: `offload` must be one of on, off, yes, no, true, false, unchanged, not a list"},
	{"fixed: { streams: 1, buffer: 128K }", "fixed: 5",
         "50:12: `fixed` must be a mapping such as `fixed: { streams: 4 }`, not `5`"},

	/* ---- a factor has one place ---- */
	{"fixed: { streams: 1, buffer: 128K }", "fixed: { window: 64K }",
         "49:32: `window` is set here and in `fixed` (line 50): a factor has one place"},
	{"window: [default, 64K]", "load: [{ mtu: 1500 }, { mtu: 9000 }]",
         "49:23: `mtu` is set here and in another axis (line 49): a factor has one place"},
	{"    fixed: { streams: 1 }", "    fixed: { window: 64K }",
         "56:42: `window` is set here and in `fixed` (line 54): a factor has one place\n"
         "57:47: `window` is set here and in `fixed` (line 54): a factor has one place"},

	/* ---- shape of a profile ---- */
	{"    pairs: [[pc.eth0, vm1.em0]]", "    note: x",
         "47:3: profile `grid` measures nothing: give it `pairs`, `classes` or `cells`"},
	{"    pairs: [[pc.eth0, vm1.em0]]", "    pairs: [[pc.eth0, vm1.em0]]\n    classes: all",
         "49:14: `classes` and `pairs` (line 48) exclude each other"},
	{"    pairs: [[pc.eth0, vm1.em0]]",
         "    pairs: [[pc.eth0, vm1.em0]]\n    between: [all-nics]",
         "49:14: `between` needs `classes`: say which paths to measure, or `classes: all`"},
	{"    pairs: [[vm2, vm1]]",
         "    pairs: [[vm2, vm1]]\n    grid: { streams: 2 }\n    note: x",
         "54:22: `streams` is set here and in `fixed` (line 56): a factor has one place\n"
         "58:7: `cells` and `grid` (line 54) exclude each other: make two profiles"},
	{"    fixed: { streams: 1, buffer: 128K }", "    complete: true",
         "50:15: `complete` completes `cells`, and there are none: a `grid` is complete"},
	{"    classes: [baremetal-host, vm-own-host]",
         "    classes: [baremetal-host]\n    class: baremetal-host",
         "64:12: `class` is for listed pairs: `classes` chooses pairs by their class"},
	{"    classes: [baremetal-host, vm-own-host]", "    classes: [baremetal-hosts]",
         "63:15: `classes` must be one of host-host, vm-vm-same-host, vm-vm-cross-host, "
         "vm-own-host, "
         "vm-other-host, baremetal-host, baremetal-vm, baremetal-baremetal, all, not "
         "`baremetal-hosts`, did you mean `baremetal-host`?"},
	{"    classes: [baremetal-host, vm-own-host]", "    classes: [baremetal-baremetal]",
         "63:14: no pair of `between` is of these classes"},
	{"    classes: [baremetal-host, vm-own-host]\n    between: [all-nics]",
         "    classes: host-host", "63:14: no pair of the lab is of these classes"},
	{"    between: [all-nics]", "    between: [all-nic, pc]",
         "64:15: unknown group `all-nic`, did you mean `all-nics`?\n"
         "64:24: unknown group `pc`: add it to `groups`, or correct the name"},
	{"pair: [pc.eth0, esx1.vmk1], class: baremetal-host, streams: 4", "streams: 4",
         "60:9: this cell has no `pair`, and the profile has no `pairs`"},
	{"pair: [pc.eth0, esx1.vmk1], class: baremetal-host, streams: 4",
         "pair: [pc.eth0, vm1.em0], streams: 4", "61:9: this cell is there already (line 60)"},
	{"driver: em, mtu: 9000, window: 64K", "driver: em, mtu: 9000, windw: 64K",
         "56:34: unknown key `windw`, did you mean `window`?"},
	{"    between: [all-nics]", "    between: [all-nics]\n    repeats: { min: 5, max: 3 }",
         "65:29: `max` 3 is less than `min` 5"},
	{"repeats: { min: 6 }", "repeats: { min: 0 }",
         "42:52: `min`: `0` is out of range: 1 to 1000"},
	{"repeats: { min: 6 }", "sentinel: { pair: [pc.eth0, vm9.em0] }",
         "42:46: note: `sentinel` is not yet supported: the pair is measured only where a profile "
         "names it\n"
         "42:64: unknown host `vm9`, did you mean `vm1`?"},

	/* ---- published figures ---- */
	{"{ where: { mtu: 1500 }, gbps: 9.4 }", "{ where: { mtu: 1400 }, gbps: 9.4 }",
         "51:33: `where` fits no cell: `mtu` never has this level in `grid`"},
	{"{ where: { mtu: 1500 }, gbps: 9.4 }", "{ where: { streams: 2, mtu: 1500 }, gbps: 9.4 }",
         "51:37: `where` fits no cell: `streams` never has this level in `grid`"},
	{"{ where: { mtu: 1500 }, gbps: 9.4 }",
         "{ where: { duration: 10s, direction: forward }, gbps: 9.4 }", ""},
	{"{ where: { mtu: 1500 }, gbps: 9.4 }", "{ where: { mtu: 1500 } }",
         "51:17: this entry of `published` has no figure: give `gbps` or `retransmits`"},
	{"{ where: { mtu: 1500 }, gbps: 9.4 }", "{ gbps: 9.4 }",
         "51:17: `where` is missing: it must be a mapping of factors"},
	{"{ where: { mtu: 1500 }, gbps: 9.4 }",
         "{ where: { mtu: 1500 }, gbps: 9.4 }, { where: { mtu: 1500 }, gbps: 9.3 }",
         "51:54: this `where` is there already (line 51)"},
	{"    fixed: { streams: 1 }",
         "    published: [{ where: { driver: em, mtu: 1500 }, gbps: 1 }]",
         "54:26: `where` fits no cell: `driver` has no cell with all of these levels"},

	/* ---- several at once ---- */
	{"window: [default, 64K] }\n    fixed: { streams: 1, buffer: 128K }",
         "window: 64Q }\n    fixed: { stream: 1, buffer: 128k, omit: 5 }",
         "49:31: `window` must be a size such as 4096, 64K or 12M, or `default`, not `64Q`\n"
         "50:14: unknown key `stream`, did you mean `streams`?\n"
         "50:45: `omit` must be a time with its unit such as 500ms, 10s or 2m, not `5`"},
};

static void apply(struct text *out, const struct change *c)
{
	const char *at = strstr(base, c->find);

	text_clear(out);
	if (at == NULL)
		fail_msg("not in the base text: %s", c->find);
	text_add_bytes(out, base, (size_t)(at - base));
	text_add(out, c->put);
	text_add(out, at + strlen(c->find));
}

static void the_base_text_is_good(void **state)
{
	(void)state;
	assert_string_equal(reading_of(&r, base), "");
	assert_true(r.ok);
}

static void every_mistake_is_told_with_its_place_and_what_would_be_right(void **state)
{
	struct text text = {0};
	size_t bad = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		const char *told;

		apply(&text, &changes[i]);
		told = reading_of(&r, text_str(&text));
		if (strcmp(told, changes[i].want) == 0)
			continue;
		bad++;
		print_error("%s\n- %s\n+ %s\n", changes[i].put, changes[i].want, told);
	}
	text_done(&text);
	assert_int_equal(bad, 0);
}

static void this_machine_is_one_host_and_has_no_address(void **state)
{
	static const char one[] =
		"version: 1\n"
		"hosts:\n"
		"  here: { kind: baremetal, connection: local, nics: { e: { ip: "
		"10.1.0.1 } } }\n"
		"  there: { kind: baremetal, mgmt: b, ssh: { transport: openssh }, "
		"nics: { e: { ip: 10.1.0.2 } } }\n"
		"profiles: { p: { classes: all } }\n";
	static const char two[] = "version: 1\n"
				  "hosts:\n"
				  "  here: { kind: baremetal, connection: local, nics: { e: { ip: "
				  "10.1.0.1 } } }\n"
				  "  too: { kind: baremetal, connection: local, nics: { e: { ip: "
				  "10.1.0.2 } } }\n"
				  "profiles: { p: { classes: all } }\n";

	(void)state;
	assert_string_equal(reading_of(&r, one), "");
	assert_int_equal(r.topo.hosts[0].connection, CONNECTION_LOCAL);
	assert_null(r.topo.hosts[0].mgmt);
	assert_int_equal(r.topo.hosts[1].connection, CONNECTION_SSH);
	assert_int_equal(r.topo.hosts[1].ssh.transport, SSH_OPENSSH);
	assert_string_equal(reading_of(&r, two),
	                    "4:39: `connection: local` is already that of `here` (line 3): there "
	                    "is only one machine that vnm runs on");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_base_text_is_good),
		TEST(every_mistake_is_told_with_its_place_and_what_would_be_right),
		TEST(this_machine_is_one_host_and_has_no_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
