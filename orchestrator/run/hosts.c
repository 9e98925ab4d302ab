/* SPDX-License-Identifier: MIT */
#include "run/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/units.h"

/* Waits before the 1st, 2nd and 3rd attempt to reach a lost host again. */
static const uint64_t retry_after_ms[HOSTS_RETRIES_MAX] = {500, 2000, 5000};

static enum link_transport transport_of(const struct host *h)
{
	if (h->connection == CONNECTION_LOCAL)
		return LINK_LOCAL;
	return h->ssh.transport == SSH_OPENSSH ? LINK_OPENSSH : LINK_LIBSSH;
}

struct link_target hosts_target(const struct host *h)
{
	return (struct link_target){.name = h->name,
	                            .transport = transport_of(h),
	                            .address = h->mgmt,
	                            .port = h->ssh.port,
	                            .user = h->ssh.user,
	                            .key = h->ssh.key,
	                            .known_hosts = h->ssh.known_hosts,
	                            .config = h->ssh.config,
	                            .jump = h->ssh.jump,
	                            .password_file = h->ssh.password_file,
	                            .password_env = h->ssh.password_env,
	                            .accept_new = h->ssh.accept_new};
}

bool hosts_init(struct hosts *hosts, const struct topology *topo,
                const struct link_options *options, struct err *err)
{
	struct link_target *targets;

	memset(hosts, 0, sizeof(*hosts));
	hosts->topology = topo;
	hosts->next_id = 1;
	hosts->at = arena_alloc(&hosts->arena, topo->host_count, sizeof(*hosts->at));
	targets = arena_alloc(&hosts->arena, topo->host_count, sizeof(*targets));
	for (size_t i = 0; i < topo->host_count; i++) {
		const struct host *h = &topo->hosts[i];

		hosts->at[i].host = h;
		hosts->at[i].facts_tail = &hosts->at[i].facts;
		hosts->at[i].rmem_max = RESULT_UNKNOWN;
		hosts->at[i].wmem_max = RESULT_UNKNOWN;
		targets[i] = hosts_target(h);
	}
	hosts->links = link_set_new(targets, topo->host_count, options, err);
	return hosts->links != NULL;
}

void hosts_done(struct hosts *hosts)
{
	link_set_free(hosts->links);
	for (size_t i = 0; hosts->at != NULL && i < hosts->topology->host_count; i++)
		arena_done(&hosts->at[i].facts_arena);
	free(hosts->requests);
	arena_done(&hosts->arena);
	memset(hosts, 0, sizeof(*hosts));
}

size_t hosts_index(const struct hosts *hosts, const struct host *host)
{
	return (size_t)(host - hosts->topology->hosts);
}

const struct hosts_nic *hosts_nic(const struct hosts *hosts, const struct nic *nic)
{
	const struct hosts_nic *n = hosts->at[hosts_index(hosts, nic->host)].nics;

	while (n != NULL && n->nic != nic)
		n = n->next;
	return n;
}

static void nic_forget(struct hosts_nic *n)
{
	n->is_known = false;
	n->problem[0] = '\0';
	n->name[0] = '\0';
	n->mtu_bytes = RESULT_UNKNOWN;
	n->lro = TOGGLE_UNCHANGED;
	n->tso = TOGGLE_UNCHANGED;
}

void hosts_use(struct hosts *hosts, const struct nic *nic)
{
	struct hosts_entry *e = &hosts->at[hosts_index(hosts, nic->host)];
	struct hosts_nic *n;

	if (hosts_nic(hosts, nic) != NULL)
		return;
	n = arena_alloc(&hosts->arena, 1, sizeof(*n));
	n->nic = nic;
	nic_forget(n);
	n->next = e->nics;
	e->nics = n;
	if (e->state == HOSTS_UNUSED)
		e->state = HOSTS_CONNECTING;
}

void hosts_start(struct hosts *hosts, uint64_t now_ns)
{
	for (size_t i = 0; i < hosts->topology->host_count; i++) {
		hosts->at[i].due_ns = now_ns;
		if (hosts->at[i].state == HOSTS_CONNECTING) {
			hosts->at[i].due_ns = UINT64_MAX; /* the link bounds it */
			link_connect(hosts->links, i);
		}
	}
}

uint32_t hosts_id(struct hosts *hosts)
{
	uint32_t id = hosts->next_id++;

	if (hosts->next_id == 0)
		hosts->next_id = 1;
	return id;
}

static struct hosts_request *request_find(struct hosts *hosts, uint32_t id, size_t host)
{
	for (size_t i = 0; i < hosts->request_room; i++) {
		struct hosts_request *r = &hosts->requests[i];

		if (r->id == id && (id == 0 || r->host == host))
			return r;
	}
	return NULL;
}

static struct hosts_request *request_new(struct hosts *hosts)
{
	struct hosts_request *r = request_find(hosts, 0, 0);
	size_t room = hosts->request_room == 0 ? 16 : hosts->request_room * 2;
	struct hosts_request *grown;

	if (r != NULL)
		return r;
	grown = realloc(hosts->requests, room * sizeof(*grown));
	if (grown == NULL)
		abort();
	memset(grown + hosts->request_room, 0, (room - hosts->request_room) * sizeof(*grown));
	r = &grown[hosts->request_room];
	hosts->requests = grown;
	hosts->request_room = room;
	return r;
}

static void ask(struct hosts *hosts, size_t host, struct hosts_nic *nic)
{
	struct hosts_request *r = request_new(hosts);
	struct msg msg;

	*r = (struct hosts_request){hosts_id(hosts), host, nic};
	msg_init(&msg, MSG_FACTS, r->id);
	if (nic != NULL)
		(void)snprintf(msg.u.facts.address, sizeof(msg.u.facts.address), "%s",
		               topology_nic_address(nic->nic, 0));
	hosts->at[host].facts_pending++;
	link_send(hosts->links, host, &msg);
}

static void requests_drop(struct hosts *hosts, size_t host)
{
	for (size_t i = 0; i < hosts->request_room; i++) {
		if (hosts->requests[i].host == host)
			hosts->requests[i].id = 0;
	}
	hosts->at[host].facts_pending = 0;
}

void hosts_ask_facts(struct hosts *hosts, size_t host, uint64_t now_ns)
{
	struct hosts_entry *e = &hosts->at[host];

	requests_drop(hosts, host);
	arena_done(&e->facts_arena);
	e->facts = NULL;
	e->facts_tail = &e->facts;
	e->state = HOSTS_CONNECTING;
	e->due_ns = now_ns + HOSTS_FACTS_MS * CLOCK_NS_PER_MS;
	ask(hosts, host, NULL);
	for (struct hosts_nic *n = e->nics; n != NULL; n = n->next) {
		nic_forget(n);
		ask(hosts, host, n);
	}
}

/* A host is never tried again when trying again cannot help, nor before it was up once. */
static void lost(struct hosts *hosts, size_t host, const struct err *why, uint64_t now_ns)
{
	struct hosts_entry *e = &hosts->at[host];

	requests_drop(hosts, host);
	e->why = *why;
	if (e->state != HOSTS_WAITING && e->state != HOSTS_GONE && e->retries == 0)
		e->down_since_wall_ms = clock_wall_ms();
	if (!e->was_ready || e->retries >= HOSTS_RETRIES_MAX) {
		e->state = HOSTS_GONE;
		return;
	}
	e->due_ns = now_ns + retry_after_ms[e->retries++] * CLOCK_NS_PER_MS;
	e->state = HOSTS_WAITING;
}

static enum toggle toggle_of(const char *value)
{
	if (strcmp(value, "on") == 0)
		return TOGGLE_ON;
	return strcmp(value, "off") == 0 ? TOGGLE_OFF : TOGGLE_UNCHANGED;
}

static void number_of(const char *value, int64_t *out)
{
	uint64_t v;

	if (units_parse(UNIT_COUNT, value, &v) && v <= INT64_MAX)
		*out = (int64_t)v;
}

static void nic_learn(struct hosts_nic *n, const char *key, const char *value)
{
	if (strcmp(key, "nic.name") == 0)
		(void)snprintf(n->name, sizeof(n->name), "%.63s", value);
	else if (strcmp(key, "nic.mtu") == 0)
		number_of(value, &n->mtu_bytes);
	else if (strcmp(key, "nic.lro") == 0)
		n->lro = toggle_of(value);
	else if (strcmp(key, "nic.tso") == 0)
		n->tso = toggle_of(value);
}

void hosts_learn(struct hosts *hosts, const struct nic *nic, const char *key, const char *value)
{
	for (struct hosts_nic *n = hosts->at[hosts_index(hosts, nic->host)].nics; n != NULL;
	     n = n->next) {
		if (n->nic == nic)
			nic_learn(n, key, value);
	}
}

static void fact_told(struct hosts *hosts, struct hosts_request *r, const struct msg_fact *fact)
{
	struct hosts_entry *e = &hosts->at[r->host];
	struct hosts_fact *f = arena_alloc(&e->facts_arena, 1, sizeof(*f));

	f->fact.host = r->host;
	f->fact.nic = r->nic != NULL ? r->nic->nic->name : NULL;
	f->fact.key = arena_strndup(&e->facts_arena, fact->key, strlen(fact->key));
	f->fact.value = arena_strndup(&e->facts_arena, fact->value, strlen(fact->value));
	f->fact.source = arena_strndup(&e->facts_arena, fact->source, strlen(fact->source));
	*e->facts_tail = f;
	e->facts_tail = &f->next;
	if (r->nic == NULL) {
		if (strcmp(fact->key, "net.core.rmem_max") == 0)
			number_of(fact->value, &e->rmem_max);
		else if (strcmp(fact->key, "net.core.wmem_max") == 0)
			number_of(fact->value, &e->wmem_max);
		return;
	}
	r->nic->is_known = true;
	nic_learn(r->nic, fact->key, fact->value);
}

static bool message(struct hosts *hosts, const struct link_event *event)
{
	struct hosts_entry *e = &hosts->at[event->host];
	struct hosts_request *r =
		event->msg.id == 0 ? NULL : request_find(hosts, event->msg.id, event->host);

	if (r == NULL)
		return false;
	if (event->msg.type == MSG_FACT) {
		fact_told(hosts, r, &event->msg.u.fact);
		return true;
	}
	if (event->msg.type == MSG_FAILED && r->nic != NULL)
		(void)snprintf(r->nic->problem, sizeof(r->nic->problem), "%.159s",
		               event->msg.u.failed.reason);
	r->id = 0;
	if (--e->facts_pending == 0 && e->state == HOSTS_CONNECTING) {
		e->state = HOSTS_READY;
		e->was_ready = true;
		e->retries = 0;
		e->due_ns = UINT64_MAX;
	}
	return true;
}

bool hosts_event(struct hosts *hosts, const struct link_event *event, uint64_t now_ns)
{
	switch (event->kind) {
	case LINK_UP:
		hosts->at[event->host].info = event->info;
		hosts_ask_facts(hosts, event->host, now_ns);
		return true;
	case LINK_DOWN:
		hosts->at[event->host].info = event->info;
		lost(hosts, event->host, &event->err, now_ns);
		return true;
	case LINK_MESSAGE:
		return message(hosts, event);
	case LINK_LINE:
	case LINK_RAN: /* of sessions without agents */
		break;
	}
	return false;
}

uint64_t hosts_tick(struct hosts *hosts, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < hosts->topology->host_count; i++) {
		struct hosts_entry *e = &hosts->at[i];

		if (e->state == HOSTS_WAITING && now_ns >= e->due_ns) {
			e->state = HOSTS_CONNECTING;
			e->due_ns = UINT64_MAX;
			link_connect(hosts->links, i);
		} else if (e->state == HOSTS_CONNECTING && now_ns >= e->due_ns) {
			struct err why;

			(void)err_set(&why, ERR_TIMEOUT,
			              "%s: the agent did not tell its facts in %u s", e->host->name,
			              HOSTS_FACTS_MS / 1000);
			requests_drop(hosts, i);
			e->why = why;
			e->state = HOSTS_GONE;
			e->down_since_wall_ms = clock_wall_ms();
		}
		if ((e->state == HOSTS_WAITING || e->state == HOSTS_CONNECTING) && e->due_ns < next)
			next = e->due_ns;
	}
	return next;
}

bool hosts_any(const struct hosts *hosts, enum hosts_state state)
{
	for (size_t i = 0; i < hosts->topology->host_count; i++) {
		if (hosts->at[i].state == state)
			return true;
	}
	return false;
}
