/* SPDX-License-Identifier: MIT */
/* linux_nic.c - what Linux tells of one NIC: ethtool's ioctls, netlink, PCI's files. */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/linux_file.h"
#include "platform/linux_link.h"
#include "platform/linux_parse.h"
#include "platform/linux_tell.h"
#include "platform/platform.h"

#define VALUE_BYTES 64

/* One NIC that is being asked. */
struct nic {
	const struct platform_sink *sink;
	char name[IFNAMSIZ];
	int fd; /* any socket: the ioctls need one */
};

static bool ask(const struct nic *nic, unsigned long what, struct ifreq *request)
{
	memset(request, 0, sizeof(*request));
	memcpy(request->ifr_name, nic->name, sizeof(request->ifr_name));
	return ioctl(nic->fd, what, request) == 0;
}

static bool ask_ethtool(const struct nic *nic, void *command)
{
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	memcpy(request.ifr_name, nic->name, sizeof(request.ifr_name));
	request.ifr_data = command;
	return ioctl(nic->fd, SIOCETHTOOL, &request) == 0;
}

static void tell_basics(const struct nic *nic)
{
	struct ifreq r;

	linux_tell(nic->sink, "nic.name", nic->name, "getifaddrs");
	if (ask(nic, SIOCGIFHWADDR, &r) && r.ifr_hwaddr.sa_family == ARPHRD_ETHER) {
		unsigned char mac[6];
		char text[VALUE_BYTES];

		memcpy(mac, r.ifr_hwaddr.sa_data, sizeof(mac));
		(void)snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
		               mac[2], mac[3], mac[4], mac[5]);
		linux_tell(nic->sink, "nic.mac", text, "ioctl SIOCGIFHWADDR");
	}
	if (ask(nic, SIOCGIFMTU, &r))
		linux_tell_number(nic->sink, "nic.mtu", (uint64_t)r.ifr_mtu, "ioctl SIOCGIFMTU");
	if (ask(nic, SIOCGIFFLAGS, &r))
		linux_tell(nic->sink, "nic.link", (r.ifr_flags & IFF_RUNNING) != 0 ? "up" : "down",
		           "ioctl SIOCGIFFLAGS");
	if (ask(nic, SIOCGIFTXQLEN, &r))
		linux_tell_number(nic->sink, "nic.tx_queue_length", (uint64_t)r.ifr_qlen,
		                  "ioctl SIOCGIFTXQLEN");
}

static void tell_link(const struct nic *nic)
{
	static const char source[] = "netlink RTM_GETLINK";
	_Alignas(8) char buffer[LINUX_LINK_BUFFER_BYTES];
	struct linux_link link;
	int fd = linux_link_open();
	bool ok = linux_link_read(fd, if_nametoindex(nic->name), buffer, &link);

	if (fd >= 0)
		(void)close(fd);
	if (!ok)
		return;
	linux_tell(nic->sink, "nic.kind", link.kind, source);
	if (link.mtu_max > 0)
		linux_tell_number(nic->sink, "nic.max_mtu", link.mtu_max, source);
	if (link.rx_queues > 0)
		linux_tell_number(nic->sink, "nic.rx_queues_max", link.rx_queues, source);
	if (link.tx_queues > 0)
		linux_tell_number(nic->sink, "nic.tx_queues_max", link.tx_queues, source);
}

/* The offloads that are one ethtool question each. */
/* clang-format off */
static const struct {
	const char *key;
	uint32_t command;
	const char *source;
} offloads[] = {
	{"nic.tso",     ETHTOOL_GTSO,    "ethtool GTSO"},
	{"nic.gso",     ETHTOOL_GGSO,    "ethtool GGSO"},
	{"nic.gro",     ETHTOOL_GGRO,    "ethtool GGRO"},
	{"nic.rx_csum", ETHTOOL_GRXCSUM, "ethtool GRXCSUM"},
	{"nic.tx_csum", ETHTOOL_GTXCSUM, "ethtool GTXCSUM"},
	{"nic.sg",      ETHTOOL_GSG,     "ethtool GSG"},
};
/* clang-format on */

static void tell_offloads(const struct nic *nic)
{
	struct ethtool_value flags = {.cmd = ETHTOOL_GFLAGS};

	if (ask_ethtool(nic, &flags))
		linux_tell(nic->sink, "nic.lro", (flags.data & ETH_FLAG_LRO) != 0 ? "on" : "off",
		           "ethtool GFLAGS");
	for (size_t i = 0; i < COUNT_OF(offloads); i++) {
		struct ethtool_value value = {.cmd = offloads[i].command};

		if (ask_ethtool(nic, &value))
			linux_tell(nic->sink, offloads[i].key, value.data != 0 ? "on" : "off",
			           offloads[i].source);
	}
}

static void tell_speed(const struct nic *nic)
{
	struct ethtool_cmd settings = {.cmd = ETHTOOL_GSET};
	uint32_t mbps;

	if (!ask_ethtool(nic, &settings))
		return;
	mbps = ethtool_cmd_speed(&settings);
	if (mbps != 0 && mbps != (uint32_t)SPEED_UNKNOWN && mbps != UINT16_MAX)
		linux_tell_number(nic->sink, "nic.speed_bps", mbps * UINT64_C(1000000),
		                  "ethtool GSET");
	if (settings.duplex == DUPLEX_FULL || settings.duplex == DUPLEX_HALF)
		linux_tell(nic->sink, "nic.duplex",
		           settings.duplex == DUPLEX_FULL ? "full" : "half", "ethtool GSET");
}

static void tell_queues(const struct nic *nic)
{
	struct ethtool_ringparam rings = {.cmd = ETHTOOL_GRINGPARAM};
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	struct ethtool_coalesce coalesce = {.cmd = ETHTOOL_GCOALESCE};

	if (ask_ethtool(nic, &rings)) {
		linux_tell_number(nic->sink, "nic.rx_ring", rings.rx_pending, "ethtool GRINGPARAM");
		linux_tell_number(nic->sink, "nic.rx_ring_max", rings.rx_max_pending,
		                  "ethtool GRINGPARAM");
		linux_tell_number(nic->sink, "nic.tx_ring", rings.tx_pending, "ethtool GRINGPARAM");
		linux_tell_number(nic->sink, "nic.tx_ring_max", rings.tx_max_pending,
		                  "ethtool GRINGPARAM");
	}
	if (ask_ethtool(nic, &channels)) {
		linux_tell_number(nic->sink, "nic.rx_queues",
		                  channels.rx_count + channels.combined_count, "ethtool GCHANNELS");
		linux_tell_number(nic->sink, "nic.tx_queues",
		                  channels.tx_count + channels.combined_count, "ethtool GCHANNELS");
	}
	if (ask_ethtool(nic, &coalesce)) {
		linux_tell_number(nic->sink, "nic.rx_coalesce_us", coalesce.rx_coalesce_usecs,
		                  "ethtool GCOALESCE");
		linux_tell(nic->sink, "nic.rx_coalesce_adaptive",
		           coalesce.use_adaptive_rx_coalesce != 0 ? "on" : "off",
		           "ethtool GCOALESCE");
	}
}

/* clang-format off */
static const struct {
	const char *key;
	const char *file;
} pci_files[] = {
	{"nic.pcie_speed",     "current_link_speed"},
	{"nic.pcie_width",     "current_link_width"},
	{"nic.pcie_speed_max", "max_link_speed"},
	{"nic.pcie_width_max", "max_link_width"},
	{"nic.numa_node",      "numa_node"},
	{"nic.pci_vendor",     "vendor"},
	{"nic.pci_device",     "device"},
};
/* clang-format on */

/* By the slot, not by /sys/class/net: see linux_link.h. */
static void tell_pci(const struct nic *nic, const char *slot)
{
	for (size_t i = 0; i < COUNT_OF(pci_files); i++) {
		char path[128];
		char value[VALUE_BYTES];

		(void)snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", slot,
		               pci_files[i].file);
		if (!linux_read_path(path, value, sizeof(value)))
			continue;
		linux_squeeze(value);
		if (value[0] != '-') /* numa_node -1: not known */
			linux_tell(nic->sink, pci_files[i].key, value, path);
	}
}

/* What a driver left empty or filled with "N/A" is not known. */
static void tell_driver_text(const struct nic *nic, const char *key, const char *text)
{
	if (strncmp(text, "N/A", 3) != 0)
		linux_tell(nic->sink, key, text, "ethtool GDRVINFO");
}

static void tell_driver(const struct nic *nic)
{
	struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};

	if (!ask_ethtool(nic, &driver))
		return;
	tell_driver_text(nic, "nic.driver", driver.driver);
	tell_driver_text(nic, "nic.driver_version", driver.version);
	tell_driver_text(nic, "nic.firmware", driver.fw_version);
	if (strchr(driver.bus_info, ':') == NULL || strchr(driver.bus_info, '/') != NULL)
		return; /* not on PCI */
	tell_driver_text(nic, "nic.pci_slot", driver.bus_info);
	tell_pci(nic, driver.bus_info);
}

bool platform_nic_facts(const struct sockaddr *address, const struct platform_sink *sink)
{
	struct nic nic = {.sink = sink};

	if (!linux_link_name(address, NULL, nic.name))
		return false;
	nic.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (nic.fd < 0)
		nic.fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	tell_basics(&nic);
	tell_link(&nic);
	if (nic.fd < 0)
		return true;
	tell_driver(&nic);
	tell_speed(&nic);
	tell_offloads(&nic);
	tell_queues(&nic);
	(void)close(nic.fd);
	return true;
}
