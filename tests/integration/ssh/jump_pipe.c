/* SPDX-License-Identifier: MIT */
/*
 * jump_pipe - a connection through jump hosts with nothing of vnm's above it: what it carries,
 * whole and in order, and what it costs.
 *
 *	jump_pipe listen PORT MB ms	sends MB megabytes, then reads as many, each pausing
 *					ms milliseconds before every megabyte that is read
 *	jump_pipe CONFIG JUMP HOST PORT MB ms	the same from the other end: reads, then sends
 *
 * The bytes follow from their place, so each end knows what has to come. The connecting end
 * prints how much memory it has used at most. Exit code 0: all came.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/ssh_jump.h"

#define MB         ((size_t)1024 * 1024)
#define CHUNK      ((size_t)64 * 1024)
#define PATIENCE_S 30

static unsigned char byte_at(size_t at)
{
	return (unsigned char)((at * 2654435761u) >> 13);
}

static bool wait_until(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, PATIENCE_S * 1000) == 1;
}

static bool send_all(int fd, size_t size)
{
	static unsigned char chunk[CHUNK];
	size_t sent = 0;

	while (sent < size) {
		size_t n = size - sent < CHUNK ? size - sent : CHUNK;
		ssize_t done;

		for (size_t i = 0; i < n; i++)
			chunk[i] = byte_at(sent + i);
		if (!wait_until(fd, POLLOUT))
			return false;
		done = send(fd, chunk, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (done < 0)
			return false;
		sent += (size_t)done;
	}
	return true;
}

static bool receive_all(int fd, size_t size, unsigned pause_ms)
{
	static unsigned char chunk[CHUNK];
	size_t got = 0;

	while (got < size) {
		size_t n = MB - got % MB < CHUNK ? MB - got % MB : CHUNK;
		ssize_t done;

		if (got % MB == 0)
			clock_sleep_until(clock_now_ns() + pause_ms * CLOCK_NS_PER_MS);
		if (!wait_until(fd, POLLIN))
			return false;
		done = recv(fd, chunk, n, MSG_DONTWAIT);
		if (done <= 0)
			return false;
		for (size_t i = 0; i < (size_t)done; i++) {
			if (chunk[i] != byte_at(got + i))
				return false;
		}
		got += (size_t)done;
	}
	return true;
}

static int fail(const char *what)
{
	(void)printf("failed: %s\n", what);
	return 1;
}

/* One connection. */
static int serve(unsigned port, size_t size, unsigned pause_ms)
{
	const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	const int on = 1;
	int s = socket(AF_INET, SOCK_STREAM, 0);
	int fd;

	(void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(s, (const struct sockaddr *)&any, sizeof(any)) != 0 || listen(s, 1) != 0)
		return fail("listen");
	if (!wait_until(s, POLLIN))
		return fail("accept");
	fd = accept(s, NULL, NULL);
	if (fd < 0 || !send_all(fd, size))
		return fail("send");
	if (!receive_all(fd, size, pause_ms))
		return fail("receive");
	(void)close(fd);
	(void)close(s);
	return 0;
}

static void print_memory(void)
{
	FILE *in = fopen("/proc/self/status", "r");
	char line[128];

	while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
		if (strncmp(line, "VmHWM:", 6) == 0)
			(void)printf("%s", line);
	}
	if (in != NULL)
		(void)fclose(in);
}

static int end_of(int fd)
{
	char rest;

	return wait_until(fd, POLLIN) && recv(fd, &rest, 1, MSG_DONTWAIT) == 0 ? 0 : 1;
}

static int exchange(char **argv, size_t size, unsigned pause_ms)
{
	const struct ssh_wish wish = {.host = argv[3], .config = argv[1], .jump = argv[2]};
	const struct ssh_config config = {.hostname = argv[3],
	                                  .port = (uint32_t)strtoul(argv[4], NULL, 10),
	                                  .proxy_jump = argv[2]};
	const struct ssh_jumps_options options = {.auth_sock = NULL};
	struct ssh_target target = {.config = &config, .fd = -1};
	struct ssh_patience patience = {.limit = {clock_now_ns() + 10 * CLOCK_NS_PER_S, -1}};
	struct err err;
	struct ssh_jumps *jumps = ssh_jumps_new(&options, &err);
	int code = 0;

	if (jumps == NULL)
		return fail(err.msg);
	if (!ssh_jumps_reach(jumps, &wish, &target, &patience, &err)) {
		ssh_jumps_free(jumps);
		return fail(err.msg);
	}
	if (!receive_all(target.fd, size, pause_ms))
		code = fail("receive");
	else if (!send_all(target.fd, size))
		code = fail("send");
	else if (end_of(target.fd) != 0)
		code = fail("the other end did not take all and close");
	(void)close(target.fd);
	target.carrier->ops->close(target.carrier);
	ssh_jumps_free(jumps);
	print_memory();
	return code;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 5 && strcmp(argv[1], "listen") == 0)
		return serve((unsigned)strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10) * MB,
		             (unsigned)strtoul(argv[4], NULL, 10));
	if (argc == 7)
		return exchange(argv, strtoul(argv[5], NULL, 10) * MB,
		                (unsigned)strtoul(argv[6], NULL, 10));
	(void)fprintf(stderr, "usage: jump_pipe listen PORT MB ms | CONFIG JUMP HOST PORT MB ms\n");
	return 2;
}
