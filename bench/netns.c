/* SPDX-License-Identifier: MIT */
#include "bench/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void netns_enter(const char *name)
{
	char path[256];
	int fd;

	if (name == NULL)
		return;
	(void)snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET) < 0) {
		(void)fprintf(stderr, "cannot enter namespace %s: %s\n", name, strerror(errno));
		exit(2);
	}
	(void)close(fd);
}
