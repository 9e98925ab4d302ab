/* SPDX-License-Identifier: MIT */
#include "topology/address.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "common/units.h"

static unsigned bits_of(enum address_family family)
{
	return family == ADDRESS_IPV4 ? 32 : 128;
}

bool address_parse(const char *text, struct address *out)
{
	struct address a = {0};

	if (inet_pton(AF_INET, text, a.bytes) == 1)
		a.family = ADDRESS_IPV4;
	else if (inet_pton(AF_INET6, text, a.bytes) == 1)
		a.family = ADDRESS_IPV6;
	else
		return false;
	*out = a;
	return true;
}

/* RFC 1122 section 3.2.1.3, RFC 4291 section 2.4. */
const char *address_problem(const struct address *a)
{
	static const unsigned char none[16];
	bool is_v4 = a->family == ADDRESS_IPV4;

	if (memcmp(a->bytes, none, bits_of(a->family) / 8) == 0)
		return "stands for no address";
	if (is_v4 && a->bytes[0] >= 240)
		return "is a broadcast or reserved address";
	if (is_v4 ? a->bytes[0] >= 224 : a->bytes[0] == 0xff)
		return "is a multicast address";
	if (!is_v4 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80)
		return "is a link-local address, which is not yet supported";
	return NULL;
}

const char *address_format(const struct address *a, char out[ADDRESS_TEXT_BYTES])
{
	int family = a->family == ADDRESS_IPV4 ? AF_INET : AF_INET6;

	if (inet_ntop(family, a->bytes, out, ADDRESS_TEXT_BYTES) == NULL)
		out[0] = '\0';
	return out;
}

/* Bits of a behind the first `from`, all of them zero? */
static bool is_zero_from(const struct address *a, unsigned from)
{
	for (unsigned bit = from; bit < bits_of(a->family); bit++) {
		if ((a->bytes[bit / 8] & (0x80u >> bit % 8)) != 0)
			return false;
	}
	return true;
}

const char *subnet_parse(const char *text, struct subnet *out)
{
	static const char *const wanted = "is no subnet such as 10.1.0.0/24";
	char base[ADDRESS_TEXT_BYTES];
	const char *slash = strchr(text, '/');
	struct subnet net = {0};
	uint64_t prefix;

	if (slash == NULL || (size_t)(slash - text) >= sizeof(base))
		return wanted;
	memcpy(base, text, (size_t)(slash - text));
	base[slash - text] = '\0';
	if (!address_parse(base, &net.base) || !units_parse(UNIT_COUNT, slash + 1, &prefix))
		return wanted;
	if (prefix > bits_of(net.base.family))
		return "has a prefix that is longer than the address";
	if (!is_zero_from(&net.base, (unsigned)prefix))
		return "has bits set behind its prefix: write the address of the network";
	net.prefix = (unsigned)prefix;
	*out = net;
	return NULL;
}

bool subnet_holds(const struct subnet *net, const struct address *a)
{
	struct address rest = *a;

	if (net->base.family != a->family)
		return false;
	for (size_t i = 0; i < sizeof(rest.bytes); i++)
		rest.bytes[i] ^= net->base.bytes[i];
	for (unsigned bit = 0; bit < net->prefix; bit++) {
		if ((rest.bytes[bit / 8] & (0x80u >> bit % 8)) != 0)
			return false;
	}
	return true;
}
