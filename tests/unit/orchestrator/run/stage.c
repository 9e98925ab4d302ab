/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/run/stage.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/fakes/clock_fake.h"
#include "tests/fakes/link_fake.h"

int stage_set_up(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return -1;
	clock_fake_set(1000, 1764500000000);
	link_fake_reset();
	lab_init(&s->lab);
	lab_sink_init(&s->sink);
	*state = s;
	return 0;
}

int stage_tear_down(void **state)
{
	link_fake_reset();
	lab_sink_done(&((struct stage *)*state)->sink);
	free(*state);
	return 0;
}

static void at_go(void *arg)
{
	struct stage *s = arg;

	if (++s->gos == s->stop_go)
		s->level = s->stop_level;
}

void stage_stop_at(struct stage *s, unsigned nth, unsigned level)
{
	s->stop_go = nth;
	s->stop_level = level;
	link_fake_on_go(at_go, s);
}

static unsigned level_of(void *ctx)
{
	return ((struct stage *)ctx)->level;
}

static void warned(void *ctx, const char *text)
{
	struct stage *s = ctx;

	s->warnings++;
	(void)snprintf(s->warning, sizeof(s->warning), "%s", text);
}

bool stage_go(struct stage *s)
{
	struct run_progress progress = {.ctx = s, .warned = warned};
	struct run_job job = {.plan = &s->lab.plan,
	                      .consent = s->consent,
	                      .done = s->lab.done,
	                      .sink = &s->sink.sink,
	                      .progress = &progress,
	                      .wake_fd = -1,
	                      .stop_level = level_of,
	                      .stop_ctx = s};

	return run_plan(&job, &s->out, &s->err);
}
