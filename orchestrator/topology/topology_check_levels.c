/* SPDX-License-Identifier: MIT */
/*
 * Levels that cannot meet in a cell: a row a rule. A level that a cell does not
 * give is the default, which fits everything.
 */
#include <stdio.h>

#include "topology/topology_check.h"

enum {
	IPV4_BYTES = 20,
	IPV6_BYTES = 40,
	TCP_BYTES = 20,
	DATAGRAM_MIN = 24,    /* what each begins with, see udp_header.h of the agent */
	DATAGRAM_MAX = 65507, /* what an IPv4 packet holds; the same over IPv6, to be comparable */
	PORT_MAX = 65535
};

static bool is_given(const struct setting *s, enum factor factor)
{
	return (s->given >> factor & 1) != 0;
}

static bool is_udp(const struct setting *s)
{
	return s->protocol == PROTOCOL_UDP;
}

static bool is_rr(const struct setting *s)
{
	return s->mode == MODE_RR;
}

/* ---- when a rule is broken ---- */

static bool has_two_ends(const struct setting *s)
{
	return s->bytes != 0 && is_given(s, FACTOR_DURATION);
}

static bool copies_no_datagram(const struct setting *s)
{
	return is_udp(s) && s->zero_copy != ZERO_COPY_OFF;
}

static bool segments_datagrams(const struct setting *s)
{
	return is_udp(s) && s->mss_bytes != 0;
}

static bool gathers_datagrams(const struct setting *s)
{
	return is_udp(s) && s->no_delay;
}

static bool congests_datagrams(const struct setting *s)
{
	return is_udp(s) && s->congestion != NULL;
}

static bool asks_by_datagram(const struct setting *s)
{
	return is_udp(s) && is_rr(s);
}

static bool copies_no_request(const struct setting *s)
{
	return is_rr(s) && s->zero_copy != ZERO_COPY_OFF;
}

static bool asks_both_ways(const struct setting *s)
{
	return is_rr(s) && s->direction == DIRECTION_BIDIR;
}

static bool paces_requests(const struct setting *s)
{
	return is_rr(s) && s->rate_bps != 0;
}

static bool asks_for_bytes(const struct setting *s)
{
	return is_rr(s) && s->bytes != 0;
}

static bool is_no_datagram(const struct setting *s)
{
	return is_udp(s) && s->buffer_bytes != 0 &&
	       (s->buffer_bytes < DATAGRAM_MIN || s->buffer_bytes > DATAGRAM_MAX);
}

static uint32_t segment_max(const struct setting *s)
{
	uint32_t headers = TCP_BYTES + (s->ip_version == 6 ? IPV6_BYTES : IPV4_BYTES);

	return s->mtu_bytes - headers;
}

static bool is_above_mtu(const struct setting *s)
{
	return s->mtu_bytes != 0 && s->mss_bytes > segment_max(s);
}

/* The way back of bidir has connections of its own, from the ports behind. */
static uint32_t last_port(const struct setting *s)
{
	uint32_t connections = s->streams * (s->direction == DIRECTION_BIDIR ? 2 : 1);

	return s->source_port + connections - 1;
}

static bool is_beyond_ports(const struct setting *s)
{
	return s->source_port != 0 && last_port(s) > PORT_MAX;
}

/* ---- what to do about it, where a number decides ---- */

static void tell_datagram(const struct setting *s, char *out, size_t room)
{
	(void)snprintf(out, room, "a datagram holds %d to %d bytes: %s `buffer`", DATAGRAM_MIN,
	               DATAGRAM_MAX, s->buffer_bytes < DATAGRAM_MIN ? "raise" : "lower");
}

static void tell_segment(const struct setting *s, char *out, size_t room)
{
	(void)snprintf(out, room,
	               "segments of %u bytes do not fit an MTU of %u: with the headers of IPv%d "
	               "and TCP %u do",
	               s->mss_bytes, s->mtu_bytes, s->ip_version == 6 ? 6 : 4, segment_max(s));
}

static void tell_ports(const struct setting *s, char *out, size_t room)
{
	(void)snprintf(out, room,
	               "%u connections from port %u on would need ports up to %u, and %d is the "
	               "last: write at most %u",
	               last_port(s) - s->source_port + 1, s->source_port, last_port(s), PORT_MAX,
	               s->source_port - (last_port(s) - PORT_MAX));
}

/* ---- the rules ---- */

static const struct rule {
	enum factor told;  /* whose level is wrong */
	enum factor other; /* because of this one's level; */
	const char *level; /* which is said so */
	uint32_t also;     /* bits of further factors that count */
	bool (*is_broken)(const struct setting *s);
	const char *remedy;
	void (*tell)(const struct setting *s, char *out, size_t room); /* instead of remedy */
} rules[] = {
	/* clang-format off */
	{FACTOR_DURATION, FACTOR_BYTES, "bytes", 0, has_two_ends,
	 "a test has one end: remove one of the two (where cells have no `bytes`, the `duration` of `design` holds)", NULL},
	{FACTOR_ZERO_COPY, FACTOR_PROTOCOL, "protocol: udp", 0, copies_no_datagram,
	 "datagrams are always copied: write `zero_copy: off`", NULL},
	{FACTOR_MSS, FACTOR_PROTOCOL, "protocol: udp", 0, segments_datagrams,
	 "segments are of TCP: remove `mss`, and give the size of a datagram as `buffer`", NULL},
	{FACTOR_NO_DELAY, FACTOR_PROTOCOL, "protocol: udp", 0, gathers_datagrams,
	 "datagrams are never gathered: remove `no_delay`", NULL},
	{FACTOR_CONGESTION, FACTOR_PROTOCOL, "protocol: udp", 0, congests_datagrams,
	 "UDP has no congestion control: remove `congestion`, and limit the rate with `bitrate`", NULL},
	{FACTOR_MODE, FACTOR_PROTOCOL, "protocol: udp", 0, asks_by_datagram,
	 "requests and responses are measured over TCP: write `protocol: tcp`", NULL},
	{FACTOR_ZERO_COPY, FACTOR_MODE, "mode: rr", 0, copies_no_request,
	 "requests and responses are always copied: write `zero_copy: off`", NULL},
	{FACTOR_DIRECTION, FACTOR_MODE, "mode: rr", 0, asks_both_ways,
	 "requests and responses go both ways already: write `forward` or `reverse`, which say who asks", NULL},
	{FACTOR_BITRATE, FACTOR_MODE, "mode: rr", 0, paces_requests,
	 "a request follows the response before it, at no rate of its own: remove `bitrate`", NULL},
	{FACTOR_BYTES, FACTOR_MODE, "mode: rr", 0, asks_for_bytes,
	 "requests and responses are measured for a time: write `duration` instead of `bytes`", NULL},
	{FACTOR_BUFFER, FACTOR_PROTOCOL, "protocol: udp", 0, is_no_datagram, NULL, tell_datagram},
	{FACTOR_MSS, FACTOR_MTU, "mtu", 1u << FACTOR_IP_VERSION, is_above_mtu, NULL, tell_segment},
	{FACTOR_SOURCE_PORT, FACTOR_STREAMS, "streams", 1u << FACTOR_DIRECTION, is_beyond_ports,
	 NULL, tell_ports},
	/* clang-format on */
};

static void report(const struct check *c, const struct rule *rule, const struct combo *combo)
{
	struct src_pos pos = combo_pos(combo, rule->told);
	struct src_pos other = combo_pos(combo, rule->other);
	char told[256], line[32];

	if (rule->tell != NULL)
		rule->tell(&combo->setting, told, sizeof(told));
	else
		(void)snprintf(told, sizeof(told), "%s", rule->remedy);
	line[0] = '\0';
	if (other.line != 0)
		(void)snprintf(line, sizeof(line), " (line %u)", other.line);
	diag_error(c->l->diags, pos, "`%s` with `%s`%s: %s", setting_fields[rule->told].key,
	           rule->level, line, told);
}

static uint32_t factors_of(const struct rule *rule)
{
	return 1u << rule->told | 1u << rule->other | rule->also;
}

/* Tells the first combination that breaks the rule. */
static void check_combos(const struct check *c, const struct rule *rule, struct combos combos)
{
	for (uint64_t k = 0; k < combos.count && combos.count <= COMBOS_MAX; k++) {
		struct combo combo = combos_at(&combos, k);

		if (rule->is_broken(&combo.setting)) {
			report(c, rule, &combo);
			return;
		}
	}
}

/* True when one of the listed cells breaks the rule; each is told, in one place once. */
static bool check_listed(const struct check *c, const struct rule *rule)
{
	struct src_pos last = {0};
	bool found = false;

	for (size_t i = 0; i < c->profile->cell_count; i++) {
		struct combo combo = combo_of_fixed(c);
		struct src_pos pos;

		combo_add(&combo, &c->profile->cells[i].setting, c->source->cell_list[i].node);
		if (!rule->is_broken(&combo.setting))
			continue;
		pos = combo_pos(&combo, rule->told);
		if (!found || pos.line != last.line || pos.column != last.column)
			report(c, rule, &combo);
		last = pos;
		found = true;
	}
	return found;
}

void check_levels(const struct check *c)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct rule *rule = &rules[i];

		if (c->profile->cell_count == 0)
			check_combos(c, rule, combos_of_grid(c, factors_of(rule)));
		else if (!check_listed(c, rule) && c->profile->complete)
			check_combos(c, rule, combos_of_table(c, factors_of(rule)));
	}
}
