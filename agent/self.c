/* SPDX-License-Identifier: MIT */
#include "agent/self.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "common/io.h"

void self_hash(const char *path, char out[SHA256_HEX_BYTES])
{
	unsigned char piece[4096];
	struct sha256 sum;
	struct err err;
	size_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	out[0] = '\0';
	if (fd < 0)
		return;
	sha256_init(&sum);
	do {
		if (!io_read_full(fd, piece, sizeof(piece), &got, &err))
			goto out;
		sha256_add(&sum, piece, got);
	} while (got == sizeof(piece));
	sha256_hex(&sum, out);
out:
	(void)close(fd);
}

void self_remove(const char *folder)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/%s", folder, SELF_NAME);

	if (len < 0 || (size_t)len >= sizeof(path))
		return;
	if (unlink(path) == 0)
		(void)rmdir(folder); /* only a folder that was ours */
}
