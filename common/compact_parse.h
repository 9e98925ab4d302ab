/* SPDX-License-Identifier: MIT */
/*
 * compact_parse.h - strtoul, strtoull and strstr without locale and tables, for the static agent,
 * whose calls are renamed to these by its linker (agent/CMakeLists.txt).
 */
#ifndef COMMON_COMPACT_PARSE_H
#define COMMON_COMPACT_PARSE_H

/* As the C library's, for the bases 2 to 36; there is no base 0. */
unsigned long compact_strtoul(const char *text, char **end, int base);
unsigned long long compact_strtoull(const char *text, char **end, int base);

char *compact_strstr(const char *text, const char *part);

#endif
