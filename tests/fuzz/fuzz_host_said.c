/* SPDX-License-Identifier: MIT */
/* What tools of hosts print: every reader of a whole text sees every input. */
#include <stdlib.h>
#include <string.h>

#include "hostops/esxi_host.h"
#include "hostops/ethtool.h"
#include "hostops/ifconfig.h"
#include "hostops/ip_link.h"
#include "hostops/keyed.h"
#include "hostops/netstat.h"
#include "hostops/pcie_link.h"
#include "hostops/vim_cmd.h"
#include "hostops/vmx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lines(const char *text)
{
	struct ethtool_features features = {0};
	struct ethtool_counts counts = {0};
	struct ifconfig nic;
	int64_t max, now;

	ifconfig_begin(&nic);
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		char *line = calloc(1, len + 1);

		if (line == NULL)
			abort();
		memcpy(line, text, len);
		ethtool_read_feature(&features, line);
		ethtool_read_count(&counts, line);
		ifconfig_read(&nic, line);
		free(line);
		text += len + (text[len] == '\n');
	}
	if (features.count > ETHTOOL_FEATURES_MAX || nic.options < IFCONFIG_UNKNOWN ||
	    nic.mtu < IFCONFIG_UNKNOWN ||
	    (ethtool_count(&counts, "RX", &max, &now) && (max < -1 || max == 0 || now < -1)))
		abort();
}

static void read_whole(struct arena *arena, const char *text)
{
	struct ethtool_features features = {0};
	struct vmx_nic nics[VMX_NICS];
	struct netstat_mbufs mbufs;
	struct esxi_version version;
	struct netstat_tcp tcp;
	struct pcie_link pcie;
	struct ip_link link;
	char value[24];
	int64_t n = 0;

	if (ethtool_read_features_json(&features, text) &&
	    ethtool_feature(&features, "tx-tcp-segmentation") == NULL)
		features.count = 0;
	if (ip_link_read(&link, text) && link.max_mtu == 0)
		abort();
	if (pcie_link_read(text, &pcie) && (pcie.lanes == 0 || pcie.max_lanes == 0))
		abort();
	netstat_read_tcp(text, &tcp);
	netstat_read_mbufs(text, &mbufs);
	if (netstat_sum_of(text, "ring full") < NETSTAT_UNKNOWN ||
	    ethtool_speed(text) < ETHTOOL_NONE || (keyed_find_int(text, "MTU", &n) && n < 0) ||
	    esxi_advcfg_read(text, "X") < RECORDS_UNKNOWN)
		abort();
	if (esxi_version_read(text, &version) && version.text[0] == '\0')
		abort();
	if (esxi_cpu_read(text, value, sizeof(value)) && strlen(value) >= sizeof(value))
		abort();
	if (esxi_esxtop_read(text, "Cpu", value, sizeof(value)) && strlen(value) >= sizeof(value))
		abort();
	vmx_read(text, nics);
	if (vim_power_read(text) > VIM_POWER_SUSPENDED ||
	    vim_nics_read(arena, text).count > VIM_NICS_MAX)
		abort();
	if (esxi_ports_read(arena, text).count > RECORDS_MAX)
		abort();
}

static void read_vms(struct arena *arena, const char *text)
{
	struct vim_vms vms = vim_vms_read(arena, text);

	for (size_t i = 0; i < vms.count; i++) {
		size_t len = strlen(vms.at[i].file);

		if (vms.at[i].id < 0 || vms.at[i].file[0] != '[' || len < 5 ||
		    strcmp(vms.at[i].file + len - 4, ".vmx") != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	char *text = calloc(1, size + 1);

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	read_lines(text);
	read_whole(&arena, text);
	read_vms(&arena, text);
	arena_done(&arena);
	free(text);
	return 0;
}
