/* SPDX-License-Identifier: MIT */
/*
 * sim_shim - loaded into every program of a simulated host of the lab (tests/lab/README.md) by
 * its /etc/ld.so.preload: answers as a VMkernel or a FreeBSD kernel would, where Linux answers
 * otherwise. Everything else is Linux's own answer. Files of that host say what is simulated,
 * so that its commands can change it while programs run:
 *
 *	/.sim/kernel/uname		sysname, release, version, machine, a line each: uname(2)
 *	/.sim/kernel/no-tcp-info	is there: getsockopt(TCP_INFO) fails with ENOSYS
 *	/.sim/kernel/no-listen		absolute paths, one a line: programs whose bind(2) to a
 *					port fails with EPERM
 *	/.sim/kernel/exec-installed	"1": exec(3) of a file that is not marked as installed fails
 *					with EPERM. The mark is its group, 201, which no upload and
 *					no copy without -p has.
 *
 * Programs that are linked statically load nothing and are not reached.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define KERNEL        "/.sim/kernel/"
#define FILE_BYTES    1024
#define UNAME_FIELDS  4
#define INSTALLED_GID 201 /* tests/lab/lib/sim.sh */

extern char **environ;

static char program[PATH_MAX]; /* absolute path that this process was started by; "": not known */

__attribute__((constructor)) static void find_program(void)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	int saved = errno;

	if (path == NULL || realpath(path, program) == NULL)
		program[0] = '\0';
	errno = saved;
}

/* The libc's own function of this name. A pointer to data cannot be cast to one to code in
 * ISO C, so the address is copied. */
static void find_real(const char *name, void *function)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

/* Reads a file of the host, as much as fits, and leaves errno as it was. */
static int has_file(const char *path, char text[FILE_BYTES])
{
	int saved = errno;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = -1;

	if (fd >= 0) {
		len = read(fd, text, FILE_BYTES - 1);
		(void)close(fd);
	}
	text[len > 0 ? len : 0] = '\0';
	errno = saved;
	return len >= 0;
}

int uname(struct utsname *out)
{
	static int (*real)(struct utsname *);
	char *const fields[UNAME_FIELDS] = {out->sysname, out->release, out->version, out->machine};
	char text[FILE_BYTES];
	char *line = text;

	if (real == NULL)
		find_real("uname", &real);
	if (real(out) != 0)
		return -1;
	if (!has_file(KERNEL "uname", text))
		return 0;
	for (size_t i = 0; i < UNAME_FIELDS && *line != '\0'; i++) {
		size_t len = strcspn(line, "\n");

		(void)snprintf(fields[i], sizeof(out->sysname), "%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
	return 0;
}

int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict len)
{
	static int (*real)(int, int, int, void *restrict, socklen_t *restrict);
	char text[FILE_BYTES];

	if (real == NULL)
		find_real("getsockopt", &real);
	if (level == IPPROTO_TCP && option == TCP_INFO && has_file(KERNEL "no-tcp-info", text)) {
		errno = ENOSYS;
		return -1;
	}
	return real(fd, level, option, value, len);
}

/* The port that an address names; 0: none. */
static unsigned port_of(const struct sockaddr *address, socklen_t len)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address == NULL)
		return 0;
	if (address->sa_family == AF_INET && len >= sizeof(v4)) {
		memcpy(&v4, address, sizeof(v4));
		return ntohs(v4.sin_port);
	}
	if (address->sa_family == AF_INET6 && len >= sizeof(v6)) {
		memcpy(&v6, address, sizeof(v6));
		return ntohs(v6.sin6_port);
	}
	return 0;
}

/* Is this program one of those that may not listen? */
static int is_confined(void)
{
	char text[FILE_BYTES];
	size_t len;

	if (program[0] == '\0' || !has_file(KERNEL "no-listen", text))
		return 0;
	for (const char *line = text; *line != '\0'; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (strlen(program) == len && memcmp(program, line, len) == 0)
			return 1;
	}
	return 0;
}

int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	static int (*real)(int, const struct sockaddr *, socklen_t);

	if (real == NULL)
		find_real("bind", &real);
	if (port_of(address, len) != 0 && is_confined()) {
		errno = EPERM;
		return -1;
	}
	return real(fd, address, len);
}

/* What may not be executed at all is left to the kernel, which has the right error for it. */
static int is_refused(const char *path)
{
	char text[FILE_BYTES];
	int saved = errno;
	struct stat st;
	int refused;

	if (!has_file(KERNEL "exec-installed", text) || text[0] != '1')
		return 0;
	refused = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_gid != INSTALLED_GID &&
	          access(path, X_OK) == 0;
	errno = saved;
	return refused;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	static int (*real)(const char *, char *const[], char *const[]);

	if (real == NULL)
		find_real("execve", &real);
	if (is_refused(path)) {
		errno = EPERM;
		return -1;
	}
	return real(path, argv, envp);
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

/* As execvp(3): the folders of PATH in their order; the first error that is not "not there"
 * is told when nothing could be executed. */
int execvp(const char *file, char *const argv[])
{
	const char *folders = getenv("PATH");
	int told = ENOENT;
	size_t len;

	if (strchr(file, '/') != NULL)
		return execve(file, argv, environ);
	if (folders == NULL)
		folders = "/bin:/usr/bin";
	for (; *folders != '\0'; folders += len + (folders[len] == ':')) {
		char path[PATH_MAX];

		len = strcspn(folders, ":");
		(void)snprintf(path, sizeof(path), "%.*s/%s", (int)len, folders, file);
		(void)execve(path, argv, environ);
		if (told == ENOENT && errno != ENOTDIR)
			told = errno;
	}
	errno = told;
	return -1;
}

int posix_spawn(pid_t *restrict pid, const char *restrict path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                char *const envp[restrict])
{
	static int (*real)(pid_t *restrict, const char *restrict,
	                   const posix_spawn_file_actions_t *, const posix_spawnattr_t *restrict,
	                   char *const[restrict], char *const[restrict]);

	if (real == NULL)
		find_real("posix_spawn", &real);
	return is_refused(path) ? EPERM : real(pid, path, actions, attributes, argv, envp);
}
