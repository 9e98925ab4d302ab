/* SPDX-License-Identifier: MIT */
/* linux_cores.c - cores: which there are, which are near a NIC, and keeping threads to them. */
#include "platform/linux_cores.h"

#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/linux_file.h"
#include "platform/linux_link.h"
#include "platform/platform.h"

_Static_assert(NUMBER_SET_MAX <= 8 * sizeof(cpu_set_t),
               "a core of ours has a place in the kernel's set");

#define PATH_BYTES 160
#define LIST_BYTES 512

static bool read_list(const char *folder, const char *file, struct number_set *out)
{
	char path[PATH_BYTES + 32];
	char text[LIST_BYTES];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, file);
	return linux_read_path(path, text, sizeof(text)) && number_set_parse(text, out);
}

/* Where the kernel lets this interrupt arrive. */
static void add_serving(const char *irqs, const char *number, struct number_set *serving)
{
	char folder[PATH_BYTES];
	struct number_set cores;

	(void)snprintf(folder, sizeof(folder), "%s/%.16s", irqs, number);
	if (!read_list(folder, "effective_affinity_list", &cores) && /* since Linux 4.13 */
	    !read_list(folder, "smp_affinity_list", &cores))
		return;
	for (uint32_t i = 0; i < NUMBER_SET_MAX; i++) {
		if (number_set_has(&cores, i))
			number_set_add(serving, i);
	}
}

static void find_serving(const char *device, const char *irqs, struct number_set *serving)
{
	char path[PATH_BYTES];
	const struct dirent *entry;
	DIR *folder;

	(void)snprintf(path, sizeof(path), "%s/msi_irqs", device);
	folder = opendir(path);
	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] != '.')
			add_serving(irqs, entry->d_name, serving);
	}
	(void)closedir(folder);
}

bool linux_near_cores(const char *device, const char *irqs, const struct number_set *own,
                      struct number_set *out)
{
	struct number_set near;
	struct number_set serving = {0};
	struct number_set quiet;

	if (!read_list(device, "local_cpulist", &near))
		return false;
	near = number_set_both(&near, own);
	find_serving(device, irqs, &serving);
	quiet = number_set_less(&near, &serving);
	*out = number_set_count(&quiet) > 0 ? quiet : near;
	return number_set_count(out) > 0;
}

/* By the slot, not by /sys/class/net: see linux_link.h. */
bool platform_near_cores(const struct sockaddr *address, struct number_set *out)
{
	struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq request = {0};
	struct number_set own;
	char device[PATH_BYTES];
	bool ok;
	int fd;

	if (!linux_link_name(address, NULL, request.ifr_name) || !platform_own_cores(&own))
		return false;
	fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	request.ifr_data = (char *)&driver;
	ok = ioctl(fd, SIOCETHTOOL, &request) == 0 && strchr(driver.bus_info, ':') != NULL &&
	     strchr(driver.bus_info, '/') == NULL;
	(void)close(fd);
	(void)snprintf(device, sizeof(device), "/sys/bus/pci/devices/%.32s", driver.bus_info);
	return ok && linux_near_cores(device, "/proc/irq", &own, out);
}

bool platform_own_cores(struct number_set *out)
{
	cpu_set_t cores;

	*out = (struct number_set){0};
	if (sched_getaffinity(0, sizeof(cores), &cores) < 0)
		return false; /* more cores than any list here can name */
	for (uint32_t i = 0; i < NUMBER_SET_MAX; i++) {
		if (CPU_ISSET(i, &cores))
			number_set_add(out, i);
	}
	return true;
}

int platform_keep_to(const struct number_set *cores)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (uint32_t i = 0; i < NUMBER_SET_MAX; i++) {
		if (number_set_has(cores, i))
			CPU_SET(i, &set);
	}
	return sched_setaffinity(0, sizeof(set), &set) < 0 ? errno : 0;
}
