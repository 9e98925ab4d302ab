/* SPDX-License-Identifier: MIT */
#include "agent/pair.h"

bool pair_init(struct pair *p, struct output *out, struct failure *f)
{
	*p = (struct pair){.out = out};
	p->session[0] = session_new(out, f);
	return p->session[0] != NULL;
}

void pair_done(struct pair *p)
{
	for (int i = 0; i < PAIR_TESTS; i++)
		session_free(p->session[i]);
}

static bool is_open(const struct pair *p, int i)
{
	return p->session[i] != NULL && session_is_open(p->session[i]);
}

/* May a test come that names this one beside it, and where does it go? -1 with *f set. */
static int find_place(const struct pair *p, uint32_t id, uint32_t beside, struct failure *f)
{
	int busy = is_open(p, 0) ? 0 : 1;
	uint32_t test;

	if (!is_open(p, busy)) {
		if (beside == WIRE_UNKNOWN_U32)
			return 0;
		(void)failure_set(f, FAILURE_USAGE, "test %u, to run beside, is not open", beside);
		return -1;
	}
	test = session_test(p->session[busy]);
	if (is_open(p, 1 - busy))
		(void)failure_set(f, FAILURE_USAGE, "tests %u and %u are not over: two at a time",
		                  test, session_test(p->session[1 - busy]));
	else if (beside == WIRE_UNKNOWN_U32)
		(void)failure_set(f, FAILURE_USAGE, "test %u is not over: one at a time", test);
	else if (beside != test || id == test)
		(void)failure_set(f, FAILURE_USAGE, "test %u cannot run beside %u: test %u is open",
		                  id, beside, test);
	else
		return 1 - busy;
	return -1;
}

void pair_prepare(struct pair *p, uint32_t id, const struct msg_prepare *m)
{
	struct failure f;
	int place = find_place(p, id, m->beside, &f);

	if (place >= 0 && p->session[place] == NULL)
		p->session[place] = session_new(p->out, &f);
	if (place < 0 || p->session[place] == NULL) {
		output_failed(p->out, id, &f);
		return;
	}
	session_prepare(p->session[place], id, m,
	                is_open(p, 1 - place) ? session_files(p->session[1 - place]) : 0);
}

/* The session of the test, or one that says that there is no such test. */
static struct session *find(const struct pair *p, uint32_t test)
{
	return is_open(p, 1) && session_test(p->session[1]) == test ? p->session[1] : p->session[0];
}

void pair_go(struct pair *p, uint32_t id, const struct msg_go *m)
{
	session_go(find(p, m->test), id, m);
}

void pair_stop(struct pair *p, uint32_t id, const struct msg_stop *m)
{
	session_stop(find(p, m->test), id, m);
}

bool pair_is_measuring(const struct pair *p)
{
	for (int i = 0; i < PAIR_TESTS; i++) {
		if (is_open(p, i) && session_is_measuring(p->session[i]))
			return true;
	}
	return false;
}

size_t pair_poll(const struct pair *p, struct pollfd *fds)
{
	size_t count = 0;

	for (int i = 0; i < PAIR_TESTS; i++) {
		if (is_open(p, i))
			count += session_poll(p->session[i], fds + count);
	}
	return count;
}

uint64_t pair_due_ns(const struct pair *p)
{
	uint64_t due = UINT64_MAX;

	for (int i = 0; i < PAIR_TESTS; i++) {
		uint64_t own = is_open(p, i) ? session_due_ns(p->session[i]) : UINT64_MAX;

		if (own < due)
			due = own;
	}
	return due;
}

void pair_step(struct pair *p, uint64_t now_ns)
{
	for (int i = 0; i < PAIR_TESTS; i++) {
		if (is_open(p, i))
			session_step(p->session[i], now_ns);
	}
}
