/* SPDX-License-Identifier: MIT */
#include "plan/plan_key.h"

#include <inttypes.h>
#include <string.h>

#include "plan/plan_build.h"

static void add_engine(enum engine engine, struct text *out)
{
	switch (engine) {
	case ENGINE_AUTO: /* plan_make has resolved it */
	case ENGINE_AGENT:
		text_printf(out, "engine=agent %u\n", PLAN_AGENT_GENERATION);
		break;
	case ENGINE_IPERF3:
		text_printf(out, "engine=iperf3 %u\n", PLAN_IPERF3_GENERATION);
		break;
	}
}

static void add_if(const char *name, uint64_t level, struct text *out)
{
	if (level != 0)
		text_printf(out, "%s=%" PRIu64 "\n", name, level);
}

static void add_word_if(const char *name, const char *level, struct text *out)
{
	if (level != NULL)
		text_printf(out, "%s=%s\n", name, level);
}

/* 0 stands for what the factor is when nothing is asked for. */
static void add_size(const char *name, uint64_t size, const char *zero, struct text *out)
{
	if (size == 0)
		text_printf(out, "%s=%s\n", name, zero);
	else
		text_printf(out, "%s=%" PRIu64 "\n", name, size);
}

static void add_level_if(const char *name, unsigned level, const char *(*level_name)(unsigned),
                         struct text *out)
{
	add_word_if(name, level != 0 ? level_name(level) : NULL, out);
}

/* The factors that version 1 did not have, where they are not what it did. */
static void add_later_factors(const struct plan_config *c, struct text *out)
{
	add_if("bidir", c->is_bidir, out);
	add_if("bytes", c->bytes, out);
	add_level_if("protocol", c->protocol, plan_protocol_name, out);
	add_level_if("mode", c->mode, plan_mode_name, out);
	add_level_if("zero_copy", c->zero_copy, plan_zero_copy_name, out);
	add_if("rate_bps", c->rate_bps, out);
	add_if("mss", c->mss_bytes, out);
	add_if("no_delay", c->no_delay, out);
	add_if("dscp", c->dscp, out);
	add_word_if("congestion", c->congestion, out);
	add_if("ip_version", c->ip_version, out);
	add_word_if("affinity", c->affinity, out);
	add_if("bind_device", c->bind_device, out);
	add_if("source_port", c->source_port, out);
}

void plan_key_config_text(const struct plan_config *config, struct text *out)
{
	text_add(out, "vnm-config 1\n");
	add_engine(config->engine, out);
	add_size("mtu", config->mtu_bytes, "unchanged", out);
	add_size("window", config->window_bytes, "default", out);
	text_printf(out, "streams=%" PRIu32 "\n", config->streams);
	add_size("buffer", config->buffer_bytes, "default", out);
	text_printf(out, "lro=%s\ntso=%s\nduration_ms=%" PRIu32 "\nomit_ms=%" PRIu32 "\n",
	            plan_toggle_name(config->lro), plan_toggle_name(config->tso),
	            config->duration_ms, config->omit_ms);
	add_later_factors(config, out);
}

/* Piece by piece: a plan may have a million cells, and formatting would take most of the time. */
static void add_nic(const char *end, const struct nic *nic, struct text *out)
{
	text_add(out, end);
	text_add(out, "=");
	text_add(out, nic->host->name);
	text_add(out, " ");
	text_add(out, nic->name);
	text_add(out, "\n");
}

static void add_driver(const char *end, const struct nic *nic, struct text *out)
{
	text_add(out, end);
	text_add(out, "_driver=");
	text_add(out, nic->driver == NULL ? "-" : nic->driver);
	text_add(out, "\n");
}

static void add_ends(const struct plan_cell *cell, struct text *out)
{
	text_add(out, "vnm-cell 1\n");
	add_nic("src", cell->src, out);
	add_nic("dst", cell->dst, out);
	text_add(out, cell->dst_initiates ? "initiator=dst\n" : "initiator=src\n");
	add_driver("src", cell->src, out);
	add_driver("dst", cell->dst, out);
}

void plan_key_cell_text(const struct plan_cell *cell, struct text *out)
{
	add_ends(cell, out);
	plan_key_config_text(&cell->config, out);
}

static bool same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_config(const struct plan_config *a, const struct plan_config *b)
{
	return a->engine == b->engine && a->mtu_bytes == b->mtu_bytes &&
	       a->window_bytes == b->window_bytes && a->streams == b->streams &&
	       a->buffer_bytes == b->buffer_bytes && a->lro == b->lro && a->tso == b->tso &&
	       a->duration_ms == b->duration_ms && a->omit_ms == b->omit_ms &&
	       a->bytes == b->bytes && a->is_bidir == b->is_bidir && a->protocol == b->protocol &&
	       a->mode == b->mode && a->zero_copy == b->zero_copy && a->rate_bps == b->rate_bps &&
	       a->mss_bytes == b->mss_bytes && a->no_delay == b->no_delay && a->dscp == b->dscp &&
	       same_text(a->congestion, b->congestion) && a->ip_version == b->ip_version &&
	       same_text(a->affinity, b->affinity) && a->bind_device == b->bind_device &&
	       a->source_port == b->source_port;
}

static void take_config(struct plan_key_maker *maker, const struct plan_config *config)
{
	if (maker->has_config && same_config(&maker->config, config))
		return;
	maker->has_config = true;
	maker->config = *config;
	text_clear(&maker->config_text);
	plan_key_config_text(config, &maker->config_text);
	sha256_of(maker->config_text.at, maker->config_text.len, maker->config_sha256);
}

void plan_key_cell(struct plan_key_maker *maker, struct plan_cell *cell)
{
	take_config(maker, &cell->config);
	text_clear(&maker->cell);
	add_ends(cell, &maker->cell);
	text_add_bytes(&maker->cell, maker->config_text.at, maker->config_text.len);
	sha256_of(maker->cell.at, maker->cell.len, cell->fingerprint);
	memcpy(cell->config_sha256, maker->config_sha256, sizeof(cell->config_sha256));
}

void plan_key_maker_done(struct plan_key_maker *maker)
{
	text_done(&maker->cell);
	text_done(&maker->config_text);
}
