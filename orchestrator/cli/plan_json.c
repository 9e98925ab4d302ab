/* SPDX-License-Identifier: MIT */
/* plan_json.c - a plan as one JSON object. */
#include <math.h>
#include <stdio.h>

#include "cli/plan_view.h"
#include "common/json.h"

static void add_nic(struct json *j, const char *key, const struct nic *nic)
{
	struct text name = {0};

	plan_view_add_nic(&name, nic);
	json_str(j, key, text_str(&name));
	text_done(&name);
}

/* 0 stands for "as it is" in a plan, null does in JSON. */
static void add_level(struct json *j, const char *key, uint64_t value)
{
	if (value == 0)
		json_null(j, key);
	else
		json_uint(j, key, value);
}

static void add_members(struct json *j, const struct plan_cell *cell)
{
	json_list_begin(j, "profiles");
	for (size_t i = 0; i < cell->profile_count; i++) {
		const struct plan_membership *m = &cell->profiles[i];

		json_object_begin(j, NULL);
		json_str(j, "profile", m->profile->name);
		json_real(j, "published_bps", m->published_bps);
		if (m->published_retransmits < 0)
			json_null(j, "published_retransmits");
		else
			json_int(j, "published_retransmits", m->published_retransmits);
		json_object_end(j);
	}
	json_list_end(j);
}

/* Those that most cells leave at their default, null where that is the system's or none. */
static void add_engine_levels(struct json *j, const struct plan_config *c)
{
	json_bool(j, "bidir", c->is_bidir);
	add_level(j, "bytes", c->bytes);
	json_str(j, "protocol", c->protocol == PROTOCOL_UDP ? "udp" : "tcp");
	json_str(j, "mode", c->mode == MODE_RR ? "rr" : "bulk");
	json_str(j, "zero_copy", plan_view_zero_copy_names[c->zero_copy]);
	add_level(j, "target_bps", c->rate_bps);
	add_level(j, "mss_bytes", c->mss_bytes);
	json_bool(j, "no_delay", c->no_delay);
	add_level(j, "dscp", c->dscp);
	json_str(j, "tcp_cc", c->congestion);
	add_level(j, "ip_version", c->ip_version);
	json_str(j, "affinity", c->affinity);
	json_bool(j, "bind_device", c->bind_device);
	add_level(j, "source_port", c->source_port);
}

static void add_cell(struct json *j, const struct plan *plan, const struct plan_cell *cell)
{
	const struct plan_config *c = &cell->config;

	json_object_begin(j, NULL);
	json_int(j, "index", cell->index);
	json_str(j, "fingerprint", cell->fingerprint);
	add_nic(j, "src", cell->src);
	add_nic(j, "dst", cell->dst);
	json_str(j, "initiator", cell->dst_initiates ? "dst" : "src");
	json_str(j, "path_class", path_class_names[cell->path_class]);
	json_bool(j, "is_routed", cell->is_routed);
	json_str(j, "engine", plan_view_engine_name(c->engine));
	add_level(j, "mtu_bytes", c->mtu_bytes);
	add_level(j, "window_bytes", c->window_bytes);
	json_int(j, "streams", c->streams);
	add_level(j, "buffer_bytes", c->buffer_bytes);
	json_str(j, "lro", plan_view_toggle_name(c->lro));
	json_str(j, "tso", plan_view_toggle_name(c->tso));
	if (c->bytes != 0)
		json_null(j, "duration_s");
	else
		json_real(j, "duration_s", c->duration_ms / 1000.0);
	json_real(j, "omit_s", c->omit_ms / 1000.0);
	add_engine_levels(j, c);
	json_int(j, "repeats", cell->repeats);
	json_bool(j, "needs_setting", plan_needs_setting(c));
	add_members(j, cell);
	json_list_begin(j, "resources");
	for (size_t i = 0; i < cell->resource_count; i++)
		json_str(j, NULL, plan->resources[cell->resources[i]].name);
	json_list_end(j);
	json_object_end(j);
}

static void add_slot(struct json *j, const struct plan_slot *slot)
{
	json_object_begin(j, NULL);
	json_int(j, "seq", slot->seq);
	json_int(j, "block", slot->block);
	json_int(j, "round", slot->round);
	json_int(j, "cell", slot->cell);
	json_int(j, "replicate", slot->replicate);
	json_object_end(j);
}

static void add_head(struct json *j, const struct plan *plan)
{
	const struct topology *topo = plan->topology;

	json_str(j, "lab", topo->name);
	json_str(j, "file", topo->path);
	json_str(j, "topology_sha256", topo->source_sha256);
	json_str(j, "plan_sha256", plan->sha256);
	json_uint(j, "seed", plan->seed);
	json_str(j, "order", plan_view_order_names[topo->design.order]);
	json_int(j, "blocks", plan->blocks);
	json_int(j, "rounds", plan->rounds);
	json_uint(j, "estimate_ms", plan_estimate_ms(plan, 0));
	json_uint(j, "setting_changes", plan_setting_changes(plan));
	json_list_begin(j, "notes");
	for (size_t i = 0; i < plan->note_count; i++)
		json_str(j, NULL, plan->notes[i]);
	json_list_end(j);
	json_list_begin(j, "profiles");
	for (size_t i = 0; i < plan->profile_count; i++)
		json_str(j, NULL, plan->profiles[i]->name);
	json_list_end(j);
	json_list_begin(j, "resources");
	for (size_t i = 0; i < plan->resource_count; i++) {
		json_object_begin(j, NULL);
		json_str(j, "name", plan->resources[i].name);
		json_int(j, "slots", plan->resources[i].slots);
		json_object_end(j);
	}
	json_list_end(j);
}

static void print(struct text *t)
{
	(void)fputs(text_str(t), stdout);
	text_clear(t);
}

void plan_view_json(const struct plan_view *view)
{
	const struct plan *plan = view->plan;
	struct text t = {0};
	struct json j = {.out = &t};

	json_object_begin(&j, NULL);
	add_head(&j, plan);
	json_list_begin(&j, "cells");
	for (size_t i = 0; i < plan->cell_count; i++) {
		add_cell(&j, plan, &plan->cells[i]);
		print(&t);
	}
	json_list_end(&j);
	json_list_begin(&j, "tests");
	for (size_t i = 0; i < plan->slot_count; i++) {
		add_slot(&j, &plan->slots[i]);
		print(&t);
	}
	json_list_end(&j);
	json_object_end(&j);
	print(&t);
	(void)fputc('\n', stdout);
	text_done(&t);
}
