/* SPDX-License-Identifier: MIT */
/* io.h - whole reads and writes on blocking descriptors, whole files. */
#ifndef COMMON_IO_H
#define COMMON_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"

/* Writes all of data, going on after short writes and signals. On failure
 * an unknown part of data has been written. */
bool io_write_all(int fd, const void *data, size_t len, struct err *err) NODISCARD;

/* Reads up to `len` bytes, going on after short reads and signals, until `len`
 * or end of file. *got is the number read. */
bool io_read_full(int fd, void *data, size_t len, size_t *got, struct err *err) NODISCARD;

/*
 * Reads a whole regular file of at most max_bytes (ERR_INPUT when larger or not
 * a regular file, ERR_SYSTEM when it cannot be read). *out is from malloc, has
 * a NUL after its *len bytes and is the caller's to free.
 */
bool io_read_file(const char *path, size_t max_bytes, char **out, size_t *len,
                  struct err *err) NODISCARD;

#endif
