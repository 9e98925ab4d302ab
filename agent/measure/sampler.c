/* SPDX-License-Identifier: MIT */
#include "measure/sampler.h"

#include <assert.h>

void sampler_init(struct sampler *s, uint64_t omit_ns, uint64_t duration_ns, uint64_t interval_ns)
{
	assert(duration_ns > 0 && interval_ns > 0);
	*s = (struct sampler){
		.omit_ns = omit_ns,
		.duration_ns = duration_ns,
		.interval_ns = interval_ns,
		.opened_ns = omit_ns == 0 ? 0 : SAMPLER_NEVER,
		.closed_ns = SAMPLER_NEVER,
	};
}

/* The next point of the grid that starts at `from`, but not after `end`. */
static uint64_t next_point(const struct sampler *s, uint64_t from, uint64_t end)
{
	uint64_t next = from + ((s->last_ns - from) / s->interval_ns + 1) * s->interval_ns;

	return next < end ? next : end;
}

uint64_t sampler_due_ns(const struct sampler *s)
{
	if (s->closed_ns != SAMPLER_NEVER)
		return SAMPLER_NEVER;
	if (s->opened_ns == SAMPLER_NEVER)
		return next_point(s, 0, s->omit_ns);
	return next_point(s, s->opened_ns, s->opened_ns + s->duration_ns);
}

struct sampler_cut sampler_cut(struct sampler *s, uint64_t at_ns)
{
	struct sampler_cut cut = {.start_ns = s->last_ns, .end_ns = at_ns};

	assert(at_ns >= s->last_ns && s->closed_ns == SAMPLER_NEVER);
	if (s->opened_ns == SAMPLER_NEVER) {
		cut.is_omitted = true;
		cut.opens = at_ns >= s->omit_ns;
	} else {
		cut.closes = at_ns >= s->opened_ns + s->duration_ns;
	}
	if (cut.opens)
		s->opened_ns = at_ns;
	if (cut.closes)
		s->closed_ns = at_ns;
	s->last_ns = at_ns;
	return cut;
}

struct sampler_cut sampler_finish(struct sampler *s, uint64_t at_ns)
{
	struct sampler_cut cut = {.start_ns = s->last_ns, .end_ns = at_ns, .closes = true};

	assert(s->opened_ns != SAMPLER_NEVER && s->closed_ns == SAMPLER_NEVER);
	if (cut.end_ns < s->last_ns)
		cut.end_ns = s->last_ns;
	s->closed_ns = cut.end_ns;
	s->last_ns = cut.end_ns;
	return cut;
}
