/* SPDX-License-Identifier: MIT */
#include "measure/udp_stats.h"

#include <string.h>

static uint64_t bit_of(uint64_t sequence)
{
	return UINT64_C(1) << (sequence % 64);
}

static uint64_t *word_of(struct udp_stats *s, uint64_t sequence)
{
	return &s->seen[sequence % UDP_STATS_WINDOW / 64];
}

/* The window moves up: what is new in it was not seen yet. */
static void move_up(struct udp_stats *s, uint64_t to)
{
	if (to - s->highest >= UDP_STATS_WINDOW) {
		memset(s->seen, 0, sizeof(s->seen));
	} else {
		for (uint64_t i = s->highest + 1; i <= to; i++)
			*word_of(s, i) &= ~bit_of(i);
	}
	s->highest = to;
}

/* True when it is there already. */
static bool is_duplicate(struct udp_stats *s, uint64_t sequence)
{
	uint64_t *word = word_of(s, sequence);
	bool was_seen;

	if (s->highest - sequence >= UDP_STATS_WINDOW)
		return false; /* nobody knows */
	was_seen = (*word & bit_of(sequence)) != 0;
	*word |= bit_of(sequence);
	return was_seen;
}

static void take_jitter(struct udp_stats *s, uint64_t sent_ns, uint64_t transit_ns)
{
	uint64_t d = transit_ns - s->last_transit_ns; /* the clocks' difference goes away */

	if (s->unique > 0 && sent_ns == s->last_sent_ns)
		return;
	if (d > UINT64_MAX / 2)
		d = 0 - d;
	if (s->unique > 0)
		s->jitter_16ths_ns += d - ((s->jitter_16ths_ns + 8) >> 4);
	s->last_transit_ns = transit_ns;
	s->last_sent_ns = sent_ns;
}

void udp_stats_take(struct udp_stats *s, const struct udp_header *h, uint64_t now_ns)
{
	s->received++;
	if (h->sequence > s->highest) {
		move_up(s, h->sequence);
		*word_of(s, h->sequence) |= bit_of(h->sequence);
	} else if (is_duplicate(s, h->sequence)) {
		s->duplicates++;
		return;
	} else {
		s->reordered++;
	}
	take_jitter(s, h->sent_ns, now_ns - h->sent_ns);
	s->unique++;
}

void udp_stats_end(struct udp_stats *s, uint64_t sent)
{
	if (sent > s->highest)
		move_up(s, sent);
}

uint64_t udp_stats_lost(const struct udp_stats *s)
{
	return s->highest > s->unique ? s->highest - s->unique : 0;
}

uint64_t udp_stats_jitter_ns(const struct udp_stats *s)
{
	return s->jitter_16ths_ns >> 4;
}
