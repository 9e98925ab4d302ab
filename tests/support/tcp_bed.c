/* SPDX-License-Identifier: MIT */
#include "tests/support/tcp_bed.h"

#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/support/test.h"

static void connect_pair(int *from, int *to)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*from = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(connect(*from, (struct sockaddr *)&at, len), 0);
	*to = accept(listener, NULL, NULL);
	assert_true(*to >= 0);
	(void)close(listener);
}

void tcp_bed_init(struct tcp_bed *bed)
{
	struct failure f;

	memset(bed, 0, sizeof(*bed));
	assert_true(streams_init(&bed->sender, &f));
	assert_true(streams_init(&bed->receiver, &f));
	for (uint32_t i = 0; i < TCP_BED_STREAMS; i++)
		connect_pair(&bed->sender_fds[i], &bed->receiver_fds[i]);
}

void tcp_bed_done(struct tcp_bed *bed)
{
	streams_done(&bed->sender);
	streams_done(&bed->receiver);
	for (uint32_t i = 0; i < TCP_BED_STREAMS; i++) {
		(void)close(bed->sender_fds[i]);
		(void)close(bed->receiver_fds[i]);
	}
}

void tcp_bed_open(struct tcp_bed *bed, const struct mover *sender, const struct mover *receiver,
                  uint64_t buffer_bytes)
{
	struct failure f;

	bed->to_send = (struct request){
		.side = REQUEST_SEND, .streams = TCP_BED_STREAMS, .buffer_bytes = buffer_bytes};
	bed->to_receive = (struct request){.side = REQUEST_RECV, .streams = TCP_BED_STREAMS};
	assert_true(streams_open(&bed->receiver, receiver, &bed->to_receive, &f));
	assert_true(streams_open(&bed->sender, sender, &bed->to_send, &f));
}

void tcp_bed_go(struct tcp_bed *bed)
{
	streams_go(&bed->receiver, bed->receiver_fds, NULL);
	streams_go(&bed->sender, bed->sender_fds, NULL);
}

static bool has_each_moved(const struct streams *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (streams_bytes(t, i) == 0)
			return false;
	}
	return true;
}

void tcp_bed_wait_bytes(const struct tcp_bed *bed, uint64_t bytes)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	while (streams_bytes_all(&bed->receiver) < bytes || !has_each_moved(&bed->receiver)) {
		if (clock_now_ns() > until)
			fail_msg("no bytes");
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	}
}

static void wait_for(struct streams *t)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	for (uint32_t i = 0; i < t->count; i++) {
		while (!streams_has_ended(t, i)) {
			struct pollfd p = {.fd = streams_wake_fd(t), .events = POLLIN};

			if (clock_now_ns() > until)
				fail_msg("the threads go on");
			(void)poll(&p, 1, 100);
			streams_wake_clear(t);
		}
	}
}

void tcp_bed_wait_end(struct tcp_bed *bed)
{
	wait_for(&bed->sender);
	wait_for(&bed->receiver);
	for (uint32_t i = 0; i < TCP_BED_STREAMS; i++) {
		assert_int_equal(bed->sender.stream[i].end_errno, 0);
		assert_int_equal(bed->receiver.stream[i].end_errno, 0);
		assert_int_equal(streams_bytes(&bed->sender, i), streams_bytes(&bed->receiver, i));
		assert_true(atomic_load(&bed->receiver.stream[i].first_ns) != 0);
	}
}
