/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/run/lab.h"

#include <stdio.h>
#include <string.h>

static const char *const names[LAB_HOSTS] = {"a", "b", "c", "d"};
static const char *const addresses[LAB_HOSTS] = {"192.0.2.1", "192.0.2.2", "192.0.2.3",
                                                 "192.0.2.4"};

void lab_init(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	for (size_t i = 0; i < LAB_HOSTS; i++) {
		lab->hosts[i] = (struct host){.name = names[i],
		                              .kind = HOST_BAREMETAL,
		                              .mgmt = names[i],
		                              .nics = &lab->nics[i],
		                              .nic_count = 1};
		lab->nics[i] =
			(struct nic){.name = "eth1", .host = &lab->hosts[i], .ip = addresses[i]};
		lab->resources[i] = (struct plan_resource){.name = names[i], .slots = 1};
	}
	lab->link = (struct resource){.name = "wire", .speed_bps = 100000000, .frame_overhead = 38};
	lab->links[0] = &lab->link;
	lab->topo.hosts = lab->hosts;
	lab->topo.host_count = LAB_HOSTS;
	lab->topo.port_min = 5201;
	lab->topo.port_max = 5299;
	lab->plan.topology = &lab->topo;
	lab->plan.cells = lab->cells;
	lab->plan.slots = lab->slots;
	lab->plan.resources = lab->resources;
	lab->plan.resource_count = LAB_HOSTS;
}

struct plan_cell *lab_cell(struct lab *lab, size_t src, size_t dst)
{
	uint32_t index = (uint32_t)lab->plan.cell_count++;
	struct plan_cell *c = &lab->cells[index];

	lab->used[index][0] = (uint32_t)(src < dst ? src : dst);
	lab->used[index][1] = (uint32_t)(src < dst ? dst : src);
	*c = (struct plan_cell){.index = index,
	                        .src = &lab->nics[src],
	                        .dst = &lab->nics[dst],
	                        .path_class = PATH_BAREMETAL_BAREMETAL,
	                        .config = {.engine = ENGINE_AGENT,
	                                   .streams = 1,
	                                   .duration_ms = 1000,
	                                   .omit_ms = 200},
	                        .repeats = 1,
	                        .resources = lab->used[index],
	                        .resource_count = 2};
	return c;
}

void lab_plan(struct lab *lab, uint32_t blocks)
{
	lab->plan.blocks = blocks;
	for (uint32_t b = 1; b <= blocks; b++) {
		for (uint32_t i = 0; i < lab->plan.cell_count; i++) {
			uint32_t seq = (uint32_t)lab->plan.slot_count++;

			lab->slots[seq] = (struct plan_slot){.cell = i,
			                                     .replicate = b,
			                                     .block = b,
			                                     .round = seq + 1,
			                                     .seq = seq + 1};
			lab->cells[i].repeats = blocks;
		}
	}
}

static const char *keep_word(struct lab_sink *s, const char *word)
{
	return word != NULL ? arena_strndup(&s->words, word, strlen(word)) : NULL;
}

static bool keep_test(void *ctx, const struct test_result *test, enum cell_state state,
                      const char *reason, struct err *err)
{
	struct lab_sink *s = ctx;
	struct test_result *t;

	if (s->fail_at != 0 && s->test_count + 1 == s->fail_at)
		return err_set(err, ERR_SYSTEM, "results.db: disk full");
	t = &s->tests[s->test_count++];
	*t = *test;
	t->intervals = NULL;
	t->streams = NULL;
	t->troubles = NULL;
	t->counters = NULL;
	t->tcp_cc_actual = keep_word(s, test->tcp_cc_actual);
	t->src_method = keep_word(s, test->src_method);
	t->dst_method = keep_word(s, test->dst_method);
	t->src_affinity = keep_word(s, test->src_affinity);
	t->dst_affinity = keep_word(s, test->dst_affinity);
	s->states[test->cell] = state;
	(void)snprintf(s->reasons[test->cell], sizeof(s->reasons[0]), "%s",
	               reason != NULL ? reason : "");
	return true;
}

static bool keep_cell(void *ctx, uint32_t cell, enum cell_state state, const char *reason,
                      struct err *err)
{
	struct lab_sink *s = ctx;

	(void)err;
	s->states[cell] = state;
	(void)snprintf(s->reasons[cell], sizeof(s->reasons[0]), "%s", reason != NULL ? reason : "");
	return true;
}

static bool keep_host(void *ctx, const struct result_host *host, struct err *err)
{
	(void)host;
	(void)err;
	((struct lab_sink *)ctx)->hosts++;
	return true;
}

static bool keep_facts(void *ctx, const struct result_fact *facts, size_t count, struct err *err)
{
	struct lab_sink *s = ctx;

	(void)err;
	for (size_t i = 0; i < count; i++) {
		if (facts[i].is_after)
			s->facts_after++;
		else
			s->facts_before++;
	}
	return true;
}

static bool keep_event(void *ctx, const char *level, size_t host, const char *text, struct err *err)
{
	(void)level;
	(void)host;
	(void)text;
	(void)err;
	((struct lab_sink *)ctx)->events++;
	return true;
}

void lab_sink_init(struct lab_sink *s)
{
	memset(s, 0, sizeof(*s));
	s->sink = (struct result_sink){.ctx = s,
	                               .test = keep_test,
	                               .cell = keep_cell,
	                               .host = keep_host,
	                               .facts = keep_facts,
	                               .event = keep_event};
}

void lab_sink_done(struct lab_sink *s)
{
	arena_done(&s->words);
}
