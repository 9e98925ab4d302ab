/* SPDX-License-Identifier: MIT */
#include "remote/transport_openssh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hex.h"
#include "common/io.h"
#include "common/oom.h"
#include "remote/openssh_args.h"
#include "remote/openssh_said.h"
#include "remote/process.h"

#define FOLDER_HEAD   "/tmp/vnm-ssh-"
#define FOLDER_RANDOM 8    /* bytes */
#define LOOK_MS       10u  /* after the login: is the socket there? */
#define PATIENCE_MS   300u /* for ssh to say goodbye */
#define SETTLE_MS     200u /* after a command's ssh: is the connection lost? */
#define FAILURE       255  /* of ssh itself, or of the command */
#define OPEN_TRIES    4    /* a server with MaxSessions 1 needs a moment, see ssh_channel.c */
#define OPEN_PAUSE_MS 50u
#define KNOWN_BYTES   (16 * (size_t)1024 * 1024)

struct openssh {
	struct process process; /* the command's ssh */
	struct child master;    /* the guard of the connection's ssh */
	struct openssh_said said;
	struct arena arena;
	char **env;
	char folder[sizeof(FOLDER_HEAD) + 2 * FOLDER_RANDOM]; /* "": no guard was started */
	const char *socket;
	struct openssh_asked asked;

	char *command; /* that runs */
	unsigned tries;
	bool is_over; /* its ssh has ended with FAILURE; at look_ns we say what that means */
	uint64_t look_ns;
};

static struct openssh *of(struct transport *base)
{
	return (struct openssh *)base;
}

/* False when the connection's ssh has ended. */
static bool listen_to_master(struct openssh *o)
{
	char data[4096];
	size_t n;

	while (child_read(&o->master.out, data, sizeof(data)) > 0)
		continue;
	while ((n = child_read(&o->master.said, data, sizeof(data))) > 0)
		openssh_said_take(&o->said, data, n);
	if (o->master.said >= 0)
		return true;
	openssh_said_end(&o->said);
	return false;
}

/* ---- opening ---- */

static const char *copy(struct arena *arena, const char *s)
{
	return s == NULL ? NULL : arena_strndup(arena, s, strlen(s));
}

/* The guard makes it. */
static bool name_folder(struct openssh *o, struct err *err)
{
	unsigned char random[FOLDER_RANDOM];
	char hex[2 * FOLDER_RANDOM + 1];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_set_errno(err, errno, "random numbers");
	hex_format(random, sizeof(random), hex);
	(void)snprintf(o->folder, sizeof(o->folder), FOLDER_HEAD "%s", hex);
	o->socket = openssh_socket(&o->arena, o->folder);
	return true;
}

/* A descriptor; -1 when it is not there, or somebody else's of the same name. */
static int open_folder(const struct openssh *o)
{
	int fd = open(o->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid())) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static bool has_socket(const struct openssh *o)
{
	int fd = open_folder(o);
	bool is_there = fd >= 0 && faccessat(fd, OPENSSH_SOCKET, F_OK, 0) == 0;

	if (fd >= 0)
		(void)close(fd);
	return is_there;
}

/* Where the guard could not. */
static void remove_folder(const struct openssh *o)
{
	int fd = open_folder(o);

	if (fd < 0)
		return;
	(void)unlinkat(fd, OPENSSH_SOCKET, 0);
	(void)unlinkat(fd, OPENSSH_CONFIG_FILE, 0);
	(void)close(fd);
	(void)rmdir(o->folder);
}

static bool start_master(struct openssh *o, const struct openssh_target *target, struct err *err)
{
	static const char *const more[] = {"SSH_ASKPASS_REQUIRE=never", NULL};
	const char *argv[OPENSSH_ARGS_MAX];
	struct text config = {0};
	bool ok;

	o->asked.host = copy(&o->arena, target->wish->host);
	o->asked.known_hosts = copy(&o->arena, target->wish->known_hosts);
	/* ssh says so of a key of the command line only, which it would offer a second time. */
	if (target->wish->key != NULL && access(target->wish->key, R_OK) != 0)
		(void)snprintf(o->said.notes, sizeof(o->said.notes),
		               "key %s does not exist or cannot be read", target->wish->key);
	o->env = child_environment(&o->arena, NULL, target->hidden, more);
	ok = openssh_config_text(target->wish, &config, err);
	if (!ok)
		(void)err_prefix(err, "ssh's configuration");
	ok = ok && name_folder(o, err);
	if (ok) {
		openssh_master_args(&o->arena, target->wish, o->folder, text_str(&config), argv);
		ok = child_start(&o->master, argv, o->env, err);
	}
	text_done(&config);
	return ok;
}

/* The key at the file and line that ssh names. */
static void find_known(const struct openssh_said *s, struct openssh_asked *out)
{
	struct err ignored; /* then it is not known */
	char *text = NULL;
	char *line;
	size_t len;
	char *word[3] = {NULL};
	char *rest = NULL;

	if (s->known_line == 0 || !io_read_file(s->known_file, KNOWN_BYTES, &text, &len, &ignored))
		return;
	line = text;
	for (unsigned i = 1; i < s->known_line && line != NULL; i++) {
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
	if (line != NULL)
		line[strcspn(line, "\r\n")] = '\0';
	for (int i = 0; i < 3 && line != NULL; i++)
		word[i] = strtok_r(i == 0 ? line : NULL, " \t", &rest);
	if (word[2] != NULL &&
	    known_hosts_fingerprint(word[2], strlen(word[2]), out->known_fingerprint))
		(void)snprintf(out->known_type, sizeof(out->known_type), "%.40s", word[1]);
	free(text);
}

static bool fail_opening(struct openssh *o, struct err *err)
{
	if (o->said.problem == OPENSSH_CHANGED_KEY)
		find_known(&o->said, &o->asked);
	return openssh_said_error(&o->said, &o->asked, err);
}

static bool wait_until_open(struct openssh *o, const struct wait_limit *limit, struct err *err)
{
	uint64_t start_ns = clock_now_ns();

	for (;;) {
		uint64_t now_ns = clock_now_ns();
		uint64_t look_ns = now_ns + LOOK_MS * CLOCK_NS_PER_MS;
		struct wait_limit until = *limit;

		if (!listen_to_master(o))
			return fail_opening(o, err);
		if (has_socket(o))
			return true;
		if (now_ns >= limit->deadline_ns)
			return openssh_said_timeout(
				&o->said, &o->asked,
				(unsigned)((now_ns - start_ns) / CLOCK_NS_PER_MS), err);
		if (o->said.login[0] != '\0' && look_ns < until.deadline_ns)
			until.deadline_ns = look_ns;
		if (wait_for(o->master.said, POLLIN, &until) == WAIT_WOKEN)
			return err_set(err, ERR_CANCELLED, "connect to %s: given up",
			               o->asked.host);
	}
}

static void tell_info(const struct openssh *o, bool is_open, struct transport_info *info)
{
	const struct openssh_said *s = &o->said;

	info->stage = is_open ? TRANSPORT_OPEN : openssh_said_stage(s);
	(void)snprintf(info->config, sizeof(info->config), "ssh");
	(void)snprintf(info->address, sizeof(info->address), "%s", s->address);
	(void)snprintf(info->host_key, sizeof(info->host_key), "%s", s->host_key);
	if (is_open)
		(void)snprintf(info->login, sizeof(info->login), "%s", s->login);
}

/* ---- commands ---- */

static bool start_command(struct openssh *o, struct err *err)
{
	const char *argv[OPENSSH_ARGS_MAX];

	openssh_command_args(o->socket, o->command, argv);
	o->is_over = false;
	o->said.end = OPENSSH_END_UNTOLD;
	return process_start(&o->process, argv, o->env, err) || err_prefix(err, "start a command");
}

static bool exec(struct transport *base, const char *command, uint64_t deadline_ns, struct err *err)
{
	struct openssh *o = of(base);

	(void)deadline_ns; /* what the server says to it comes to pump() */
	free(o->command);
	o->command = strdup(command);
	if (o->command == NULL)
		oom_end();
	o->tries = OPEN_TRIES;
	return start_command(o, err);
}

static bool fail_lost(const struct openssh *o, struct err *err)
{
	const struct openssh_said *s = &o->said;

	if (s->problem == OPENSSH_DEAD)
		return err_set(err, ERR_TIMEOUT, "no sign of life from the SSH server");
	return err_set(err, ERR_REMOTE, "the SSH connection was closed: %.200s",
	               s->last[0] == '\0' ? "ssh ended" : s->last);
}

/* The server lets no further session in, or not yet. */
static bool is_refused(const struct openssh *o)
{
	return strstr(transport_said(&o->process.base), "Session open refused by peer") != NULL;
}

/* The command's ssh has ended with FAILURE, and the connection lives. */
static bool settle(struct openssh *o, struct err *err)
{
	struct transport *base = &o->process.base;

	if (is_refused(o)) {
		bool is_fresh = base->taken == 0 && base->out.len == 0;

		if (is_fresh && --o->tries > 0)
			return start_command(o, err);
		return err_set(err, ERR_REMOTE,
		               "open a channel: the server refuses: does it allow sessions "
		               "(MaxSessions)?");
	}
	o->is_over = false;
	if (o->said.end == OPENSSH_END_STATUS)
		transport_came_status(base, FAILURE);
	else if (o->said.end == OPENSSH_END_SIGNAL)
		transport_came_signal(base, "?"); /* ssh does not tell which */
	transport_came_close(base);
	return true;
}

static void take_end(struct openssh *o, int status)
{
	bool is_failure = !WIFEXITED(status) || WEXITSTATUS(status) == FAILURE;
	uint64_t ms = is_refused(o) ? OPEN_PAUSE_MS : SETTLE_MS;

	if (!is_failure) {
		process_tell(&o->process, status);
		return;
	}
	o->is_over = true;
	o->look_ns =
		clock_now_ns() + (o->said.end == OPENSSH_END_UNTOLD ? ms * CLOCK_NS_PER_MS : 0);
}

static bool pump(struct transport *base, uint64_t until_ns, struct err *err)
{
	struct openssh *o = of(base);
	bool is_lost;
	int status;

	if (o->is_over && o->look_ns < until_ns)
		until_ns = o->look_ns;
	process_wait(&o->process, o->master.said, until_ns);
	if (process_ended(&o->process, &status)) {
		(void)listen_to_master(o); /* it spoke of the command's end before */
		take_end(o, status);
	}
	is_lost = !listen_to_master(o);
	if (is_lost)
		return fail_lost(o, err);
	return !o->is_over || clock_now_ns() < o->look_ns || settle(o, err);
}

static void close_all(struct transport *base)
{
	struct openssh *o = of(base);

	process_hangup(base);
	child_end(&o->master, PATIENCE_MS);
	if (o->folder[0] != '\0')
		remove_folder(o);
	free(o->command);
	arena_done(&o->arena);
	free(o);
}

static const struct transport_ops openssh_ops = {
	.exec = exec,
	.pump = pump,
	.write = process_write,
	.end_input = process_end_input,
	.hangup = process_hangup,
	.close = close_all,
};

struct transport *openssh_transport_open(const struct openssh_target *target,
                                         const struct wait_limit *limit,
                                         struct transport_info *info, struct err *err)
{
	struct openssh *o = calloc(1, sizeof(*o));
	bool ok;

	if (o == NULL)
		oom_end();
	memset(info, 0, sizeof(*info));
	o->process.base.ops = &openssh_ops;
	o->process.child = o->master = CHILD_NONE;
	o->process.wake_fd = limit->wake_fd;
	ok = start_master(o, target, err) && wait_until_open(o, limit, err);
	tell_info(o, ok, info);
	if (ok)
		return &o->process.base;
	transport_close(&o->process.base);
	return NULL;
}
