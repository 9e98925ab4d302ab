/* SPDX-License-Identifier: MIT */
#include "remote/jump_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"

#define BEFORE_CODE "error ("
#define AFTER_CODE  ") "
#define PROHIBITED  1ul /* RFC 4254 section 5.1 */
#define WORDS_BYTES 160

/* What to look at. The texts are those of strerror() and gai_strerror() on the jump host. */
static const struct {
	const char *text;
	const char *remedy;
} remedies[] = {
	{"connection refused", ": is sshd running there?"},
	{"no route to host", ": is the host up, and no firewall between?"},
	{"network is unreachable", ": has the jump host a route to it?"},
	{"connection timed out", ": is the address right, the host up, no firewall between?"},
	{"name or service not known", ": the jump host looks the name up, not this machine"},
	{"temporary failure in name resolution",
         ": the jump host looks the name up, not this machine"},
};

static const char *remedy_for(const char *text)
{
	for (size_t i = 0; i < COUNT_OF(remedies); i++) {
		if (strcmp(text, remedies[i].text) == 0)
			return remedies[i].remedy;
	}
	return "";
}

void jump_words_where(const char *host, uint32_t port, char where[JUMP_WORDS_WHERE_BYTES])
{
	bool is_v6 = strchr(host, ':') != NULL;

	(void)snprintf(where, JUMP_WORDS_WHERE_BYTES, "%s%.200s%s:%u", is_v6 ? "[" : "", host,
	               is_v6 ? "]" : "", (unsigned)port);
}

void jump_words_refusal(const char *reason, const char *jump, const char *where, struct err *err)
{
	const char *code = strstr(reason, BEFORE_CODE);
	char *after = NULL;
	unsigned long number = 0;
	char words[WORDS_BYTES];

	if (code != NULL)
		number = strtoul(code + strlen(BEFORE_CODE), &after, 10);
	if (after != NULL && strncmp(after, AFTER_CODE, strlen(AFTER_CODE)) == 0)
		reason = after + strlen(AFTER_CODE);
	(void)snprintf(words, sizeof(words), "%s", reason);
	for (char *c = words; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	if (number == PROHIBITED)
		(void)err_set(err, ERR_REMOTE,
		              "%.100s does not forward connections to %s (%s): allow it in its "
		              "sshd_config: AllowTcpForwarding, PermitOpen",
		              jump, where, words);
	else
		(void)err_set(err, ERR_REMOTE, "%.100s cannot reach %s: %s%s", jump, where, words,
		              remedy_for(words));
}
