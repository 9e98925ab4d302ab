/* SPDX-License-Identifier: MIT */
/*
 * tcp_bed.h - senders and receivers over TCP on the loopback, without an agent.
 *
 * Failures fail the running cmocka test; every wait is bounded.
 */
#ifndef TESTS_SUPPORT_TCP_BED_H
#define TESTS_SUPPORT_TCP_BED_H

#include <stdint.h>

#include "measure/mover.h"
#include "measure/streams.h"

#define TCP_BED_STREAMS 3u

struct tcp_bed {
	struct streams sender;
	struct streams receiver;
	struct request to_send;
	struct request to_receive;
	int sender_fds[TCP_BED_STREAMS];
	int receiver_fds[TCP_BED_STREAMS];
};

/* Connects; a bed is aligned as struct streams is. */
void tcp_bed_init(struct tcp_bed *bed);
void tcp_bed_done(struct tcp_bed *bed);

/* Opens both ends; buffer_bytes is the sender's, 0: any. */
void tcp_bed_open(struct tcp_bed *bed, const struct mover *sender, const struct mover *receiver,
                  uint64_t buffer_bytes);
void tcp_bed_go(struct tcp_bed *bed);

/* Until so many bytes were received, some on each stream. */
void tcp_bed_wait_bytes(const struct tcp_bed *bed, uint64_t bytes);

/* Until all threads of both ends have ended; then the totals must agree, stream by stream. */
void tcp_bed_wait_end(struct tcp_bed *bed);

#endif
