/* SPDX-License-Identifier: MIT */
/* utf8.h - text of others: is it UTF-8? */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stddef.h>

/* Length of the well-formed UTF-8 sequence at text, 0 when there is none (Unicode 15, table
 * 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). 1 at the end of a string. */
size_t utf8_length(const char *text);

#endif
