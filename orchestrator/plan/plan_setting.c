/* SPDX-License-Identifier: MIT */
#include "plan/plan_build.h"

struct setting plan_setting_base(const struct design *design, const struct setting *fixed)
{
	struct setting base = {
		.given = (1u << FACTOR_COUNT) - 1,
		.streams = 1,
		.duration_ms = design->duration_ms,
		.omit_ms = design->omit_ms,
	};

	base.given &= ~(1u << FACTOR_DRIVER);
	setting_overlay(&base, fixed);
	return base;
}
