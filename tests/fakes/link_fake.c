/* SPDX-License-Identifier: MIT */
#include "tests/fakes/link_fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "tests/fakes/clock_fake.h"

#define QUEUE_MAX 4096
#define MS        CLOCK_NS_PER_MS

struct later {
	uint64_t at_ns;
	uint64_t order;
	struct link_event event;
};

struct agent {
	bool is_up;
	bool is_prepared, has_gone;
	uint32_t prepare_id;
	struct msg_prepare prepare;
	unsigned gos; /* since the host was scripted */
};

struct link_set {
	size_t count;
};

static struct link_fake_host hosts[LINK_FAKE_HOSTS_MAX];
static struct agent agents[LINK_FAKE_HOSTS_MAX];
static struct later queue[QUEUE_MAX];
static size_t queued;
static uint64_t order;
static void (*go_hook)(void *);
static void *go_arg;

void link_fake_reset(void)
{
	memset(hosts, 0, sizeof(hosts));
	memset(agents, 0, sizeof(agents));
	for (size_t i = 0; i < LINK_FAKE_HOSTS_MAX; i++)
		hosts[i].mtu = 1500;
	queued = 0;
	order = 0;
	go_hook = NULL;
}

struct link_fake_host *link_fake(size_t host)
{
	return &hosts[host];
}

void link_fake_on_go(void (*hook)(void *), void *arg)
{
	go_hook = hook;
	go_arg = arg;
}

static struct link_event *post(size_t host, enum link_event_kind kind, uint64_t after_ns)
{
	struct later *l;

	if (queued == QUEUE_MAX)
		abort();
	l = &queue[queued++];
	memset(l, 0, sizeof(*l));
	l->at_ns = clock_now_ns() + after_ns;
	l->order = order++;
	l->event.host = host;
	l->event.kind = kind;
	return &l->event;
}

static struct msg *post_msg(size_t host, enum msg_type type, uint32_t id, uint64_t after_ns)
{
	struct link_event *e = post(host, LINK_MESSAGE, after_ns);

	msg_init(&e->msg, type, id);
	return &e->msg;
}

static void post_fact(size_t host, uint32_t id, const char *key, const char *value)
{
	struct msg *m = post_msg(host, MSG_FACT, id, MS);

	(void)snprintf(m->u.fact.key, sizeof(m->u.fact.key), "%s", key);
	(void)snprintf(m->u.fact.value, sizeof(m->u.fact.value), "%s", value);
	(void)snprintf(m->u.fact.source, sizeof(m->u.fact.source), "script");
}

static void post_failed(size_t host, uint32_t id, const char *kind, const char *reason)
{
	struct msg *m = post_msg(host, MSG_FAILED, id, MS);

	(void)snprintf(m->u.failed.kind, sizeof(m->u.failed.kind), "%s", kind);
	(void)snprintf(m->u.failed.reason, sizeof(m->u.failed.reason), "%s", reason);
}

static void answer_facts(size_t host, const struct msg *msg)
{
	char mtu[16];

	hosts[host].facts++;
	if (msg->u.facts.address[0] == '\0') {
		post_fact(host, msg->id, "net.core.rmem_max", "212992");
	} else if (hosts[host].has_no_nic) {
		post_failed(host, msg->id, "usage", "no NIC of this machine has the address");
		return;
	} else {
		(void)snprintf(mtu, sizeof(mtu), "%u", hosts[host].mtu);
		post_fact(host, msg->id, "nic.name", "eth1");
		post_fact(host, msg->id, "nic.mtu", mtu);
		post_fact(host, msg->id, "nic.tso", "on");
	}
	(void)post_msg(host, MSG_DONE, msg->id, MS);
}

static void post_connected(size_t host)
{
	const struct msg_prepare *p = &agents[host].prepare;
	struct msg *m = post_msg(host, MSG_CONNECTED, agents[host].prepare_id, 2 * MS);
	struct msg_connected *c = &m->u.connected;

	c->streams = p->streams;
	c->sndbuf_bytes = 87040;
	c->rcvbuf_bytes = 131072;
	c->mss_bytes = 1448;
	c->path_mtu_bytes = 1500;
	c->window_granted_bytes =
		hosts[host].window_granted != 0 ? hosts[host].window_granted : p->window_bytes;
	if (strcmp(p->role, "connect") == 0)
		c->rtt_base_us = 100;
}

static size_t find_listener(const char *address)
{
	for (size_t i = 0; i < LINK_FAKE_HOSTS_MAX; i++) {
		if (agents[i].is_prepared && strcmp(agents[i].prepare.role, "listen") == 0 &&
		    strcmp(agents[i].prepare.address, address) == 0)
			return i;
	}
	return LINK_FAKE_HOSTS_MAX;
}

static void answer_prepare(size_t host, const struct msg *msg)
{
	struct agent *a = &agents[host];

	hosts[host].prepares++;
	if (hosts[host].is_silent)
		return;
	if (hosts[host].fail_prepare != NULL) {
		post_failed(host, msg->id, hosts[host].fail_prepare, "as scripted");
		return;
	}
	if (a->is_prepared) {
		post_failed(host, msg->id, "usage", "a test is open already");
		return;
	}
	*a = (struct agent){.is_up = true,
	                    .is_prepared = true,
	                    .prepare_id = msg->id,
	                    .prepare = msg->u.prepare,
	                    .gos = a->gos};
	if (strcmp(msg->u.prepare.role, "listen") == 0) {
		post_msg(host, MSG_PREPARED, msg->id, MS)->u.prepared.port = 5201;
	} else {
		size_t listener = find_listener(msg->u.prepare.peer);

		(void)post_msg(host, MSG_PREPARED, msg->id, MS);
		if (listener == LINK_FAKE_HOSTS_MAX)
			return;
		post_connected(listener);
		post_connected(host);
	}
}

/* 100 Mbit/s, all streams alike. */
static void post_results(size_t host)
{
	const struct msg_prepare *p = &agents[host].prepare;
	uint64_t after = ((uint64_t)p->omit_ms + p->duration_ms) * MS;
	uint64_t measured = (uint64_t)p->duration_ms * 12500;
	bool sends = strcmp(p->side, "send") == 0;
	uint32_t id = agents[host].prepare_id;
	struct msg_sample *sample = &post_msg(host, MSG_SAMPLE, id, after)->u.sample;
	struct msg_result *result;

	sample->stream = 0;
	sample->start_ns = (uint64_t)p->omit_ms * MS;
	sample->end_ns = after;
	sample->omitted = 0;
	sample->bytes = measured;
	for (uint32_t k = 1; k <= p->streams; k++) {
		struct msg_stream *s = &post_msg(host, MSG_STREAM, id, after)->u.stream;

		s->stream = k;
		s->bytes = measured / p->streams;
		s->measured_bytes = measured / p->streams;
		s->local_port = 5201;
		s->peer_port = 40000;
		if (sends) {
			s->retransmits = 0;
			s->rtt_us = 150;
		}
	}
	result = &post_msg(host, MSG_RESULT, id, after)->u.result;
	result->bytes = measured * 2 - (sends ? 0 : hosts[host].bytes_missing);
	result->measured_bytes = measured;
	result->measured_ns = (uint64_t)p->duration_ms * MS;
	if (sends)
		result->retransmits = 0;
	(void)post_msg(host, MSG_DONE, id, after);
}

static void lose(size_t host)
{
	size_t kept = 0;

	for (size_t i = 0; i < queued; i++) { /* what it would have said is not said */
		if (queue[i].event.host != host)
			queue[kept++] = queue[i];
	}
	queued = kept;
	agents[host].is_up = false;
	agents[host].is_prepared = false;
	hosts[host].running = 0;
	if (hosts[host].stays_lost)
		hosts[host].is_unreachable = true;
	(void)err_set(&post(host, LINK_DOWN, 0)->err, ERR_REMOTE, "no sign of life for 2.5 s");
}

static void take_go(size_t host)
{
	struct link_fake_host *h = &hosts[host];

	h->gos++;
	h->running++;
	if (h->running > h->most_running)
		h->most_running = h->running;
	if (go_hook != NULL)
		go_hook(go_arg);
	if (h->lost_at_go != 0 && h->gos == h->lost_at_go)
		lose(host);
	else
		post_results(host);
}

/* A test's end is taken note of when it is told, so that overlap shows. */
static void told(const struct link_event *event)
{
	struct agent *a = &agents[event->host];

	if (event->kind != LINK_MESSAGE || event->msg.id != a->prepare_id || !a->is_prepared)
		return;
	if (event->msg.type == MSG_DONE || event->msg.type == MSG_FAILED) {
		a->is_prepared = false;
		if (hosts[event->host].running > 0)
			hosts[event->host].running--;
	}
}

struct link_set *link_set_new(const struct link_target *targets, size_t count,
                              const struct link_options *options, struct err *err)
{
	struct link_set *set = calloc(1, sizeof(*set));

	(void)targets;
	(void)options;
	(void)err;
	if (set == NULL || count > LINK_FAKE_HOSTS_MAX)
		abort();
	set->count = count;
	return set;
}

void link_connect(struct link_set *set, size_t host)
{
	(void)set;
	hosts[host].connects++;
	if (hosts[host].is_unreachable) {
		(void)err_set(&post(host, LINK_DOWN, MS)->err, ERR_REMOTE,
		              "connect: Connection refused");
		return;
	}
	agents[host].is_up = true;
	(void)post(host, LINK_UP, MS);
}

void link_send(struct link_set *set, size_t host, const struct msg *msg)
{
	(void)set;
	if (!agents[host].is_up)
		return;
	if (msg->type == MSG_FACTS) {
		answer_facts(host, msg);
	} else if (msg->type == MSG_PREPARE) {
		answer_prepare(host, msg);
	} else if (msg->type == MSG_GO) {
		if (agents[host].is_prepared && msg->u.go.test == agents[host].prepare_id)
			take_go(host);
	} else if (msg->type == MSG_STOP) {
		hosts[host].stops++;
		if (agents[host].is_prepared && msg->u.stop.test == agents[host].prepare_id)
			post_failed(host, agents[host].prepare_id, "cancelled", "stopped");
	}
}

bool link_next(struct link_set *set, uint64_t deadline_ns, int wake_fd, struct link_event *out)
{
	size_t best = queued;

	(void)set;
	(void)wake_fd;
	for (size_t i = 0; i < queued; i++) {
		if (best == queued || queue[i].at_ns < queue[best].at_ns ||
		    (queue[i].at_ns == queue[best].at_ns && queue[i].order < queue[best].order))
			best = i;
	}
	if (best == queued || queue[best].at_ns > deadline_ns) {
		clock_sleep_until(deadline_ns);
		return false;
	}
	clock_sleep_until(queue[best].at_ns);
	*out = queue[best].event;
	queue[best] = queue[--queued];
	told(out);
	return true;
}

void link_set_free(struct link_set *set)
{
	free(set);
}
