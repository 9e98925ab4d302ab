/* SPDX-License-Identifier: MIT */
#include "cli/outcome.h"

#include <math.h>

#include "common/units.h"
#include "report/format.h"

#define RR_BYTES_DEFAULT 1u /* `buffer` of mode rr, where it was left out */

void outcome_add_rate(struct text *out, const struct plan_config *config, double bps)
{
	uint64_t bytes = config->buffer_bytes == 0 ? RR_BYTES_DEFAULT : config->buffer_bytes;
	char rate[UNITS_TEXT_BYTES];
	char figure[FORMAT_BYTES];

	if (config->mode == MODE_RR && !isnan(bps))
		text_printf(out, "%s transactions/s",
		            format_figure(bps / (8.0 * (double)bytes), figure));
	else
		text_add(out, units_format_rate(bps, rate));
}

static void add_both_ways(struct text *out, const struct test_result *test)
{
	struct format_unit unit = format_rate_unit(fmax(test->throughput_bps, test->reverse_bps));
	char there[FORMAT_BYTES];
	char back[FORMAT_BYTES];

	text_printf(out, "%s / %s %s", format_figure(test->throughput_bps / unit.scale, there),
	            format_figure(test->reverse_bps / unit.scale, back), unit.name);
}

void outcome_add(struct text *out, const struct plan_config *config, const struct test_result *test)
{
	char a[FORMAT_BYTES];
	char b[FORMAT_BYTES];

	if (config->is_bidir)
		add_both_ways(out, test);
	else if (config->mode == MODE_RR && !isnan(test->rr_per_s))
		text_printf(out, "%s transactions/s", format_figure(test->rr_per_s, a));
	else
		outcome_add_rate(out, config, test->throughput_bps);
	if (config->mode == MODE_RR)
		text_printf(out, ", p50 %s us, p99 %s us", format_figure(test->rr_p50_us, a),
		            format_figure(test->rr_p99_us, b));
	else if (config->protocol == PROTOCOL_UDP && config->is_bidir)
		text_printf(out, ", %s / %s %% lost", format_figure(test->loss_pct, a),
		            format_figure(test->reverse_loss_pct, b));
	else if (config->protocol == PROTOCOL_UDP)
		text_printf(out, ", %s %% lost", format_figure(test->loss_pct, a));
}
