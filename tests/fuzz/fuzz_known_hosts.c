/* SPDX-License-Identifier: MIT */
/* A known_hosts file, asked for names and keys of each kind. */
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"
#include "remote/known_hosts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TYPE "ssh-ed25519"
#define BLOB "AAAAC3NzaC1lZDI1NTE5AAAAIMJKfYa4RmZN/wWv5O+EelSdGg5PN5UL26/aFftXEw+I"

static void check(const struct known_hosts *known, size_t lines, const char *name)
{
	char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES];
	struct known_hosts_said said = {0};
	struct known_hosts_finding found;
	size_t count;

	known_hosts_ask(known, 3, name, &said);
	known_hosts_check(&said, TYPE, BLOB, &found);
	if ((found.line == 0) != (found.verdict == KNOWN_HOSTS_UNKNOWN) || found.line > lines)
		abort();
	if (found.file != (found.line == 0 ? 0 : 3))
		abort();
	if ((found.verdict == KNOWN_HOSTS_CHANGED) != (found.fingerprint[0] != '\0'))
		abort();
	count = known_hosts_types(&said, types);
	/* A key that is known or changed has a type that is known. */
	if ((found.verdict == KNOWN_HOSTS_OK || found.verdict == KNOWN_HOSTS_CHANGED) && count == 0)
		abort();
	if (found.verdict == KNOWN_HOSTS_AUTHORITY && count != 0)
		abort();
	known_hosts_said_done(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"web", "[web]:2222", "web.example", "10.77.0.11"};
	char *text = malloc(size == 0 ? 1 : size); /* no NUL after it: reading past it is seen */
	enum known_hosts_list listed;
	struct known_hosts *known;
	size_t lines = 1;
	unsigned line;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	listed = known_hosts_listed(text, size, TYPE, BLOB, &line);
	if (line > lines ||
	    (line != 0) != (listed == KNOWN_HOSTS_LISTED || listed == KNOWN_HOSTS_LIST_BROKEN))
		abort();
	known = known_hosts_parse(text, size);
	free(text);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		check(known, lines, names[i]);
	known_hosts_free(known);
	return 0;
}
