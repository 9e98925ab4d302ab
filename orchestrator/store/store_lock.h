/* SPDX-License-Identifier: MIT */
/*
 * store_lock.h - the run lock: one vnm at a time writes a database.
 *
 * A file FILE.lock beside the database, locked with flock(2) for as long as the
 * store is open for writing and removed at the end. After a kill the file stays
 * and is harmless: the lock died with the process.
 */
#ifndef STORE_STORE_LOCK_H
#define STORE_STORE_LOCK_H

#include "common/attr.h"
#include "common/err.h"

struct store_lock {
	char *path; /* malloc'ed; NULL: not held */
	int fd;
};

/* db: canonical path; name: for messages. ERR_USAGE when another process holds it. */
bool store_lock_take(struct store_lock *lock, const char *db, const char *name,
                     struct err *err) NODISCARD;
void store_lock_drop(struct store_lock *lock);

/* True while some process holds the lock of the database. */
bool store_lock_is_held(const char *db) NODISCARD;

#endif
