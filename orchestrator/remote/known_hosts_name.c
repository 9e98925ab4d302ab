/* SPDX-License-Identifier: MIT */
#include "remote/known_hosts_name.h"

#include <stdio.h>
#include <string.h>

#include "remote/base64.h"

#define SSH_PORT 22

/* A piece of the file; not NUL-terminated. */
struct word {
	const char *at;
	size_t len;
};

static char lower(char c)
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = c == '\0' ? NULL : strchr(upper, c);

	if (at == NULL)
		return c;
	return "abcdefghijklmnopqrstuvwxyz"[at - upper];
}

bool known_hosts_name(const char *address, uint32_t port, char out[KNOWN_HOSTS_NAME_BYTES])
{
	int len;

	if (address[0] == '\0')
		return false;
	for (const char *c = address; *c != '\0'; c++) {
		if ((unsigned char)*c <= ' ' || *c == 0x7f || strchr(",\"'*?!#|@[]", *c) != NULL)
			return false;
	}
	len = port == SSH_PORT
	              ? snprintf(out, KNOWN_HOSTS_NAME_BYTES, "%s", address)
	              : snprintf(out, KNOWN_HOSTS_NAME_BYTES, "[%s]:%u", address, (unsigned)port);
	if (len < 0 || len >= KNOWN_HOSTS_NAME_BYTES)
		return false;
	for (char *c = out; *c != '\0'; c++)
		*c = lower(*c);
	return true;
}

/* Shell-like pattern with * and ?, case ignored; the name is in lower case. */
static bool matches_pattern(struct word pattern, const char *name)
{
	const char *p = pattern.at;
	const char *end = pattern.at + pattern.len;
	const char *star = NULL;   /* the last * seen */
	const char *resume = NULL; /* where in the name it is tried next */

	while (*name != '\0') {
		if (p < end && *p == '*') {
			star = p++;
			resume = name;
		} else if (p < end && (*p == '?' || lower(*p) == *name)) {
			p++;
			name++;
		} else if (star != NULL) {
			p = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

bool known_hosts_matches(const char *list, size_t len, const char *name)
{
	const char *end = list + len;
	bool found = false;

	for (const char *at = list; at <= end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		struct word pattern = {at, (size_t)((comma == NULL ? end : comma) - at)};
		bool negated = pattern.len > 0 && *at == '!';

		if (negated) {
			pattern.at++;
			pattern.len--;
		}
		if (matches_pattern(pattern, name)) {
			if (negated)
				return false;
			found = true;
		}
		at += pattern.len + (negated ? 1 : 0) + 1;
	}
	return found;
}

void known_hosts_hash(const char *name, const unsigned char salt[SHA1_BYTES],
                      char out[KNOWN_HOSTS_HASHED_BYTES])
{
	struct hmac_sha1_key key;
	unsigned char hash[SHA1_BYTES];
	char text[2][BASE64_TEXT_BYTES(SHA1_BYTES)];

	hmac_sha1_init(&key, salt, SHA1_BYTES);
	hmac_sha1(&key, name, strlen(name), hash);
	base64_format(salt, SHA1_BYTES, text[0]);
	base64_format(hash, sizeof(hash), text[1]);
	/* ssh wants the padding. */
	(void)snprintf(out, KNOWN_HOSTS_HASHED_BYTES, "|1|%s=|%s=", text[0], text[1]);
}
