/* SPDX-License-Identifier: MIT */
#include "remote/ssh_scan.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t"

void ssh_scan_init(struct ssh_scan *scan, const char *text, size_t len, const char *alias)
{
	*scan = (struct ssh_scan){.at = text, .end = text + len, .alias = alias, .holds = true};
}

void ssh_scan_word(const char **rest, char out[SSH_SCAN_REST_BYTES])
{
	const char *at = *rest + strspn(*rest, BLANKS);
	bool is_quoted = *at == '"';
	size_t len;

	if (is_quoted)
		at++;
	len = strcspn(at, is_quoted ? "\"" : BLANKS);
	(void)snprintf(out, SSH_SCAN_REST_BYTES, "%.*s", (int)len, at);
	*rest = at + len + (is_quoted && at[len] == '"' ? 1 : 0);
}

/* Patterns as `Host` has them: one that matches, and no negated one. */
static bool host_holds(const char *patterns, const char *alias)
{
	char word[SSH_SCAN_REST_BYTES];
	bool holds = false;

	for (;;) {
		bool is_negated;

		ssh_scan_word(&patterns, word);
		if (word[0] == '\0')
			return holds;
		is_negated = word[0] == '!';
		/* Aliases hold no bracket or backslash, so fnmatch() knows no more than ssh. */
		if (fnmatch(word + (is_negated ? 1 : 0), alias, FNM_NOESCAPE) != 0)
			continue;
		if (is_negated)
			return false;
		holds = true;
	}
}

static void copy_part(char *out, size_t room, const char *at, size_t len)
{
	if (len >= room)
		len = room - 1;
	memcpy(out, at, len);
	out[len] = '\0';
}

static bool is_end_of_key(char c)
{
	return c == ' ' || c == '\t' || c == '=';
}

/* "Key value", "Key=value", "Key = value". False: empty or a comment. */
static bool split(const char *at, const char *end, struct ssh_scanned *out)
{
	const char *key;
	const char *stop;

	while (end > at && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
		end--;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at == end || *at == '#')
		return false;
	key = at;
	while (at < end && !is_end_of_key(*at))
		at++;
	stop = at;
	while (at < end && is_end_of_key(*at))
		at++;
	copy_part(out->key, sizeof(out->key), key, (size_t)(stop - key));
	copy_part(out->rest, sizeof(out->rest), at, (size_t)(end - at));
	return out->key[0] != '\0';
}

bool ssh_scan_next(struct ssh_scan *scan, struct ssh_scanned *out)
{
	while (scan->at < scan->end) {
		const char *line = scan->at;
		const char *newline = memchr(line, '\n', (size_t)(scan->end - line));
		const char *stop = newline == NULL ? scan->end : newline;

		scan->at = newline == NULL ? scan->end : newline + 1;
		scan->line++;
		out->line = scan->line;
		if (!split(line, stop, out))
			continue;
		if (strcasecmp(out->key, "host") == 0)
			scan->holds = host_holds(out->rest, scan->alias);
		else if (strcasecmp(out->key, "match") == 0)
			scan->holds = true;
		else if (!scan->holds)
			continue;
		if (strcasecmp(out->key, "host") != 0)
			return true;
	}
	return false;
}
