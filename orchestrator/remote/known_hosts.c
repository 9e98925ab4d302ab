/* SPDX-License-Identifier: MIT */
#include "remote/known_hosts.h"

#include <stdio.h>
#include <string.h>

#include "common/hex.h"
#include "common/sha256.h"
#include "remote/base64.h"
#include "remote/hmac_sha1.h"

#define BLOB_BYTES_MAX 4096 /* RSA of 16,384 bits takes 2,087 */
#define SSH_PORT       22

/* A piece of the file; not NUL-terminated. */
struct word {
	const char *at;
	size_t len;
};

enum marker { MARKER_NONE, MARKER_REVOKED, MARKER_OTHER };

struct entry {
	unsigned line;
	enum marker marker;
	struct word type;
	struct word blob;
};

struct cursor {
	const char *at;
	const char *end;
	unsigned line;
};

static char lower(char c)
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = c == '\0' ? NULL : strchr(upper, c);

	if (at == NULL)
		return c;
	return "abcdefghijklmnopqrstuvwxyz"[at - upper];
}

static bool word_is(struct word w, const char *s)
{
	return w.len == strlen(s) && memcmp(w.at, s, w.len) == 0;
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

bool known_hosts_fingerprint(const char *blob, size_t len, char out[FINGERPRINT_BYTES])
{
	unsigned char bytes[BLOB_BYTES_MAX];
	char hex[SHA256_HEX_BYTES];
	unsigned char digest[SHA256_BYTES];
	size_t n;

	if (!base64_parse(blob, len, bytes, sizeof(bytes), &n))
		return false;
	sha256_of(bytes, n, hex);
	for (size_t i = 0; i < sizeof(digest); i++)
		digest[i] = (unsigned char)(hex_value(hex[2 * i]) << 4 | hex_value(hex[2 * i + 1]));
	memcpy(out, "SHA256:", 7);
	base64_format(digest, sizeof(digest), out + 7);
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

/* "|1|salt|hash": the hash is HMAC-SHA-1 of the name under the salt. */
static bool matches_hashed(struct word hosts, const char *name)
{
	const char *salt_at = hosts.at + 3;
	const char *end = hosts.at + hosts.len;
	const char *bar = memchr(salt_at, '|', (size_t)(end - salt_at));
	unsigned char salt[SHA1_BYTES];
	unsigned char hash[SHA1_BYTES];
	unsigned char own[SHA1_BYTES];
	size_t salt_len;
	size_t hash_len;

	if (bar == NULL ||
	    !base64_parse(salt_at, (size_t)(bar - salt_at), salt, sizeof(salt), &salt_len) ||
	    !base64_parse(bar + 1, (size_t)(end - bar - 1), hash, sizeof(hash), &hash_len) ||
	    hash_len != sizeof(hash))
		return false;
	hmac_sha1(salt, salt_len, name, strlen(name), own);
	return memcmp(own, hash, sizeof(hash)) == 0;
}

/* A list with commas matches when one pattern does and no negated one, wherever it stands. */
static bool matches_hosts(struct word hosts, const char *name)
{
	const char *end = hosts.at + hosts.len;
	bool found = false;

	if (hosts.len >= 3 && memcmp(hosts.at, "|1|", 3) == 0)
		return matches_hashed(hosts, name);
	for (const char *at = hosts.at; at <= end;) {
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

static struct word take_word(struct word *line)
{
	struct word w;

	while (line->len > 0 && (*line->at == ' ' || *line->at == '\t')) {
		line->at++;
		line->len--;
	}
	w.at = line->at;
	while (line->len > 0 && *line->at != ' ' && *line->at != '\t') {
		line->at++;
		line->len--;
	}
	w.len = (size_t)(line->at - w.at);
	return w;
}

/* A key's blob begins with its type as an SSH string (RFC 4253 section 6.6). */
static bool is_key(struct word type, struct word blob)
{
	unsigned char bytes[BLOB_BYTES_MAX];
	size_t len;

	if (type.len == 0 || type.len >= KNOWN_HOSTS_TYPE_BYTES ||
	    !base64_parse(blob.at, blob.len, bytes, sizeof(bytes), &len) || len < 4 + type.len)
		return false;
	return bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0 && bytes[3] == type.len &&
	       memcmp(bytes + 4, type.at, type.len) == 0;
}

static struct word take_line(struct cursor *c)
{
	const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
	const char *end = newline == NULL ? c->end : newline;
	struct word line = {c->at, (size_t)(end - c->at)};

	c->at = newline == NULL ? c->end : newline + 1;
	c->line++;
	if (line.len > 0 && line.at[line.len - 1] == '\r')
		line.len--;
	return line;
}

/* The next whole line that speaks of `name`; false at the end. */
static bool next_entry(struct cursor *c, const char *name, struct entry *out)
{
	while (c->at < c->end) {
		struct word line = take_line(c);
		struct word hosts = take_word(&line);
		struct entry e = {.line = c->line, .marker = MARKER_NONE};

		if (hosts.len == 0 || *hosts.at == '#')
			continue;
		if (*hosts.at == '@') {
			e.marker = word_is(hosts, "@revoked") ? MARKER_REVOKED : MARKER_OTHER;
			hosts = take_word(&line);
		}
		e.type = take_word(&line);
		e.blob = take_word(&line);
		if (!matches_hosts(hosts, name) || !is_key(e.type, e.blob))
			continue;
		*out = e;
		return true;
	}
	return false;
}

static void describe(const struct entry *e, struct known_hosts_finding *out)
{
	out->line = e->line;
	memcpy(out->type, e->type.at, e->type.len);
	out->type[e->type.len] = '\0';
	if (!known_hosts_fingerprint(e->blob.at, e->blob.len, out->fingerprint))
		out->fingerprint[0] = '\0';
}

void known_hosts_check(const char *text, size_t len, const char *name, const char *type,
                       const char *blob, struct known_hosts_finding *out)
{
	struct cursor c = {text, text + len, 0};
	struct known_hosts_finding found = {.verdict = KNOWN_HOSTS_UNKNOWN};
	struct entry e;

	while (found.verdict != KNOWN_HOSTS_REVOKED && next_entry(&c, name, &e)) {
		bool same_type = word_is(e.type, type);
		bool same_key = same_type && word_is(e.blob, blob);

		if (e.marker == MARKER_REVOKED && same_key)
			found = (struct known_hosts_finding){KNOWN_HOSTS_REVOKED, e.line, "", ""};
		if (e.marker != MARKER_NONE || found.verdict == KNOWN_HOSTS_OK)
			continue;
		if (same_key) {
			found = (struct known_hosts_finding){KNOWN_HOSTS_OK, e.line, "", ""};
		} else if (found.verdict == KNOWN_HOSTS_UNKNOWN ||
		           (same_type && strcmp(found.type, type) != 0)) {
			found.verdict = KNOWN_HOSTS_CHANGED;
			describe(&e, &found);
		}
	}
	*out = found;
}

size_t known_hosts_types(const char *text, size_t len, const char *name,
                         char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES])
{
	struct cursor c = {text, text + len, 0};
	struct entry e;
	size_t count = 0;

	while (count < KNOWN_HOSTS_TYPES_MAX && next_entry(&c, name, &e)) {
		size_t i = 0;

		while (i < count && !word_is(e.type, types[i]))
			i++;
		if (e.marker != MARKER_NONE || i < count)
			continue;
		memcpy(types[count], e.type.at, e.type.len);
		types[count++][e.type.len] = '\0';
	}
	return count;
}
