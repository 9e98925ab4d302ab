/* SPDX-License-Identifier: MIT */
/* errand.c - a session without an agent: runs the commands that the main thread asks for. */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "link/ask.h"
#include "link/job.h"
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

static void tell_how(struct link_ran *out, const struct ask_end *end, const struct transport *t)
{
	out->status = end->how.status;
	(void)snprintf(out->signal, sizeof(out->signal), "%s", end->how.signal);
	(void)snprintf(out->said, sizeof(out->said), "%s", transport_said(t));
}

static bool run(struct link_host *h, struct transport *t, const char *command,
                const struct shell_marker *marker, struct err *err)
{
	struct ask_end end = {.is_late = false};
	const struct ask a = {.marker = marker,
	                      .line = tell_line,
	                      .arg = h,
	                      .is_cancelled = is_cancelled,
	                      .cancelled_arg = h,
	                      .deadline_ns = clock_now_ns() + LINK_RUN_MS * CLOCK_NS_PER_MS,
	                      .end = &end};
	struct link_event event = {.host = h->index, .kind = LINK_RAN};

	if (!ask(t, command, &a, err))
		return false;
	tell_how(&event.ran, &end, t);
	link_post(h->set, &event);
	return true;
}

static void tell_marked(void *arg, const char *marked)
{
	job_tell(arg, marked);
}

/* False when the connection is lost or to be ended. */
static bool run_job(struct job *j, struct transport *t, struct err *err)
{
	char password[PRIVILEGE_INPUT_BYTES];
	struct ask_end end = {.is_late = false};
	struct link_ran ran;
	size_t len;
	struct ask a = {.marker = &j->marker,
	                .line = tell_marked,
	                .arg = j,
	                .is_cancelled = is_cancelled,
	                .cancelled_arg = j->host,
	                .input = {.first = password,
	                          .ready = JOB_READY,
	                          .rest = text_str(&j->text),
	                          .rest_len = j->text.len},
	                .end = &end};
	bool ok;

	if (!job_password(j, password, &len))
		return true; /* told */
	a.input.first_len = len;
	a.deadline_ns = clock_now_ns() + j->timeout_ms * CLOCK_NS_PER_MS;
	ok = ask(t, text_str(&j->command), &a, err);
	explicit_bzero(password, sizeof(password));
	if (!ok && !end.is_late)
		return false;
	j->is_ready = end.is_ready;
	tell_how(&ran, &end, t);
	if (!ok)
		transport_hangup(t);
	job_end(j, &ran, ok ? NULL : err);
	return true;
}

void link_errand(struct link_host *h, struct transport *t, struct err *err)
{
	struct text command = {0};
	struct shell_marker marker;
	struct job job;
	bool ok = true;

	job_init(&job, h);
	while (ok && !link_is_stopping(h)) {
		if (next_command(h, &command, &marker))
			ok = run(h, t, text_str(&command), &marker, err);
		else if (job_take(&job))
			ok = run_job(&job, t, err);
		else
			ok = transport_pump(t, clock_now_ns() + IDLE_NS, err);
	}
	if (ok)
		(void)err_set(err, ERR_CANCELLED, "given up");
	job_done(&job);
	text_done(&command);
}
