/* SPDX-License-Identifier: MIT */
#include "remote/known_hosts_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/oom.h"
#include "common/text.h"
#include "remote/known_hosts_name.h"

#define FILE_BYTES_MAX (64 * (size_t)1024 * 1024)
#define LOCK_TRY_MS    20u
#define KEPT_MAX       16 /* files */
#define NOWHERE        "/dev/null"

struct kept {
	struct known_hosts_file file; /* first: what others hold points here */
	struct known_hosts *known;
	char *path; /* NULL: no longer the newest, freed when its last user closes it */
	struct stat was;
	unsigned users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *all[KEPT_MAX];
static size_t next_slot;

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void drop(struct kept *k)
{
	known_hosts_free(k->known);
	free(k->path);
	free(k);
}

/* Empty when there is no such file; NULL: it cannot be read. */
static struct known_hosts *read_known(const char *path, struct err *err)
{
	struct known_hosts *known;
	struct err why = {0};
	char *text = NULL;
	size_t len = 0;

	if (strcmp(path, NOWHERE) != 0 && !io_read_file(path, FILE_BYTES_MAX, &text, &len, &why) &&
	    why.sys_errno != ENOENT) {
		*err = why;
		(void)err_prefix(err, "known_hosts");
		return NULL;
	}
	known = known_hosts_parse(text, len);
	free(text);
	return known;
}

/* Times before the content: a change in between is seen the next time. */
static struct kept *read_kept(const char *path, struct err *err)
{
	struct kept *k = calloc(1, sizeof(*k));

	if (k == NULL)
		oom_end();
	k->path = strdup(path);
	if (k->path == NULL)
		oom_end();
	if (stat(path, &k->was) != 0)
		memset(&k->was, 0, sizeof(k->was));
	k->known = read_known(path, err);
	if (k->known == NULL) {
		drop(k);
		return NULL;
	}
	k->file.known = k->known;
	return k;
}

/* Under the lock. */
static struct kept **slot_of(const char *path)
{
	for (size_t i = 0; i < KEPT_MAX; i++) {
		if (all[i] != NULL && strcmp(all[i]->path, path) == 0)
			return &all[i];
	}
	for (size_t i = 0; i < KEPT_MAX; i++) {
		if (all[i] == NULL)
			return &all[i];
	}
	next_slot = (next_slot + 1) % KEPT_MAX;
	return &all[next_slot];
}

/* Under the lock. */
static void forget(struct kept **slot)
{
	struct kept *k = *slot;

	*slot = NULL;
	if (k == NULL)
		return;
	free(k->path);
	k->path = NULL;
	if (k->users == 0)
		drop(k);
}

struct known_hosts_file *known_hosts_open(const char *path, struct err *err)
{
	struct known_hosts_file *file = NULL;
	struct kept **slot;
	struct stat now;

	if (stat(path, &now) != 0)
		memset(&now, 0, sizeof(now));
	(void)pthread_mutex_lock(&lock);
	slot = slot_of(path);
	if (*slot != NULL &&
	    (strcmp((*slot)->path, path) != 0 || !is_unchanged(&(*slot)->was, &now)))
		forget(slot);
	if (*slot == NULL)
		*slot = read_kept(path, err);
	if (*slot != NULL) {
		(*slot)->users++;
		file = &(*slot)->file;
	}
	(void)pthread_mutex_unlock(&lock);
	return file;
}

void known_hosts_close(struct known_hosts_file *file)
{
	struct kept *k = (struct kept *)file;

	if (k == NULL)
		return;
	(void)pthread_mutex_lock(&lock);
	if (--k->users == 0 && k->path == NULL)
		drop(k);
	(void)pthread_mutex_unlock(&lock);
}

static bool lock_file(int fd, uint64_t deadline_ns, struct err *err)
{
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set_errno(err, errno, "lock");
		if (clock_now_ns() >= deadline_ns)
			return err_set(err, ERR_TIMEOUT, "lock: another process holds it");
		clock_sleep_until(clock_now_ns() + LOCK_TRY_MS * CLOCK_NS_PER_MS);
	}
	return true;
}

/* A folder `.ssh` as ssh makes it; others are the user's to make. */
static void make_folder(const char *path)
{
	static const char own[] = "/.ssh";
	const char *slash = strrchr(path, '/');
	size_t len = slash == NULL ? 0 : (size_t)(slash - path);
	struct text folder = {0};

	if (len <= sizeof(own) - 1 || strncmp(slash - (sizeof(own) - 1), own, sizeof(own) - 1) != 0)
		return;
	text_add_bytes(&folder, path, len);
	(void)mkdir(text_str(&folder), 0700);
	text_done(&folder);
}

static bool ends_open(int fd)
{
	struct stat st;
	char last = '\n';

	return fstat(fd, &st) == 0 && st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) == 1 &&
	       last != '\n';
}

/* One write() of whole lines: others may append too. */
static bool append_line(int fd, const struct known_hosts_new *add, struct err *err)
{
	char hashed[KNOWN_HOSTS_HASHED_BYTES];
	unsigned char salt[SHA1_BYTES];
	struct text line = {0};
	ssize_t n;
	bool ok;

	if (add->is_hashed) {
		if (getrandom(salt, sizeof(salt), 0) != (ssize_t)sizeof(salt))
			return err_set_errno(err, errno, "random numbers");
		known_hosts_hash(add->name, salt, hashed);
	}
	text_printf(&line, "%s%s %s %s\n", ends_open(fd) ? "\n" : "",
	            add->is_hashed ? hashed : add->name, add->type, add->blob);
	n = write(fd, line.at, line.len);
	ok = n == (ssize_t)line.len || err_set_errno(err, n < 0 ? errno : ENOSPC, "write");
	text_done(&line);
	return ok;
}

static bool look_again(const struct known_hosts_new *add, struct known_hosts_finding *found,
                       struct err *err)
{
	struct known_hosts_said said = {0};
	struct known_hosts *known = read_known(add->path, err);

	if (known == NULL)
		return false;
	known_hosts_ask(known, 0, add->name, &said);
	known_hosts_check(&said, add->type, add->blob, found);
	known_hosts_said_done(&said);
	known_hosts_free(known);
	return true;
}

bool known_hosts_add(const struct known_hosts_new *add, const struct wait_limit *limit,
                     struct known_hosts_finding *found, struct err *err)
{
	bool ok;
	int fd;

	make_folder(add->path);
	fd = open(add->path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set_errno(err, errno, "add the host key to %s", add->path);
	ok = lock_file(fd, limit->deadline_ns, err) && look_again(add, found, err) &&
	     (found->verdict != KNOWN_HOSTS_UNKNOWN || append_line(fd, add, err));
	(void)close(fd); /* and the lock */
	return ok ? true : err_prefix(err, "add the host key to %s", add->path);
}
