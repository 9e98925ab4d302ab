/* SPDX-License-Identifier: MIT */
#include "remote/turn.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool turn_init(struct turn *t, struct err *err)
{
	t->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	return t->fd >= 0 ? true : err_set_errno(err, errno, "eventfd");
}

void turn_done(struct turn *t)
{
	if (t->fd >= 0)
		(void)close(t->fd);
	t->fd = -1;
}

/* read() and write(), not eventfd_read(): ThreadSanitizer knows what they order. */
enum wait_end turn_take(struct turn *t, const struct wait_limit *limit)
{
	uint64_t one;

	while (read(t->fd, &one, sizeof(one)) != (ssize_t)sizeof(one)) {
		enum wait_end end = wait_for(t->fd, POLLIN, limit);

		if (end != WAIT_READY)
			return end;
	}
	return WAIT_READY;
}

void turn_give(struct turn *t)
{
	const uint64_t one = 1;

	(void)!write(t->fd, &one, sizeof(one));
}
