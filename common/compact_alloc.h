/* SPDX-License-Identifier: MIT */
/*
 * compact_alloc.h - malloc and its kin as mappings of their own: a twentieth of the C library's
 * code. For a program that allocates seldom, such as the static agent, whose calls are renamed to
 * these by its linker (agent/CMakeLists.txt): an allocation takes a page and a system call.
 */
#ifndef COMMON_COMPACT_ALLOC_H
#define COMMON_COMPACT_ALLOC_H

#include <stddef.h>

/* As malloc, calloc, realloc, aligned_alloc (up to a page) and free of the C library; zeroed. */
void *compact_malloc(size_t bytes);
void *compact_calloc(size_t count, size_t bytes);
void *compact_realloc(void *old, size_t bytes);
void *compact_aligned_alloc(size_t align, size_t bytes);
void compact_free(void *at);

#endif
