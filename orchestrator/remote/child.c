/* SPDX-License-Identifier: MIT */
#include "remote/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"

#define LOOK_MS 5u /* between two looks whether it has ended */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* [0] is ours, [1] the child's. Its input is a socket: writing to one raises no SIGPIPE when
 * asked not to. */
struct streams {
	int in[2], out[2], said[2];
};

static void close_streams(struct streams *s)
{
	for (int i = 0; i < 2; i++) {
		close_fd(&s->in[i]);
		close_fd(&s->out[i]);
		close_fd(&s->said[i]);
	}
}

static bool open_streams(struct streams *s, struct err *err)
{
	*s = (struct streams){{-1, -1}, {-1, -1}, {-1, -1}};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->in) == 0 &&
	    pipe2(s->out, O_CLOEXEC) == 0 && pipe2(s->said, O_CLOEXEC) == 0 &&
	    fcntl(s->in[0], F_SETFL, O_NONBLOCK) == 0 &&
	    fcntl(s->out[0], F_SETFL, O_NONBLOCK) == 0 &&
	    fcntl(s->said[0], F_SETFL, O_NONBLOCK) == 0)
		return true;
	(void)err_set_errno(err, errno, "pipes to a program");
	close_streams(s);
	return false;
}

/* Its signals are as a login would give them: ours are blocked or ignored. */
static int prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attr,
                   const struct streams *s)
{
	sigset_t none;
	sigset_t all;
	int code;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	code = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
	                                              POSIX_SPAWN_SETSIGDEF);
	if (code == 0)
		code = posix_spawnattr_setsigmask(attr, &none);
	if (code == 0)
		code = posix_spawnattr_setsigdefault(attr, &all);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(files, s->in[1], 0);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(files, s->out[1], 1);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(files, s->said[1], 2);
#ifdef HAVE_SPAWN_CLOSEFROM
	/* What a library has opened without close-on-exec. */
	if (code == 0)
		code = posix_spawn_file_actions_addclosefrom_np(files, 3);
#endif
	return code;
}

static int spawn(struct child *c, const struct streams *s, const char *const argv[],
                 char *const env[])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	char *const *args; /* its type is older than const: nothing is written there */
	int code = posix_spawn_file_actions_init(&files);

	if (code != 0)
		return code;
	memcpy(&args, &argv, sizeof(args));
	code = posix_spawnattr_init(&attr);
	if (code == 0) {
		code = prepare(&files, &attr, s);
		if (code == 0)
			code = posix_spawnp(&c->pid, argv[0], &files, &attr, args, env);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return code;
}

static bool start(struct child *c, struct streams *s, const char *const argv[], char *const env[],
                  struct err *err)
{
	int code = spawn(c, s, argv, env);

	if (code != 0) {
		c->pid = 0;
		close_streams(s);
		return err_set_errno(err, code, "start %s", argv[0]);
	}
	close_fd(&s->in[1]);
	close_fd(&s->out[1]);
	close_fd(&s->said[1]);
	c->in = s->in[0];
	c->out = s->out[0];
	c->said = s->said[0];
	return true;
}

bool child_start(struct child *c, const char *const argv[], char *const env[], struct err *err)
{
	struct streams s;

	return open_streams(&s, err) && start(c, &s, argv, env, err);
}

bool child_start_duplex(struct child *c, const char *const argv[], char *const env[],
                        struct err *err)
{
	struct streams s;

	if (!open_streams(&s, err))
		return false;
	close_fd(&s.out[0]);
	if (dup3(s.in[1], s.out[1], O_CLOEXEC) >= 0)
		return start(c, &s, argv, env, err);
	(void)err_set_errno(err, errno, "pipes to a program");
	close_streams(&s);
	return false;
}

size_t child_write(struct child *c, const void *data, size_t len)
{
	ssize_t n;

	if (c->in < 0 || len == 0)
		return 0;
	n = send(c->in, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n >= 0)
		return (size_t)n;
	if (errno != EAGAIN && errno != EINTR)
		close_fd(&c->in);
	return 0;
}

void child_end_input(struct child *c)
{
	close_fd(&c->in);
}

size_t child_read(int *fd, void *data, size_t room)
{
	ssize_t n;

	if (*fd < 0)
		return 0;
	n = read(*fd, data, room);
	if (n > 0)
		return (size_t)n;
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_fd(fd);
	return 0;
}

bool child_reap(struct child *c, int *status)
{
	if (c->pid <= 0 || waitpid(c->pid, status, WNOHANG) != c->pid)
		return false;
	c->pid = 0;
	return true;
}

/* Without taking its end back: until then its id and that of its group are nobody else's. */
static bool has_ended(const struct child *c)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == c->pid;
}

static bool wait_for_end(const struct child *c, uint32_t ms)
{
	uint64_t end_ns = clock_now_ns() + ms * CLOCK_NS_PER_MS;

	while (!has_ended(c)) {
		if (clock_now_ns() >= end_ns)
			return false;
		clock_sleep_until(clock_now_ns() + LOOK_MS * CLOCK_NS_PER_MS);
	}
	return true;
}

/* One that the kernel holds even after SIGKILL is left to init. */
void child_end(struct child *c, uint32_t patience_ms)
{
	int status;

	close_fd(&c->in);
	if (c->pid > 0) {
		if (patience_ms > 0 && !wait_for_end(c, patience_ms / 2)) {
			(void)kill(-c->pid, SIGTERM);
			(void)wait_for_end(c, patience_ms - patience_ms / 2);
		}
		(void)kill(-c->pid, SIGKILL);
		if (wait_for_end(c, CHILD_KILL_MS))
			(void)waitpid(c->pid, &status, WNOHANG);
	}
	close_fd(&c->out);
	close_fd(&c->said);
	c->pid = 0;
}

/* Is the variable of this line, NAME=VALUE, one of the names or lines? */
static bool is_listed(const char *line, const char *const *names)
{
	size_t len = strcspn(line, "=");

	for (; names != NULL && *names != NULL; names++) {
		if (strncmp(line, *names, len) == 0 &&
		    ((*names)[len] == '\0' || (*names)[len] == '='))
			return true;
	}
	return false;
}

char **child_environment(struct arena *arena, const char *const *only, const char *const *hidden,
                         const char *const *more)
{
	size_t room = 1;
	size_t count = 0;
	char **env;

	for (char **e = environ; e != NULL && *e != NULL; e++)
		room++;
	for (const char *const *m = more; m != NULL && *m != NULL; m++)
		room++;
	env = arena_alloc(arena, room, sizeof(*env));
	for (char **e = environ; e != NULL && *e != NULL; e++) {
		if ((only == NULL || is_listed(*e, only)) && !is_listed(*e, hidden) &&
		    !is_listed(*e, more))
			env[count++] = arena_strndup(arena, *e, strlen(*e));
	}
	for (const char *const *m = more; m != NULL && *m != NULL; m++)
		env[count++] = arena_strndup(arena, *m, strlen(*m));
	env[count] = NULL;
	return env;
}
