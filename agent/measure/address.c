/* SPDX-License-Identifier: MIT */
#include "measure/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse_v4(const char *literal, struct address *out)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	uint32_t host;

	if (inet_pton(AF_INET, literal, &v4.sin_addr) != 1)
		return false;
	host = ntohl(v4.sin_addr.s_addr);
	if (host == 0 || host >= 0xe0000000) /* 224.0.0.0 and up: multicast, reserved, broadcast */
		return false;
	out->at.v4 = v4;
	out->len = sizeof(v4);
	return true;
}

/* RFC 4007 section 11: the zone is an interface's name or number. */
static bool parse_zone(const char *zone, uint32_t *out)
{
	char *end;
	unsigned long number;

	*out = if_nametoindex(zone);
	if (*out != 0)
		return true;
	if (*zone < '0' || *zone > '9')
		return false;
	number = strtoul(zone, &end, 10);
	if (*end != '\0' || number == 0 || number > UINT32_MAX)
		return false;
	*out = (uint32_t)number;
	return true;
}

static bool parse_v6(const char *literal, struct address *out)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	const char *percent = strchr(literal, '%');
	size_t len = percent == NULL ? strlen(literal) : (size_t)(percent - literal);
	char text[ADDRESS_TEXT_BYTES];

	if (len >= sizeof(text))
		return false;
	memcpy(text, literal, len);
	text[len] = '\0';
	if (inet_pton(AF_INET6, text, &v6.sin6_addr) != 1)
		return false;
	if (IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) || IN6_IS_ADDR_MULTICAST(&v6.sin6_addr))
		return false;
	if (percent != NULL && !parse_zone(percent + 1, &v6.sin6_scope_id))
		return false;
	out->at.v6 = v6;
	out->len = sizeof(v6);
	return true;
}

bool address_parse(const char *literal, struct address *out)
{
	struct address a = {0};

	if (!parse_v4(literal, &a) && !parse_v6(literal, &a))
		return false;
	*out = a;
	return true;
}

void address_set_port(struct address *a, uint16_t port)
{
	if (a->at.any.sa_family == AF_INET)
		a->at.v4.sin_port = htons(port);
	else
		a->at.v6.sin6_port = htons(port);
}

uint16_t address_port(const struct address *a)
{
	return ntohs(a->at.any.sa_family == AF_INET ? a->at.v4.sin_port : a->at.v6.sin6_port);
}

void address_format(const struct address *a, char out[ADDRESS_TEXT_BYTES])
{
	const void *from = &a->at.v4.sin_addr;

	if (a->at.any.sa_family != AF_INET)
		from = &a->at.v6.sin6_addr;
	if (inet_ntop(a->at.any.sa_family, from, out, ADDRESS_TEXT_BYTES) == NULL)
		out[0] = '\0';
}

bool address_check_own(const struct address *a, struct failure *f)
{
	char text[ADDRESS_TEXT_BYTES];
	struct address trial = *a;
	int fd = socket(a->at.any.sa_family, SOCK_STREAM, 0);
	int bind_errno;

	address_format(a, text);
	if (fd < 0)
		return failure_set_errno(f, errno, "socket for %s", text);
	address_set_port(&trial, 0);
	bind_errno = bind(fd, &trial.at.any, trial.len) < 0 ? errno : 0;
	(void)close(fd);
	if (bind_errno == EADDRNOTAVAIL)
		return failure_set(f, FAILURE_USAGE, "no NIC of this machine has the address %s",
		                   text);
	if (bind_errno != 0)
		return failure_set_errno(f, bind_errno, "bind to %s", text);
	return true;
}
