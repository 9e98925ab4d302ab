/* SPDX-License-Identifier: MIT */
/* linux_udp.c - Linux: datagrams, several at a time. */
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/platform.h"

/* include/uapi/linux/udp.h, which cannot be in one source file with the C library's. */
enum { LEVEL_UDP = 17, OPTION_SEGMENT = 103, OPTION_GRO = 104 };

_Static_assert(PLATFORM_UDP_SEND_MAX <= 64, "UDP_MAX_SEGMENTS of all kernels before 6.9");

static bool is_v6(int fd)
{
	struct sockaddr_storage own = {0};
	socklen_t len = sizeof(own);

	return getsockname(fd, (struct sockaddr *)&own, &len) == 0 && own.ss_family == AF_INET6;
}

void platform_udp_keep_whole(int fd, bool is_whole)
{
	int v4 = is_whole ? IP_PMTUDISC_DO : IP_PMTUDISC_WANT;
	int v6 = is_whole ? IPV6_PMTUDISC_DO : IPV6_PMTUDISC_WANT;

	if (is_v6(fd))
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof(v6));
	else
		(void)setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &v4, sizeof(v4));
}

uint64_t platform_udp_path_mtu(int fd)
{
	bool v6 = is_v6(fd);
	int mtu = 0;
	socklen_t len = sizeof(mtu);

	if (getsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_MTU : IP_MTU, &mtu, &len) <
	            0 ||
	    mtu <= 0)
		return PLATFORM_UNKNOWN;
	return (uint64_t)mtu;
}

/* Not the C library's: musl's is a loop of sendmsg() on 64 bits, since its structs differ
 * from the kernel's; they are the same where what lies between their fields is zero. */
static int send_many(int fd, struct mmsghdr *messages, unsigned count)
{
	return (int)syscall(SYS_sendmmsg, fd, messages, count, MSG_NOSIGNAL);
}

static int send_segmented(int fd, unsigned char *at, size_t bytes, unsigned count)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(uint16_t))];
	} control = {.room = {0}};
	struct iovec iov = {at, bytes * count};
	struct msghdr message = {.msg_iov = &iov,
	                         .msg_iovlen = 1,
	                         .msg_control = &control,
	                         .msg_controllen = sizeof(control.room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);
	uint16_t segment = (uint16_t)bytes;

	c->cmsg_level = LEVEL_UDP;
	c->cmsg_type = OPTION_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(c), &segment, sizeof(segment));
	return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -1 : (int)count;
}

int platform_udp_send(int fd, enum platform_udp way, unsigned char *at, size_t bytes,
                      unsigned count)
{
	struct mmsghdr messages[PLATFORM_UDP_SEND_MAX];
	struct iovec iov[PLATFORM_UDP_SEND_MAX];

	if (way == PLATFORM_UDP_SINGLE || count == 1)
		return send(fd, at, bytes, MSG_NOSIGNAL) < 0 ? -1 : 1;
	if (way == PLATFORM_UDP_SEGMENTED)
		return send_segmented(fd, at, bytes, count);
	memset(messages, 0, count * sizeof(messages[0]));
	for (unsigned i = 0; i < count; i++) {
		iov[i] = (struct iovec){at + i * bytes, bytes};
		messages[i].msg_hdr.msg_iov = &iov[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	return send_many(fd, messages, count);
}

enum platform_udp platform_udp_send_way(int fd)
{
	unsigned char two[2] = {0};

	/* What a setsockopt() says is not enough: whether the NIC's driver can do its part shows
	 * when it is sent. Two datagrams of one byte are nobody's. */
	if (platform_udp_send(fd, PLATFORM_UDP_SEGMENTED, two, 1, 2) == 2)
		return PLATFORM_UDP_SEGMENTED;
	if (send_many(-1, NULL, 0) < 0 && errno == EBADF)
		return PLATFORM_UDP_MANY;
	return PLATFORM_UDP_SINGLE;
}

enum platform_udp platform_udp_recv_way(int fd)
{
	int one = 1;

	if (recvmmsg(-1, NULL, 0, 0, NULL) < 0 && errno != EBADF)
		return PLATFORM_UDP_SINGLE;
	if (setsockopt(fd, LEVEL_UDP, OPTION_GRO, &one, sizeof(one)) == 0)
		return PLATFORM_UDP_SEGMENTED;
	return PLATFORM_UDP_MANY;
}

/* The length of the datagrams in what came; what is left of it is the last one. */
static size_t segment_of(struct msghdr *message, size_t bytes)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
		int segment;

		if (c->cmsg_level != LEVEL_UDP || c->cmsg_type != OPTION_GRO)
			continue;
		memcpy(&segment, CMSG_DATA(c), sizeof(segment));
		return segment > 0 ? (size_t)segment : bytes;
	}
	return bytes;
}

int platform_udp_recv(int fd, enum platform_udp way, unsigned char *memory,
                      struct platform_udp_piece pieces[PLATFORM_UDP_PIECES])
{
	struct {
		_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
	} control[PLATFORM_UDP_PIECES];
	struct mmsghdr messages[PLATFORM_UDP_PIECES];
	struct iovec iov[PLATFORM_UDP_PIECES];
	unsigned most = way == PLATFORM_UDP_SINGLE ? 1 : PLATFORM_UDP_PIECES;
	ssize_t got;

	if (way == PLATFORM_UDP_SINGLE) {
		got = recv(fd, memory, PLATFORM_UDP_PIECE_BYTES, 0);
		if (got < 0)
			return -1;
		pieces[0] = (struct platform_udp_piece){memory, (size_t)got, (size_t)got};
		return 1;
	}
	memset(messages, 0, sizeof(messages));
	for (unsigned i = 0; i < most; i++) {
		iov[i] = (struct iovec){memory + (size_t)i * PLATFORM_UDP_PIECE_BYTES,
		                        PLATFORM_UDP_PIECE_BYTES};
		messages[i].msg_hdr.msg_iov = &iov[i];
		messages[i].msg_hdr.msg_iovlen = 1;
		messages[i].msg_hdr.msg_control = &control[i];
		messages[i].msg_hdr.msg_controllen = sizeof(control[i]);
	}
	got = recvmmsg(fd, messages, most, MSG_WAITFORONE, NULL);
	for (ssize_t i = 0; i < got; i++)
		pieces[i] = (struct platform_udp_piece){
			iov[i].iov_base, messages[i].msg_len,
			segment_of(&messages[i].msg_hdr, messages[i].msg_len)};
	return (int)got;
}

void platform_exact_sleep(void)
{
	(void)prctl(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L); /* ns; else 50 us late */
}

/* fq does it where it is there, else TCP itself (tcp_output.c). Before Linux 4.20 only the first
 * 32 bits were read, so what was understood is read back. */
bool platform_tcp_pace(int fd, uint64_t bytes_per_s)
{
	uint64_t given = 0;
	socklen_t len = sizeof(given);

	return setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s, sizeof(bytes_per_s)) ==
	               0 &&
	       getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &given, &len) == 0 &&
	       given == bytes_per_s;
}
