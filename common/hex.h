/* SPDX-License-Identifier: MIT */
/* hex.h - bytes to and from hexadecimal digits. */
#ifndef COMMON_HEX_H
#define COMMON_HEX_H

#include <stddef.h>

/* 0 to 15, or -1 when c is no hexadecimal digit of either case. */
int hex_value(char c);

/* 2 x len lower-case digits and a NUL. */
void hex_format(const void *data, size_t len, char *out);

#endif
