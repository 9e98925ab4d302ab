/* SPDX-License-Identifier: MIT */
#include "run/measure_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than this an honest agent cannot have to say: 128 streams for an hour of seconds. */
#define LIST_MAX 600000u

/* Room for one more entry of `size` bytes in a list of the end. */
static void *grow(void *list, size_t count, size_t *room, size_t size)
{
	void *grown = list;

	if (count == *room) {
		*room = *room == 0 ? 32 : *room * 2;
		grown = realloc(list, *room * size);
		if (grown == NULL)
			abort();
	}
	return grown;
}

#define ADD(list, count, room, entry)                                     \
	do {                                                              \
		(list) = grow((list), (count), &(room), sizeof(*(list))); \
		(list)[(count)++] = (entry);                              \
	} while (0)

bool measure_keep(struct measure_end *e, const struct msg *msg)
{
	if (e->sample_count + e->stream_count + e->counter_count + e->datagram_count +
	            e->latency_count + e->trouble_count >
	    LIST_MAX)
		return false;
	if (msg->type == MSG_SAMPLE)
		ADD(e->samples, e->sample_count, e->sample_room, msg->u.sample);
	else if (msg->type == MSG_STREAM)
		ADD(e->streams, e->stream_count, e->stream_room, msg->u.stream);
	else if (msg->type == MSG_COUNTER)
		ADD(e->counters, e->counter_count, e->counter_room, msg->u.counter);
	else if (msg->type == MSG_DATAGRAMS)
		ADD(e->datagrams, e->datagram_count, e->datagram_room, msg->u.datagrams);
	else if (msg->type == MSG_LATENCY)
		ADD(e->latencies, e->latency_count, e->latency_room, msg->u.latency);
	else if (msg->type == MSG_TROUBLE)
		ADD(e->troubles, e->trouble_count, e->trouble_room, msg->u.trouble);
	else
		return false;
	return true;
}

void measure_forget(struct measure_end *e)
{
	free(e->samples);
	free(e->streams);
	free(e->counters);
	free(e->datagrams);
	free(e->latencies);
	free(e->troubles);
}

/* "; and 127 more" with its NUL */
#define MORE_BYTES 16u

void measure_tell_troubles(const struct measure_end *e, const char *reason, char *out, size_t room)
{
	size_t len = 0;
	size_t told = 0;

	(void)snprintf(out, room, "%s", reason);
	for (; told < e->trouble_count; told++) {
		const struct msg_trouble *t = &e->troubles[told];
		size_t rest = told + 1 < e->trouble_count ? MORE_BYTES : 1;
		char one[WIRE_STR_BYTES + 24];

		(void)snprintf(one, sizeof(one), "%sstream %" PRIu32 ": %s", told > 0 ? "; " : "",
		               t->stream, t->reason);
		if (len + strlen(one) + rest > room)
			break;
		(void)snprintf(out + len, room - len, "%s", one);
		len += strlen(one);
	}
	if (told > 0 && told < e->trouble_count)
		(void)snprintf(out + len, room - len, "; and %zu more", e->trouble_count - told);
}
