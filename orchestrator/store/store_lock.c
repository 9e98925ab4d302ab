/* SPDX-License-Identifier: MIT */
#include "store/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"

#define PID_BYTES 24

/* A reader that asks store_lock_is_held() holds the lock for some microseconds. */
#define TRIES        5
#define TRY_AGAIN_NS (10 * CLOCK_NS_PER_MS)

static char *lock_path(const char *db)
{
	struct text path = {0};

	text_printf(&path, "%s.lock", db);
	return path.at; /* now the caller's */
}

/* The holder removes the file when it ends: what was opened may not be there any more. */
static bool is_still_there(int fd, const char *path)
{
	struct stat opened;
	struct stat named;

	return fstat(fd, &opened) == 0 && stat(path, &named) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static bool fail_held(int fd, const char *name, struct err *err)
{
	char pid[PID_BYTES] = "";
	ssize_t got = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[got < 0 ? 0 : got] = '\0';
	pid[strspn(pid, "0123456789")] = '\0';
	return err_set(err, ERR_USAGE,
	               "%s: another vnm run is writing to it (pid %s); wait for it, or use another "
	               "file with --db",
	               name, pid[0] == '\0' ? "unknown" : pid);
}

static void write_pid(int fd)
{
	char pid[PID_BYTES];
	int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());

	/* For the message only; the lock holds without it, on a full disk too. */
	if (ftruncate(fd, 0) != 0 || pwrite(fd, pid, (size_t)len, 0) != len)
		return;
}

static bool lock_soon(int fd)
{
	for (int tries = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
		if (errno != EWOULDBLOCK || tries == TRIES)
			return false;
		clock_sleep_until(clock_now_ns() + TRY_AGAIN_NS);
	}
	return true;
}

/* *taken false: the file went away under us, try again. */
static bool try_lock(const char *path, const char *name, int *fd, bool *taken, struct err *err)
{
	*taken = false;
	*fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (*fd < 0)
		return err_set_errno(err, errno, "%s: the run lock %s cannot be opened", name,
		                     path);
	if (!lock_soon(*fd)) {
		if (errno == EWOULDBLOCK)
			(void)fail_held(*fd, name, err);
		else
			(void)err_set_errno(err, errno, "%s: the run lock %s cannot be taken", name,
			                    path);
		(void)close(*fd);
		return false;
	}
	*taken = is_still_there(*fd, path);
	if (!*taken)
		(void)close(*fd);
	return true;
}

bool store_lock_take(struct store_lock *lock, const char *db, const char *name, struct err *err)
{
	char *path = lock_path(db);
	bool taken = false;
	int fd = -1;

	while (!taken) {
		if (!try_lock(path, name, &fd, &taken, err)) {
			free(path);
			return false;
		}
	}
	write_pid(fd);
	*lock = (struct store_lock){.path = path, .fd = fd};
	return true;
}

void store_lock_drop(struct store_lock *lock)
{
	if (lock->path == NULL)
		return;
	(void)unlink(lock->path); /* before the lock goes: nobody else can hold this file now */
	(void)close(lock->fd);
	free(lock->path);
	*lock = (struct store_lock){0};
}

bool store_lock_is_held(const char *db)
{
	char *path = lock_path(db);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		(void)close(fd);
	free(path);
	return held;
}
