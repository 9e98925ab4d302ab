/* SPDX-License-Identifier: MIT */
/* Each sample of tests/data/samples, read by the parser that is there for it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"
#include "hostops/esxi_host.h"
#include "hostops/ethtool.h"
#include "hostops/ifconfig.h"
#include "hostops/ip_link.h"
#include "hostops/keyed.h"
#include "hostops/netstat.h"
#include "hostops/pcie_link.h"
#include "hostops/privilege.h"
#include "hostops/records.h"
#include "hostops/refusal.h"
#include "hostops/tunable.h"
#include "hostops/vim_cmd.h"
#include "hostops/vmx.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/samples.h"

/* How a sample is looked at: `which` names the place, the answer is text; "-" is unknown. */
typedef void look_fn(struct arena *arena, const char *text, const char *which, struct text *out);

static void add_or_dash(struct text *out, const char *value)
{
	text_add(out, value == NULL ? "-" : value);
}

static void add_int(struct text *out, int64_t value)
{
	if (value < 0)
		text_add(out, "-");
	else
		text_printf(out, "%lld", (long long)value);
}

/* "key" */
static void keyed(struct arena *arena, const char *text, const char *which, struct text *out)
{
	char value[128];

	(void)arena;
	add_or_dash(out, keyed_find(text, which, value, sizeof(value)) ? value : NULL);
}

/* "row/field", row from 0; without a field the name of a block; or "count" */
static void records(struct records all, const char *which, struct text *out)
{
	char *field;
	size_t row;

	if (strcmp(which, "count") == 0) {
		add_int(out, (int64_t)all.count);
		return;
	}
	row = strtoul(which, &field, 10);
	if (*field == '/') {
		field++;
		assert_true(row < all.count);
		add_or_dash(out,
		            *field == '\0' ? all.at[row].name : record_get(&all.at[row], field));
		return;
	}
	fail_msg("%s", which);
}

static void table(struct arena *arena, const char *text, const char *which, struct text *out)
{
	records(records_read_table(arena, text), which, out);
}

static void blocks(struct arena *arena, const char *text, const char *which, struct text *out)
{
	records(records_read_blocks(arena, text), which, out);
}

static void csv(struct arena *arena, const char *text, const char *which, struct text *out)
{
	records(records_read_csv(arena, text), which, out);
}

static void json(struct arena *arena, const char *text, const char *which, struct text *out)
{
	records(records_read_json(arena, text), which, out);
}

static void xml(struct arena *arena, const char *text, const char *which, struct text *out)
{
	records(records_read_xml(arena, text), which, out);
}

static void ports(struct arena *arena, const char *text, const char *which, struct text *out)
{
	records(esxi_ports_read(arena, text), which, out);
}

static void advcfg(struct arena *arena, const char *text, const char *which, struct text *out)
{
	(void)arena;
	add_int(out, esxi_advcfg_read(text, which));
}

static void version(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct esxi_version v;

	(void)arena;
	(void)which;
	if (esxi_version_read(text, &v))
		text_printf(out, "%s %d %d %lld", v.text, (int)v.major, (int)v.minor,
		            (long long)v.build);
}

static void cpu(struct arena *arena, const char *text, const char *which, struct text *out)
{
	char name[96];

	(void)arena;
	(void)which;
	add_or_dash(out, esxi_cpu_read(text, name, sizeof(name)) ? name : NULL);
}

static void esxtop(struct arena *arena, const char *text, const char *which, struct text *out)
{
	char value[32];

	(void)arena;
	add_or_dash(out, esxi_esxtop_read(text, which, value, sizeof(value)) ? value : NULL);
}

static void vms(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct vim_vms all = vim_vms_read(arena, text);

	(void)which;
	text_printf(out, "%zu", all.count);
	for (size_t i = 0; i < all.count; i++)
		text_printf(out, "|%d,%s,%s,%s,%s", (int)all.at[i].id, all.at[i].name,
		            all.at[i].file, all.at[i].guest, all.at[i].hardware);
}

static void devices(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct vim_nics all = vim_nics_read(arena, text);

	(void)which;
	for (size_t i = 0; i < all.count; i++)
		text_printf(out, "%s,%s,%s,%s|", all.at[i].adapter, all.at[i].label,
		            all.at[i].network, all.at[i].mac);
}

static void vim(struct arena *arena, const char *text, const char *which, struct text *out)
{
	add_or_dash(out, vim_value(arena, text, which));
}

static void power(struct arena *arena, const char *text, const char *which, struct text *out)
{
	(void)arena;
	(void)which;
	add_int(out, vim_power_read(text));
}

static void vmx(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct vmx_nic nics[VMX_NICS];

	(void)arena;
	(void)which;
	vmx_read(text, nics);
	for (size_t i = 0; i < 2; i++)
		text_printf(out, "%d,%s,%s,%s|", nics[i].is_present, nics[i].adapter,
		            nics[i].network, nics[i].mac);
}

static void read_ifconfig_line(void *arg, const char *line)
{
	ifconfig_read(arg, line);
}

static void each_line(const char *text, void (*each)(void *arg, const char *line), void *arg)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		struct text line = {0};

		text_add_bytes(&line, text, len);
		each(arg, text_str(&line));
		text_done(&line);
		text += len + (text[len] == '\n');
	}
}

static void ifc(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct ifconfig i;

	(void)arena;
	(void)which;
	ifconfig_begin(&i);
	each_line(text, read_ifconfig_line, &i);
	text_printf(out, "%d %#x lro=%d tso=%d up=%d ipv6=%d active=%d", (int)i.mtu,
	            (unsigned)i.options, (i.options & IFCONFIG_LRO) != 0,
	            (i.options & (IFCONFIG_TSO4 | IFCONFIG_TSO6)) != 0, i.is_up, i.has_ipv6,
	            i.is_active);
}

static void add_feature(struct ethtool_features *f, const char *which, struct text *out)
{
	const struct ethtool_feature *at = ethtool_feature(f, which);

	if (at == NULL)
		text_add(out, "-");
	else
		text_printf(out, "%s%s%s", at->is_on ? "on" : "off", at->is_fixed ? " fixed" : "",
		            at->is_requested != at->is_on ? " held" : "");
}

static void read_feature_line(void *arg, const char *line)
{
	ethtool_read_feature(arg, line);
}

static void features(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct ethtool_features f = {0};

	(void)arena;
	each_line(text, read_feature_line, &f);
	add_feature(&f, which, out);
}

static void features_json(struct arena *arena, const char *text, const char *which,
                          struct text *out)
{
	struct ethtool_features f = {0};

	(void)arena;
	assert_true(ethtool_read_features_json(&f, text));
	add_feature(&f, which, out);
}

static void read_count_line(void *arg, const char *line)
{
	ethtool_read_count(arg, line);
}

static void counts(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct ethtool_counts c = {0};
	int64_t max, now;

	(void)arena;
	each_line(text, read_count_line, &c);
	assert_true(ethtool_count(&c, which, &max, &now));
	add_int(out, now);
	text_add(out, "/");
	add_int(out, max);
}

static void speed(struct arena *arena, const char *text, const char *which, struct text *out)
{
	(void)arena;
	(void)which;
	add_int(out, ethtool_speed(text));
}

static void sum(struct arena *arena, const char *text, const char *which, struct text *out)
{
	(void)arena;
	add_int(out, netstat_sum_of(text, which));
}

static void link_of(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct ip_link l;

	(void)arena;
	(void)which;
	assert_true(ip_link_read(&l, text));
	text_printf(out, "%s %s mtu %d of %d to %d, queues %d, %s %s, up %d %d, rx ", l.name,
	            l.address, (int)l.mtu, (int)l.min_mtu, (int)l.max_mtu, (int)l.rx_queues, l.bus,
	            l.device, l.is_up, l.has_carrier);
	add_int(out, l.rx_bytes);
}

static void pcie(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct pcie_link l;

	(void)arena;
	(void)which;
	assert_true(pcie_link_read(text, &l));
	text_printf(out, "x%d %d of x%d %d", (int)l.lanes, (int)l.speed_mts, (int)l.max_lanes,
	            (int)l.max_mts);
}

static void tcp(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct netstat_tcp t;

	(void)arena;
	(void)which;
	netstat_read_tcp(text, &t);
	text_printf(out, "%d %d/%lld %d/%d %d %d %d", (int)t.packets_sent, (int)t.data_packets,
	            (long long)t.data_bytes, (int)t.retransmitted_packets,
	            (int)t.retransmitted_bytes, (int)t.received_packets,
	            (int)t.out_of_order_packets, (int)t.timeouts);
}

static void mbufs(struct arena *arena, const char *text, const char *which, struct text *out)
{
	struct netstat_mbufs m;

	(void)arena;
	(void)which;
	netstat_read_mbufs(text, &m);
	text_printf(out, "%d %d %d %d %d", (int)m.denied_mbufs, (int)m.denied_clusters,
	            (int)m.denied_4k, (int)m.denied_9k, (int)m.denied_16k);
}

static void refusal(struct arena *arena, const char *text, const char *which, struct text *out)
{
	(void)arena;
	(void)which;
	add_int(out, refusal_of(126, text));
}

static void sudo(struct arena *arena, const char *text, const char *which, struct text *out)
{
	char why[PRIVILEGE_WHY_BYTES];

	(void)arena;
	(void)which;
	add_int(out, privilege_is_refusal(text, why));
}

static void uname_of(struct arena *arena, const char *text, const char *which, struct text *out)
{
	(void)arena;
	(void)which;
	add_int(out, tunable_system_of(text));
}

/* clang-format off */
static const struct {
	const char *sample;
	look_fn *look;
	const char *which, *wanted;
} cases[] = {
	{"esxi/adv-TcpipDefLROEnabled.txt", keyed, "Int Value", "1"},
	{"esxi/adv-TcpipDefLROEnabled.txt", blocks, "0/Default Int Value", "1"},
	{"esxi/adv-UseHwTSO.txt", keyed, "Int Value", "0"},
	{"esxi/adv-UseHwTSO.txt", blocks, "0/Default Int Value", "1"},
	{"esxi/adv-Vmxnet3HwLRO.txt", keyed, "Int Value", "1"},
	{"esxi/adv-Vmxnet3HwLRO.txt", blocks, "0/Default Int Value", "1"},
	{"esxi/adv-execInstalledOnly-8.txt", keyed, "Int Value", "1"},
	{"esxi/adv-execInstalledOnly-8.txt", blocks, "0/Default Int Value", "1"},
	{"esxi/adv-UseHwTSO.txt", blocks, "0/String Value", ""},
	{"esxi/adv-missing-option.txt", keyed, "Int Value", "-"},
	{"esxi/advcfg-g.txt", advcfg, "Vmxnet3HwLRO", "1"},
	{"esxi/advcfg-g.txt", advcfg, "Vmxnet3SwLRO", "-"},
	{"esxi/device-getdevices.txt", devices, "", "e1000,Network adapter 1,VM Network,00:0c:29:5e:53:0d|vmxnet3,Network adapter 2,VM 100G,00:0c:29:5e:53:0c|"},
	{"esxi/epoll-pwait-enosys.txt", refusal, "", "0"},
	{"esxi/esxtop-batch-head.txt", esxtop, "Physical Cpu(_Total)", "12.05"},
	{"esxi/esxtop-batch-head.txt", esxtop, "vmnic10)", "94012.33"},
	{"esxi/esxtop-batch-head.txt", esxtop, "no such", "-"},
	{"esxi/exec-eperm-8.txt", refusal, "", "2"},
	{"esxi/firewall-get-disabled.txt", blocks, "0/Enabled", "false"},
	{"esxi/firewall-get-disabled.txt", keyed, "Default Action", "PASS"},
	{"esxi/firewall-get.txt", blocks, "0/Enabled", "true"},
	{"esxi/firewall-get.txt", keyed, "Default Action", "DROP"},
	{"esxi/get-guest-notools-8.txt", vim, "guestFullName", "-"},
	{"esxi/get-guest-notools-8.txt", vim, "toolsStatus", "toolsNotInstalled"},
	{"esxi/get-guest-notools-8.txt", vim, "net", "-"},
	{"esxi/get-guest-tools.txt", vim, "guestFullName", "FreeBSD 12 or later versions (64-bit)"},
	{"esxi/get-guest-tools.txt", vim, "hostName", "nas-core"},
	{"esxi/get-guest-tools.txt", vim, "macAddress", "00:0c:29:5e:53:0c"},
	{"esxi/get-networks.txt", vim, "name", "VM Network"},
	{"esxi/get-networks.txt", vim, "ipPoolName", ""},
	{"esxi/get-networks.txt", vim, "network", "vim.Network:HaNetwork-VM Network"},
	{"esxi/getallvms-empty.txt", vms, "", "0"},
	{"esxi/getallvms-tricky.txt", vms, "", "3|18,win-214 [maintenance],[datastore1] win-214/win-214.vmx,windows9_64Guest,vmx-19|22,nas core,[datastore 2] nas core/nas core.vmx,freebsd12_64Guest,vmx-15|130,lin-a,[samsung_4t] virtualMachine/lin-a/lin-a.vmx,debian11_64Guest,vmx-19"},
	{"esxi/hw-cpu-global.txt", keyed, "CPU Cores", "4"},
	{"esxi/hw-cpu-list.txt", blocks, "0/Brand", "GenuineIntel"},
	{"esxi/hw-cpu-list.txt", blocks, "0/", "CPU:0"},
	{"esxi/hw-memory-get.txt", keyed, "NUMA Node Count", "1"},
	{"esxi/hw-pci-list.txt", blocks, "0/NUMA Node", "0"},
	{"esxi/hw-pci-list.txt", blocks, "0/", "0000:3b:00.0"},
	{"esxi/hw-pci-list.txt", blocks, "0/Address", "0000:3b:00.0"},
	{"esxi/ip-interface-ipv4-get.txt", table, "1/IPv4 Address", "198.51.100.10"},
	{"esxi/ip-interface-ipv4-get.txt", table, "0/DHCP DNS", "false"},
	{"esxi/ip-interface-list.txt", blocks, "count", "2"},
	{"esxi/ip-interface-list.txt", blocks, "1/Portgroup", "v0002 storage: fast"},
	{"esxi/ip-interface-list.txt", blocks, "1/MTU", "9000"},
	{"esxi/ip-interface-list.txt", blocks, "0/", "vmk0"},
	{"esxi/net-stats-l.txt", ports, "count", "4"},
	{"esxi/net-stats-l.txt", ports, "3/ClientName", "nas core.eth0"},
	{"esxi/net-stats-l.txt", ports, "0/PortNum", "2214592518"},
	{"esxi/network-vm-list.txt", table, "0/World ID", "2270220"},
	{"esxi/network-vm-list.txt", table, "0/Networks", "VM Network, VM 100G"},
	{"esxi/network-vm-list.txt", table, "1/Name", "nas core"},
	{"esxi/nic-get-bnx2x-5.5.txt", blocks, "0/Link Status", "Up"},
	{"esxi/nic-get-bnx2x-5.5.txt", blocks, "0/Driver Info", ""},
	{"esxi/nic-get-bnx2x-5.5.txt", blocks, "0/Firmware Version", "FFV7.10.18 bc 7.10.11"},
	{"esxi/nic-get-bnx2x-5.5.txt", blocks, "0/Virtual Address", "-"},
	{"esxi/nic-get-i40en-7.txt", blocks, "0/Bus Info", "0000:4b:00:0"},
	{"esxi/nic-get-i40en-7.txt", blocks, "0/Virtual Address", "00:50:56:5e:53:95"},
	{"esxi/nic-get-i40en-7.txt", keyed, "Transceiver", ""},
	{"esxi/nic-list-100g-mixed.txt", table, "count", "4"},
	{"esxi/nic-list-100g-mixed.txt", table, "2/Name", "vmnic10"},
	{"esxi/nic-list-100g-mixed.txt", table, "2/Speed", "100000"},
	{"esxi/nic-list-100g-mixed.txt", table, "2/MTU", "9000"},
	{"esxi/nic-list-100g-mixed.txt", table, "1/Link Status", "Down"},
	{"esxi/nic-list-100g-mixed.txt", table, "3/Description", "Mellanox Technologies MT28800 Family [ConnectX-5 Ex]"},
	{"esxi/nic-list-10g.txt", table, "0/Driver", "ixgben"},
	{"esxi/nic-list-10g.txt", table, "0/MTU", "1500"},
	{"esxi/nic-list-10g.txt", table, "0/Description", "Intel Corporation 82599EB 10-Gigabit SFI/SFP+ Network Connection"},
	{"esxi/nic-list-10g.txt", table, "2/Duplex", "Full"},
	{"esxi/nic-list-empty.txt", table, "count", "0"},
	{"esxi/nic-list-usb-pseudo.txt", table, "1/PCI Device", "Pseudo"},
	{"esxi/nic-list-usb-pseudo.txt", table, "1/Description", "Unknown Unknown"},
	{"esxi/nic-list.csv", csv, "count", "1"},
	{"esxi/nic-list.csv", csv, "0/MAC Address", "00:00:5e:00:53:1a"},
	{"esxi/nic-list.csv", csv, "0/LinkStatus", "Up"},
	{"esxi/nic-list.csv", csv, "0/Speed", "100000"},
	{"esxi/nic-list.csv", csv, "0/No Such", "-"},
	{"esxi/nic-list.localcli.json", json, "count", "1"},
	{"esxi/nic-list.localcli.json", json, "0/MAC Address", "00:00:5e:00:53:1a"},
	{"esxi/nic-list.localcli.json", json, "0/LinkStatus", "Up"},
	{"esxi/nic-list.localcli.json", json, "0/Speed", "100000"},
	{"esxi/nic-list.localcli.json", json, "0/No Such", "-"},
	{"esxi/nic-list.xml", xml, "count", "1"},
	{"esxi/nic-list.xml", xml, "0/MAC Address", "00:00:5e:00:53:1a"},
	{"esxi/nic-list.xml", xml, "0/LinkStatus", "Up"},
	{"esxi/nic-list.xml", xml, "0/Speed", "100000"},
	{"esxi/nic-list.xml", xml, "0/No Such", "-"},
	{"esxi/nic-list.csv", csv, "0/Description", "Mellanox Technologies MT28800 Family [ConnectX-5 Ex]"},
	{"esxi/nic-ring-current.txt", keyed, "RX", "1024"},
	{"esxi/nic-ring-current.txt", keyed, "RX Mini", "0"},
	{"esxi/nic-ring-preset.txt", keyed, "Max TX", "4096"},
	{"esxi/nic-software-list.txt", table, "0/IPv4 TSO", "on"},
	{"esxi/nic-software-list.txt", table, "1/VLAN Untagging", "off"},
	{"esxi/nic-software-list.txt", table, "0/IPv6 CSO Ext", "off"},
	{"esxi/nic-stats-get.txt", blocks, "0/", "NIC statistics for vmnic9"},
	{"esxi/nic-stats-get.txt", blocks, "0/Receive missed errors", "0"},
	{"esxi/nic-stats-get.txt", blocks, "0/Bytes received", "91835685"},
	{"esxi/nic-tso-get.txt", table, "1/Value", "off"},
	{"esxi/nic-tso-get.txt", table, "1/NIC", "vmnic32"},
	{"esxi/numa-vsish.txt", keyed, "Device NUMA Node", "0"},
	{"esxi/portgroup-list.txt", table, "0/Name", "Management Network"},
	{"esxi/portgroup-list.txt", table, "3/VLAN ID", "4095"},
	{"esxi/portgroup-list.txt", table, "2/Virtual Switch", "switch01"},
	{"esxi/power-getstate.txt", power, "", "1"},
	{"esxi/ruleset-rule-list.txt", table, "2/Port Begin", "1024"},
	{"esxi/ruleset-rule-list.txt", table, "0/Port End", "65535"},
	{"esxi/ruleset-rule-list.txt", table, "1/Direction", "Inbound"},
	{"esxi/secpolicy-domain-list.txt", table, "2/Domain Name", "appDom"},
	{"esxi/secpolicy-domain-list.txt", table, "2/Enforcement Level", "enforcing"},
	{"esxi/smbiosDump-type4.txt", cpu, "", "Intel(R) Xeon(R) E-2224G CPU @ 3.50GHz"},
	{"esxi/version-get-7.0.3.txt", keyed, "Version", "7.0.3"},
	{"esxi/version-get-8.0.2.txt", keyed, "Build", "Releasebuild-22380479"},
	{"esxi/vm-port-list.txt", blocks, "count", "2"},
	{"esxi/vm-port-list.txt", blocks, "0/Team Uplink", "vmnic10"},
	{"esxi/vm-port-list.txt", blocks, "1/MAC Address", "00:0c:29:5e:53:0d"},
	{"esxi/vm-port-list.txt", blocks, "0/DVPort ID", ""},
	{"esxi/vm-port-list.txt", blocks, "1/Port ID", "33554579"},
	{"esxi/vmware-v-6.5.txt", version, "", "6.5.0 6 5 8294253"},
	{"esxi/vmware-v-7.0.3.txt", version, "", "7.0.3 7 0 24784741"},
	{"esxi/vmware-v-8.0.2.txt", version, "", "8.0.2 8 0 22380479"},
	{"esxi/vmx-e1000e.txt", vmx, "", "1,e1000e,VM Network,|0,e1000,VM 100G,|"},
	{"esxi/vmx-no-virtualdev.txt", vmx, "", "1,,VM Network,|0,,,|"},
	{"esxi/vmx-vmxnet3.txt", vmx, "", "1,vmxnet3,VM 100G,00:0c:29:5e:53:0c|0,,,|"},
	{"esxi/vswitch-standard-list.txt", blocks, "count", "3"},
	{"esxi/vswitch-standard-list.txt", blocks, "1/Uplinks", "vmnic10, vmnic2"},
	{"esxi/vswitch-standard-list.txt", blocks, "1/Portgroups", "v0002 storage: fast, VM 100G"},
	{"esxi/vswitch-standard-list.txt", blocks, "2/Uplinks", ""},
	{"esxi/vswitch-standard-list.txt", blocks, "0/MTU", "1500"},
	{"esxi/vswitch-standard-list.txt", blocks, "2/", "internal"},
	{"freebsd/ifconfig-14-lowercase.txt", ifc, "", "9000 0x4e403bb lro=0 tso=1 up=1 ipv6=0 active=1"},
	{"freebsd/ifconfig-em0-mtu9000-12.txt", ifc, "", "9000 0x9b lro=0 tso=0 up=1 ipv6=1 active=1"},
	{"freebsd/ifconfig-ice0-13-nomap.txt", ifc, "", "1500 0x46507bb lro=1 tso=1 up=1 ipv6=0 active=1"},
	{"freebsd/ifconfig-vmx0-default-no-lro.txt", ifc, "", "1500 0xe000bb lro=0 tso=0 up=1 ipv6=0 active=1"},
	{"freebsd/ifconfig-vmx0-lro-on-core13.txt", ifc, "", "1500 0xe407bb lro=1 tso=1 up=1 ipv6=0 active=1"},
	{"freebsd/netstat-m.txt", mbufs, "", "0 0 0 12 0"},
	{"freebsd/netstat-s-tcp.txt", tcp, "", "8123456 7000123/9876543210 8449/12234567 9123456 2310 31"},
	{"freebsd/pciconf-lvc.txt", pcie, "", "x4 5000 of x8 5000"},
	{"freebsd/sysctl-tcp-12.txt", keyed, "kern.ipc.maxsockbuf", "2097152"},
	{"freebsd/sysctl-tcp-12.txt", keyed, "net.inet.tcp.cc.algorithm", "newreno"},
	{"freebsd/sysctl-tcp-12.txt", keyed, "net.inet.tcp.cc.available", ""},
	{"freebsd/uname-core13.txt", uname_of, "", "1"},
	{"linux/dmesg-pcie-generic.txt", pcie, "", "x8 8000 of x16 16000"},
	{"linux/dmesg-pcie-ixgbe.txt", pcie, "", "x4 5000 of x-1 -1"},
	{"linux/ethtool-S-vmxnet3.txt", sum, "giant hdr", "0"},
	{"linux/ethtool-S-vmxnet3.txt", sum, "pkts rx OOB", "632"},
	{"linux/ethtool-S-vmxnet3.txt", sum, "ring full", "88209"},
	{"linux/ethtool-S-vmxnet3.txt", sum, "not there", "-"},
	{"linux/ethtool-c-6.1.txt", keyed, "rx-usecs", "0"},
	{"linux/ethtool-c-6.1.txt", keyed, "Adaptive RX", "off  TX: n/a"},
	{"linux/ethtool-c-6.1.txt", keyed, "rx-usecs-irq", "n/a"},
	{"linux/ethtool-errors.txt", features, "tcp-segmentation-offload", "-"},
	{"linux/ethtool-g-6.1.txt", counts, "RX", "256/256"},
	{"linux/ethtool-g-6.1.txt", counts, "RX Jumbo", "-/-"},
	{"linux/ethtool-g-old.txt", counts, "RX", "1024/4096"},
	{"linux/ethtool-g-old.txt", counts, "RX Mini", "128/2048"},
	{"linux/ethtool-i-e1000.txt", keyed, "driver", "e1000"},
	{"linux/ethtool-i-e1000e.txt", keyed, "driver", "e1000e"},
	{"linux/ethtool-i-ixgbe.txt", keyed, "driver", "ixgbe"},
	{"linux/ethtool-i-mlx5_core.txt", keyed, "driver", "mlx5_core"},
	{"linux/ethtool-i-virtio_net.txt", keyed, "driver", "virtio_net"},
	{"linux/ethtool-i-vmxnet3.txt", keyed, "driver", "vmxnet3"},
	{"linux/ethtool-i-mlx5_core.txt", keyed, "firmware-version", "16.35.3006 (MT_0000000013)"},
	{"linux/ethtool-i-vmxnet3.txt", keyed, "bus-info", "0000:0b:00.0"},
	{"linux/ethtool-i-virtio_net.txt", keyed, "firmware-version", ""},
	{"linux/ethtool-k-json-virtio_net.json", features_json, "rx-checksumming", "on fixed"},
	{"linux/ethtool-k-json-virtio_net.json", features_json, "tcp-segmentation-offload", "on"},
	{"linux/ethtool-k-json-virtio_net.json", features_json, "tx-tcp-mangleid-segmentation", "off"},
	{"linux/ethtool-k-json-virtio_net.json", features_json, "large-receive-offload", "off fixed"},
	{"linux/ethtool-k-json-virtio_net.json", features_json, "hsr-dup-offload", "off fixed"},
	{"linux/ethtool-k-requested.txt", features, "generic-segmentation-offload", "off held"},
	{"linux/ethtool-k-requested.txt", features, "tx-tcp-segmentation", "on fixed"},
	{"linux/ethtool-k-requested.txt", features, "generic-receive-offload", "on"},
	{"linux/ethtool-k-virtio_net.txt", features, "hsr-dup-offload", "off fixed"},
	{"linux/ethtool-k-virtio_net.txt", features, "rx-checksumming", "on fixed"},
	{"linux/ethtool-k-vmxnet3.txt", features, "large-receive-offload", "on"},
	{"linux/ethtool-l-6.1.txt", counts, "Combined", "1/1"},
	{"linux/ethtool-l-6.1.txt", counts, "RX", "-/-"},
	{"linux/ethtool-speed-unknown.txt", speed, "", "-"},
	{"linux/ethtool-speed-vmxnet3.txt", speed, "", "10000"},
	{"linux/ip-j-link-virtio.json", link_of, "", "eth0 52:54:00:5e:53:01 mtu 1400 of 68 to 65535, queues 1, virtio virtio2, up 1 1, rx 499345165"},
	{"linux/ip-j-link-vmxnet3.json", link_of, "", "ens192 00:0c:29:5e:53:41 mtu 1500 of 60 to 9000, queues 4, pci 0000:0b:00.0, up 1 1, rx -"},
	{"linux/lspci-lnksta-downgraded.txt", pcie, "", "x8 8000 of x16 16000"},
	{"linux/sudo-needs-password.txt", sudo, "", "1"},
	{"linux/sudo-requiretty.txt", sudo, "", "1"},
	{"linux/sysctl-net.txt", keyed, "net.core.rmem_max", "212992"},
	{"linux/sysctl-net.txt", keyed, "net.ipv4.tcp_congestion_control", "cubic"},
	{"linux/sysctl-net.txt", keyed, "net.ipv4.tcp_rmem", "4096\t131072\t6291456"},
};
/* clang-format on */

static void each_sample_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char *text = sample_load(cases[i].sample);
		struct arena arena = {0};
		struct text out = {0};

		cases[i].look(&arena, text, cases[i].which, &out);
		if (strcmp(text_str(&out), cases[i].wanted) != 0)
			fail_msg("%s, %s: '%s' instead of '%s'", cases[i].sample, cases[i].which,
			         text_str(&out), cases[i].wanted);
		text_done(&out);
		arena_done(&arena);
		free(text);
	}
}

static bool is_tested(const char *sample)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (strcmp(cases[i].sample, sample) == 0)
			return true;
	}
	return false;
}

struct index_count {
	size_t rows;
};

static void check_row(void *arg, const char *line)
{
	struct index_count *index = arg;
	char sample[128];
	char provenance[32];

	if (line[0] == '#' || strncmp(line, "file\t", 5) == 0)
		return;
	assert_int_equal(sscanf(line, "%127[^\t]\t%31[^\t]\t", sample, provenance), 2);
	assert_true(strcmp(provenance, "captured") == 0 || strcmp(provenance, "published") == 0 ||
	            strcmp(provenance, "reconstructed") == 0);
	free(sample_load(sample));
	if (!is_tested(sample))
		fail_msg("no test reads %s", sample);
	index->rows++;
}

static void samples_and_index_agree(void **state)
{
	static const char *const folders[] = {"esxi", "freebsd", "linux"};
	struct index_count index = {0};
	size_t files = 0;

	(void)state;
	sample_lines("INDEX.tsv", check_row, &index);
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		char path[512];
		const struct dirent *entry;
		DIR *dir;

		(void)snprintf(path, sizeof(path), "%s/%s", SAMPLES, folders[i]);
		dir = opendir(path);
		assert_non_null(dir);
		while ((entry = readdir(dir)) != NULL)
			files += entry->d_name[0] != '.';
		(void)closedir(dir);
	}
	assert_true(files > 50);
	assert_int_equal(files, index.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_is_read),
		cmocka_unit_test(samples_and_index_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
