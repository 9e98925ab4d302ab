/* SPDX-License-Identifier: MIT */
#include "cli/plan_view.h"

#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "report/treatment.h"
#include "report/writer.h"
#include "run/result.h"

const char *const plan_view_order_names[] = {
	[ORDER_SPLIT_PLOT] = "split-plot",
	[ORDER_RANDOM] = "random",
	[ORDER_SERIAL] = "serial",
};

static const char *const toggle_names[] = {
	[TOGGLE_UNCHANGED] = "unchanged",
	[TOGGLE_OFF] = "off",
	[TOGGLE_ON] = "on",
};

const char *plan_view_toggle_name(enum toggle toggle)
{
	return toggle_names[toggle];
}

const char *plan_view_engine_name(enum engine engine)
{
	return engine == ENGINE_IPERF3 ? "iperf3" : "agent";
}

void plan_view_add_nic(struct text *out, const struct nic *nic)
{
	text_printf(out, "%s.%s", nic->host->name, nic->name);
}

const char *const plan_view_zero_copy_names[] = {
	[ZERO_COPY_OFF] = "off",
	[ZERO_COPY_SENDER] = "sender",
	[ZERO_COPY_BOTH] = "both",
};

/* A plan's 0 is the default, which is unknown to results. */
static int64_t or_unknown(uint64_t level)
{
	return level == 0 ? RESULT_UNKNOWN : (int64_t)level;
}

/* A cell's settings as those of results are kept. */
static struct dataset_cell shown_of(const struct plan_cell *cell)
{
	const struct plan_config *c = &cell->config;

	return (struct dataset_cell){
		.engine = plan_view_engine_name(c->engine),
		.mtu_bytes = or_unknown(c->mtu_bytes),
		.window_bytes = or_unknown(c->window_bytes),
		.streams = c->streams,
		.buffer_bytes = or_unknown(c->buffer_bytes),
		.lro = plan_view_toggle_name(c->lro),
		.tso = plan_view_toggle_name(c->tso),
		.duration_s = c->bytes != 0 ? (double)NAN : c->duration_ms / 1000.0,
		.omit_s = c->omit_ms / 1000.0,
		.protocol = c->protocol == PROTOCOL_UDP ? "udp" : "tcp",
		.mode = c->mode == MODE_RR ? "rr" : "bulk",
		.bidir = c->is_bidir,
		.zero_copy = plan_view_zero_copy_names[c->zero_copy],
		.bytes = or_unknown(c->bytes),
		.target_bps = or_unknown(c->rate_bps),
		.mss_bytes = or_unknown(c->mss_bytes),
		.no_delay = or_unknown(c->no_delay),
		.dscp = or_unknown(c->dscp),
		.tcp_cc = c->congestion,
		.ip_version = or_unknown(c->ip_version),
		.affinity = c->affinity,
		.bind_device = or_unknown(c->bind_device),
		.source_port = or_unknown(c->source_port),
	};
}

/* The same words as for results, so that both can be compared by eye. */
void plan_view_add_settings(struct text *out, const struct plan_cell *cell)
{
	const struct dataset_cell shown = shown_of(cell);

	treatment_add(out, &shown, 0);
}

void plan_view_tests(const struct plan_view *view)
{
	static const char *const columns[] = {"test", "block", "round",  "cell",    "repeat",
	                                      "from", "to",    "opened", "settings"};
	const struct plan *plan = view->plan;
	struct writer w;

	writer_begin(&w, &writer_text, stdout, columns, COUNT_OF(columns));
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_slot *slot = &plan->slots[i];
		const struct plan_cell *cell = &plan->cells[slot->cell];
		struct text id = {0};
		struct text src = {0};
		struct text dst = {0};
		struct text settings = {0};

		text_add_bytes(&id, cell->fingerprint, PLAN_VIEW_CELL_DIGITS);
		plan_view_add_nic(&src, cell->src);
		plan_view_add_nic(&dst, cell->dst);
		plan_view_add_settings(&settings, cell);
		writer_row(&w,
		           (const struct writer_value[]){
				   writer_int(slot->seq),
				   writer_int(slot->block),
				   writer_int(slot->round),
				   writer_str(text_str(&id)),
				   writer_int(slot->replicate),
				   writer_str(text_str(&src)),
				   writer_str(text_str(&dst)),
				   writer_str(cell->dst_initiates ? "by receiver" : "by sender"),
				   writer_str(text_str(&settings)),
			   });
		text_done(&id);
		text_done(&src);
		text_done(&dst);
		text_done(&settings);
	}
	writer_end(&w);
}

enum { CSV_PLACE = 9 }; /* columns before the settings */

/* Columns of `matrix --csv` and the database, in this order. */
static const char *const csv_settings[] = {
	"engine",    "mtu_bytes",  "window_bytes", "streams",     "buffer_bytes", "lro",
	"tso",       "duration_s", "omit_s",       "protocol",    "mode",         "bidir",
	"zero_copy", "bytes",      "target_bps",   "mss_bytes",   "no_delay",     "dscp",
	"tcp_cc",    "ip_version", "affinity",     "bind_device", "source_port",
};

static const struct column *column_of(const char *name)
{
	for (size_t i = 0; i < columns_of_cell.count; i++) {
		if (strcmp(columns_of_cell.at[i].name, name) == 0)
			return &columns_of_cell.at[i];
	}
	return NULL;
}

static void csv_row(struct writer *w, const struct plan_slot *slot, const struct plan_cell *cell)
{
	const struct dataset_cell shown = shown_of(cell);
	struct writer_value values[CSV_PLACE + COUNT_OF(csv_settings)];
	struct text src = {0};
	struct text dst = {0};

	plan_view_add_nic(&src, cell->src);
	plan_view_add_nic(&dst, cell->dst);
	values[0] = writer_int(slot->seq);
	values[1] = writer_int(slot->block);
	values[2] = writer_int(slot->round);
	values[3] = writer_int(slot->replicate);
	values[4] = writer_str(cell->fingerprint);
	values[5] = writer_str(text_str(&src));
	values[6] = writer_str(text_str(&dst));
	values[7] = writer_str(cell->dst_initiates ? "dst" : "src");
	values[8] = writer_str(path_class_names[cell->path_class]);
	for (size_t i = 0; i < COUNT_OF(csv_settings); i++)
		values[CSV_PLACE + i] = column_value(column_of(csv_settings[i]), &shown);
	writer_row(w, values);
	text_done(&src);
	text_done(&dst);
}

void plan_view_csv(const struct plan_view *view)
{
	static const char *const place[CSV_PLACE] = {"seq",       "block",       "round",
	                                             "replicate", "fingerprint", "src",
	                                             "dst",       "initiator",   "path_class"};
	const char *columns[CSV_PLACE + COUNT_OF(csv_settings)];
	const struct plan *plan = view->plan;
	struct writer w;

	memcpy(columns, place, sizeof(place));
	memcpy(columns + CSV_PLACE, csv_settings, sizeof(csv_settings));
	writer_begin(&w, &writer_csv, stdout, columns, COUNT_OF(columns));
	for (size_t i = 0; i < plan->slot_count; i++)
		csv_row(&w, &plan->slots[i], &plan->cells[plan->slots[i].cell]);
	writer_end(&w);
}
