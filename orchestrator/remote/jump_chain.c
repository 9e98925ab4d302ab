/* SPDX-License-Identifier: MIT */
#include "remote/jump_chain.h"

#include <string.h>

#define SCHEME   "ssh://"
#define PORT_MAX 65535u

struct span {
	const char *at;
	size_t len;
};

static void skip(struct span *s, size_t n)
{
	s->at += n;
	s->len -= n;
}

/* The first byte in the span, or NULL. */
static const char *find(const struct span *s, char c)
{
	return s->len == 0 ? NULL : memchr(s->at, c, s->len);
}

static const char *find_last(const struct span *s, char c)
{
	for (size_t i = s->len; i > 0; i--) {
		if (s->at[i - 1] == c)
			return s->at + i - 1;
	}
	return NULL;
}

static bool take_port(const struct span *s, uint32_t *port)
{
	uint32_t n = 0;

	if (s->len == 0 || s->len > 5)
		return false;
	for (size_t i = 0; i < s->len; i++) {
		if (s->at[i] < '0' || s->at[i] > '9')
			return false;
		n = n * 10 + (uint32_t)(s->at[i] - '0');
	}
	*port = n;
	return n > 0 && n <= PORT_MAX;
}

/* host, host:port, [host], [host]:port, or an IPv6 address as it is. */
static bool take_host(struct arena *arena, struct span s, struct jump_hop *hop)
{
	struct span host = s;
	const char *end = find(&s, ':');

	if (s.len > 0 && s.at[0] == '[') {
		end = find(&s, ']');
		if (end == NULL)
			return false;
		host = (struct span){s.at + 1, (size_t)(end - s.at) - 1};
		skip(&s, (size_t)(end - s.at) + 1);
		end = s.len > 0 ? s.at : NULL;
		if (end != NULL && *end != ':')
			return false;
	} else if (end != NULL && find_last(&s, ':') != end) {
		end = NULL; /* several colons */
	} else if (end != NULL) {
		host.len = (size_t)(end - s.at);
	}
	if (host.len == 0)
		return false;
	hop->host = arena_strndup(arena, host.at, host.len);
	if (end == NULL)
		return true;
	skip(&s, (size_t)(end - s.at) + 1);
	return take_port(&s, &hop->port);
}

static bool take_hop(struct arena *arena, struct span s, struct jump_hop *hop)
{
	const char *at;

	*hop = (struct jump_hop){.name = arena_strndup(arena, s.at, s.len)};
	if (s.len >= strlen(SCHEME) && memcmp(s.at, SCHEME, strlen(SCHEME)) == 0) {
		skip(&s, strlen(SCHEME));
		if (s.len > 0 && s.at[s.len - 1] == '/')
			s.len--;
	}
	at = find_last(&s, '@'); /* a user may hold one: name@domain */
	if (at != NULL) {
		hop->user = arena_strndup(arena, s.at, (size_t)(at - s.at));
		skip(&s, (size_t)(at - s.at) + 1);
	}
	return (hop->user == NULL || hop->user[0] != '\0') && take_host(arena, s, hop);
}

bool jump_chain_parse(struct arena *arena, const char *text, struct jump_chain *out,
                      struct err *err)
{
	struct span rest = {text, strlen(text)};
	bool is_last = false;

	out->count = 0;
	while (!is_last) {
		const char *comma = find(&rest, ',');
		struct span hop = {rest.at, comma == NULL ? rest.len : (size_t)(comma - rest.at)};

		is_last = comma == NULL;
		if (out->count == JUMP_CHAIN_MAX)
			return err_set(err, ERR_INPUT, "jump hosts '%.200s': more than %d", text,
			               JUMP_CHAIN_MAX);
		if (!take_hop(arena, hop, &out->at[out->count]))
			return err_set(err, ERR_INPUT,
			               "jump hosts '%.200s': '%.*s' is none: write "
			               "[user@]host[:port],...",
			               text, (int)(hop.len < 60 ? hop.len : 60), hop.at);
		out->count++;
		skip(&rest, hop.len + (is_last ? 0 : 1));
	}
	return true;
}
