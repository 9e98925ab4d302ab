/* SPDX-License-Identifier: MIT */
/* style.h - colours of a terminal (ECMA-48 SGR), used only where the style has them. */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

#include "common/text.h"
#include "report/report.h"

enum style_colour { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_RED };

/* Adds s in a colour. */
void style_add(struct text *out, const struct report_style *style, enum style_colour colour,
               const char *s);

#endif
