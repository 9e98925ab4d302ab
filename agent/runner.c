/* SPDX-License-Identifier: MIT */
#include "agent/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/failure.h"

/* A script's end is known by looking: nothing that can be polled for tells it on all systems. */
#define LOOK_MS 20u
/* What is in the background may have our pipes and never close them. */
#define LINGER_MS 300u
#define READS_MAX 16

void runner_init(struct runner *r, struct output *out)
{
	r->out = out;
	r->next_id = 0;
	r->script_len = 0;
	r->is_too_long = false;
	r->pid = 0;
	r->in = r->said[0].fd = r->said[1].fd = -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* It may hold a password. */
static void wipe(char *at, size_t len)
{
	volatile char *v = at;

	while (len-- > 0)
		*v++ = '\0';
}

static void close_all(struct runner *r)
{
	close_fd(&r->in);
	close_fd(&r->said[0].fd);
	close_fd(&r->said[1].fd);
	wipe(r->input, r->input_start + r->input_len);
	r->input_start = r->input_len = 0;
}

void runner_end(struct runner *r)
{
	if (r->pid > 0 && !r->has_ended)
		(void)kill(-r->pid, SIGKILL);
	r->pid = 0;
	close_all(r);
}

static void refuse(struct runner *r, uint32_t id, const char *why)
{
	struct failure f;

	(void)failure_set(&f, FAILURE_USAGE, "%s", why);
	output_failed(r->out, id, &f);
}

void runner_script(struct runner *r, uint32_t id, const struct msg_script *m)
{
	size_t len = strlen(m->text);

	if (id != r->next_id) { /* the one before was given up */
		r->script_len = 0;
		r->is_too_long = false;
	}
	r->next_id = id;
	if (r->is_too_long)
		return;
	if (len > RUNNER_SCRIPT_BYTES - r->script_len) {
		struct failure f;

		r->script_len = 0; /* so its run is refused: half a script must never run */
		r->is_too_long = true;
		(void)failure_set(&f, FAILURE_USAGE, "a script has %u bytes at most",
		                  RUNNER_SCRIPT_BYTES);
		output_failed(r->out, id, &f);
		return;
	}
	memcpy(r->script + r->script_len, m->text, len);
	r->script_len += len;
	r->script[r->script_len] = '\0';
}

/* One that no other program inherits. */
static bool make_pipe(int fds[2])
{
	fds[0] = fds[1] = -1;
	if (pipe(fds) < 0)
		return false;
	(void)fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	return true;
}

/*
 * The child: nothing but what is safe beside other threads, since they are not there any more.
 * A group of its own; writing to a pipe that nobody reads ends it, as everywhere else. (Not
 * posix_spawn(): musl's brings a second malloc() into the static agent.) in -1: nothing to read.
 */
static void become(const struct runner *r, int in, int out, int err)
{
	(void)setpgid(0, 0);
	(void)signal(SIGPIPE, SIG_DFL);
	if (in < 0)
		in = open("/dev/null", O_RDONLY);
	if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
		(void)execl("/bin/sh", "sh", "-c", r->script, (char *)NULL);
	_exit(127);
}

/* Sets r->pid, or returns the number of an error. */
static int spawn(struct runner *r, int in, int out, int err)
{
	r->pid = fork();
	if (r->pid == 0)
		become(r, in, out, err);
	if (r->pid < 0)
		return errno;
	(void)setpgid(r->pid, r->pid); /* whoever of the two comes first */
	return 0;
}

static void never_wait(int fd)
{
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* 0, or the number of an error: then nothing is open. */
static int start(struct runner *r, bool has_input)
{
	int in[2] = {-1, -1};
	int out[2] = {-1, -1};
	int err[2] = {-1, -1};
	int code = 0;

	if ((has_input && !make_pipe(in)) || !make_pipe(out) || !make_pipe(err))
		code = errno;
	if (code == 0)
		code = spawn(r, in[0], out[1], err[1]);
	r->in = in[1];
	r->said[0].fd = out[0];
	r->said[1].fd = err[0];
	close_fd(&in[0]);
	close_fd(&out[1]);
	close_fd(&err[1]);
	if (code != 0) {
		r->pid = 0;
		close_all(r);
	}
	never_wait(r->in);
	never_wait(r->said[0].fd);
	never_wait(r->said[1].fd);
	return code;
}

void runner_run(struct runner *r, uint32_t id, const struct msg_run *m, uint64_t now_ns)
{
	struct failure f;
	int code;

	if (r->pid != 0) {
		refuse(r, id, "a script is not over: one at a time");
		return;
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue; /* those that were killed */
	if (id != r->next_id || r->script_len == 0) {
		refuse(r, id, "there is no script with this id");
		return;
	}
	if (m->timeout_ms < 1 || m->timeout_ms > RUNNER_MS_MAX) {
		(void)failure_set(&f, FAILURE_USAGE, "timeout_ms %u is out of range: 1 to %u",
		                  m->timeout_ms, RUNNER_MS_MAX);
		output_failed(r->out, id, &f);
		return;
	}
	r->has_ended = r->is_last_in = false;
	r->input_start = r->input_len = 0;
	for (uint32_t i = 0; i < 2; i++) {
		r->said[i].number = i + 1;
		r->said[i].len = 0;
	}
	code = start(r, m->has_input == 1);
	r->script_len = 0;
	if (code != 0) {
		(void)failure_set_errno(&f, code, "start /bin/sh");
		output_failed(r->out, id, &f);
		return;
	}
	r->id = id;
	r->limit_ms = m->timeout_ms;
	r->until_ns = now_ns + m->timeout_ms * CLOCK_NS_PER_MS;
	r->look_ns = now_ns + LOOK_MS * CLOCK_NS_PER_MS;
}

void runner_input(struct runner *r, uint32_t id, const struct msg_input *m)
{
	size_t len = strlen(m->text);

	if (r->pid == 0 || r->id != id)
		return; /* it has ended, which was told */
	if (r->in < 0 || r->is_last_in)
		return; /* it reads no more */
	if (len > RUNNER_INPUT_BYTES - r->input_len) {
		refuse(r, id, "the script does not read its input: killed");
		runner_end(r);
		return;
	}
	if (r->input_start + r->input_len + len > RUNNER_INPUT_BYTES) {
		memmove(r->input, r->input + r->input_start, r->input_len);
		wipe(r->input + r->input_len, r->input_start);
		r->input_start = 0;
	}
	memcpy(r->input + r->input_start + r->input_len, m->text, len);
	r->input_len += len;
	r->is_last_in = m->is_last == 1;
}

static void feed(struct runner *r)
{
	ssize_t n = 1;

	while (r->in >= 0 && r->input_len > 0 && n > 0) {
		n = write(r->in, r->input + r->input_start, r->input_len);
		if (n > 0) {
			wipe(r->input + r->input_start, (size_t)n);
			r->input_start += (size_t)n;
			r->input_len -= (size_t)n;
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			close_fd(&r->in); /* it reads no more */
		}
	}
	if (r->in >= 0 && r->input_len == 0 && r->is_last_in)
		close_fd(&r->in);
}

static void tell_line(struct runner *r, struct runner_stream *s, bool goes_on)
{
	struct msg msg;

	msg_init(&msg, MSG_SAID, r->id);
	msg.u.said.stream = s->number;
	memcpy(msg.u.said.text, s->line, s->len);
	msg.u.said.text[s->len] = '\0';
	if (goes_on)
		msg.u.said.goes_on = 1;
	(void)output_send(r->out, &msg);
	s->len = 0;
}

static void take_bytes(struct runner *r, struct runner_stream *s, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n') {
			tell_line(r, s, false);
			continue;
		}
		if (s->len == WIRE_STR_BYTES - 1)
			tell_line(r, s, true);
		if (bytes[i] != '\0') /* which no text of ours can hold */
			s->line[s->len++] = bytes[i];
	}
}

/* What is said faster than it is taken waits in the pipe. */
static bool has_room(const struct runner *r)
{
	return r->out->len < OUTPUT_BYTES / 2;
}

static void listen_to(struct runner *r, struct runner_stream *s)
{
	char bytes[1024];
	ssize_t n = 1;

	/* Not for ever: tests and heartbeats wait for us. */
	for (int i = 0; i < READS_MAX && s->fd >= 0 && n > 0 && has_room(r); i++) {
		n = read(s->fd, bytes, sizeof(bytes));
		if (n > 0)
			take_bytes(r, s, bytes, (size_t)n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			close_fd(&s->fd);
	}
}

static bool is_silent(const struct runner *r)
{
	return r->said[0].fd < 0 && r->said[1].fd < 0;
}

static void tell_end(struct runner *r)
{
	struct msg msg;

	for (int i = 0; i < 2; i++) {
		if (r->said[i].len > 0)
			tell_line(r, &r->said[i], false);
	}
	msg_init(&msg, MSG_RAN, r->id);
	if (WIFSIGNALED(r->status))
		msg.u.ran.signal = (uint32_t)WTERMSIG(r->status);
	else
		msg.u.ran.status = (uint32_t)WEXITSTATUS(r->status);
	(void)output_send(r->out, &msg);
	r->pid = 0;
	close_all(r);
}

static void give_up(struct runner *r)
{
	struct failure f;
	bool is_killed = kill(-r->pid, SIGKILL) == 0;

	(void)failure_set(&f, FAILURE_TIMEOUT, "the script was not over after %u ms%s", r->limit_ms,
	                  is_killed ? ": killed"
	                            : ", and cannot be killed: it runs as another account");
	output_failed(r->out, r->id, &f);
	runner_end(r);
}

void runner_step(struct runner *r, uint64_t now_ns)
{
	if (r->pid == 0)
		return;
	feed(r);
	listen_to(r, &r->said[0]);
	listen_to(r, &r->said[1]);
	if (!r->has_ended && (now_ns >= r->look_ns || is_silent(r))) {
		r->has_ended = waitpid(r->pid, &r->status, WNOHANG) == r->pid;
		r->look_ns = now_ns + (is_silent(r) ? 1 : LOOK_MS) * CLOCK_NS_PER_MS;
		if (r->has_ended)
			r->until_ns = now_ns + LINGER_MS * CLOCK_NS_PER_MS;
	}
	if (r->has_ended && (is_silent(r) || now_ns >= r->until_ns))
		tell_end(r);
	else if (now_ns >= r->until_ns)
		give_up(r);
}

size_t runner_poll(const struct runner *r, struct pollfd *fds)
{
	size_t count = 0;

	if (r->pid == 0)
		return 0;
	for (int i = 0; i < 2 && has_room(r); i++) {
		if (r->said[i].fd >= 0)
			fds[count++] = (struct pollfd){.fd = r->said[i].fd, .events = POLLIN};
	}
	if (r->in >= 0 && r->input_len > 0)
		fds[count++] = (struct pollfd){.fd = r->in, .events = POLLOUT};
	return count;
}

uint64_t runner_due_ns(const struct runner *r)
{
	if (r->pid == 0)
		return UINT64_MAX;
	return r->has_ended || r->until_ns < r->look_ns ? r->until_ns : r->look_ns;
}
