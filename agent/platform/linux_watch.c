/* SPDX-License-Identifier: MIT */
/* linux_watch.c - counters and load before and after a test. */
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/linux_file.h"
#include "platform/linux_link.h"
#include "platform/linux_parse.h"
#include "platform/platform.h"

/* /proc/stat begins with the cores; what follows, and may not fit, is not needed. */
#define TEXT_BYTES ((size_t)128 * 1024)

enum source { SOURCE_SNMP, SOURCE_NETSTAT, SOURCE_SOFTNET, SOURCE_COUNT };

static const char *const paths[SOURCE_COUNT] = {
	[SOURCE_SNMP] = "/proc/net/snmp",
	[SOURCE_NETSTAT] = "/proc/net/netstat",
	[SOURCE_SOFTNET] = "/proc/net/softnet_stat",
};

/* The system's counters. For softnet_stat `group` is NULL and `column` counts. */
/* clang-format off */
static const struct {
	const char *name;
	enum source source;
	const char *group;
	const char *field;
	unsigned column;
} counters[] = {
	{"tcp.in_segs",           SOURCE_SNMP,    "Tcp",    "InSegs",            0},
	{"tcp.out_segs",          SOURCE_SNMP,    "Tcp",    "OutSegs",           0},
	{"tcp.retrans_segs",      SOURCE_SNMP,    "Tcp",    "RetransSegs",       0},
	{"tcp.in_errs",           SOURCE_SNMP,    "Tcp",    "InErrs",            0},
	{"tcp.timeouts",          SOURCE_NETSTAT, "TcpExt", "TCPTimeouts",       0},
	{"tcp.fast_retrans",      SOURCE_NETSTAT, "TcpExt", "TCPFastRetrans",    0},
	{"tcp.lost_retransmit",   SOURCE_NETSTAT, "TcpExt", "TCPLostRetransmit", 0},
	{"tcp.ofo_queue",         SOURCE_NETSTAT, "TcpExt", "TCPOFOQueue",       0},
	{"tcp.rcv_collapsed",     SOURCE_NETSTAT, "TcpExt", "TCPRcvCollapsed",   0},
	{"tcp.prune_called",      SOURCE_NETSTAT, "TcpExt", "PruneCalled",       0},
	{"tcp.backlog_drops",     SOURCE_NETSTAT, "TcpExt", "TCPBacklogDrop",    0},
	{"tcp.rcvq_drops",        SOURCE_NETSTAT, "TcpExt", "TCPRcvQDrop",       0},
	{"softnet.drops",         SOURCE_SOFTNET, NULL,     NULL,                1},
	{"softnet.time_squeezed", SOURCE_SOFTNET, NULL,     NULL,                2},
};
/* clang-format on */

/* A counter that is not known is PLATFORM_UNKNOWN. */
struct reading {
	uint64_t system[COUNT_OF(counters)];
	uint64_t nic[LINUX_LINK_COUNTERS];
};

struct platform_watch {
	int fds[SOURCE_COUNT]; /* -1: not there */
	int stat_fd;
	int link_fd;
	unsigned nic_index; /* 0: not known */
	struct reading before;
	bool has_load;
	struct linux_core cores_opened[LINUX_CORES_MAX];
	struct linux_core cores_last[LINUX_CORES_MAX];
	struct linux_core cores_now[LINUX_CORES_MAX];
	_Alignas(8) char text[TEXT_BYTES];
};

_Static_assert(TEXT_BYTES >= LINUX_LINK_BUFFER_BYTES, "the text's memory serves netlink too");

struct platform_watch *platform_watch_new(void)
{
	struct platform_watch *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	for (int i = 0; i < SOURCE_COUNT; i++)
		w->fds[i] = open(paths[i], O_RDONLY | O_CLOEXEC);
	w->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	w->link_fd = linux_link_open();
	return w;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

void platform_watch_free(struct platform_watch *watch)
{
	if (watch == NULL)
		return;
	for (int i = 0; i < SOURCE_COUNT; i++)
		close_fd(watch->fds[i]);
	close_fd(watch->stat_fd);
	close_fd(watch->link_fd);
	free(watch);
}

static void read_source(struct platform_watch *w, enum source source, struct reading *out)
{
	bool ok = linux_read_fd(w->fds[source], w->text, sizeof(w->text));

	for (size_t i = 0; i < COUNT_OF(counters); i++) {
		bool found = false;

		if (counters[i].source != source)
			continue;
		if (ok && counters[i].group != NULL)
			found = linux_find_counter(w->text, counters[i].group, counters[i].field,
			                           &out->system[i]);
		else if (ok)
			found = linux_sum_softnet(w->text, counters[i].column, &out->system[i]);
		if (!found)
			out->system[i] = PLATFORM_UNKNOWN;
	}
}

static void read_all(struct platform_watch *w, struct reading *out)
{
	struct linux_link link = {0};
	bool ok = w->nic_index != 0 && linux_link_read(w->link_fd, w->nic_index, w->text, &link) &&
	          link.has_counters;

	for (size_t i = 0; i < LINUX_LINK_COUNTERS; i++)
		out->nic[i] = ok ? link.counters[i] : PLATFORM_UNKNOWN;
	for (int i = 0; i < SOURCE_COUNT; i++)
		read_source(w, (enum source)i, out);
}

void platform_watch_counters_start(struct platform_watch *watch, const struct sockaddr *address)
{
	char name[IFNAMSIZ];

	if (watch == NULL)
		return;
	watch->nic_index = linux_link_name(address, NULL, name) ? if_nametoindex(name) : 0;
	read_all(watch, &watch->before);
}

/* A counter that went back was reset meanwhile: its delta is not known. */
static bool has_delta(uint64_t before, uint64_t after)
{
	return before != PLATFORM_UNKNOWN && after != PLATFORM_UNKNOWN && after >= before;
}

void platform_watch_counters_end(struct platform_watch *watch,
                                 void (*tell)(void *ctx, const char *name, uint64_t delta),
                                 void *ctx)
{
	struct reading after;

	if (watch == NULL)
		return;
	read_all(watch, &after);
	for (size_t i = 0; i < LINUX_LINK_COUNTERS; i++) {
		if (has_delta(watch->before.nic[i], after.nic[i]))
			tell(ctx, linux_link_counters[i].name, after.nic[i] - watch->before.nic[i]);
	}
	for (size_t i = 0; i < COUNT_OF(counters); i++) {
		if (has_delta(watch->before.system[i], after.system[i]))
			tell(ctx, counters[i].name, after.system[i] - watch->before.system[i]);
	}
}

static bool read_cores(struct platform_watch *w, struct linux_core cores[LINUX_CORES_MAX])
{
	return linux_read_fd(w->stat_fd, w->text, sizeof(w->text)) &&
	       linux_parse_stat(w->text, cores);
}

static void compare(const struct linux_core before[LINUX_CORES_MAX],
                    const struct linux_core after[LINUX_CORES_MAX], struct platform_load *out)
{
	if (!linux_compare_stat(before, after, &out->core_max_permille, &out->steal_permille))
		*out = (struct platform_load){PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};
}

void platform_watch_load_start(struct platform_watch *watch)
{
	if (watch == NULL)
		return;
	watch->has_load = read_cores(watch, watch->cores_last);
	memcpy(watch->cores_opened, watch->cores_last, sizeof(watch->cores_opened));
}

void platform_watch_load_next(struct platform_watch *watch, bool opens, struct platform_load *out)
{
	*out = (struct platform_load){PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};
	if (watch == NULL || !watch->has_load || !read_cores(watch, watch->cores_now))
		return;
	compare(watch->cores_last, watch->cores_now, out);
	memcpy(watch->cores_last, watch->cores_now, sizeof(watch->cores_last));
	if (opens)
		memcpy(watch->cores_opened, watch->cores_now, sizeof(watch->cores_opened));
}

void platform_watch_load_all(struct platform_watch *watch, struct platform_load *out)
{
	*out = (struct platform_load){PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};
	if (watch != NULL && watch->has_load)
		compare(watch->cores_opened, watch->cores_last, out);
}
