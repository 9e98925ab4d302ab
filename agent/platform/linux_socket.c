/* SPDX-License-Identifier: MIT */
/* linux_socket.c - what sockets can be told on Linux alone. */
#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "platform/linux_file.h"
#include "platform/linux_link.h"
#include "platform/linux_parse.h"
#include "platform/platform.h"

_Static_assert(PLATFORM_NAME_BYTES >= IFNAMSIZ, "a NIC's name fits");

#define CONGESTIONS_BYTES (PLATFORM_TEXT_BYTES - 16) /* with a few words before them */

/* What is loaded. This file is the process's own network namespace's. */
static bool read_congestions(char out[CONGESTIONS_BYTES])
{
	if (!linux_read_path("/proc/sys/net/ipv4/tcp_available_congestion_control", out,
	                     CONGESTIONS_BYTES))
		return false;
	linux_squeeze(out);
	return true;
}

int platform_set_congestion(int fd, const char *name)
{
	char loaded[CONGESTIONS_BYTES];

	/* Asked by root for one that is not loaded, the kernel would load it: a change of the
	 * machine that nobody would undo. */
	if (read_congestions(loaded) && !linux_has_word(loaded, name))
		return ENOENT;
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) < 0)
		return errno;
	return 0;
}

/* It is a module of this kernel, packed or not. */
static bool has_module(const char *name)
{
	static const char *const endings[] = {"", ".xz", ".zst", ".gz"};
	struct utsname here;

	if (strchr(name, '/') != NULL || uname(&here) < 0)
		return false;
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		char path[256];

		(void)snprintf(path, sizeof(path), "/lib/modules/%s/kernel/net/ipv4/tcp_%s.ko%s",
		               here.release, name, endings[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

void platform_explain_congestion(const char *name, int why, char out[PLATFORM_TEXT_BYTES])
{
	char loaded[CONGESTIONS_BYTES];

	out[0] = '\0';
	if (why == EPERM)
		(void)snprintf(out, PLATFORM_TEXT_BYTES,
		               "only root may, or all with sysctl "
		               "net.ipv4.tcp_allowed_congestion_control");
	else if (why == ENOENT && has_module(name))
		(void)snprintf(out, PLATFORM_TEXT_BYTES, "not loaded: modprobe tcp_%s", name);
	else if (why == ENOENT && read_congestions(loaded))
		(void)snprintf(out, PLATFORM_TEXT_BYTES, "there are: %s", loaded);
}

bool platform_get_congestion(int fd, char out[PLATFORM_NAME_BYTES])
{
	socklen_t len = PLATFORM_NAME_BYTES - 1;

	memset(out, 0, PLATFORM_NAME_BYTES);
	return getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, out, &len) == 0 && out[0] != '\0';
}

int platform_bind_device(int fd, const char *name)
{
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name)) < 0
	               ? errno
	               : 0;
}

bool platform_find_nic(const struct sockaddr *address, const char *wanted, struct platform_nic *out)
{
	struct ifreq request = {0};
	int fd;

	memset(out->name, 0, sizeof(out->name));
	out->mtu_bytes = PLATFORM_UNKNOWN;
	if (!linux_link_name(address, wanted, out->name))
		return false;
	fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	memcpy(request.ifr_name, out->name, sizeof(request.ifr_name));
	if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &request) == 0)
		out->mtu_bytes = (uint64_t)request.ifr_mtu;
	if (fd >= 0)
		(void)close(fd);
	return true;
}
