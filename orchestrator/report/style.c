/* SPDX-License-Identifier: MIT */
#include "report/style.h"

static const char *const begins[] = {
	[STYLE_PLAIN] = "",
	[STYLE_BOLD] = "\x1b[1m",
	[STYLE_DIM] = "\x1b[2m",
	[STYLE_RED] = "\x1b[31m",
};

void style_add(struct text *out, const struct report_style *style, enum style_colour colour,
               const char *s)
{
	bool is_coloured = style->has_colour && colour != STYLE_PLAIN;

	text_printf(out, "%s%s%s", is_coloured ? begins[colour] : "", s,
	            is_coloured ? "\x1b[0m" : "");
}
