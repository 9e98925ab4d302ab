/* SPDX-License-Identifier: MIT */
/*
 * lossy.h - a way between two agents that loses, doubles and delays datagrams.
 *
 * Stands where the listener should be: takes its one TCP connection, passes on what comes to
 * the listener behind it, and the datagrams of the connector on the same ports with mischief.
 * A thread of the test's; everything ends with lossy_end().
 */
#ifndef TESTS_AGENT_LOSSY_H
#define TESTS_AGENT_LOSSY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the datagrams, counted from 1: every so many. 0: none. */
struct lossy_wish {
	uint32_t lose_every;
	uint32_t double_every;
	uint32_t delay_every; /* comes after the next one */
};

struct lossy {
	struct lossy_wish wish;
	uint32_t port; /* where it listens on 127.0.0.1 */
	uint32_t to_port;
	int listen_fd;
	int quit[2]; /* pipe */
	pthread_t thread;
	/* What it did, after lossy_end(). */
	uint64_t taken;
	uint64_t lost;
	uint64_t doubled;
	uint64_t delayed;
};

/* Starts it in front of the listener at to_port of 127.0.0.1. */
void lossy_start(struct lossy *l, const struct lossy_wish *wish, uint32_t to_port);
void lossy_end(struct lossy *l);

#endif
