/* SPDX-License-Identifier: MIT */
#include "agent/control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/lease.h"
#include "agent/output.h"
#include "agent/pair.h"
#include "agent/runner.h"
#include "common/clock.h"
#include "common/wire/codec.h"
#include "common/wire/reader.h"
#include "measure/address.h"
#include "platform/platform.h"

#define BEAT_MS_MIN  50u
#define LEASE_MS_MIN 200u
#define MS_MAX       3600000u /* an hour, for both */
#define FAREWELL_MS  2000u    /* to write what is still queued at the end */

struct control {
	const struct control_options *options;
	struct output *out;
	struct pair tests;
	struct runner *runner;
	struct lease lease;
	struct wire_reader reader;
	bool is_greeted; /* hello came */
	bool is_over;
	bool was_asked; /* to end */
	uint64_t beat_ns;
	uint64_t next_beat_ns; /* UINT64_MAX before hello */
	uint64_t lease_ns;
	uint64_t heard_ns; /* the last line came */
};

static void answer_failed(struct control *c, uint32_t id, enum failure_kind kind, const char *why)
{
	struct failure f;

	(void)failure_set(&f, kind, "%s", why);
	output_failed(c->out, id, &f);
}

static void copy_text(char out[WIRE_STR_BYTES], const char *text)
{
	size_t len = 0;

	for (; len < WIRE_STR_BYTES - 1 && text[len] != '\0'; len++)
		out[len] = text[len];
	out[len] = '\0';
}

static void send_ready(struct control *c, uint32_t id)
{
	struct utsname name;
	struct msg msg;
	struct msg_ready *m = &msg.u.ready;

	msg_init(&msg, MSG_READY, id);
	m->version = WIRE_VERSION;
	copy_text(m->agent_version, c->options->version);
	copy_text(m->platform, platform_name);
	copy_text(m->arch, uname(&name) < 0 ? "unknown" : name.machine);
	copy_text(m->sha256, c->options->self_hash);
	m->pid = (uint32_t)getpid();
	m->clock_ns = clock_now_ns();
	m->wall_ms = (uint64_t)clock_wall_ms();
	copy_text(m->caps, platform_caps);
	(void)output_send(c->out, &msg);
}

static void handle_hello(struct control *c, const struct msg *msg)
{
	const struct msg_hello *m = &msg->u.hello;
	struct failure f;

	if (m->version != WIRE_VERSION)
		(void)failure_set(&f, FAILURE_USAGE, "protocol version %u: this agent speaks %d",
		                  m->version, WIRE_VERSION);
	else if (m->beat_ms < BEAT_MS_MIN || m->beat_ms > MS_MAX)
		(void)failure_set(&f, FAILURE_USAGE, "beat_ms %u is out of range: %u to %u",
		                  m->beat_ms, BEAT_MS_MIN, MS_MAX);
	else if (m->lease_ms < LEASE_MS_MIN || m->lease_ms > MS_MAX)
		(void)failure_set(&f, FAILURE_USAGE, "lease_ms %u is out of range: %u to %u",
		                  m->lease_ms, LEASE_MS_MIN, MS_MAX);
	else
		goto good;
	output_failed(c->out, msg->id, &f);
	return;
good:
	c->is_greeted = true;
	c->beat_ns = m->beat_ms * CLOCK_NS_PER_MS;
	c->lease_ns = m->lease_ms * CLOCK_NS_PER_MS;
	c->out->patience_ns = c->lease_ns;
	c->next_beat_ns = clock_now_ns() + c->beat_ns;
	send_ready(c, msg->id);
}

static void handle_beat(struct control *c, const struct msg *msg)
{
	(void)msg;
	lease_beat(&c->lease); /* that of the guardian; any line renews ours */
}

struct fact_context {
	struct output *out;
	uint32_t id;
};

static void send_fact(void *ctx, const char *key, const char *value, const char *source)
{
	const struct fact_context *c = ctx;
	struct msg msg;

	msg_init(&msg, MSG_FACT, c->id);
	copy_text(msg.u.fact.key, key);
	copy_text(msg.u.fact.value, value);
	copy_text(msg.u.fact.source, source);
	(void)output_send(c->out, &msg); /* one that fits no line is not known */
}

static void handle_facts(struct control *c, const struct msg *msg)
{
	const char *literal = msg->u.facts.address;
	struct fact_context ctx = {c->out, msg->id};
	struct platform_sink sink = {send_fact, &ctx};
	struct address address;
	struct failure f;

	if (pair_is_measuring(&c->tests)) {
		answer_failed(c, msg->id, FAILURE_USAGE, "a test is running");
		return;
	}
	if (literal[0] == '\0') {
		platform_host_facts(&sink);
		output_done(c->out, msg->id);
		return;
	}
	if (!address_parse(literal, &address))
		(void)failure_set(&f, FAILURE_USAGE, "address '%.64s' is not the address of a NIC",
		                  literal);
	else if (!address_check_own(&address, &f))
		(void)0; /* f says why */
	else if (!platform_nic_facts(&address.at.any, &sink))
		(void)failure_set(&f, FAILURE_USAGE, "no NIC of this machine has the address %.64s",
		                  literal);
	else
		goto good;
	output_failed(c->out, msg->id, &f);
	return;
good:
	output_done(c->out, msg->id);
}

static void handle_prepare(struct control *c, const struct msg *msg)
{
	pair_prepare(&c->tests, msg->id, &msg->u.prepare);
}

static void handle_go(struct control *c, const struct msg *msg)
{
	pair_go(&c->tests, msg->id, &msg->u.go);
}

static void handle_stop(struct control *c, const struct msg *msg)
{
	pair_stop(&c->tests, msg->id, &msg->u.stop);
}

static void handle_script(struct control *c, const struct msg *msg)
{
	runner_script(c->runner, msg->id, &msg->u.script);
}

static void handle_run(struct control *c, const struct msg *msg)
{
	runner_run(c->runner, msg->id, &msg->u.run, clock_now_ns());
}

static void handle_input(struct control *c, const struct msg *msg)
{
	runner_input(c->runner, msg->id, &msg->u.input);
}

static void handle_lease(struct control *c, const struct msg *msg)
{
	lease_keep(&c->lease, msg->id, &msg->u.lease);
}

static void handle_bye(struct control *c, const struct msg *msg)
{
	output_done(c->out, msg->id);
	c->is_over = true;
	c->was_asked = true;
}

/* What an agent does; a message that is not here is not for agents. */
static void (*const handlers[MSG_TYPE_COUNT])(struct control *, const struct msg *) = {
	[MSG_HELLO] = handle_hello,     [MSG_BEAT] = handle_beat,     [MSG_FACTS] = handle_facts,
	[MSG_PREPARE] = handle_prepare, [MSG_GO] = handle_go,         [MSG_STOP] = handle_stop,
	[MSG_BYE] = handle_bye,         [MSG_SCRIPT] = handle_script, [MSG_RUN] = handle_run,
	[MSG_INPUT] = handle_input,     [MSG_LEASE] = handle_lease,
};

/* The id of a line that could not be understood, so that its sender may know
 * which one it was; 0 when it has none. */
static uint32_t guess_id(const char *line)
{
	const char *at = strstr(line, " id=");
	unsigned long long id = at == NULL ? 0 : strtoull(at + 4, NULL, 10);

	return id <= UINT32_MAX ? (uint32_t)id : 0;
}

static void handle_line(struct control *c, const char *line)
{
	struct err err;
	struct msg msg;

	c->heard_ns = clock_now_ns();
	if (line[0] == '\0')
		return; /* somebody types */
	if (!wire_decode(line, strlen(line), &msg, &err))
		answer_failed(c, guess_id(line), FAILURE_USAGE, err.msg);
	else if (handlers[msg.type] == NULL)
		answer_failed(c, msg.id, FAILURE_USAGE, "not a message for an agent");
	else if (!c->is_greeted && msg.type != MSG_HELLO && msg.type != MSG_BYE)
		answer_failed(c, msg.id, FAILURE_USAGE, "hello must come first");
	else
		handlers[msg.type](c, &msg);
}

/* One read: poll() said that it does not wait. */
static void read_input(struct control *c)
{
	char bytes[4096];
	const char *at = bytes;
	ssize_t n = read(c->options->in_fd, bytes, sizeof(bytes));
	size_t len = n > 0 ? (size_t)n : 0;
	struct err err;
	int got = 0;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		c->is_over = true;
		c->was_asked = n == 0;
		return;
	}
	while (!c->is_over && (got = wire_reader_take(&c->reader, &at, &len, &err)) == 1)
		handle_line(c, c->reader.line);
	if (got < 0) {
		answer_failed(c, 0, FAILURE_USAGE, err.msg);
		c->is_over = true;
	}
}

static void send_beat(struct control *c, uint64_t now_ns)
{
	struct msg msg;

	if (now_ns < c->next_beat_ns)
		return;
	msg_init(&msg, MSG_ALIVE, 0);
	msg.u.alive.clock_ns = now_ns;
	(void)output_send(c->out, &msg);
	c->next_beat_ns += c->beat_ns;
	if (c->next_beat_ns <= now_ns)
		c->next_beat_ns = now_ns + c->beat_ns; /* late: no burst to catch up */
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Waits for something to happen, at most until something is due. */
static void wait_for_work(struct control *c)
{
	struct pollfd fds[2 + PAIR_POLL_MAX + RUNNER_POLL_MAX];
	size_t count = 2 + pair_poll(&c->tests, fds + 2);
	uint64_t now = clock_now_ns();
	uint64_t due = earlier(earlier(c->next_beat_ns, c->heard_ns + c->lease_ns),
	                       earlier(pair_due_ns(&c->tests), runner_due_ns(c->runner)));
	uint64_t wait_ms;

	count += runner_poll(c->runner, fds + count);
	fds[0] = (struct pollfd){.fd = c->options->in_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = -1};
	if (c->out->len > 0) {
		fds[1] = (struct pollfd){.fd = c->options->out_fd, .events = POLLOUT};
		due = earlier(due, c->out->stuck_ns + c->out->patience_ns);
	}
	/* Rounded up: waking just before the time would spin. */
	wait_ms = due <= now ? 0 : (due - now + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
	if (wait_ms > MS_MAX)
		wait_ms = MS_MAX;
	if (poll(fds, (nfds_t)count, (int)wait_ms) > 0 && fds[0].revents != 0)
		read_input(c);
}

static void serve(struct control *c)
{
	while (!c->is_over && !c->out->is_broken) {
		uint64_t now;

		wait_for_work(c);
		now = clock_now_ns();
		pair_step(&c->tests, now);
		runner_step(c->runner, now);
		send_beat(c, now);
		output_flush(c->out, now);
		if (now - c->heard_ns >= c->lease_ns)
			c->is_over = true;
	}
}

bool control_run(const struct control_options *options)
{
	struct control c = {.options = options, .next_beat_ns = UINT64_MAX};
	struct failure f;
	bool is_able;

	c.out = malloc(sizeof(*c.out));
	c.runner = malloc(sizeof(*c.runner));
	if (c.out == NULL || c.runner == NULL) {
		free(c.out);
		free(c.runner);
		return false;
	}
	c.lease_ns = CONTROL_HELLO_MS * CLOCK_NS_PER_MS;
	c.heard_ns = clock_now_ns();
	wire_reader_init(&c.reader, false);
	output_init(c.out, options->out_fd, c.lease_ns);
	runner_init(c.runner, c.out);
	lease_init(&c.lease, c.out);
	output_text(c.out, WIRE_GREETING);
	is_able = pair_init(&c.tests, c.out, &f);
	if (is_able)
		serve(&c);
	else
		output_failed(c.out, 0, &f);
	lease_end(&c.lease); /* first: the time of the grace begins */
	runner_end(c.runner);
	pair_done(&c.tests);
	/* A last word; nobody listens when the input ended or the lease ran out. */
	if (!is_able || c.was_asked)
		output_drain(c.out, clock_now_ns() + FAREWELL_MS * CLOCK_NS_PER_MS);
	free(c.runner);
	free(c.out);
	return c.was_asked;
}
