/* SPDX-License-Identifier: MIT */
/*
 * link_fake.h - hosts and agents that follow a script, instead of link/.
 *
 * A program that links link_fake (with clock_fake) has no SSH: link_send() is
 * answered as an agent would, a moment later on the fake clock, unless the
 * host's script says otherwise. link_next() moves the clock.
 */
#ifndef TESTS_FAKES_LINK_FAKE_H
#define TESTS_FAKES_LINK_FAKE_H

#include "link/link.h"

#define LINK_FAKE_HOSTS_MAX 16

struct link_fake_host {
	/* The script. */
	bool is_unreachable;
	bool has_no_nic;          /* facts of an address fail */
	bool is_silent;           /* answers no prepare */
	unsigned lost_at_go;      /* the link breaks at the n-th go from 1; 0: never */
	bool stays_lost;          /* and cannot be reached again */
	unsigned mtu;             /* told as nic.mtu */
	uint64_t window_granted;  /* 0: as asked */
	uint64_t bytes_missing;   /* of what the receiver tells */
	const char *fail_prepare; /* kind of the failure that answers prepare */
	const char *fail_beside;  /* and only the prepare of a test beside another */
	const char *fail_go;      /* kind of the failure that ends a test at half its time */
	unsigned troubles;        /* streams that die before that, from stream 1 */
	bool never_ends;          /* says nothing after go, but obeys stop */
	uint64_t datagrams_lost;  /* of what the receiver tells, in the measured time */
	const char *caps;         /* default: all words */
	/* What happened. */
	unsigned connects, prepares, gos, stops, facts;
	unsigned running, most_running; /* tests at the same time */
};

/* All scripts to their defaults (mtu 1500), nothing happened. */
void link_fake_reset(void);
struct link_fake_host *link_fake(size_t host);
/*
 * Every prepare, go and stop that was sent to an agent, a line each: host (a, b, ...), what, and
 * of prepare role, side and "beside"; of go and stop the side: "a prepare connect send\n".
 */
const char *link_fake_log(void);
/* The last prepare that the host was sent. */
const struct msg_prepare *link_fake_prepare(size_t host);
/* Called whenever a go reaches a host; NULL: nothing. For tests that stop a run. */
void link_fake_on_go(void (*hook)(void *), void *arg);

#endif
