/* SPDX-License-Identifier: MIT */
#include "measure/lost.h"

#include <stdio.h>
#include <string.h>

#include "common/number_set.h"

static const char ended_early[] = "the sender ended it too early";

/* A stream that has ended without an error did what it had to. */
static bool is_complete(const struct streams *t, uint32_t index)
{
	const struct request *r = t->request;

	if (r->bytes == 0)
		return false;
	/* Datagrams may be lost on the way, and that is no fault of the stream. */
	return t->side == REQUEST_SEND || r->protocol == REQUEST_UDP ||
	       streams_bytes(t, index) >= request_share(r, index);
}

bool lost_find(const struct streams *t, bool may_end, struct lost *out)
{
	bool any = false;

	*out = (struct lost){0};
	for (uint32_t i = 0; i < t->count; i++) {
		if (!streams_has_ended(t, i))
			continue;
		if (t->stream[i].end_errno != 0)
			out->why[i] = strerror(t->stream[i].end_errno);
		else if (!may_end && !is_complete(t, i))
			out->why[i] = ended_early;
		any = any || out->why[i] != NULL;
		out->has_error = out->has_error || t->stream[i].end_errno != 0;
	}
	return any;
}

/* Those of one reason, or with why NULL of any. */
static struct number_set collect(const struct lost *l, const char *why)
{
	struct number_set set = {0};

	for (uint32_t i = 0; i < REQUEST_STREAMS_MAX; i++) {
		if (l->why[i] != NULL && (why == NULL || strcmp(l->why[i], why) == 0))
			number_set_add(&set, i + 1);
	}
	return set;
}

void lost_format(const struct lost *l, char *out, size_t out_bytes)
{
	struct number_set set = collect(l, NULL);

	number_set_format(&set, out, out_bytes);
}

bool lost_fail(const struct lost *l, struct failure *f)
{
	char text[sizeof(f->reason)] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < REQUEST_STREAMS_MAX; i++) {
		struct number_set set;
		char numbers[96];
		int n;

		if (l->why[i] == NULL)
			continue;
		set = collect(l, l->why[i]);
		if (number_set_nth(&set, 0) != i + 1)
			continue; /* told with the first of them */
		number_set_format(&set, numbers, sizeof(numbers));
		n = snprintf(text + len, sizeof(text) - len, "%sstream%s %s: %s",
		             len > 0 ? "; " : "", number_set_count(&set) > 1 ? "s" : "", numbers,
		             l->why[i]);
		if (n < 0 || (size_t)n >= sizeof(text) - len)
			break;
		len += (size_t)n;
	}
	return failure_set(f, l->has_error ? FAILURE_SYSTEM : FAILURE_TRUNCATED, "%s", text);
}
