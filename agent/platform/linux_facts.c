/* SPDX-License-Identifier: MIT */
/* linux_facts.c - what Linux tells of the machine. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "platform/linux_file.h"
#include "platform/linux_parse.h"
#include "platform/linux_tell.h"
#include "platform/platform.h"

#define VALUE_BYTES 192
#define TEXT_BYTES  ((size_t)16 * 1024) /* the first core of /proc/cpuinfo needs 2 KiB */

/* Facts that are a file's whole text. */
/* clang-format off */
static const struct {
	const char *key;
	const char *path;
} files[] = {
	{"os.hostname",               "/proc/sys/kernel/hostname"},
	{"boot.id",                   "/proc/sys/kernel/random/boot_id"},
	{"clock.source",              "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
	{"cpu.smt",                   "/sys/devices/system/cpu/smt/control"},
	{"power.governor",            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
	{"power.profile",             "/sys/firmware/acpi/platform_profile"},
	{"tcp.congestion",            "/proc/sys/net/ipv4/tcp_congestion_control"},
	{"tcp.congestion_available",  "/proc/sys/net/ipv4/tcp_available_congestion_control"},
	{"tcp.rmem",                  "/proc/sys/net/ipv4/tcp_rmem"},
	{"tcp.wmem",                  "/proc/sys/net/ipv4/tcp_wmem"},
	{"tcp.mem",                   "/proc/sys/net/ipv4/tcp_mem"},
	{"tcp.timestamps",            "/proc/sys/net/ipv4/tcp_timestamps"},
	{"tcp.sack",                  "/proc/sys/net/ipv4/tcp_sack"},
	{"tcp.window_scaling",        "/proc/sys/net/ipv4/tcp_window_scaling"},
	{"tcp.moderate_rcvbuf",       "/proc/sys/net/ipv4/tcp_moderate_rcvbuf"},
	{"tcp.mtu_probing",           "/proc/sys/net/ipv4/tcp_mtu_probing"},
	{"tcp.no_metrics_save",       "/proc/sys/net/ipv4/tcp_no_metrics_save"},
	{"tcp.slow_start_after_idle", "/proc/sys/net/ipv4/tcp_slow_start_after_idle"},
	{"net.core.rmem_max",         "/proc/sys/net/core/rmem_max"},
	{"net.core.wmem_max",         "/proc/sys/net/core/wmem_max"},
	{"net.core.default_qdisc",    "/proc/sys/net/core/default_qdisc"},
	{"net.core.netdev_max_backlog", "/proc/sys/net/core/netdev_max_backlog"},
	{"net.core.busy_read",        "/proc/sys/net/core/busy_read"},
	{"ip.forwarding",             "/proc/sys/net/ipv4/ip_forward"},
	{"ip6.forwarding",            "/proc/sys/net/ipv6/conf/all/forwarding"},
	{"ip.local_port_range",       "/proc/sys/net/ipv4/ip_local_port_range"},
	{"virt.type",                 "/sys/hypervisor/type"},
	{"dmi.vendor",                "/sys/class/dmi/id/sys_vendor"},
	{"dmi.product",               "/sys/class/dmi/id/product_name"},
	{"dmi.product_version",       "/sys/class/dmi/id/product_version"},
	{"dmi.bios_vendor",           "/sys/class/dmi/id/bios_vendor"},
	{"dmi.bios_version",          "/sys/class/dmi/id/bios_version"},
	{"dmi.bios_date",             "/sys/class/dmi/id/bios_date"},
};

/* Facts that are a value in a file: the first key that is there. */
static const struct {
	const char *key;
	const char *path;
	char separator;
	const char *name;
} values[] = {
	{"os.version", "/etc/os-release", '=', "PRETTY_NAME"},
	{"cpu.model",  "/proc/cpuinfo",   ':', "model name"},
};

/* Files that only a container has. */
static const struct {
	const char *path;
	const char *container;
} container_marks[] = {
	{"/.dockerenv",        "docker"},
	{"/run/.containerenv", "podman"},
	{"/dev/.lxc-boot-id",  "lxc"},
};
/* clang-format on */

static void tell_system(const struct platform_sink *sink)
{
	struct utsname name;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (uname(&name) == 0) {
		linux_tell(sink, "os.name", name.sysname, "uname");
		linux_tell(sink, "os.kernel", name.release, "uname");
		linux_tell(sink, "os.build", name.version, "uname");
	}
	if (cores > 0)
		linux_tell_number(sink, "cpu.count", (uint64_t)cores,
		                  "sysconf _SC_NPROCESSORS_ONLN");
}

static void tell_memory(const struct platform_sink *sink, char *text)
{
	static const char path[] = "/proc/meminfo";
	char value[VALUE_BYTES];
	char *unit;
	unsigned long long kib;

	if (!linux_read_path(path, text, TEXT_BYTES) ||
	    !linux_find_value(text, "MemTotal", ':', value, sizeof(value)))
		return;
	kib = strtoull(value, &unit, 10);
	if (unit > value && strcmp(unit, " kB") == 0)
		linux_tell_number(sink, "memory.bytes", kib * 1024, path);
}

/* The greatest, which does not change from one moment to the next; where it is
 * not told (most virtual machines) the present one. */
static void tell_mhz(const struct platform_sink *sink, char *text)
{
	static const char max_path[] = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
	static const char now_path[] = "/proc/cpuinfo";
	char value[VALUE_BYTES];
	char *end;

	if (linux_read_path(max_path, value, sizeof(value)))
		linux_tell_number(sink, "cpu.mhz", strtoull(value, &end, 10) / 1000, max_path);
	else if (linux_read_path(now_path, text, TEXT_BYTES) &&
	         linux_find_value(text, "cpu MHz", ':', value, sizeof(value)))
		linux_tell_number(sink, "cpu.mhz", strtoull(value, &end, 10), now_path);
}

static void tell_numa(const struct platform_sink *sink, char *text)
{
	static const char path[] = "/sys/devices/system/node/online";
	uint64_t count;

	if (linux_read_path(path, text, TEXT_BYTES) && linux_count_list(text, &count))
		linux_tell_number(sink, "numa.nodes", count, path);
}

/* x86 only: the processor itself says that it is a hypervisor's. */
static void tell_guest(const struct platform_sink *sink, char *text)
{
	static const char path[] = "/proc/cpuinfo";
	const char *flags;

	if (!linux_read_path(path, text, TEXT_BYTES))
		return;
	flags = strstr(text, "\nflags");
	if (flags == NULL)
		return;
	text[(size_t)(flags - text) + 1 + strcspn(flags + 1, "\n")] = '\0';
	linux_tell(sink, "virt.guest", strstr(flags, " hypervisor") != NULL ? "yes" : "no", path);
}

static void tell_container(const struct platform_sink *sink, char *text)
{
	static const char path[] = "/run/systemd/container";

	for (size_t i = 0; i < COUNT_OF(container_marks); i++) {
		if (access(container_marks[i].path, F_OK) == 0) {
			linux_tell(sink, "os.container", container_marks[i].container,
			           container_marks[i].path);
			return;
		}
	}
	if (linux_read_path(path, text, TEXT_BYTES)) {
		linux_squeeze(text);
		linux_tell(sink, "os.container", text, path);
	}
}

void platform_host_facts(const struct platform_sink *sink)
{
	char text[TEXT_BYTES];
	char value[VALUE_BYTES];

	tell_system(sink);
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		if (linux_read_path(values[i].path, text, sizeof(text)) &&
		    linux_find_value(text, values[i].name, values[i].separator, value,
		                     sizeof(value)))
			linux_tell(sink, values[i].key, value, values[i].path);
	}
	tell_mhz(sink, text);
	tell_memory(sink, text);
	tell_numa(sink, text);
	tell_guest(sink, text);
	tell_container(sink, text);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		if (!linux_read_path(files[i].path, value, sizeof(value)))
			continue;
		linux_squeeze(value);
		linux_tell(sink, files[i].key, value, files[i].path);
	}
}
