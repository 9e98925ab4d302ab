/* SPDX-License-Identifier: MIT */
/* password_file.h - the first line of a file that its owner alone can read. */
#ifndef REMOTE_PASSWORD_FILE_H
#define REMOTE_PASSWORD_FILE_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/secret_page.h"

/* False with ERR_INPUT, and what to do, when it is not a regular file, when others can read
 * it, when its first line is empty or too long; ERR_SYSTEM when it cannot be read. */
bool password_file_read(const char *path, char out[SECRET_BYTES], struct err *err) NODISCARD;

#endif
