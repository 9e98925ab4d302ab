/* SPDX-License-Identifier: MIT */
#include "remote/capture.h"

#include <errno.h>
#include <poll.h>

#include "common/clock.h"
#include "remote/child.h"

#define READ_BYTES 16384
#define LOOK_MS    20 /* it may end while something that it started keeps its output open */
#define END_MS     1  /* it has closed its output, and is about to end */

static bool take(int *fd, struct text *out, size_t max_bytes, const char *name, struct err *err)
{
	char data[READ_BYTES];
	size_t n;

	while ((n = child_read(fd, data, sizeof(data))) > 0) {
		if (out->len + n > max_bytes)
			return err_set(err, ERR_REMOTE, "%s writes more than %zu bytes", name,
			               max_bytes);
		text_add_bytes(out, data, n);
	}
	return true;
}

/* Until something has come, or it is time to see whether the child has ended. */
static bool wait_a_while(const struct child *c, const struct wait_limit *limit, const char *name,
                         struct err *err)
{
	struct pollfd fds[3] = {{.fd = c->out, .events = POLLIN},
	                        {.fd = c->said, .events = POLLIN},
	                        {.fd = limit->wake_fd, .events = POLLIN}};
	int ms = wait_ms(limit->deadline_ns);
	int most = c->out < 0 && c->said < 0 ? END_MS : LOOK_MS;

	if (ms == 0)
		return err_set(err, ERR_TIMEOUT, "%s does not end in time", name);
	if (poll(fds, 3, ms < most ? ms : most) < 0 && errno != EINTR)
		return err_set_errno(err, errno, "wait for %s", name);
	if (fds[2].revents != 0)
		return err_set(err, ERR_CANCELLED, "%s: given up", name);
	return true;
}

static bool follow(struct child *c, const char *name, size_t max_bytes,
                   const struct wait_limit *limit, struct captured *out, struct err *err)
{
	for (;;) {
		bool has_ended = child_reap(c, &out->status);

		if (!take(&c->out, &out->out, max_bytes, name, err) ||
		    !take(&c->said, &out->said, max_bytes, name, err))
			return false;
		if (has_ended)
			return true;
		if (!wait_a_while(c, limit, name, err))
			return false;
	}
}

bool capture(const char *const argv[], char *const env[], size_t max_bytes,
             const struct wait_limit *limit, struct captured *out, struct err *err)
{
	struct child c = CHILD_NONE;
	bool ok;

	if (!child_start(&c, argv, env, err))
		return false;
	child_end_input(&c);
	ok = follow(&c, argv[0], max_bytes, limit, out, err);
	child_end(&c, 0);
	return ok;
}

void captured_done(struct captured *c)
{
	text_done(&c->out);
	text_done(&c->said);
}
