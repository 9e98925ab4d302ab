/* SPDX-License-Identifier: MIT */
#include "tests/agent/driver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/wire/codec.h"
#include "common/wire/preamble.h"
#include "tests/support/test.h"

static const char *agent_path;
static const char *machine;

void driver_init(int argc, char **argv)
{
	static struct utsname here;

	if (argc < 2 || argc > 3 || uname(&here) != 0) {
		(void)fprintf(stderr, "usage: %s AGENT [MACHINE]\n", argv[0]);
		exit(2);
	}
	agent_path = argv[1];
	machine = argc > 2 ? argv[2] : here.machine;
	(void)signal(SIGPIPE, SIG_IGN); /* agents are killed here */
}

const char *driver_agent_path(void)
{
	return agent_path;
}

const char *driver_machine(void)
{
	return machine;
}

static void set_close_on_exec(int fd)
{
	assert_int_equal(fcntl(fd, F_SETFD, FD_CLOEXEC), 0);
}

void agent_exec(struct agent *a, const char *path, const char *const *args)
{
	int in[2];
	int out[2];
	char *argv[8] = {NULL};
	size_t count = 0;

	memset(a, 0, sizeof(*a));
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	set_close_on_exec(in[1]);
	set_close_on_exec(out[0]);
	argv[count++] = strdup(path);
	for (; args != NULL && *args != NULL; args++)
		argv[count++] = strdup(*args);
	a->pid = fork();
	assert_true(a->pid >= 0);
	if (a->pid == 0) {
		(void)dup2(in[0], STDIN_FILENO);
		(void)dup2(out[1], STDOUT_FILENO);
		(void)close(in[0]);
		(void)close(out[1]);
		(void)execv(path, argv);
		_exit(127);
	}
	while (count > 0)
		free(argv[--count]);
	(void)close(in[0]);
	(void)close(out[1]);
	a->in = in[1];
	a->out = out[0];
	a->next_id = 1;
	wire_reader_init(&a->reader, true);
}

void agent_say(struct agent *a, const char *fmt, ...)
{
	char line[2048];
	struct err err;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	assert_true(len > 0 && (size_t)len < sizeof(line) - 1);
	line[len] = '\n';
	if (!io_write_all(a->in, line, (size_t)len + 1, &err))
		fail_msg("the agent took no more input: %s", err.msg);
}

/* Some bytes more; false at the end or after wait_ms. */
static bool fill(struct agent *a, uint64_t until_ns)
{
	uint64_t now = clock_now_ns();
	struct pollfd p = {.fd = a->out, .events = POLLIN};
	ssize_t n;

	if (now >= until_ns || poll(&p, 1, (int)((until_ns - now) / CLOCK_NS_PER_MS) + 1) != 1)
		return false;
	n = read(a->out, a->bytes, sizeof(a->bytes));
	if (n <= 0)
		return false;
	a->at = a->bytes;
	a->len = (size_t)n;
	return true;
}

static void note_beat(struct agent *a, uint64_t clock_ns)
{
	uint64_t gap = a->beats == 0 ? 0 : clock_ns - a->last_beat_ns;

	if (gap > a->beat_gap_max_ns)
		a->beat_gap_max_ns = gap;
	a->beats++;
	a->last_beat_ns = clock_ns;
}

bool agent_next(struct agent *a, uint32_t wait_ms, struct msg *out)
{
	uint64_t until = clock_now_ns() + wait_ms * CLOCK_NS_PER_MS;
	struct err err;

	for (;;) {
		int got = wire_reader_take(&a->reader, &a->at, &a->len, &err);

		if (got < 0)
			fail_msg("the agent's output is no line: %s", err.msg);
		if (got == 0 && !fill(a, until))
			return false;
		if (got == 0)
			continue;
		if (!wire_decode(a->reader.line, strlen(a->reader.line), out, &err))
			fail_msg("'%s': %s", a->reader.line, err.msg);
		assert_int_equal(wire_messages[out->type].dir, WIRE_TO_ORCH);
		if (out->type != MSG_ALIVE)
			return true;
		assert_int_equal(out->id, 0);
		note_beat(a, out->u.alive.clock_ns);
	}
}

/* The next message; before a failure that is expected there may be troubles. */
static bool next_but_troubles(struct agent *a, enum msg_type type, uint32_t id, struct msg *out)
{
	bool got = agent_next(a, DRIVER_WAIT_MS, out);

	if (type == MSG_FAILED)
		a->troubles = (struct number_set){0};
	while (got && type == MSG_FAILED && out->type == MSG_TROUBLE) {
		assert_int_equal(out->id, id);
		a->trouble = out->u.trouble;
		number_set_add(&a->troubles, out->u.trouble.stream);
		got = agent_next(a, DRIVER_WAIT_MS, out);
	}
	return got;
}

void agent_expect(struct agent *a, enum msg_type type, uint32_t id, struct msg *out)
{
	struct msg msg = {0};

	if (!next_but_troubles(a, type, id, &msg))
		fail_msg("no answer, instead of %s", wire_messages[type].verb);
	if (msg.type == MSG_FAILED && type != MSG_FAILED)
		fail_msg("failed: %s: %s", msg.u.failed.kind, msg.u.failed.reason);
	assert_string_equal(wire_messages[msg.type].verb, wire_messages[type].verb);
	assert_int_equal(msg.id, id);
	if (out != NULL)
		*out = msg;
}

void agent_expect_failed(struct agent *a, uint32_t id, const char *kind, const char *reason)
{
	size_t len = strlen(reason);
	struct msg msg;

	agent_expect(a, MSG_FAILED, id, &msg);
	if (len > 0 && reason[len - 1] == '*' && strlen(msg.u.failed.reason) >= len)
		msg.u.failed.reason[len - 1] = '*', msg.u.failed.reason[len] = '\0';
	assert_string_equal(msg.u.failed.reason, reason);
	assert_string_equal(msg.u.failed.kind, kind);
}

void agent_start(struct agent *a, uint32_t beat_ms, uint32_t lease_ms)
{
	struct msg msg;

	agent_exec(a, agent_path, NULL);
	agent_say(a, "hello id=%u version=%d beat_ms=%u lease_ms=%u", a->next_id, WIRE_VERSION,
	          beat_ms, lease_ms);
	agent_expect(a, MSG_READY, a->next_id++, &msg);
	assert_int_equal(msg.u.ready.version, WIRE_VERSION);
	assert_int_equal(msg.u.ready.pid, a->pid);
	(void)snprintf(a->caps, sizeof(a->caps), ",%s,", msg.u.ready.caps);
}

int agent_wait_end(struct agent *a, uint32_t wait_ms)
{
	uint64_t until = clock_now_ns() + wait_ms * CLOCK_NS_PER_MS;
	int status = 0;
	int result = -1000;

	while (waitpid(a->pid, &status, WNOHANG) == 0 && clock_now_ns() < until)
		driver_sleep_ms(2);
	if (clock_now_ns() < until) {
		result = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	} else {
		(void)kill(a->pid, SIGKILL);
		(void)waitpid(a->pid, &status, 0);
	}
	(void)close(a->in);
	(void)close(a->out);
	a->pid = -1;
	return result;
}

int agent_bye(struct agent *a)
{
	struct msg msg;

	agent_say(a, "bye id=%u", a->next_id);
	while (agent_next(a, DRIVER_WAIT_MS, &msg) && msg.type != MSG_DONE)
		;
	assert_int_equal(msg.type, MSG_DONE);
	assert_int_equal(msg.id, a->next_id);
	return agent_wait_end(a, 5000);
}

static uint32_t or_else(uint32_t value, uint32_t otherwise)
{
	return value == 0 ? otherwise : value;
}

/* The fields that both ends have alike. */
static void format_common(const struct spec *s, char *out, size_t out_bytes)
{
	int len = snprintf(out, out_bytes,
	                   "streams=%u omit_ms=%u duration_ms=%u interval_ms=%u rtt_probes=%u",
	                   or_else(s->streams, 1), s->omit_ms, or_else(s->duration_ms, 300),
	                   or_else(s->interval_ms, 100), s->rtt_probes);

	assert_true(len > 0 && (size_t)len < out_bytes);
	if (s->window_bytes > 0)
		len += snprintf(out + len, out_bytes - (size_t)len, " window_bytes=%llu",
		                (unsigned long long)s->window_bytes);
	if (s->buffer_bytes > 0)
		len += snprintf(out + len, out_bytes - (size_t)len, " buffer_bytes=%llu",
		                (unsigned long long)s->buffer_bytes);
	if (s->options != NULL)
		len += snprintf(out + len, out_bytes - (size_t)len, "%s", s->options);
	assert_true((size_t)len < out_bytes);
}

static const char *or_nothing(const char *text)
{
	return text == NULL ? "" : text;
}

static const char *listener_address(const struct spec *s)
{
	return s->address != NULL ? s->address : "127.0.0.1";
}

uint32_t agent_prepare_listen(struct agent *a, const struct spec *spec)
{
	char common[512];

	format_common(spec, common, sizeof(common));
	agent_say(a, "prepare id=%u token=%s role=listen side=%s address=%s %s%s", a->next_id,
	          DRIVER_TOKEN, spec->is_listener_sender ? "send" : "recv", listener_address(spec),
	          common, or_nothing(spec->listener_options));
	return a->next_id++;
}

uint32_t agent_prepare_connect(struct agent *a, const struct spec *spec, uint32_t port)
{
	char common[512];

	format_common(spec, common, sizeof(common));
	agent_say(a, "prepare id=%u token=%s role=connect side=%s address=%s peer=%s port=%u %s%s",
	          a->next_id, DRIVER_TOKEN, spec->is_listener_sender ? "recv" : "send",
	          spec->peer != NULL ? spec->peer : listener_address(spec), listener_address(spec),
	          port, common, or_nothing(spec->connector_options));
	return a->next_id++;
}

uint32_t driver_connect(struct agent *listener, struct agent *connector, const struct spec *spec,
                        uint32_t *test_id)
{
	struct msg msg;
	uint32_t port;

	test_id[0] = agent_prepare_listen(listener, spec);
	agent_expect(listener, MSG_PREPARED, test_id[0], &msg);
	port = msg.u.prepared.port;
	assert_in_range(port, 1, 65535);
	test_id[1] = agent_prepare_connect(connector, spec, port);
	agent_expect(connector, MSG_PREPARED, test_id[1], &msg);
	assert_int_equal(msg.u.prepared.port, WIRE_UNKNOWN_U32);
	return port;
}

static void add_known(uint64_t *sum, uint64_t value)
{
	*sum = *sum == WIRE_UNKNOWN_U64 || value == WIRE_UNKNOWN_U64 ? WIRE_UNKNOWN_U64
	                                                             : *sum + value;
}

static void collect_sample(const struct msg_sample *s, struct outcome *out)
{
	assert_in_range(s->stream, 0, DRIVER_STREAMS_MAX);
	/* No gap and no overlap. */
	assert_int_equal(s->start_ns, out->last_end_ns[s->stream]);
	assert_true(s->end_ns > s->start_ns);
	out->last_end_ns[s->stream] = s->end_ns;
	out->sample_bytes[s->stream] += s->bytes;
	if (s->omitted == 0 && s->units != WIRE_UNKNOWN_U64)
		out->units[s->stream] += s->units;
	out->last_sample[s->stream] = *s;
	if (s->omitted == 0) {
		out->measured_bytes[s->stream] += s->bytes;
		add_known(&out->measured_lost[s->stream], s->lost);
		add_known(&out->retransmits[s->stream], s->retransmits);
		add_known(&out->busy_us[s->stream], s->busy_us);
	}
	if (s->stream != 0) {
		assert_int_equal(s->cpu_permille, WIRE_UNKNOWN_U32);
		assert_int_equal(s->core_max_permille, WIRE_UNKNOWN_U32);
		assert_int_equal(s->steal_permille, WIRE_UNKNOWN_U32);
		return;
	}
	if (s->omitted == 0 && out->sample_count == out->omitted_count)
		out->opened_ns = s->start_ns;
	if (s->omitted == 0 && s->cpu_permille != WIRE_UNKNOWN_U32)
		out->cpu_us += s->cpu_permille * (s->end_ns - s->start_ns) / 1000000;
	out->sample_count++;
	out->omitted_count += s->omitted;
	out->has_cpu = out->has_cpu && s->cpu_permille != WIRE_UNKNOWN_U32;
	out->has_load = out->has_load && s->core_max_permille != WIRE_UNKNOWN_U32 &&
	                s->steal_permille != WIRE_UNKNOWN_U32;
}

static void collect_latency(const struct msg_latency *m, struct outcome *out)
{
	bool is_rr = strcmp(m->kind, "rr") == 0;
	struct msg_latency *to = is_rr ? &out->rr : &out->loaded;

	assert_true(is_rr || strcmp(m->kind, "loaded") == 0);
	assert_int_equal(to->count, 0); /* once */
	assert_true(m->count > 0);
	*to = *m;
}

static void begin_outcome(struct outcome *out)
{
	out->has_cpu = true;
	out->has_load = true;
	out->nic_bytes = WIRE_UNKNOWN_U64;
}

/* True when it was the last message of the answer. */
static bool collect(const struct msg *msg, struct outcome *out)
{
	if (msg->type == MSG_SAMPLE) {
		collect_sample(&msg->u.sample, out);
	} else if (msg->type == MSG_STREAM) {
		assert_in_range(msg->u.stream.stream, 1, DRIVER_STREAMS_MAX);
		out->stream[msg->u.stream.stream] = msg->u.stream;
		out->stream_count++;
	} else if (msg->type == MSG_COUNTER) {
		out->counter_count++;
		if (strcmp(msg->u.counter.name, "nic.tx_bytes") == 0)
			out->nic_bytes = msg->u.counter.delta;
	} else if (msg->type == MSG_LATENCY) {
		collect_latency(&msg->u.latency, out);
	} else if (msg->type == MSG_DATAGRAMS) {
		assert_in_range(msg->u.datagrams.stream, 0, DRIVER_STREAMS_MAX);
		out->datagrams[msg->u.datagrams.stream] = msg->u.datagrams;
		out->datagrams_count++;
	} else if (msg->type == MSG_RESULT) {
		out->result = msg->u.result;
	} else if (msg->type == MSG_TROUBLE) {
		number_set_add(&out->troubles, msg->u.trouble.stream);
	} else if (msg->type == MSG_FAILED) {
		out->failed = msg->u.failed;
		out->has_failed = true;
		return true;
	} else {
		assert_int_equal(msg->type, MSG_DONE);
		return true;
	}
	return false;
}

void agent_collect_both(struct agent *a, const uint32_t id[2], struct outcome *const out[2])
{
	bool is_over[2] = {false, out[1] == NULL};
	struct msg msg = {0};

	begin_outcome(out[0]);
	if (!is_over[1])
		begin_outcome(out[1]);
	while (!is_over[0] || !is_over[1]) {
		int which;

		if (!agent_next(a, DRIVER_WAIT_MS, &msg))
			fail_msg("the agent stopped in the middle of its answer");
		which = is_over[0] || (!is_over[1] && msg.id == id[1]) ? 1 : 0;
		assert_int_equal(msg.id, id[which]);
		is_over[which] = collect(&msg, out[which]);
	}
}

void agent_collect(struct agent *a, uint32_t id, struct outcome *out)
{
	const uint32_t ids[2] = {id, 0};
	struct outcome *const outcomes[2] = {out, NULL};

	agent_collect_both(a, ids, outcomes);
}

void driver_run(struct agent *listener, struct agent *connector, const struct spec *spec,
                struct outcome *sender, struct outcome *receiver)
{
	struct agent *from = spec->is_listener_sender ? listener : connector;
	struct agent *to = spec->is_listener_sender ? connector : listener;
	uint32_t test[2]; /* of the listener, of the connector */
	struct msg msg;
	uint32_t from_id;
	uint32_t to_id;

	memset(sender, 0, sizeof(*sender));
	memset(receiver, 0, sizeof(*receiver));
	(void)driver_connect(listener, connector, spec, test);
	agent_expect(listener, MSG_CONNECTED, test[0], &msg);
	*(spec->is_listener_sender ? &sender->connected : &receiver->connected) = msg.u.connected;
	agent_expect(connector, MSG_CONNECTED, test[1], &msg);
	*(spec->is_listener_sender ? &receiver->connected : &sender->connected) = msg.u.connected;
	to_id = to->next_id++;
	from_id = from->next_id++;
	agent_say(to, "go id=%u test=%u", to_id, test[to == listener ? 0 : 1]);
	agent_say(from, "go id=%u test=%u", from_id, test[from == listener ? 0 : 1]);
	agent_collect(to, to_id, receiver);
	agent_collect(from, from_id, sender);
}

static struct sockaddr_in loopback(uint32_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return at;
}

int driver_try_listen(uint32_t *port)
{
	struct sockaddr_in at = loopback(*port);
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 16) < 0) {
		(void)close(fd);
		return -1;
	}
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

int driver_listen(uint32_t *port)
{
	int fd = driver_try_listen(port);

	assert_true(fd >= 0);
	return fd;
}

int driver_dial(uint32_t port)
{
	struct sockaddr_in at = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	if (connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0)
		return fd;
	(void)close(fd);
	return -1;
}

int driver_join(uint32_t port, uint16_t stream, enum preamble_kind kind)
{
	struct preamble p = {.stream = stream, .kind = kind};
	unsigned char bytes[PREAMBLE_BYTES];
	int fd = driver_dial(port);

	assert_true(fd >= 0);
	assert_true(preamble_token_parse(DRIVER_TOKEN, p.token));
	preamble_format(&p, bytes);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(driver_read_byte(fd, DRIVER_WAIT_MS), 1);
	return fd;
}

int driver_read_byte(int fd, uint32_t wait_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char byte;

	if (poll(&p, 1, (int)wait_ms) != 1)
		return -1;
	return (int)read(fd, &byte, 1);
}

void driver_sleep_ms(uint32_t ms)
{
	clock_sleep_until(clock_now_ns() + ms * CLOCK_NS_PER_MS);
}
