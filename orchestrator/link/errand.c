/* SPDX-License-Identifier: MIT */
/* errand.c - a session without an agent: runs the commands that the main thread asks for. */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/oom.h"
#include "link/ask.h"
#include "link/link_parts.h"

#define IDLE_NS CLOCK_NS_PER_S

static void tell_line(void *arg, const char *marked)
{
	const struct link_host *h = arg;
	struct link_event event = {.host = h->index, .kind = LINK_LINE};

	(void)snprintf(event.line, sizeof(event.line), "%s", marked);
	link_post(h->set, &event);
}

static bool is_cancelled(void *arg)
{
	return link_is_stopping(arg);
}

/* The next command into *out; false when there is none. */
static bool next_command(struct link_host *h, struct text *out, struct shell_marker *marker)
{
	bool any;

	text_clear(out);
	(void)pthread_mutex_lock(&h->lock);
	any = h->outbox.len > 0;
	if (any)
		text_add(out, h->outbox.at);
	text_clear(&h->outbox);
	*marker = h->marker;
	(void)pthread_mutex_unlock(&h->lock);
	return any;
}

static bool run(struct link_host *h, struct transport *t, const char *command,
                const struct shell_marker *marker, struct err *err)
{
	const struct ask a = {.marker = marker,
	                      .line = tell_line,
	                      .arg = h,
	                      .is_cancelled = is_cancelled,
	                      .cancelled_arg = h,
	                      .deadline_ns = clock_now_ns() + LINK_RUN_MS * CLOCK_NS_PER_MS};
	struct link_event event = {.host = h->index, .kind = LINK_RAN};

	if (!ask(t, command, &a, err))
		return false;
	link_post(h->set, &event);
	return true;
}

void link_errand(struct link_host *h, struct transport *t, struct err *err)
{
	struct text command = {0};
	struct shell_marker marker;
	bool ok = true;

	while (ok && !link_is_stopping(h)) {
		if (next_command(h, &command, &marker))
			ok = run(h, t, text_str(&command), &marker, err);
		else
			ok = transport_pump(t, clock_now_ns() + IDLE_NS, err);
	}
	if (ok)
		(void)err_set(err, ERR_CANCELLED, "given up");
	text_done(&command);
}
