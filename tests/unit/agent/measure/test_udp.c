/* SPDX-License-Identifier: MIT */
/* Threads that send and receive datagrams on the loopback, without an agent. */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/address.h"
#include "measure/udp.h"
#include "measure/udp_socket.h"
#include "tests/support/test.h"

#define STREAMS 2u

static struct streams sender;
static struct streams receiver;
static struct request to_send;
static struct request to_receive;
static int from_fds[STREAMS]; /* the connections' ends, for the signals */
static int to_fds[STREAMS];
static int from_data[STREAMS];
static int to_data[STREAMS];

static void make_datagram_pair(int *a, int *b)
{
	struct sockaddr_in at[2];
	socklen_t len = sizeof(at[0]);
	int fds[2];

	for (int i = 0; i < 2; i++) {
		at[i] = (struct sockaddr_in){.sin_family = AF_INET};
		at[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
		assert_true(fds[i] >= 0);
		assert_int_equal(bind(fds[i], (struct sockaddr *)&at[i], len), 0);
		assert_int_equal(getsockname(fds[i], (struct sockaddr *)&at[i], &len), 0);
	}
	assert_int_equal(connect(fds[0], (struct sockaddr *)&at[1], len), 0);
	assert_int_equal(connect(fds[1], (struct sockaddr *)&at[0], len), 0);
	*a = fds[0];
	*b = fds[1];
}

static int set_up(void **state)
{
	struct failure f;

	(void)state;
	memset(&sender, 0, sizeof(sender));
	memset(&receiver, 0, sizeof(receiver));
	assert_true(streams_init(&sender, &f));
	assert_true(streams_init(&receiver, &f));
	for (uint32_t i = 0; i < STREAMS; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		from_fds[i] = pair[0];
		to_fds[i] = pair[1];
		make_datagram_pair(&from_data[i], &to_data[i]);
	}
	to_send = (struct request){.side = REQUEST_SEND,
	                           .protocol = REQUEST_UDP,
	                           .streams = STREAMS,
	                           .buffer_bytes = 1000,
	                           .rate_bps = 80000000,
	                           .token = {1, 2, 3, 4, 5, 6, 7, 8}};
	assert_true(address_parse("127.0.0.1", &to_send.own));
	to_receive = to_send;
	to_receive.side = REQUEST_RECV;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	streams_done(&sender);
	streams_done(&receiver);
	for (uint32_t i = 0; i < STREAMS; i++) {
		(void)close(from_fds[i]);
		(void)close(to_fds[i]);
		(void)close(from_data[i]);
		(void)close(to_data[i]);
	}
	return 0;
}

static void open_sender(void)
{
	struct failure f;

	assert_true(streams_open(&sender, &udp_senders[0], &to_send, &f));
	assert_true(udp_settle(&sender, from_fds, from_data, &f));
}

static void open_receiver(void)
{
	struct failure f;

	assert_true(streams_open(&receiver, &udp_receivers[0], &to_receive, &f));
	assert_true(udp_settle(&receiver, to_fds, to_data, &f));
}

/* Without settling, which sets the sockets up for the best way. */
static void open_receiver_as(unsigned way)
{
	struct failure f;

	assert_true(streams_open(&receiver, &udp_receivers[way], &to_receive, &f));
}

static void wait_for_end(const struct streams *t, uint32_t index)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	while (!streams_has_ended(t, index)) {
		if (clock_now_ns() > until)
			fail_msg("the threads go on");
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	}
}

static void wait_for_all(void)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		wait_for_end(&sender, i);
		wait_for_end(&receiver, i);
	}
}

static void wait_for_count(const struct streams *t, uint32_t index, uint64_t count)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;
	struct udp_reading r;

	do {
		if (clock_now_ns() > until)
			fail_msg("no datagrams");
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
		udp_read(t, index, &r);
	} while (r.count < count);
}

/* The sender is under way. */
static void receive_some(uint64_t count)
{
	streams_go(&receiver, to_fds, to_data);
	for (uint32_t i = 0; i < STREAMS; i++)
		wait_for_count(&receiver, i, count);
	streams_stop(&sender);
	wait_for_all();
}

static void move_some(uint64_t count)
{
	streams_go(&sender, from_fds, from_data);
	receive_some(count);
}

/* What was sent is what came and what did not. */
static void check_books(void)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		struct udp_reading s;
		struct udp_reading r;

		udp_read(&sender, i, &s);
		udp_read(&receiver, i, &r);
		assert_int_equal(sender.stream[i].end_errno, 0);
		assert_int_equal(receiver.stream[i].end_errno, 0);
		assert_int_equal(s.count, r.count + r.lost - r.duplicates);
		assert_int_equal(streams_bytes(&sender, i), s.count * sender.unit_bytes);
		assert_int_equal(streams_bytes(&receiver, i), r.count * sender.unit_bytes);
		assert_true(atomic_load(&receiver.stream[i].first_ns) != 0);
	}
}

static void what_is_sent_comes_or_is_missed(void **state)
{
	(void)state;
	open_receiver();
	open_sender();
	move_some(500);
	check_books();
}

static void every_way_of_sending_meets_every_way_of_receiving(void **state)
{
	(void)state;
	for (unsigned s = 0; s < PLATFORM_UDP_WAYS; s++) {
		for (unsigned r = 0; r < PLATFORM_UDP_WAYS; r++) {
			to_send.rate_bps = 400000000; /* several in a batch */
			if (r < PLATFORM_UDP_SEGMENTED)
				open_receiver_as(r);
			else
				open_receiver();
			open_sender();
			if (&udp_senders[s] < sender.mover)
				sender.mover = &udp_senders[s];
			move_some(200);
			check_books();
			streams_close(&sender);
			streams_close(&receiver);
			(void)tear_down(state);
			(void)set_up(state);
		}
	}
}

static void an_unlimited_sender_into_a_small_buffer_loses(void **state)
{
	struct udp_reading r[STREAMS];
	int small = 8192;

	(void)state;
	for (uint32_t i = 0; i < STREAMS; i++)
		assert_int_equal(
			setsockopt(to_data[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	to_send.rate_bps = 0;
	open_receiver();
	open_sender();
	streams_go(&sender, from_fds, from_data); /* nobody reads yet */
	for (uint32_t i = 0; i < STREAMS; i++)
		wait_for_count(&sender, i, 5000);
	receive_some(10);
	check_books();
	for (uint32_t i = 0; i < STREAMS; i++) {
		udp_read(&receiver, i, &r[i]);
		assert_true(r[i].lost > 1000);
	}
}

/* The test plays the sender. */
static void send_one(uint32_t index, uint64_t sequence)
{
	struct udp_header h = {sequence, clock_now_ns()};
	struct udp_tag tag;
	unsigned char bytes[100] = {0};

	udp_tag_make(to_send.token, index + 1, &tag);
	udp_header_format(&h, &tag, bytes);
	assert_int_equal(send(from_data[index], bytes, sizeof(bytes), 0), sizeof(bytes));
}

static void tell_count(uint32_t index, uint64_t count)
{
	unsigned char bytes[UDP_COUNT_BYTES];

	udp_count_format(count, bytes);
	assert_int_equal(send(from_fds[index], bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_int_equal(shutdown(from_fds[index], SHUT_WR), 0);
}

static void loss_order_and_duplicates_are_told_apart(void **state)
{
	static const uint64_t order[] = {1, 2, 5, 4, 4, 6, 6, 3, 9, 10};
	struct udp_reading r;

	(void)state;
	open_receiver();
	streams_go(&receiver, to_fds, to_data);
	for (size_t i = 0; i < COUNT_OF(order); i++)
		send_one(0, order[i]);
	wait_for_count(&receiver, 0, COUNT_OF(order));
	tell_count(0, 12);
	wait_for_end(&receiver, 0);
	udp_read(&receiver, 0, &r);
	assert_int_equal(r.count, COUNT_OF(order));
	assert_int_equal(r.lost, 4);      /* 7, 8 and the last two */
	assert_int_equal(r.reordered, 2); /* 4 and 3 */
	assert_int_equal(r.duplicates, 2);
	assert_int_equal(streams_bytes(&receiver, 0), 100 * COUNT_OF(order));
}

static void a_late_one_after_the_end_still_counts(void **state)
{
	struct udp_reading r;

	(void)state;
	open_receiver();
	streams_go(&receiver, to_fds, to_data);
	send_one(0, 1);
	send_one(0, 3);
	tell_count(0, 3);
	clock_sleep_until(clock_now_ns() + 5 * CLOCK_NS_PER_MS);
	send_one(0, 2);
	wait_for_end(&receiver, 0);
	udp_read(&receiver, 0, &r);
	assert_int_equal(r.lost, 0);
	assert_int_equal(r.count, 3);
	/* The end is that of the last datagram, not of the wait for more. */
	assert_true(atomic_load(&receiver.stream[0].end_ns) + UDP_IDLE_MS * CLOCK_NS_PER_MS / 2 <
	            clock_now_ns() + UDP_IDLE_MS * CLOCK_NS_PER_MS);
}

static void strays_do_not_count(void **state)
{
	struct udp_reading r;
	static const unsigned char zeros[64] = {0};

	(void)state;
	open_receiver();
	streams_go(&receiver, to_fds, to_data);
	send_one(0, 1);
	assert_int_equal(send(from_data[0], zeros, sizeof(zeros), 0), sizeof(zeros));
	assert_int_equal(send(from_data[0], zeros, 0, 0), 0);
	to_send.token[0] ^= 1; /* an earlier test on the same ports */
	send_one(0, 700);
	to_send.token[0] ^= 1;
	send_one(0, 2);
	wait_for_count(&receiver, 0, 2);
	tell_count(0, 2);
	wait_for_end(&receiver, 0);
	udp_read(&receiver, 0, &r);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.lost, 0);
	assert_int_equal(streams_bytes(&receiver, 0), 200);
}

static void a_sender_that_dies_is_told(void **state)
{
	(void)state;
	open_receiver();
	streams_go(&receiver, to_fds, to_data);
	send_one(0, 1);
	send_one(1, 1);
	assert_int_equal(shutdown(from_fds[0], SHUT_WR), 0);       /* without its count */
	assert_int_equal(send(from_fds[1], "123456789", 9, 0), 9); /* more than a count */
	wait_for_end(&receiver, 0);
	wait_for_end(&receiver, 1);
	assert_int_equal(receiver.stream[0].end_errno, ECONNRESET);
	assert_int_equal(receiver.stream[1].end_errno, EPROTO);
}

static void a_receiver_that_dies_is_told(void **state)
{
	(void)state;
	open_sender();
	(void)close(to_data[0]);
	to_data[0] = -1;
	streams_go(&sender, from_fds, from_data);
	wait_for_end(&sender, 0);
	assert_int_equal(sender.stream[0].end_errno, ECONNREFUSED);
	assert_false(streams_has_ended(&sender, 1));
}

static void the_rate_is_kept(void **state)
{
	const uint64_t rate = 80000000;
	uint64_t start;
	uint64_t end;
	uint64_t passed_us;

	(void)state;
	open_receiver();
	open_sender();
	streams_go(&receiver, to_fds, to_data);
	start = clock_now_ns();
	streams_go(&sender, from_fds, from_data);
	clock_sleep_until(start + 300 * CLOCK_NS_PER_MS);
	end = clock_now_ns();
	passed_us = (end - start) / 1000;
	for (uint32_t i = 0; i < STREAMS; i++) {
		uint64_t bits = streams_bytes(&sender, i) * 8;

		/* Never more, but for the datagram that is due; less when the machine is busy. */
		assert_in_range(bits, passed_us * (rate / 1000000) / 2,
		                (clock_now_ns() - start) / 1000 * (rate / 1000000) + 8000);
	}
	streams_stop(&sender);
	wait_for_all();
	check_books();
}

static void a_limit_is_met_with_whole_datagrams(void **state)
{
	(void)state;
	open_receiver();
	open_sender();
	streams_limit(&sender, 0, 1);
	streams_limit(&sender, 1, 300001);
	streams_go(&receiver, to_fds, to_data);
	streams_go(&sender, from_fds, from_data);
	wait_for_all();
	assert_int_equal(streams_bytes(&sender, 0), 1000);
	assert_int_equal(streams_bytes(&sender, 1), 301000);
	check_books();
}

static void sizes_and_rates_that_cannot_be_are_refused(void **state)
{
	static const uint64_t sizes[] = {1, UDP_HEADER_BYTES - 1, UDP_PAYLOAD_MAX + 1};
	struct failure f;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		to_send.buffer_bytes = sizes[i];
		assert_false(streams_open(&sender, &udp_senders[0], &to_send, &f));
		assert_int_equal(f.kind, FAILURE_USAGE);
		assert_non_null(strstr(f.reason, "out of range: 24 to 65507"));
	}
	to_send.buffer_bytes = 1001;
	to_send.rate_bps = 8000;
	assert_true(streams_open(&sender, &udp_senders[0], &to_send, &f));
	assert_false(udp_settle(&sender, from_fds, from_data, &f));
	assert_string_equal(f.reason, "8000 bit/s are less than a datagram of 1001 bytes a second: "
	                              "shorter ones, or a greater rate");
}

static void a_datagram_fits_the_path_when_no_size_is_asked_for(void **state)
{
	uint64_t mtu = platform_udp_path_mtu(from_data[0]);

	(void)state;
	to_send.buffer_bytes = 0;
	open_sender();
	if (mtu == PLATFORM_UNKNOWN)
		assert_int_equal(sender.unit_bytes, 512); /* nor does a socketpair have an MSS */
	else
		assert_int_equal(sender.unit_bytes,
		                 mtu - 28 < UDP_PAYLOAD_MAX ? mtu - 28 : UDP_PAYLOAD_MAX);
}

static void close_ends_threads_that_wait(void **state)
{
	uint64_t start = clock_now_ns();

	(void)state;
	to_send.rate_bps = 8000; /* a datagram a second */
	open_receiver();
	open_sender();
	streams_go(&receiver, to_fds, to_data);
	streams_go(&sender, from_fds, from_data);
	wait_for_count(&receiver, 0, 1);
	streams_close(&sender);
	streams_close(&receiver);
	assert_in_range(clock_now_ns() - start, 0, 5 * CLOCK_NS_PER_S);
}

/* Sockets beside a connection, as the two ends open them. */
static void connect_tcp(int *listener, int *connector, int *accepted)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*listener = socket(AF_INET, SOCK_STREAM, 0);
	*connector = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(*listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(*listener, 1), 0);
	assert_int_equal(getsockname(*listener, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(connect(*connector, (struct sockaddr *)&at, len), 0);
	*accepted = accept(*listener, NULL, NULL);
	assert_true(*accepted >= 0);
}

static void sockets_have_the_ports_of_their_connection(void **state)
{
	int listener, connector, accepted, one, other;
	struct failure f;
	char bytes[8];

	(void)state;
	connect_tcp(&listener, &connector, &accepted);
	to_receive.is_listener = true;
	assert_int_equal(udp_socket_open(&to_receive, accepted, &one, &f), 0);
	assert_int_equal(udp_socket_open(&to_send, connector, &other, &f), 0);
	assert_int_equal(send(other, "hello", 5, 0), 5);
	assert_int_equal(recv(one, bytes, sizeof(bytes), 0), 5);
	assert_int_equal(send(one, "you", 3, 0), 3);
	assert_int_equal(recv(other, bytes, sizeof(bytes), 0), 3);
	(void)close(one);
	/* Now somebody has the port. */
	assert_int_equal(udp_socket_open(&to_send, connector, &one, &f), EADDRINUSE);
	assert_false(udp_socket_fail_taken(connector, &f));
	assert_int_equal(f.kind, FAILURE_PORT);
	assert_non_null(strstr(f.reason, "of 127.0.0.1"));
	(void)close(other);
	(void)close(listener);
	(void)close(connector);
	(void)close(accepted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(what_is_sent_comes_or_is_missed),
		TEST(every_way_of_sending_meets_every_way_of_receiving),
		TEST(an_unlimited_sender_into_a_small_buffer_loses),
		TEST(loss_order_and_duplicates_are_told_apart),
		TEST(a_late_one_after_the_end_still_counts),
		TEST(strays_do_not_count),
		TEST(a_sender_that_dies_is_told),
		TEST(a_receiver_that_dies_is_told),
		TEST(the_rate_is_kept),
		TEST(a_limit_is_met_with_whole_datagrams),
		TEST(sizes_and_rates_that_cannot_be_are_refused),
		TEST(a_datagram_fits_the_path_when_no_size_is_asked_for),
		TEST(close_ends_threads_that_wait),
		TEST(sockets_have_the_ports_of_their_connection),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("agent/measure/udp", tests, NULL, NULL);
}
