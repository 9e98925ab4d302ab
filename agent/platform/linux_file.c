/* SPDX-License-Identifier: MIT */
#include "platform/linux_file.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

bool linux_read_fd(int fd, char *out, size_t out_bytes)
{
	size_t got = 0;

	/* pread: the files make their text anew for a read at 0, so one descriptor serves for ever. */
	while (fd >= 0 && got + 1 < out_bytes) {
		ssize_t n = pread(fd, out + got, out_bytes - 1 - got, (off_t)got);

		if (n <= 0)
			break;
		got += (size_t)n;
	}
	out[got] = '\0';
	return got > 0;
}

bool linux_read_path(const char *path, char *out, size_t out_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = linux_read_fd(fd, out, out_bytes);

	if (fd >= 0)
		(void)close(fd);
	return ok;
}
