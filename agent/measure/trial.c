/* SPDX-License-Identifier: MIT */
#include "measure/trial.h"

#include <string.h>

#include "common/clock.h"

void trial_init(struct trial *t, unsigned cases, unsigned usual)
{
	memset(t, 0, sizeof(*t));
	t->cases = cases;
	t->best = usual;
	t->begin_ns = UINT64_MAX;
}

void trial_plan(struct trial *t, const struct request *r, uint64_t go_ns)
{
	uint64_t quarter = r->omit_ns / 4;
	uint64_t most = TRIAL_STEP_MAX * CLOCK_NS_PER_MS;

	t->step_ns = quarter / (t->cases * TRIAL_ROUNDS);
	if (t->step_ns > most)
		t->step_ns = most;
	if (t->step_ns >= TRIAL_STEP_MS * CLOCK_NS_PER_MS)
		t->begin_ns = go_ns + (r->side == REQUEST_SEND ? quarter : 2 * quarter);
}

void trial_give_up(struct trial *t)
{
	t->begin_ns = UINT64_MAX;
}

static uint64_t median(const uint64_t rate[TRIAL_ROUNDS])
{
	uint64_t a = rate[0], b = rate[1], c = rate[2];

	_Static_assert(TRIAL_ROUNDS == 3, "median of three");
	if ((a <= b) == (b <= c))
		return b;
	return (b <= a) == (a <= c) ? a : c;
}

static unsigned find_best(const struct trial *t)
{
	uint64_t most = 0;
	unsigned i;

	for (i = 0; i < t->cases; i++) {
		if (median(t->rate[i]) > most)
			most = median(t->rate[i]);
	}
	for (i = 0; i + 1 < t->cases; i++) {
		if (median(t->rate[i]) >= most - most / 1000 * TRIAL_SAME_PERMILLE)
			break;
	}
	return i;
}

unsigned trial_step(struct trial *t, uint64_t now_ns, uint64_t rate, uint64_t *next_ns)
{
	*next_ns = 0;
	if (t->begin_ns == UINT64_MAX)
		return t->best;
	if (now_ns < t->begin_ns) {
		*next_ns = t->begin_ns;
		return t->best;
	}
	if (t->turn > 0)
		t->rate[(t->turn - 1) % t->cases][(t->turn - 1) / t->cases] = rate;
	if (t->turn == t->cases * TRIAL_ROUNDS) {
		t->best = find_best(t);
		trial_give_up(t);
		return t->best;
	}
	*next_ns = now_ns + t->step_ns;
	return t->turn++ % t->cases;
}
