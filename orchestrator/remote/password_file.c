/* SPDX-License-Identifier: MIT */
#include "remote/password_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"

static bool check(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_set_errno(err, errno, "password_file %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "password_file %s is not a regular file", path);
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return err_set(err, ERR_INPUT,
		               "password_file %s is open to others (mode %03o): chmod 600 %s", path,
		               (unsigned)st.st_mode & 0777u, path);
	return true;
}

/* Cuts what was read after its first line. */
static bool cut(const char *path, char *text, size_t len, struct err *err)
{
	char *end = memchr(text, '\n', len);

	if (end == NULL && len == SECRET_BYTES - 1)
		return err_set(err, ERR_INPUT,
		               "password_file %s: the first line is longer than %d bytes", path,
		               SECRET_BYTES - 2);
	if (end == NULL)
		end = text + len;
	if (end > text && end[-1] == '\r')
		end--;
	if (end == text)
		return err_set(err, ERR_INPUT, "password_file %s: the first line is empty", path);
	if (memchr(text, '\0', (size_t)(end - text)) != NULL)
		return err_set(err, ERR_INPUT, "password_file %s is not a text file", path);
	explicit_bzero(end, SECRET_BYTES - (size_t)(end - text));
	return true;
}

bool password_file_read(const char *path, char out[SECRET_BYTES], struct err *err)
{
	/* NONBLOCK: a pipe in its place is refused, not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	size_t len = 0;
	bool ok;

	if (fd < 0)
		return err_set_errno(err, errno, "password_file %s", path);
	memset(out, 0, SECRET_BYTES);
	ok = check(fd, path, err);
	if (ok && !io_read_full(fd, out, SECRET_BYTES - 1, &len, err))
		ok = err_prefix(err, "password_file %s", path);
	ok = ok && cut(path, out, len, err);
	if (!ok)
		explicit_bzero(out, SECRET_BYTES);
	(void)close(fd);
	return ok;
}
