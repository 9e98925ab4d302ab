/* SPDX-License-Identifier: MIT */
#include "measure/options.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/sockopt.h"
#include "platform/platform.h"

/* Of an IPv4 or IPv6 header and one of TCP, none with options. */
#define HEADERS_V4 40u
#define HEADERS_V6 60u

static const char *own_text(const struct request *r, char text[ADDRESS_TEXT_BYTES])
{
	address_format(&r->own, text);
	return text;
}

static bool check_nic(const struct request *r, struct failure *f)
{
	uint32_t headers = r->own.at.any.sa_family == AF_INET ? HEADERS_V4 : HEADERS_V6;
	const char *wanted = r->device[0] != '\0' ? r->device : NULL;
	char text[ADDRESS_TEXT_BYTES];
	struct platform_nic nic;

	if (wanted != NULL && if_nametoindex(wanted) == 0)
		return failure_set(f, FAILURE_USAGE, "no NIC of this machine is called %s", wanted);
	if (!platform_find_nic(&r->own.at.any, wanted, &nic))
		return true; /* not known: the kernel will tell */
	if (wanted != NULL && strcmp(nic.name, wanted) != 0)
		return failure_set(f, FAILURE_USAGE, "the NIC %s has not the address %s: %s has",
		                   wanted, own_text(r, text), nic.name);
	if (r->mss_bytes == 0 || nic.mtu_bytes == PLATFORM_UNKNOWN ||
	    r->mss_bytes + headers <= nic.mtu_bytes)
		return true;
	return failure_set(f, FAILURE_USAGE, "mss %u does not fit the MTU %u of %s: at most %u",
	                   r->mss_bytes, (unsigned)nic.mtu_bytes, own_text(r, text),
	                   (unsigned)nic.mtu_bytes - headers);
}

static int new_socket(const struct request *r, struct failure *f)
{
	int fd = socket(r->own.at.any.sa_family, SOCK_STREAM, 0);

	if (fd < 0)
		(void)failure_set_errno(f, errno, "socket");
	return fd;
}

static bool check_options(const struct request *r, struct failure *f)
{
	int fd = new_socket(r, f);
	bool ok = fd >= 0 && sockopt_apply(fd, r, f);

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

bool options_bind(int fd, const struct request *r, uint32_t stream, struct failure *f)
{
	uint32_t port = r->source_port == 0 || stream == 0 ? 0 : r->source_port + stream - 1;
	struct address at = r->own;
	char text[ADDRESS_TEXT_BYTES];
	int one = 1;
	int why;

	if (port != 0) /* connections of an earlier test that linger do not matter */
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	address_set_port(&at, (uint16_t)port);
	if (bind(fd, &at.at.any, at.len) == 0)
		return true;
	why = errno;
	if (port == 0)
		return failure_set_errno(f, why, "bind");
	return failure_set(f, FAILURE_PORT, "source port %u of stream %u on %s: %s%s", port, stream,
	                   own_text(r, text), strerror(why),
	                   why == EADDRINUSE ? "; choose another `source_port`" : "");
}

static bool check_source_ports(const struct request *r, struct failure *f)
{
	bool ok = true;

	for (uint32_t i = 1; ok && !r->is_listener && r->source_port != 0 && i <= r->streams; i++) {
		int fd = new_socket(r, f);

		ok = fd >= 0 && options_bind(fd, r, i, f);
		if (fd >= 0)
			(void)close(fd);
	}
	return ok;
}

static bool find_cores(struct request *r, struct failure *f)
{
	struct number_set own;
	struct number_set missing;
	char is[64];
	char are[64];

	if (!r->is_affinity_auto && number_set_count(&r->cores) == 0)
		return true;
	if (!platform_own_cores(&own))
		return failure_set(f, FAILURE_USAGE,
		                   "this system cannot keep threads to cores: leave affinity");
	if (r->is_affinity_auto) {
		if (!platform_near_cores(&r->own.at.any, &r->cores))
			r->cores = (struct number_set){0}; /* a virtual NIC: near to none */
		return true;
	}
	missing = number_set_less(&r->cores, &own);
	if (number_set_count(&missing) == 0)
		return true;
	number_set_format(&missing, is, sizeof(is));
	number_set_format(&own, are, sizeof(are));
	return failure_set(f, FAILURE_USAGE, "affinity: there is no core %s here, but %s", is, are);
}

bool options_check(struct request *r, struct failure *f)
{
	return check_nic(r, f) && check_options(r, f) && check_source_ports(r, f) &&
	       find_cores(r, f);
}

void options_keep_to_cores(const struct request *r, uint32_t index)
{
	uint32_t count = number_set_count(&r->cores);
	struct number_set one = {0};

	if (count == 0)
		return;
	if (r->beside != 0) /* the other test's streams have the first ones */
		index += r->streams;
	number_set_add(&one, number_set_nth(&r->cores, index % count));
	/* They were checked; a core that was switched off meanwhile is not there to miss. */
	(void)platform_keep_to(r->is_affinity_auto ? &r->cores : &one);
}
