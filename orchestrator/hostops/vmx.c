/* SPDX-License-Identifier: MIT */
#include "hostops/vmx.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hostops/keyed.h"

static bool is_word(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(at, word, len) == 0;
}

static void take(char *out, size_t room, const struct keyed_line *line)
{
	(void)snprintf(out, room, "%.*s", (int)line->value_len, line->value);
}

/* Keys are the same in either case. */
static void read_line(const struct keyed_line *line, struct vmx_nic out[VMX_NICS])
{
	static const char prefix[] = "ethernet";
	size_t len = sizeof(prefix) - 1;
	struct vmx_nic *nic;
	const char *key;
	size_t key_len;

	if (!line->is_pair || line->key_len < len + 3 || strncasecmp(line->key, prefix, len) != 0 ||
	    line->key[len] < '0' || line->key[len] > '9' || line->key[len + 1] != '.' ||
	    line->value_len >= 1024)
		return;
	nic = &out[line->key[len] - '0'];
	key = line->key + len + 2;
	key_len = line->key_len - len - 2;
	if (is_word(key, key_len, "present"))
		nic->is_present = is_word(line->value, line->value_len, "TRUE");
	else if (is_word(key, key_len, "virtualDev"))
		take(nic->adapter, sizeof(nic->adapter), line);
	else if (is_word(key, key_len, "networkName"))
		take(nic->network, sizeof(nic->network), line);
	else if (is_word(key, key_len, "generatedAddress") || is_word(key, key_len, "address"))
		take(nic->mac, sizeof(nic->mac), line);
}

void vmx_read(const char *text, struct vmx_nic out[VMX_NICS])
{
	struct keyed_line line;

	memset(out, 0, VMX_NICS * sizeof(*out));
	while (keyed_next(&text, &line))
		read_line(&line, out);
}
