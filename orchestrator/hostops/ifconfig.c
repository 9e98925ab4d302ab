/* SPDX-License-Identifier: MIT */
#include "hostops/ifconfig.h"

#include <stdlib.h>
#include <string.h>

#include "hostops/keyed.h"

void ifconfig_begin(struct ifconfig *i)
{
	*i = (struct ifconfig){.mtu = IFCONFIG_UNKNOWN,
	                       .options = IFCONFIG_UNKNOWN,
	                       .capabilities = IFCONFIG_UNKNOWN};
}

/* "e407bb<RXCSUM,...>": the number, of up to 15 digits. */
static int64_t read_bits(const char *at)
{
	size_t len = strspn(at, "0123456789abcdefABCDEF");

	if (len == 0 || len > 15 || (at[len] != '<' && at[len] != '\0'))
		return IFCONFIG_UNKNOWN;
	return (int64_t)strtoull(at, NULL, 16);
}

static const char *after(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	return at == NULL ? NULL : at + strlen(word);
}

static void read_head(struct ifconfig *i, const char *line)
{
	const char *mtu = after(line, " mtu ");

	if (mtu == NULL)
		mtu = after(line, " MTU:");
	if (mtu != NULL && !keyed_int(mtu, strcspn(mtu, "\n"), &i->mtu))
		i->mtu = IFCONFIG_UNKNOWN;
	if (strstr(line, "<UP,") != NULL || strstr(line, "<UP>") != NULL ||
	    strncmp(line, "          UP ", 13) == 0)
		i->is_up = true;
}

void ifconfig_read(struct ifconfig *i, const char *line)
{
	const char *rest = line + strspn(line, " \t");

	read_head(i, line);
	if (rest == line)
		return;
	/* "nd6 options=29<...>" begins otherwise. */
	if (strncmp(rest, "options=", 8) == 0)
		i->options = read_bits(rest + 8);
	else if (strncmp(rest, "capabilities=", 13) == 0)
		i->capabilities = read_bits(rest + 13);
	else if (strncmp(rest, "inet6 ", 6) == 0)
		i->has_ipv6 = true;
	else if (strncmp(rest, "status: active", 14) == 0)
		i->is_active = true;
}
