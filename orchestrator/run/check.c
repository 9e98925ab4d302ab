/* SPDX-License-Identifier: MIT */
#include "run/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "run/gate.h"
#include "run/gate_caps.h"
#include "run/measure.h"

/* Length of the test that a probe prepares and never starts. */
#define PROBE_MS 1000u

struct trial {
	struct measure measure;
	struct plan_cell cell; /* the probe's cell with one plain stream */
	struct check_probe *probe;
	struct trial *next;
};

static const struct nic *connector_of(const struct plan_cell *c)
{
	return c->dst_initiates ? c->dst : c->src;
}

static const struct nic *listener_of(const struct plan_cell *c)
{
	return c->dst_initiates ? c->src : c->dst;
}

/* Of the address that is connected to: one firewall may treat IPv4 and IPv6 differently. */
static bool is_v6(const struct check_probe *p)
{
	const char *address = topology_nic_address(p->listener, p->cell->config.ip_version);

	return address != NULL && strchr(address, ':') != NULL;
}

static int by_pair(const void *a, const void *b)
{
	const struct check_probe *x = a;
	const struct check_probe *y = b;

	if (x->connector != y->connector)
		return x->connector < y->connector ? -1 : 1;
	if (x->listener != y->listener)
		return x->listener < y->listener ? -1 : 1;
	if (is_v6(x) != is_v6(y))
		return is_v6(y) ? -1 : 1;
	return x->cell->index < y->cell->index ? -1 : x->cell->index > y->cell->index;
}

static int by_cell(const void *a, const void *b)
{
	const struct check_probe *x = a;
	const struct check_probe *y = b;

	return x->cell->index < y->cell->index ? -1 : x->cell->index > y->cell->index;
}

/* Each pair once, in the order of the plan. */
static void list_probes(struct check *check, const struct plan *plan)
{
	size_t count = 0;

	check->probes = arena_alloc(&check->arena, plan->cell_count, sizeof(*check->probes));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *c = &plan->cells[i];

		check->probes[i] = (struct check_probe){.cell = c,
		                                        .connector = connector_of(c),
		                                        .listener = listener_of(c),
		                                        .rtt_base_us = NAN};
	}
	qsort(check->probes, plan->cell_count, sizeof(*check->probes), by_pair);
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct check_probe *p = &check->probes[i];

		if (count == 0 || p->connector != check->probes[count - 1].connector ||
		    p->listener != check->probes[count - 1].listener ||
		    is_v6(p) != is_v6(&check->probes[count - 1]))
			check->probes[count++] = *p;
	}
	qsort(check->probes, count, sizeof(*check->probes), by_cell);
	check->probe_count = count;
}

static void use_nics(struct check *check, const struct topology *topo, const struct plan *plan)
{
	for (size_t i = 0; plan != NULL && i < plan->cell_count; i++) {
		hosts_use(&check->hosts, plan->cells[i].src);
		hosts_use(&check->hosts, plan->cells[i].dst);
	}
	for (size_t h = 0; plan == NULL && h < topo->host_count; h++) {
		for (size_t n = 0; n < topo->hosts[h].nic_count; n++) {
			if (topology_nic_address(&topo->hosts[h].nics[n], 0) != NULL)
				hosts_use(&check->hosts, &topo->hosts[h].nics[n]);
		}
	}
}

static bool is_busy(const struct trial *trials, const struct hosts *hosts,
                    const struct check_probe *p)
{
	for (const struct trial *t = trials; t != NULL; t = t->next) {
		if (measure_uses(&t->measure, hosts_index(hosts, p->connector->host)) ||
		    measure_uses(&t->measure, hosts_index(hosts, p->listener->host)))
			return true;
	}
	return false;
}

static bool start_trial(struct check *check, struct check_probe *p, struct trial **trials,
                        struct err *err)
{
	struct trial *t = calloc(1, sizeof(*t));

	if (t == NULL)
		abort();
	t->probe = p;
	t->cell = *p->cell;
	t->cell.config = (struct plan_config){.engine = ENGINE_AGENT,
	                                      .streams = 1,
	                                      .duration_ms = PROBE_MS,
	                                      .ip_version = p->cell->config.ip_version};
	t->measure.probe_only = true;
	if (!measure_start(&t->measure, &check->hosts, &t->cell, clock_now_ns(), err)) {
		free(t);
		return false;
	}
	t->next = *trials;
	*trials = t;
	return true;
}

/* Starts what can start; drops from `todo` what is started or cannot be reached at all. */
static bool start_trials(struct check *check, struct check_probe **todo, size_t *count,
                         struct trial **trials, struct err *err)
{
	size_t kept = 0;
	bool ok = true;

	for (size_t i = 0; i < *count; i++) {
		struct check_probe *p = todo[i];
		enum gate_answer a = gate_ends(&check->hosts, p->cell, p->reason);

		if (a == GATE_FAULT)
			continue;
		if (!ok || a == GATE_WAIT || is_busy(*trials, &check->hosts, p)) {
			todo[kept++] = p;
			continue;
		}
		ok = start_trial(check, p, trials, err);
	}
	*count = kept;
	return ok;
}

/*
 * The agent that connects tells the two apart. What it calls a timeout after it was taken is
 * something else that answers there.
 */
static enum check_answer answer_of(const struct measure *m, const struct measure_end *opener)
{
	static const char taken[] = "taken, but no answer";

	if (m->flows[MEASURE_FORTH].ends[MEASURE_SRC].is_connected &&
	    m->flows[MEASURE_FORTH].ends[MEASURE_DST].is_connected)
		return CHECK_REACHED;
	if (strcmp(opener->failed_kind, "refused") == 0)
		return CHECK_REFUSED;
	if (strcmp(opener->failed_kind, "timeout") == 0 &&
	    strstr(opener->failed_reason, taken) == NULL)
		return CHECK_DROPPED;
	return CHECK_FAILED;
}

static void end_trial(struct trial *t)
{
	const struct measure *m = &t->measure;
	const struct measure_end *opener =
		&m->flows[MEASURE_FORTH].ends[measure_connector(&t->cell, MEASURE_FORTH)];

	t->probe->answer = answer_of(m, opener);
	if (t->probe->answer != CHECK_REACHED)
		(void)snprintf(t->probe->reason, sizeof(t->probe->reason), "%s", m->reason);
	else if (opener->connected.rtt_base_us != WIRE_UNKNOWN_U32)
		t->probe->rtt_base_us = opener->connected.rtt_base_us;
}

static void reap_trials(struct trial **at)
{
	while (*at != NULL) {
		struct trial *t = *at;

		if (t->measure.state != MEASURE_OVER) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		end_trial(t);
		measure_done(&t->measure);
		free(t);
	}
}

/* One event at most, 250 ms at most. */
static void turn(struct check *check, struct trial **trials)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t next = hosts_tick(&check->hosts, now_ns);
	uint64_t tick = now_ns + 250 * CLOCK_NS_PER_MS;
	struct link_event event;

	if (link_next(check->hosts.links, next < tick ? next : tick, -1, &event)) {
		now_ns = clock_now_ns();
		if (!hosts_event(&check->hosts, &event, now_ns)) {
			for (struct trial *t = *trials; t != NULL; t = t->next) {
				if (measure_message(&t->measure, &check->hosts, &event, now_ns))
					break;
			}
		} else if (event.kind == LINK_DOWN) {
			for (struct trial *t = *trials; t != NULL; t = t->next)
				measure_host_lost(&t->measure, &check->hosts, event.host,
				                  &event.err, now_ns);
		}
	}
	now_ns = clock_now_ns();
	for (struct trial *t = *trials; t != NULL; t = t->next)
		measure_tick(&t->measure, &check->hosts, now_ns);
	reap_trials(trials);
}

static bool try_pairs(struct check *check, struct err *err)
{
	struct check_probe **todo =
		arena_alloc(&check->arena, check->probe_count, sizeof(struct check_probe *));
	struct trial *trials = NULL;
	size_t left = check->probe_count;
	bool ok = true;

	for (size_t i = 0; i < left; i++)
		todo[i] = &check->probes[i];
	do {
		if (ok)
			ok = start_trials(check, todo, &left, &trials, err);
		if (trials != NULL || (ok && left > 0))
			turn(check, &trials);
	} while (trials != NULL || (ok && left > 0));
	return ok;
}

static struct check_lack *lack_find(struct check *check, const char *reason)
{
	for (size_t i = 0; i < check->lack_count; i++) {
		if (strcmp(check->lacks[i].reason, reason) == 0)
			return &check->lacks[i];
	}
	return NULL;
}

static void lack_add(struct check *check, const struct host *host, const char *reason)
{
	struct check_lack *l = lack_find(check, reason);

	if (l == NULL && check->lack_count == check->lack_room) {
		check->lack_room = check->lack_room == 0 ? 8 : check->lack_room * 2;
		check->lacks = realloc(check->lacks, check->lack_room * sizeof(*check->lacks));
		if (check->lacks == NULL)
			abort();
	}
	if (l == NULL) {
		l = &check->lacks[check->lack_count++];
		*l = (struct check_lack){.host = host};
		(void)snprintf(l->reason, sizeof(l->reason), "%s", reason);
	}
	l->cells++;
}

/* The reasons name host and level: there are few of them, however many cells. */
static void list_lacks(struct check *check, const struct plan *plan)
{
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *c = &plan->cells[i];

		for (int end = 0; end < 2; end++) {
			const struct host *host = end == 1 ? c->dst->host : c->src->host;
			size_t h = hosts_index(&check->hosts, host);
			char reason[256];

			if (check->hosts.at[h].state == HOSTS_READY &&
			    gate_lacks(&check->hosts, c, end == 1, reason))
				lack_add(check, host, reason);
		}
	}
}

bool check_open(struct check *check, const struct topology *topo, const struct plan *plan,
                const struct link_options *options, struct err *err)
{
	struct link_options preflight = *options;
	struct trial *none = NULL;

	memset(check, 0, sizeof(*check));
	preflight.wants_survey = true;
	if (!hosts_init(&check->hosts, topo, &preflight, err))
		return false;
	use_nics(check, topo, plan);
	hosts_start(&check->hosts, clock_now_ns());
	while (hosts_any(&check->hosts, HOSTS_CONNECTING))
		turn(check, &none);
	if (plan == NULL)
		return true;
	list_lacks(check, plan);
	list_probes(check, plan);
	return try_pairs(check, err);
}

void check_count_probes(const struct check *check, const struct host *host, size_t *reached,
                        size_t *all)
{
	*reached = 0;
	*all = 0;
	for (size_t i = 0; i < check->probe_count; i++) {
		const struct check_probe *p = &check->probes[i];

		if (p->listener->host != host || p->answer == CHECK_UNTRIED)
			continue;
		(*all)++;
		*reached += p->answer == CHECK_REACHED;
	}
}

void check_close(struct check *check)
{
	hosts_done(&check->hosts);
	free(check->lacks);
	arena_done(&check->arena);
	memset(check, 0, sizeof(*check));
}
