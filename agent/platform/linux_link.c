/* SPDX-License-Identifier: MIT */
#include "platform/linux_link.h"

#include <ifaddrs.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define COUNTER(name, field)                                           \
	{                                                              \
		"nic." name, offsetof(struct rtnl_link_stats64, field) \
	}

const struct linux_counter linux_link_counters[LINUX_LINK_COUNTERS] = {
	COUNTER("rx_bytes", rx_bytes),          COUNTER("tx_bytes", tx_bytes),
	COUNTER("rx_packets", rx_packets),      COUNTER("tx_packets", tx_packets),
	COUNTER("rx_dropped", rx_dropped),      COUNTER("tx_dropped", tx_dropped),
	COUNTER("rx_missed", rx_missed_errors), COUNTER("rx_errors", rx_errors),
	COUNTER("tx_errors", tx_errors),        COUNTER("rx_crc_errors", rx_crc_errors),
	COUNTER("multicast", multicast),
};

/* Same address, whatever the ports. */
static bool is_same(const struct sockaddr *a, const struct sockaddr *b)
{
	struct sockaddr_in a4;
	struct sockaddr_in b4;
	struct sockaddr_in6 a6;
	struct sockaddr_in6 b6;

	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET) {
		memcpy(&a4, a, sizeof(a4));
		memcpy(&b4, b, sizeof(b4));
		return a4.sin_addr.s_addr == b4.sin_addr.s_addr;
	}
	if (a->sa_family != AF_INET6)
		return false;
	memcpy(&a6, a, sizeof(a6));
	memcpy(&b6, b, sizeof(b6));
	return memcmp(&a6.sin6_addr, &b6.sin6_addr, sizeof(a6.sin6_addr)) == 0 &&
	       (a6.sin6_scope_id == 0 || a6.sin6_scope_id == b6.sin6_scope_id);
}

static bool is_loopback_v4(const struct sockaddr *address)
{
	struct sockaddr_in v4;

	if (address->sa_family != AF_INET)
		return false;
	memcpy(&v4, address, sizeof(v4));
	return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
}

/* An alias, as eth0:1, is its interface. */
static void copy_name(const char *from, char name[IFNAMSIZ])
{
	size_t len = strcspn(from, ":");

	if (len >= IFNAMSIZ)
		len = IFNAMSIZ - 1;
	memcpy(name, from, len);
	name[len] = '\0';
}

bool linux_link_name(const struct sockaddr *address, const char *wanted, char name[IFNAMSIZ])
{
	bool is_local = is_loopback_v4(address);
	bool found = false;
	struct ifaddrs *all;

	if (getifaddrs(&all) < 0)
		return false;
	for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
		char its[IFNAMSIZ];

		if (i->ifa_addr == NULL || !is_same(address, i->ifa_addr))
			continue;
		copy_name(i->ifa_name, its);
		if (found && (wanted == NULL || strcmp(its, wanted) != 0))
			continue;
		memcpy(name, its, sizeof(its));
		found = true;
	}
	for (const struct ifaddrs *i = all; i != NULL && !found && is_local; i = i->ifa_next) {
		found = (i->ifa_flags & IFF_LOOPBACK) != 0;
		if (found)
			copy_name(i->ifa_name, name);
	}
	freeifaddrs(all);
	return found;
}

int linux_link_open(void)
{
	struct timeval patience = {.tv_sec = 1};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

/* One attribute of a netlink message, rtnetlink(7). The bytes are copied out: they
 * need not be aligned. */
struct attribute {
	unsigned type;
	const unsigned char *data;
	size_t len;
};

/* Takes the next one from *at. False at the end and when it is damaged. */
static bool take_attribute(const unsigned char **at, size_t *left, struct attribute *out)
{
	struct rtattr header;
	size_t whole;

	if (*left < sizeof(header))
		return false;
	memcpy(&header, *at, sizeof(header));
	if (header.rta_len < sizeof(header) || header.rta_len > *left)
		return false;
	*out = (struct attribute){header.rta_type, *at + sizeof(header),
	                          header.rta_len - sizeof(header)};
	whole = RTA_ALIGN((size_t)header.rta_len);
	if (whole > *left)
		whole = *left;
	*at += whole;
	*left -= whole;
	return true;
}

static uint32_t read_u32(const struct attribute *a)
{
	uint32_t value = 0;

	if (a->len >= sizeof(value))
		memcpy(&value, a->data, sizeof(value));
	return value;
}

/* A kernel whose struct is shorter has no such counter: not has_counters then,
 * rather than a 0 for one of them. */
static void read_counters(const struct attribute *a, struct linux_link *out)
{
	for (size_t i = 0; i < LINUX_LINK_COUNTERS; i++) {
		size_t offset = linux_link_counters[i].offset;

		if (offset + sizeof(uint64_t) > a->len)
			return;
		memcpy(&out->counters[i], a->data + offset, sizeof(uint64_t));
	}
	out->has_counters = true;
}

static void read_kind(const struct attribute *info, struct linux_link *out)
{
	const unsigned char *at = info->data;
	size_t left = info->len;
	struct attribute a;

	while (take_attribute(&at, &left, &a)) {
		if (a.type != IFLA_INFO_KIND || a.len >= sizeof(out->kind))
			continue;
		memcpy(out->kind, a.data, a.len);
		out->kind[a.len] = '\0';
	}
}

static void read_attributes(const unsigned char *at, size_t left, struct linux_link *out)
{
	struct attribute a;

	while (take_attribute(&at, &left, &a)) {
		switch (a.type) {
		case IFLA_STATS64:
			read_counters(&a, out);
			break;
		case IFLA_MAX_MTU:
			out->mtu_max = read_u32(&a);
			break;
		case IFLA_NUM_RX_QUEUES:
			out->rx_queues = read_u32(&a);
			break;
		case IFLA_NUM_TX_QUEUES:
			out->tx_queues = read_u32(&a);
			break;
		case IFLA_LINKINFO:
			read_kind(&a, out);
			break;
		default:
			break;
		}
	}
}

/* The answer to RTM_GETLINK: a header, a struct ifinfomsg, attributes. */
static bool parse_link(const unsigned char *bytes, size_t len, struct linux_link *out)
{
	static const size_t offset = NLMSG_LENGTH(NLMSG_ALIGN(sizeof(struct ifinfomsg)));
	struct nlmsghdr header;

	if (len < offset)
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.nlmsg_type != RTM_NEWLINK || header.nlmsg_len < offset || header.nlmsg_len > len)
		return false;
	*out = (struct linux_link){0};
	read_attributes(bytes + offset, header.nlmsg_len - offset, out);
	return true;
}

bool linux_link_read(int fd, unsigned index, void *buffer, struct linux_link *out)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg info;
	} request = {
		.h = {.nlmsg_len = sizeof(request),
	              .nlmsg_type = RTM_GETLINK,
	              .nlmsg_flags = NLM_F_REQUEST},
		.info = {.ifi_family = AF_UNSPEC, .ifi_index = (int)index},
	};
	ssize_t n;

	if (fd < 0)
		return false;
	while (recv(fd, buffer, LINUX_LINK_BUFFER_BYTES, MSG_DONTWAIT) > 0)
		; /* what came too late for an earlier question */
	if (send(fd, &request, sizeof(request), 0) != (ssize_t)sizeof(request))
		return false;
	n = recv(fd, buffer, LINUX_LINK_BUFFER_BYTES, 0);
	return n > 0 && parse_link(buffer, (size_t)n, out);
}
