/* SPDX-License-Identifier: MIT */
/* The link over shells of this machine: scripts play the agent. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/attr.h"
#include "common/clock.h"
#include "link/link.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/link/transport_process.h"

#define GREET "printf '\\n\\001VNM-AGENT-1\\n'\n"
#define READY(version, sum)                                     \
	"read hello\n"                                          \
	"echo \"ready id=0 version=" version                    \
	" agent_version=9.9 platform=linux arch=sh sha256=" sum \
	" pid=$$ clock_ns=1 wall_ms=$(date +%s)500 caps=tcp\"\n"
#define ALIVE "( while kill -0 $$ 2>/dev/null; do echo alive id=0 clock_ns=1; sleep 0.2; done ) &\n"
#define SERVE                                                                                   \
	"while read verb rest; do case $verb in\n"                                              \
	"bye) echo done ${rest%% *}; exit 0 ;;\n"                                               \
	"facts) echo fact ${rest%% *} key=os.name value=sh source=test; echo done ${rest%% *} " \
	";;\n"                                                                                  \
	"esac; done\n"
#define GOOD GREET READY("1", "$sum") ALIVE SERVE

struct lab {
	char agent[32];
	struct link_set *set;
	size_t count;
	struct link_target targets[64];
};

/* Writes the agent: what every script does first, then `body`. */
static void write_agent(struct lab *lab, const char *body)
{
	FILE *out;

	(void)snprintf(lab->agent, sizeof(lab->agent), "/tmp/test-link-XXXXXX");
	out = fdopen(mkstemp(lab->agent), "w");
	assert_non_null(out);
	(void)fprintf(out,
	              "#!/bin/sh\n"
	              "test \"$1\" = --version && exit 0\n"
	              "sum=$(sha256sum <\"$2\"); sum=${sum%%%% *}; rm -f \"$2\"; rmdir \"$4\"\n%s",
	              body);
	assert_int_equal(fclose(out), 0);
}

static void start(struct lab *lab, const char *body, const char *const addresses[], size_t count)
{
	struct link_options options = {.agent_path = lab->agent, .connect_ms = 20000};
	struct err err;

	memset(lab, 0, sizeof(*lab));
	write_agent(lab, body);
	lab->count = count;
	for (size_t i = 0; i < count; i++)
		lab->targets[i] = (struct link_target){.name = "esx1",
		                                       .address = addresses[i],
		                                       .port = 22,
		                                       .user = "root",
		                                       .known_hosts = "/dev/null"};
	options.agent_path = lab->agent;
	lab->set = link_set_new_over(process_open, lab->targets, count, &options, &err);
	assert_non_null(lab->set);
	for (size_t i = 0; i < count; i++)
		link_connect(lab->set, i);
}

static void start_here(struct lab *lab, const char *body)
{
	static const char *const addresses[] = {"here"};

	start(lab, body, addresses, 1);
}

static void end(struct lab *lab)
{
	uint64_t start_ns = clock_now_ns();

	link_set_free(lab->set);
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, 0, 3500);
	assert_int_equal(unlink(lab->agent), 0);
}

static struct link_event next(struct lab *lab)
{
	struct link_event event;

	assert_true(link_next(lab->set, clock_now_ns() + 20 * CLOCK_NS_PER_S, -1, &event));
	return event;
}

static struct link_event expect(struct lab *lab, enum link_event_kind kind)
{
	struct link_event event = next(lab);

	if (event.kind != kind)
		fail_msg("event %d instead of %d: %s", (int)event.kind, (int)kind,
		         event.kind == LINK_DOWN ? event.err.msg : "");
	return event;
}

static void send_facts(struct lab *lab, uint32_t id)
{
	struct msg msg;

	msg_init(&msg, MSG_FACTS, id);
	link_send(lab->set, 0, &msg);
}

static void a_host_comes_up_answers_and_is_left_clean(void **state)
{
	struct link_event event;
	struct lab lab;
	pid_t pid;

	(void)state;
	start_here(&lab, GOOD);
	event = expect(&lab, LINK_UP);
	assert_int_equal(event.info.stage, LINK_STAGE_UP);
	assert_string_equal(event.info.address, "127.0.0.1:22");
	assert_string_equal(event.info.host_key, "ssh-ed25519 SHA256:x");
	assert_string_equal(event.info.login, "key /k");
	assert_string_equal(event.info.agent_version, "9.9");
	assert_string_equal(event.info.platform, "linux");
	assert_string_equal(event.info.arch, "sh");
	assert_int_equal(strlen(event.info.agent_sha256), 64);
	assert_true(event.info.clock_offset_us > -2000000 && event.info.clock_offset_us < 2000000);
	assert_non_null(strstr(event.info.folder, "/.vnm-"));
	assert_int_not_equal(access(event.info.folder, F_OK), 0); /* the agent has removed it */
	pid = (pid_t)event.info.agent_pid;
	assert_int_equal(kill(pid, 0), 0);

	send_facts(&lab, 7);
	event = expect(&lab, LINK_MESSAGE);
	assert_int_equal(event.msg.type, MSG_FACT);
	assert_string_equal(event.msg.u.fact.value, "sh");
	event = expect(&lab, LINK_MESSAGE);
	assert_int_equal(event.msg.type, MSG_DONE);
	assert_int_equal(event.msg.id, 7);
	end(&lab);
	assert_int_not_equal(kill(pid, 0), 0);
}

static const struct {
	const char *what;
	const char *body;
	enum link_stage stage;
	const char *why;
} bad_agents[] = {
	{"ends with a word", "echo no musl here >&2; exit 3\n", LINK_STAGE_AGENT,
         "esx1: the agent ended with status 3: no musl here"},
	{"ends without a word", "exit 0\n", LINK_STAGE_AGENT,
         "esx1: the agent ended with status 0"},
	{"is killed", GREET READY("1", "$sum") "kill -9 $$\n", LINK_STAGE_UP,
         "esx1: the agent was ended by signal KILL"},
	{"ends when it has been up", GREET READY("1", "$sum") "sleep 0.1; exit 4\n", LINK_STAGE_UP,
         "esx1: the agent ended with status 4"},
	{"another version", GREET READY("2", "$sum") SERVE, LINK_STAGE_AGENT,
         "esx1: the agent speaks version 2 of the protocol, this vnm version 1: use the agent that "
         "came with it"},
	{"another file", GREET READY("1", "0123456789abcdef0000") SERVE, LINK_STAGE_AGENT,
         "esx1: another agent answers: SHA-256 0123456789abcdef... instead of "},
	{"refuses", GREET "read x; echo failed id=0 kind=usage reason=too%20old; read x\n",
         LINK_STAGE_AGENT, "esx1: the agent refuses: too old"},
	{"speaks nonsense", GREET READY("1", "$sum") "echo what now; read x\n", LINK_STAGE_UP,
         "esx1: the agent talks nonsense: unknown message 'what'"},
	{"speaks like us", GREET READY("1", "$sum") "echo bye id=1; read x\n", LINK_STAGE_UP,
         "esx1: the agent talks nonsense: the agent sent bye, which is for agents"},
	{"has no end", GREET READY("1", "$sum") "head -c 5000 /dev/zero | tr '\\0' a; read x\n",
         LINK_STAGE_UP, "esx1: the agent talks nonsense: message longer than 1024 bytes"},
};

static void an_agent_that_misbehaves_is_told_and_gone(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad_agents); i++) {
		struct link_event event;
		struct lab lab;

		start_here(&lab, bad_agents[i].body);
		if (bad_agents[i].stage == LINK_STAGE_UP)
			(void)expect(&lab, LINK_UP);
		event = expect(&lab, LINK_DOWN);
		if (strncmp(event.err.msg, bad_agents[i].why, strlen(bad_agents[i].why)) != 0)
			fail_msg("%s: %s", bad_agents[i].what, event.err.msg);
		assert_int_equal(event.info.stage, bad_agents[i].stage);
		assert_int_equal(event.err.kind, ERR_REMOTE);
		end(&lab);
		assert_int_not_equal(access(event.info.folder, F_OK), 0);
	}
}

static void a_silent_host_is_lost_within_three_seconds(void **state)
{
	struct link_event event;
	uint64_t start_ns;
	struct lab lab;

	(void)state;
	start_here(&lab, GREET READY("1", "$sum") SERVE); /* no alive */
	(void)expect(&lab, LINK_UP);
	start_ns = clock_now_ns();
	event = expect(&lab, LINK_DOWN);
	assert_string_equal(event.err.msg, "esx1: no sign of life for 2.5 s");
	assert_int_equal(event.err.kind, ERR_TIMEOUT);
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, 2000, 3000);
	end(&lab);
}

static void a_beat_before_the_answer_is_no_answer(void **state)
{
	struct lab lab;

	(void)state;
	start_here(&lab, GREET "echo alive id=0 clock_ns=1\n" READY("1", "$sum") ALIVE SERVE);
	(void)expect(&lab, LINK_UP);
	end(&lab);
}

static void our_beats_reach_the_agent(void **state)
{
	static const char body[] = GREET READY("1", "$sum") ALIVE
		"while read verb rest; do test $verb = beat && { echo done id=9; exit 0; }; done\n";
	struct link_event event;
	struct lab lab;

	(void)state;
	start_here(&lab, body);
	(void)expect(&lab, LINK_UP);
	event = expect(&lab, LINK_MESSAGE);
	assert_int_equal(event.msg.id, 9);
	(void)expect(&lab, LINK_DOWN);
	end(&lab);
}

static void a_lost_host_can_be_connected_again(void **state)
{
	static const char body[] = GREET READY("1", "$sum") "sleep 0.1; exit 4\n";
	struct link_event event;
	struct lab lab;

	(void)state;
	start_here(&lab, body);
	for (int life = 0; life < 4; life++) {
		(void)expect(&lab, LINK_UP);
		link_connect(lab.set, 0); /* it is up: nothing happens */
		event = expect(&lab, LINK_DOWN);
		assert_string_equal(event.err.msg, "esx1: the agent ended with status 4");
		if (life % 2 == 1)
			(void)usleep(300000); /* after its thread has ended, too */
		link_connect(lab.set, 0);
	}
	end(&lab);
}

static void a_lost_connection_is_told_with_its_reason(void **state)
{
	static const char *const addresses[] = {"lost"};
	struct link_event event;
	struct lab lab;

	(void)state;
	start(&lab, GOOD, addresses, 1);
	(void)expect(&lab, LINK_UP);
	event = expect(&lab, LINK_DOWN);
	assert_string_equal(event.err.msg, "esx1: the SSH connection was closed: test");
	end(&lab);
}

static void a_host_that_cannot_be_reached_leaves_the_others_alone(void **state)
{
	static const char *const addresses[] = {"refused", "here", "silent"};
	struct link_event event;
	struct lab lab;

	(void)state;
	start(&lab, GOOD, addresses, 3);
	event = expect(&lab, LINK_DOWN);
	assert_int_equal(event.host, 0);
	assert_int_equal(event.info.stage, LINK_STAGE_CONNECT);
	assert_string_equal(event.err.msg, "esx1: connect: refused");
	event = expect(&lab, LINK_UP);
	assert_int_equal(event.host, 1);
	end(&lab); /* one is still connecting */
}

static void messages_for_a_host_that_is_not_up_are_lost(void **state)
{
	static const char *const addresses[] = {"refused"};
	struct link_event event;
	struct lab lab;

	(void)state;
	start(&lab, GOOD, addresses, 1);
	send_facts(&lab, 1);
	(void)expect(&lab, LINK_DOWN);
	send_facts(&lab, 2);
	assert_false(link_next(lab.set, clock_now_ns() + 20 * CLOCK_NS_PER_MS, -1, &event));
	end(&lab);
}

static void a_message_that_fits_no_line_ends_the_conversation(void **state)
{
	struct link_event event;
	struct msg msg;
	struct lab lab;

	(void)state;
	start_here(&lab, GOOD);
	(void)expect(&lab, LINK_UP);
	msg_init(&msg, MSG_PREPARE, 1);
	memset(msg.u.prepare.token, ' ', WIRE_STR_BYTES - 1);
	memset(msg.u.prepare.role, ' ', WIRE_STR_BYTES - 1);
	memset(msg.u.prepare.side, ' ', WIRE_STR_BYTES - 1);
	link_send(lab.set, 0, &msg);
	event = expect(&lab, LINK_DOWN);
	assert_string_equal(event.err.msg, "esx1: the message prepare does not fit into a line");
	end(&lab);
}

static void handshakes_at_once_are_bounded(void **state)
{
	const char *addresses[64];
	struct lab lab;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(addresses); i++)
		addresses[i] = "slow";
	start(&lab, GOOD, addresses, COUNT_OF(addresses));
	for (size_t i = 0; i < COUNT_OF(addresses); i++)
		(void)expect(&lab, LINK_DOWN);
	assert_in_range(process_openings(), 2, LINK_HANDSHAKES_MAX);
	end(&lab);
}

static void more_hosts_than_handshakes_can_be_stopped(void **state)
{
	const char *addresses[LINK_HANDSHAKES_MAX + 8];
	struct lab lab;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(addresses); i++)
		addresses[i] = "silent";
	start(&lab, GOOD, addresses, COUNT_OF(addresses));
	end(&lab);
}

/* The script's last line and the agent's greeting: nothing more comes before we speak. */
static void a_greeting_that_comes_with_the_last_line_is_answered(void **state)
{
	static const char *const addresses[] = {"bunched"};
	struct lab lab;

	(void)state;
	start(&lab, GREET READY("1", "$sum") SERVE, addresses, 1);
	(void)expect(&lab, LINK_UP);
	end(&lab);
}

static void stopping_in_mid_deployment_leaves_nothing(void **state)
{
	static const char body[] = "read never\n"; /* does not greet */
	struct lab lab;

	(void)state;
	start_here(&lab, body);
	(void)usleep(200000);
	end(&lab);
}

static void an_agent_that_ignores_bye_is_ended(void **state)
{
	static const char body[] =
		GREET READY("1", "$sum") ALIVE "trap '' TERM HUP; while :; do sleep 0.2; done\n";
	struct link_event event;
	struct lab lab;

	(void)state;
	start_here(&lab, body);
	event = expect(&lab, LINK_UP);
	end(&lab);
	for (int i = 0; i < 50 && kill((pid_t)event.info.agent_pid, 0) == 0; i++)
		(void)usleep(20000);
	assert_int_not_equal(kill((pid_t)event.info.agent_pid, 0), 0);
}

static void what_an_agent_leaves_behind_is_swept(void **state)
{
	static const char *const bodies[] = {
		"mkdir \"$4\"; echo x >\"$2\"\n" GOOD,
		"mkdir \"$4\"; echo x >\"$2\"\n" GREET READY("1", "$sum") "kill -9 $$\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		struct link_event event;
		struct lab lab;

		start_here(&lab, bodies[i]);
		event = expect(&lab, LINK_UP);
		assert_int_equal(access(event.info.folder, F_OK), 0);
		end(&lab);
		assert_int_not_equal(access(event.info.folder, F_OK), 0);
	}
}

static void waiting_ends_at_the_deadline_or_when_woken(void **state)
{
	static const char *const addresses[] = {"silent"};
	int wake_fd = eventfd(0, EFD_CLOEXEC);
	uint64_t start_ns = clock_now_ns();
	struct link_event event;
	struct lab lab;

	(void)state;
	start(&lab, GOOD, addresses, 1);
	assert_false(link_next(lab.set, start_ns + 100 * CLOCK_NS_PER_MS, wake_fd, &event));
	assert_true(clock_now_ns() >= start_ns + 100 * CLOCK_NS_PER_MS);
	assert_int_equal(eventfd_write(wake_fd, 1), 0);
	assert_false(link_next(lab.set, UINT64_MAX, wake_fd, &event));
	(void)close(wake_fd);
	end(&lab);
}

static void an_agent_that_cannot_be_read_is_told(void **state)
{
	struct link_options options = {.agent_path = "/nonexistent/vnm-agent"};
	struct link_target target = {.name = "a", .address = "b", .user = "c", .known_hosts = "d"};
	struct err err;

	(void)state;
	assert_null(link_set_new(&target, 1, &options, &err));
	assert_non_null(strstr(err.msg, "/nonexistent/vnm-agent"));
	assert_non_null(strstr(err.msg, "No such file or directory"));
	link_set_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_comes_up_answers_and_is_left_clean),
		cmocka_unit_test(an_agent_that_misbehaves_is_told_and_gone),
		cmocka_unit_test(a_silent_host_is_lost_within_three_seconds),
		cmocka_unit_test(a_beat_before_the_answer_is_no_answer),
		cmocka_unit_test(our_beats_reach_the_agent),
		cmocka_unit_test(a_lost_host_can_be_connected_again),
		cmocka_unit_test(a_lost_connection_is_told_with_its_reason),
		cmocka_unit_test(a_host_that_cannot_be_reached_leaves_the_others_alone),
		cmocka_unit_test(messages_for_a_host_that_is_not_up_are_lost),
		cmocka_unit_test(a_message_that_fits_no_line_ends_the_conversation),
		cmocka_unit_test(handshakes_at_once_are_bounded),
		cmocka_unit_test(more_hosts_than_handshakes_can_be_stopped),
		cmocka_unit_test(a_greeting_that_comes_with_the_last_line_is_answered),
		cmocka_unit_test(stopping_in_mid_deployment_leaves_nothing),
		cmocka_unit_test(an_agent_that_ignores_bye_is_ended),
		cmocka_unit_test(what_an_agent_leaves_behind_is_swept),
		cmocka_unit_test(waiting_ends_at_the_deadline_or_when_woken),
		cmocka_unit_test(an_agent_that_cannot_be_read_is_told),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("link/link", tests, NULL, NULL);
}
