/* SPDX-License-Identifier: MIT */
#include "remote/wait.h"

#include <errno.h>
#include <poll.h>

#include "common/clock.h"

#define MS_MAX 1000

int wait_ms(uint64_t at_ns)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t ms;

	if (at_ns <= now_ns)
		return 0;
	ms = (at_ns - now_ns - 1) / CLOCK_NS_PER_MS + 1;
	return ms < MS_MAX ? (int)ms : MS_MAX;
}

enum wait_end wait_for(int fd, short events, const struct wait_limit *limit)
{
	struct pollfd fds[2] = {{.fd = fd, .events = events},
	                        {.fd = limit->wake_fd, .events = POLLIN}};

	for (;;) {
		int ms = wait_ms(limit->deadline_ns);

		if (ms == 0)
			return WAIT_TIMEOUT;
		if (poll(fds, 2, ms) < 0 && errno != EINTR)
			return WAIT_FAILED;
		if (fds[1].revents != 0)
			return WAIT_WOKEN;
		if (fds[0].revents != 0)
			return WAIT_READY;
	}
}
