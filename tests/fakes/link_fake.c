/* SPDX-License-Identifier: MIT */
#include "tests/fakes/link_fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"
#include "tests/fakes/clock_fake.h"
#include "tests/fakes/link_fake_parts.h"

#define QUEUE_MAX 4096
#define MS        CLOCK_NS_PER_MS

struct later {
	uint64_t at_ns;
	uint64_t order;
	struct link_event event;
};

/* A test, and one beside it in the other direction. */
#define SESSIONS 2

struct agent {
	bool is_up;
	struct link_fake_session sessions[SESSIONS];
	struct msg_prepare last;
};

struct link_set {
	size_t count;
};

static struct link_fake_host hosts[LINK_FAKE_HOSTS_MAX];
static struct agent agents[LINK_FAKE_HOSTS_MAX];
static struct later queue[QUEUE_MAX];
static size_t queued;
static uint64_t order;
static struct text sent;
static void (*go_hook)(void *);
static void *go_arg;

void link_fake_reset(void)
{
	memset(agents, 0, sizeof(agents));
	for (size_t i = 0; i < LINK_FAKE_HOSTS_MAX; i++)
		hosts[i] = (struct link_fake_host){
			.mtu = 1500,
			.caps = "tcp,udp,rr,zero_copy,discard,pacing,affinity,device,beside,bytes"};
	queued = 0;
	text_done(&sent);
	order = 0;
	go_hook = NULL;
}

struct link_fake_host *link_fake(size_t host)
{
	return &hosts[host];
}

const char *link_fake_log(void)
{
	return text_str(&sent);
}

const struct msg_prepare *link_fake_prepare(size_t host)
{
	return &agents[host].last;
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

struct msg *link_fake_post(size_t host, enum msg_type type, uint32_t id, uint64_t after_ns)
{
	struct link_event *e = post(host, LINK_MESSAGE, after_ns);

	msg_init(&e->msg, type, id);
	return &e->msg;
}

static struct link_fake_session *session_find(size_t host, uint32_t id)
{
	for (int i = 0; i < SESSIONS; i++) {
		if (agents[host].sessions[i].id == id)
			return &agents[host].sessions[i];
	}
	return NULL;
}

static void post_fact(size_t host, uint32_t id, const char *key, const char *value)
{
	struct msg *m = link_fake_post(host, MSG_FACT, id, MS);

	(void)snprintf(m->u.fact.key, sizeof(m->u.fact.key), "%s", key);
	(void)snprintf(m->u.fact.value, sizeof(m->u.fact.value), "%s", value);
	(void)snprintf(m->u.fact.source, sizeof(m->u.fact.source), "script");
}

static void answer_facts(size_t host, const struct msg *msg)
{
	char mtu[16];

	hosts[host].facts++;
	if (msg->u.facts.address[0] == '\0') {
		post_fact(host, msg->id, "net.core.rmem_max", "212992");
	} else if (hosts[host].has_no_nic) {
		link_fake_failed(host, msg->id, "usage", "no NIC of this machine has the address",
		                 MS);
		return;
	} else {
		(void)snprintf(mtu, sizeof(mtu), "%u", hosts[host].mtu);
		post_fact(host, msg->id, "nic.name", "eth1");
		post_fact(host, msg->id, "nic.mtu", mtu);
		post_fact(host, msg->id, "nic.tso", "on");
	}
	(void)link_fake_post(host, MSG_DONE, msg->id, MS);
}

/* Of the first test 5201, of the one beside it 5202. */
static uint32_t port_of(size_t host, const struct link_fake_session *s)
{
	return 5201 + (uint32_t)(s - agents[host].sessions);
}

static bool is_listener(const char *address, uint32_t port, size_t host,
                        const struct link_fake_session *s)
{
	return s->id != 0 && strcmp(s->prepare.role, "listen") == 0 &&
	       strcmp(s->prepare.address, address) == 0 && port_of(host, s) == port;
}

static void connect_to(size_t host, const struct link_fake_session *opener)
{
	const struct msg_prepare *p = &opener->prepare;

	for (size_t i = 0; i < LINK_FAKE_HOSTS_MAX; i++) {
		for (int k = 0; k < SESSIONS; k++) {
			const struct link_fake_session *s = &agents[i].sessions[k];

			if (!is_listener(p->peer, p->port, i, s))
				continue;
			link_fake_connected(i, s);
			link_fake_connected(host, opener);
			return;
		}
	}
}

/* As the agent does: one test, or a second one that names the first. */
static const char *why_refused(size_t host, const struct msg_prepare *p)
{
	bool is_beside = p->beside != WIRE_UNKNOWN_U32;

	if (hosts[host].fail_prepare != NULL)
		return hosts[host].fail_prepare;
	if (is_beside && hosts[host].fail_beside != NULL)
		return hosts[host].fail_beside;
	if (is_beside ? agents[host].sessions[0].id != p->beside || agents[host].sessions[1].id != 0
	              : agents[host].sessions[0].id != 0)
		return "usage";
	return NULL;
}

static void answer_prepare(size_t host, const struct msg *msg)
{
	const struct msg_prepare *p = &msg->u.prepare;
	bool is_beside = p->beside != WIRE_UNKNOWN_U32;
	struct link_fake_session *s = &agents[host].sessions[is_beside ? 1 : 0];
	const char *why = why_refused(host, p);

	hosts[host].prepares++;
	agents[host].last = *p;
	text_printf(&sent, "%c prepare %s %s%s\n", (char)('a' + host), p->role, p->side,
	            is_beside ? " beside" : "");
	if (hosts[host].is_silent)
		return;
	if (why != NULL) {
		link_fake_failed(host, msg->id, why, "as scripted", MS);
		return;
	}
	*s = (struct link_fake_session){msg->id, *p};
	if (strcmp(p->role, "listen") == 0) {
		link_fake_post(host, MSG_PREPARED, msg->id, MS)->u.prepared.port = port_of(host, s);
	} else {
		(void)link_fake_post(host, MSG_PREPARED, msg->id, MS);
		connect_to(host, s);
	}
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
	memset(agents[host].sessions, 0, sizeof(agents[host].sessions));
	hosts[host].running = 0;
	if (hosts[host].stays_lost)
		hosts[host].is_unreachable = true;
	(void)err_set(&post(host, LINK_DOWN, 0)->err, ERR_REMOTE, "no sign of life for 2.5 s");
}

static void take_go(size_t host, const struct link_fake_session *s)
{
	struct link_fake_host *h = &hosts[host];

	text_printf(&sent, "%c go %s\n", (char)('a' + host), s->prepare.side);
	h->gos++;
	h->running++;
	if (h->running > h->most_running)
		h->most_running = h->running;
	if (go_hook != NULL)
		go_hook(go_arg);
	if (h->lost_at_go != 0 && h->gos == h->lost_at_go)
		lose(host);
	else if (h->fail_go != NULL)
		link_fake_breaks(host, s);
	else if (!h->never_ends)
		link_fake_results(host, s);
}

/* What it would have said of the test is not said. */
static void take_stop(size_t host, const struct link_fake_session *s)
{
	size_t kept = 0;

	text_printf(&sent, "%c stop %s\n", (char)('a' + host), s->prepare.side);
	for (size_t i = 0; i < queued; i++) {
		if (queue[i].event.host != host || queue[i].event.msg.id != s->id)
			queue[kept++] = queue[i];
	}
	queued = kept;
	link_fake_failed(host, s->id, "cancelled", "stopped", MS);
}

/* A test's end is taken note of when it is told, so that overlap shows. */
static void told(const struct link_event *event)
{
	struct link_fake_session *s = session_find(event->host, event->msg.id);

	if (event->kind != LINK_MESSAGE || event->msg.id == 0 || s == NULL)
		return;
	if (event->msg.type == MSG_DONE || event->msg.type == MSG_FAILED) {
		memset(s, 0, sizeof(*s));
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
	struct link_event *e;

	(void)set;
	hosts[host].connects++;
	if (hosts[host].is_unreachable) {
		(void)err_set(&post(host, LINK_DOWN, MS)->err, ERR_REMOTE,
		              "connect: Connection refused");
		return;
	}
	agents[host].is_up = true;
	e = post(host, LINK_UP, MS);
	(void)snprintf(e->info.caps, sizeof(e->info.caps), "%s", hosts[host].caps);
	(void)snprintf(e->info.platform, sizeof(e->info.platform), "linux");
	(void)snprintf(e->info.agent_version, sizeof(e->info.agent_version), "1.0");
}

void link_send(struct link_set *set, size_t host, const struct msg *msg)
{
	const struct link_fake_session *s;

	(void)set;
	if (!agents[host].is_up)
		return;
	if (msg->type == MSG_FACTS) {
		answer_facts(host, msg);
	} else if (msg->type == MSG_PREPARE) {
		answer_prepare(host, msg);
	} else if (msg->type == MSG_GO) {
		s = session_find(host, msg->u.go.test);
		if (s != NULL)
			take_go(host, s);
	} else if (msg->type == MSG_STOP) {
		hosts[host].stops++;
		s = session_find(host, msg->u.stop.test);
		if (s != NULL)
			take_stop(host, s);
	}
}

/* These hosts have no shell. */
void link_run_text(struct link_set *set, size_t host, const struct link_text *what)
{
	(void)set;
	(void)what;
	if (agents[host].is_up)
		(void)err_set(&post(host, LINK_RAN, MS)->err, ERR_REMOTE, "there is no shell");
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
