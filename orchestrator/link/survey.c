/* SPDX-License-Identifier: MIT */
/* survey.c - asks a host what the preflight wants to know besides its agent. */
#include "common/clock.h"
#include "link/ask.h"
#include "link/link_parts.h"

#define SURVEY_MS 8000u

static void take_line(void *arg, const char *marked)
{
	survey_read(arg, marked);
}

static bool is_cancelled(void *arg)
{
	return link_is_stopping(arg);
}

void link_survey(struct link_host *h, struct transport *t, struct survey *out)
{
	struct survey_reader reader;
	struct shell_marker marker;
	const struct ask a = {.marker = &marker,
	                      .line = take_line,
	                      .arg = &reader,
	                      .is_cancelled = is_cancelled,
	                      .cancelled_arg = h,
	                      .deadline_ns = clock_now_ns() + SURVEY_MS * CLOCK_NS_PER_MS};
	struct text command = {0};
	struct err ignored; /* a host that is lost meanwhile is told by what follows */

	survey_read_begin(&reader, out);
	if (shell_marker_init(&marker, &ignored) && survey_command(&command, &marker, &ignored) &&
	    ask(t, text_str(&command), &a, &ignored))
		survey_read_end(&reader);
	text_done(&command);
}
