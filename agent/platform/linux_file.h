/* SPDX-License-Identifier: MIT */
/* linux_file.h - the small text files of /proc and /sys, read into the caller's memory. */
#ifndef AGENT_PLATFORM_LINUX_FILE_H
#define AGENT_PLATFORM_LINUX_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"

/* Everything from the start of the file, up to what fits, with a NUL. False when
 * it cannot be read or is empty. fd may be -1. */
bool linux_read_fd(int fd, char *out, size_t out_bytes) NODISCARD;
bool linux_read_path(const char *path, char *out, size_t out_bytes) NODISCARD;

#endif
