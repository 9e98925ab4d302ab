/* SPDX-License-Identifier: MIT */
/*
 * compact_printf.h - snprintf without floating point, wide characters and locale: a tenth
 * of the C library's. The static agent is built with its calls of snprintf and vsnprintf
 * renamed to these (agent/CMakeLists.txt).
 *
 * Conversions: % c s d i u x X; flags 0 and -; width and precision, also as *;
 * hh h l ll z j t. Any other ends the text before it, so that it shows in every test; what
 * common and agent use is checked by tests/lint/formats.sh.
 */
#ifndef COMMON_COMPACT_PRINTF_H
#define COMMON_COMPACT_PRINTF_H

#include <stdarg.h>
#include <stddef.h>

#include "common/attr.h"

/* As snprintf and vsnprintf: writes at most size bytes, the NUL included (size 0: nothing),
 * and returns the length of the whole text. */
int compact_snprintf(char *out, size_t size, const char *fmt, ...) PRINTF_LIKE(3, 4);
int compact_vsnprintf(char *out, size_t size, const char *fmt, va_list ap) PRINTF_LIKE(3, 0);

#endif
