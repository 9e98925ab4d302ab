/* SPDX-License-Identifier: MIT */
#include "plan/plan_key.h"

#include <inttypes.h>

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

/* 0 stands for what the factor is when nothing is asked for. */
static void add_size(const char *name, uint64_t size, const char *zero, struct text *out)
{
	if (size == 0)
		text_printf(out, "%s=%s\n", name, zero);
	else
		text_printf(out, "%s=%" PRIu64 "\n", name, size);
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
}

static const char *driver_text(const struct nic *nic)
{
	return nic->driver == NULL ? "-" : nic->driver;
}

static void add_ends(const struct plan_cell *cell, struct text *out)
{
	text_printf(
		out,
		"vnm-cell 1\nsrc=%s %s\ndst=%s %s\ninitiator=%s\nsrc_driver=%s\ndst_driver=%s\n",
		cell->src->host->name, cell->src->name, cell->dst->host->name, cell->dst->name,
		cell->dst_initiates ? "dst" : "src", driver_text(cell->src),
		driver_text(cell->dst));
}

void plan_key_cell_text(const struct plan_cell *cell, struct text *out)
{
	add_ends(cell, out);
	plan_key_config_text(&cell->config, out);
}

void plan_key_cell(struct plan_cell *cell, struct text *scratch)
{
	size_t config_at;

	text_clear(scratch);
	add_ends(cell, scratch);
	config_at = scratch->len;
	plan_key_config_text(&cell->config, scratch);
	sha256_of(scratch->at, scratch->len, cell->fingerprint);
	sha256_of(scratch->at + config_at, scratch->len - config_at, cell->config_sha256);
}
