/* SPDX-License-Identifier: MIT */
/*
 * known_hosts_file.h - known_hosts files: read once for all hosts, and added to.
 *
 * What was read is kept and shared between threads until the file changes (by its inode,
 * size or times): of a large file with hashed names, reading is most of the work.
 */
#ifndef REMOTE_KNOWN_HOSTS_FILE_H
#define REMOTE_KNOWN_HOSTS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/known_hosts.h"
#include "remote/wait.h"

struct known_hosts_file {
	const struct known_hosts *known; /* empty when there is no such file */
};

/* To be closed. NULL with the reason when it is no file or cannot be read: what it may forbid
 * is then not known. /dev/null is an empty one. */
struct known_hosts_file *known_hosts_open(const char *path, struct err *err) NODISCARD;
void known_hosts_close(struct known_hosts_file *file); /* accepts NULL */

struct known_hosts_new {
	const char *path; /* made when it is missing, and a folder `.ssh` for it too */
	const char *name, *type, *blob;
	bool is_hashed;
};

/*
 * Adds a key under a lock that other programs of this kind take too, after another look at the
 * file: somebody may have added the host, with this or another key, since. *found is what the
 * file said then; nothing is added unless that is KNOWN_HOSTS_UNKNOWN.
 */
bool known_hosts_add(const struct known_hosts_new *add, const struct wait_limit *limit,
                     struct known_hosts_finding *found, struct err *err) NODISCARD;

#endif
