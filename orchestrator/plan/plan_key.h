/* SPDX-License-Identifier: MIT */
/*
 * plan_key.h - the stable names of a cell and of its treatment.
 *
 * plan_cell.config_sha256 is the SHA-256 of a text with a line a factor:
 *
 *	vnm-config 1
 *	engine=agent 2
 *	mtu=unchanged
 *	window=65536
 *	streams=4
 *	buffer=default
 *	lro=off
 *	tso=unchanged
 *	duration_ms=10000
 *	omit_ms=2000
 *
 * and plan_cell.fingerprint that of the ends followed by that same text:
 *
 *	vnm-cell 1
 *	src=esx1 vmk1
 *	dst=truenas vmx0
 *	initiator=src
 *	src_driver=-
 *	dst_driver=vmxnet3
 *	vnm-config 1
 *	...
 *
 * Every line ends with a newline. Names hold neither blanks nor newlines, "-"
 * is a driver that the topology does not name. Numbers are decimal, sizes in
 * bytes. "engine" is the engine's name and its generation: results of two
 * generations are not comparable (PLAN_AGENT_GENERATION in plan.h).
 *
 * Series of results hang on these texts, so they are frozen. A factor that a
 * later version adds appends a line `name=value` after omit_ms, in the order
 * in which factors were added, and only where its level is not what versions
 * without that factor do (`protocol=udp` gets a line, tcp gets none). So cells
 * of old runs keep their fingerprint. A line is never renamed, moved, dropped
 * or given another unit. So far, in this order:
 *
 *	bidir=1  bytes=10737418240  protocol=udp  mode=rr  zero_copy=sender
 *	rate_bps=500000000  mss=1400  no_delay=1  dscp=46  congestion=bbr
 *	ip_version=6  affinity=0-3,6  bind_device=1  source_port=40000
 *
 * With `bytes` duration_ms is 0.
 */
#ifndef PLAN_PLAN_KEY_H
#define PLAN_PLAN_KEY_H

#include "common/text.h"
#include "plan/plan.h"

/* Adds the texts above to *out. */
void plan_key_config_text(const struct plan_config *config, struct text *out);
void plan_key_cell_text(const struct plan_cell *cell, struct text *out);

/* The texts of one cell after the other. Zero to begin with; owned, plan_key_maker_done(). */
struct plan_key_maker {
	struct text cell;
	/* Many cells in a row have one configuration: its text and hash are kept. */
	bool has_config;
	struct plan_config config;
	struct text config_text;
	char config_sha256[SHA256_HEX_BYTES];
};

/* Fills fingerprint and config_sha256 from the other members. */
void plan_key_cell(struct plan_key_maker *maker, struct plan_cell *cell);
void plan_key_maker_done(struct plan_key_maker *maker);

#endif
