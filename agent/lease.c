/* SPDX-License-Identifier: MIT */
#include "agent/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/failure.h"

#define LINE_BYTES 40

void lease_init(struct lease *l, struct output *out)
{
	l->out = out;
	l->id = 0;
	l->fd = -1;
	l->count = 0;
}

static void let_go(struct lease *l)
{
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
}

static bool is_ours(int fd)
{
	char own[LINE_BYTES];
	char there[LINE_BYTES];
	size_t len = (size_t)snprintf(own, sizeof(own), "%u ", (unsigned)getpid());

	return pread(fd, there, len, 0) == (ssize_t)len && memcmp(own, there, len) == 0;
}

/* Over what is there: readers never see an empty file, and only its first line counts. */
static bool write_line(int fd, const char *line)
{
	size_t len = strlen(line);

	errno = ENOSPC; /* when less than all of it goes */
	return pwrite(fd, line, len, 0) == (ssize_t)len;
}

static bool write_count(struct lease *l)
{
	char line[LINE_BYTES];

	l->count++;
	(void)snprintf(line, sizeof(line), "%u %llu\n", (unsigned)getpid(),
	               (unsigned long long)l->count);
	return write_line(l->fd, line);
}

static bool open_file(struct lease *l, const char *path, struct failure *f)
{
	struct stat st;

	if (path[0] != '/')
		return failure_set(f, FAILURE_USAGE, "the lease '%.100s' is no absolute path",
		                   path);
	l->fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (l->fd < 0)
		return failure_set_errno(f, errno, "the lease %.100s", path);
	if (fstat(l->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return failure_set(f, FAILURE_USAGE, "the lease %.100s is no file", path);
	if (!is_ours(l->fd))
		return failure_set(f, FAILURE_USAGE, "the lease %.100s is not this agent's", path);
	return write_count(l) || failure_set_errno(f, errno, "the lease %.100s", path);
}

void lease_keep(struct lease *l, uint32_t id, const struct msg_lease *m)
{
	struct failure f;

	let_go(l);
	l->id = id;
	if (m->path[0] == '\0' || open_file(l, m->path, &f)) {
		output_done(l->out, id);
		return;
	}
	let_go(l);
	output_failed(l->out, id, &f);
}

void lease_beat(struct lease *l)
{
	struct failure f;

	if (l->fd < 0)
		return;
	if (!is_ours(l->fd)) {
		let_go(l);
	} else if (!write_count(l)) {
		(void)failure_set_errno(&f, errno, "the lease");
		let_go(l);
		output_failed(l->out, l->id, &f);
	}
}

void lease_end(struct lease *l)
{
	if (l->fd >= 0 && is_ours(l->fd))
		(void)write_line(l->fd, "grace\n"); /* else the guardian counts for itself */
	let_go(l);
}
