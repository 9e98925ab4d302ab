/* SPDX-License-Identifier: MIT */
#include "remote/known_hosts.h"

#include <stdlib.h>
#include <string.h>

#include "common/hex.h"
#include "common/oom.h"
#include "common/sha256.h"
#include "remote/base64.h"
#include "remote/hmac_sha1.h"
#include "remote/known_hosts_name.h"

#define BLOB_BYTES_MAX 4096 /* RSA of 16,384 bits takes 2,087 */

/* A piece of the file; not NUL-terminated. */
struct word {
	const char *at;
	size_t len;
};

enum marker { MARKER_NONE, MARKER_REVOKED, MARKER_AUTHORITY, MARKER_OTHER };

struct known_hosts_line {
	unsigned line;
	enum marker marker;
	struct word hosts; /* patterns, when not hashed */
	struct word type;
	struct word blob;
	bool is_hashed;
	struct hmac_sha1_key salt;
	unsigned char hash[SHA1_BYTES];
};

struct known_hosts {
	char *text;
	struct known_hosts_line *lines;
	size_t count, room;
};

struct cursor {
	const char *at;
	const char *end;
	unsigned line;
};

static bool word_is(struct word w, const char *s)
{
	return w.len == strlen(s) && memcmp(w.at, s, w.len) == 0;
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

/* "|1|salt|hash": the hash is HMAC-SHA-1 of the name under the salt. */
static bool parse_hashed(struct word hosts, struct known_hosts_line *out)
{
	const char *salt_at = hosts.at + 3;
	const char *end = hosts.at + hosts.len;
	const char *bar = memchr(salt_at, '|', (size_t)(end - salt_at));
	unsigned char salt[SHA1_BYTES];
	size_t salt_len;
	size_t hash_len;

	if (bar == NULL ||
	    !base64_parse(salt_at, (size_t)(bar - salt_at), salt, sizeof(salt), &salt_len) ||
	    !base64_parse(bar + 1, (size_t)(end - bar - 1), out->hash, sizeof(out->hash),
	                  &hash_len) ||
	    hash_len != sizeof(out->hash))
		return false;
	hmac_sha1_init(&out->salt, salt, salt_len);
	return true;
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

/* Base64 may be written with and without padding. */
static bool is_same(struct word blob, const char *other)
{
	unsigned char bytes[2][BLOB_BYTES_MAX];
	size_t len[2];

	return word_is(blob, other) ||
	       (base64_parse(blob.at, blob.len, bytes[0], sizeof(bytes[0]), &len[0]) &&
	        base64_parse(other, strlen(other), bytes[1], sizeof(bytes[1]), &len[1]) &&
	        len[0] == len[1] && memcmp(bytes[0], bytes[1], len[0]) == 0);
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

static enum marker marker_of(struct word word)
{
	if (word_is(word, "@revoked"))
		return MARKER_REVOKED;
	return word_is(word, "@cert-authority") ? MARKER_AUTHORITY : MARKER_OTHER;
}

/* False: empty, a comment, or damaged. */
static bool parse_line(struct word line, struct known_hosts_line *out)
{
	struct word hosts = take_word(&line);

	if (hosts.len == 0 || *hosts.at == '#')
		return false;
	if (*hosts.at == '@') {
		out->marker = marker_of(hosts);
		hosts = take_word(&line);
	}
	out->hosts = hosts;
	out->type = take_word(&line);
	out->blob = take_word(&line);
	out->is_hashed = hosts.len >= 3 && memcmp(hosts.at, "|1|", 3) == 0;
	return (!out->is_hashed || parse_hashed(hosts, out)) && is_key(out->type, out->blob);
}

static void *grown(void *at, size_t *room, size_t size)
{
	*room = *room == 0 ? 16 : 2 * *room;
	at = realloc(at, *room * size);
	if (at == NULL)
		oom_end();
	return at;
}

struct known_hosts *known_hosts_parse(const char *text, size_t len)
{
	struct known_hosts *k = calloc(1, sizeof(*k));
	struct cursor c;

	if (k == NULL)
		oom_end();
	k->text = malloc(len + 1);
	if (k->text == NULL)
		oom_end();
	if (len > 0)
		memcpy(k->text, text, len);
	c = (struct cursor){k->text, k->text + len, 0};
	while (c.at < c.end) {
		struct word line = take_line(&c);
		struct known_hosts_line parsed = {.line = c.line, .marker = MARKER_NONE};

		if (!parse_line(line, &parsed))
			continue;
		if (k->count == k->room)
			k->lines = grown(k->lines, &k->room, sizeof(*k->lines));
		k->lines[k->count++] = parsed;
	}
	return k;
}

void known_hosts_free(struct known_hosts *known)
{
	if (known == NULL)
		return;
	free(known->lines);
	free(known->text);
	free(known);
}

static bool speaks_of(const struct known_hosts_line *line, const char *name, size_t len)
{
	unsigned char hash[SHA1_BYTES];

	if (!line->is_hashed)
		return known_hosts_matches(line->hosts.at, line->hosts.len, name);
	hmac_sha1(&line->salt, name, len, hash);
	return memcmp(hash, line->hash, sizeof(hash)) == 0;
}

void known_hosts_ask(const struct known_hosts *known, size_t file, const char *name,
                     struct known_hosts_said *said)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < known->count; i++) {
		if (!speaks_of(&known->lines[i], name, len))
			continue;
		if (said->count == said->room)
			said->at = grown(said->at, &said->room, sizeof(*said->at));
		said->at[said->count++] = (struct known_hosts_entry){file, &known->lines[i]};
	}
}

void known_hosts_said_done(struct known_hosts_said *said)
{
	free(said->at);
	*said = (struct known_hosts_said){0};
}

static void decide(enum known_hosts_verdict verdict, const struct known_hosts_entry *e,
                   struct known_hosts_finding *out)
{
	*out = (struct known_hosts_finding){
		.verdict = verdict, .file = e->file, .line = e->line->line};
	if (verdict != KNOWN_HOSTS_CHANGED)
		return;
	memcpy(out->type, e->line->type.at, e->line->type.len);
	if (!known_hosts_fingerprint(e->line->blob.at, e->line->blob.len, out->fingerprint))
		out->fingerprint[0] = '\0';
}

/* An unmarked line, or an authority's. */
static void weigh(const struct known_hosts_entry *e, const char *type, const char *blob,
                  struct known_hosts_finding *found)
{
	bool same_type = word_is(e->line->type, type);

	if (e->line->marker == MARKER_AUTHORITY) {
		if (found->verdict == KNOWN_HOSTS_UNKNOWN)
			decide(KNOWN_HOSTS_AUTHORITY, e, found);
	} else if (same_type && is_same(e->line->blob, blob)) {
		decide(KNOWN_HOSTS_OK, e, found);
	} else if (found->verdict != KNOWN_HOSTS_CHANGED ||
	           (same_type && strcmp(found->type, type) != 0)) {
		decide(KNOWN_HOSTS_CHANGED, e, found);
	}
}

void known_hosts_check(const struct known_hosts_said *said, const char *type, const char *blob,
                       struct known_hosts_finding *out)
{
	struct known_hosts_finding found = {.verdict = KNOWN_HOSTS_UNKNOWN};

	for (size_t i = 0; i < said->count && found.verdict != KNOWN_HOSTS_REVOKED; i++) {
		const struct known_hosts_line *line = said->at[i].line;

		if (line->marker == MARKER_REVOKED) {
			if (word_is(line->type, type) && is_same(line->blob, blob))
				decide(KNOWN_HOSTS_REVOKED, &said->at[i], &found);
		} else if (line->marker != MARKER_OTHER && found.verdict != KNOWN_HOSTS_OK) {
			weigh(&said->at[i], type, blob, &found);
		}
	}
	*out = found;
}

size_t known_hosts_types(const struct known_hosts_said *said,
                         char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES])
{
	size_t count = 0;

	for (size_t e = 0; e < said->count && count < KNOWN_HOSTS_TYPES_MAX; e++) {
		const struct known_hosts_line *line = said->at[e].line;
		size_t i = 0;

		while (i < count && !word_is(line->type, types[i]))
			i++;
		if (line->marker != MARKER_NONE || i < count)
			continue;
		memcpy(types[count], line->type.at, line->type.len);
		types[count++][line->type.len] = '\0';
	}
	return count;
}

enum known_hosts_list known_hosts_listed(const char *text, size_t len, const char *type,
                                         const char *blob, unsigned *line)
{
	static const char krl[] = "SSHKRL\n"; /* and its NUL */
	struct cursor c = {text, text + len, 0};

	*line = 0;
	if (len >= sizeof(krl) && memcmp(text, krl, sizeof(krl)) == 0)
		return KNOWN_HOSTS_LIST_BINARY;
	while (c.at < c.end) {
		struct word rest = take_line(&c);
		struct word listed = take_word(&rest);
		struct word key = take_word(&rest);

		if (listed.len == 0 || *listed.at == '#')
			continue;
		*line = c.line;
		if (!is_key(listed, key))
			return KNOWN_HOSTS_LIST_BROKEN;
		if (word_is(listed, type) && is_same(key, blob))
			return KNOWN_HOSTS_LISTED;
		*line = 0;
	}
	return KNOWN_HOSTS_NOT_LISTED;
}
