/* SPDX-License-Identifier: MIT */
/* Deploying to this machine, by its own shell. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/attr.h"
#include "common/clock.h"
#include "hostops/machine.h"
#include "link/deploy.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/link/transport_process.h"

#define HEAD   "#!/bin/sh\ntest \"$1\" = --version && { "
#define REMOVE "rm -f \"$2\"; rmdir \"$4\"\n"

struct fixture {
	struct transport *t;
	int wake_fd;
	struct deploy_agents agents;
};

static void begin(struct fixture *f, const char *bytes, size_t size)
{
	const struct link_host host = {.target = {.address = "here"}};
	struct wait_limit limit = {clock_now_ns() + CLOCK_NS_PER_S, eventfd(0, EFD_CLOEXEC)};
	struct transport_info info;
	struct err err;

	f->wake_fd = limit.wake_fd;
	f->agents = (struct deploy_agents){.count = 1};
	f->agents.at[0] =
		(struct deploy_agent){.bytes = bytes, .size = size, .machine = MACHINE_ANY};
	sha256_of(bytes, size, f->agents.at[0].sha256);
	f->t = process_open(&host, &limit, &info, &err);
	assert_non_null(f->t);
}

static void end(struct fixture *f)
{
	transport_close(f->t);
	(void)close(f->wake_fd);
}

static bool go_on(void *arg)
{
	(void)arg;
	return false;
}

static bool stop_at_once(void *arg)
{
	(void)arg;
	return true;
}

/* All that the command says until it ends. */
static void read_to_end(struct fixture *f, char *said, size_t room)
{
	struct transport_end how;
	struct err err;
	size_t len = 0;

	transport_end_input(f->t);
	while (!transport_ended(f->t, &how))
		assert_true(transport_pump(f->t, clock_now_ns() + CLOCK_NS_PER_S, &err));
	len = transport_read(f->t, said, room - 1);
	said[len] = '\0';
}

static void the_agent_runs_and_what_it_says_is_untouched(void **state)
{
	static const char agent[] = HEAD "exit 0; }\n" REMOVE "echo first; echo \"$3 $4\"\n";
	struct deployed deployed;
	struct fixture f;
	struct err err;
	char said[256];
	char expected[256];

	(void)state;
	begin(&f, agent, sizeof(agent) - 1);
	assert_true(deploy(f.t, &f.agents, go_on, NULL, &deployed, &err));
	assert_true(deployed.is_checked);
	assert_false(deployed.is_compiled);
	assert_string_equal(deployed.sha256, f.agents.at[0].sha256);
	read_to_end(&f, said, sizeof(said));
	(void)snprintf(expected, sizeof(expected), "first\n--home %s\n", deployed.folder);
	assert_string_equal(said, expected);
	assert_int_not_equal(access(deployed.folder, F_OK), 0);
	end(&f);
}

/* More than any pipe or window holds. */
static void a_large_agent_comes_whole(void **state)
{
	static const char head[] = HEAD "exit 0; }\nwc -c <\"$2\"; " REMOVE "exit 0\n";
	const size_t size = 3000000;
	struct deployed deployed;
	struct fixture f;
	struct err err;
	char said[64];
	char *agent = malloc(size);

	(void)state;
	assert_non_null(agent);
	memset(agent, '#', size);
	memcpy(agent, head, sizeof(head) - 1);
	begin(&f, agent, size);
	assert_true(deploy(f.t, &f.agents, go_on, NULL, &deployed, &err));
	read_to_end(&f, said, sizeof(said));
	assert_string_equal(said, "3000000\n");
	end(&f);
	free(agent);
}

static void each_place_is_tried_and_told_when_the_agent_does_not_execute(void **state)
{
	static const char agent[] = HEAD "echo wrong machine >&2; exit 9; }\n";
	struct deployed deployed;
	struct fixture f;
	struct err err;

	(void)state;
	begin(&f, agent, sizeof(agent) - 1);
	assert_false(deploy(f.t, &f.agents, go_on, NULL, &deployed, &err));
	assert_int_equal(err.kind, ERR_REMOTE);
	assert_non_null(strstr(err.msg,
	                       "no folder takes the agent (make room, or allow execution in "
	                       "one): /tmp: the agent does not run: status 9: wrong machine; "
	                       "/var/tmp: the agent does not run: status 9: wrong machine; "));
	assert_null(strstr(err.msg, ".vnm-"));
	assert_string_equal(deployed.folder, "");
	end(&f);
}

/* A program that no kernel runs: the beginning of one for another machine. */
static const char foreign[] = "\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\002\0\026\0 and so on";

/* An agent's source: does what the scripts above do. */
static const char source[] =
	"#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
	"int main(int argc, char **argv)\n{\n"
	"	if (argc == 2 && strcmp(argv[1], \"--version\") == 0)\n\t\treturn 0;\n"
	"	unlink(argv[2]);\n\trmdir(argv[4]);\n\tputs(\"compiled\");\n\treturn 0;\n}\n";

static void offer_source(struct fixture *f, const char *bytes)
{
	f->agents.source = (struct deploy_agent){.bytes = bytes, .size = strlen(bytes)};
	sha256_of(bytes, strlen(bytes), f->agents.source.sha256);
}

static bool has_compiler(void)
{
	return access("/usr/bin/cc", X_OK) == 0;
}

static void the_source_is_compiled_where_no_agent_fits(void **state)
{
	struct deployed deployed;
	struct fixture f;
	struct err err;
	char said[64];

	(void)state;
	if (!has_compiler())
		skip();
	begin(&f, foreign, sizeof(foreign) - 1);
	f.agents.at[0].machine = "s390x";
	offer_source(&f, source);
	assert_true(deploy(f.t, &f.agents, go_on, NULL, &deployed, &err));
	assert_true(deployed.is_compiled);
	assert_true(deployed.is_checked);
	assert_int_equal(strspn(deployed.sha256, "0123456789abcdef"), 64);
	assert_string_not_equal(deployed.sha256, f.agents.source.sha256);
	read_to_end(&f, said, sizeof(said));
	assert_string_equal(said, "compiled\n");
	assert_int_not_equal(access(deployed.folder, F_OK), 0);
	end(&f);
}

static void the_source_is_compiled_when_the_agent_turns_out_to_be_foreign(void **state)
{
	struct deployed deployed;
	struct fixture f;
	struct err err;
	char said[64];

	(void)state;
	if (!has_compiler())
		skip();
	begin(&f, foreign, sizeof(foreign) - 1);
	offer_source(&f, source);
	assert_true(deploy(f.t, &f.agents, go_on, NULL, &deployed, &err));
	assert_true(deployed.is_compiled);
	read_to_end(&f, said, sizeof(said));
	assert_string_equal(said, "compiled\n");
	end(&f);
}

/* What was tried, without the name of this machine. */
static void a_host_that_gets_no_agent_is_told_what_to_do(void **state)
{
	static const struct {
		const char *machine, *source,
			*why; /* why: from the beginning, or from its ':' on */
	} cases[] = {
		{"s390x", NULL, "there is no agent for Linux/"},
		{MACHINE_ANY, NULL,
	         "the agent for any does not run on the host: it is for another "
	         "kind of machine (Exec format error)"},
		{"s390x", "int main(void) { return no such; }",
	         "cc cannot compile the agent there (status 1): "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct deployed deployed;
		struct fixture f;
		struct err err;

		if (cases[i].source != NULL && !has_compiler())
			continue;
		begin(&f, foreign, sizeof(foreign) - 1);
		f.agents.at[0].machine = cases[i].machine;
		if (cases[i].source != NULL)
			offer_source(&f, cases[i].source);
		assert_false(deploy(f.t, &f.agents, go_on, NULL, &deployed, &err));
		assert_int_equal(err.kind, ERR_REMOTE);
		if (strncmp(err.msg, cases[i].why, strlen(cases[i].why)) != 0)
			fail_msg("%s", err.msg);
		assert_string_equal(deployed.folder, "");
		end(&f);
	}
}

static void an_agent_that_came_damaged_is_not_run(void **state)
{
	static const char agent[] = HEAD "touch /tmp/must-not-run; }\n";
	struct deployed deployed;
	struct fixture f;
	struct err err;

	(void)state;
	begin(&f, agent, sizeof(agent) - 1);
	f.agents.at[0].sha256[0] = f.agents.at[0].sha256[0] == '0' ? '1' : '0';
	assert_false(deploy(f.t, &f.agents, go_on, NULL, &deployed, &err));
	assert_non_null(strstr(err.msg, "/tmp: SHA-256 of the upload differs: "));
	assert_int_not_equal(access("/tmp/must-not-run", F_OK), 0);
	end(&f);
}

static void deploying_can_be_given_up(void **state)
{
	static const char agent[] = HEAD "exit 0; }\n";
	struct deployed deployed;
	struct fixture f;
	struct err err;

	(void)state;
	begin(&f, agent, sizeof(agent) - 1);
	assert_false(deploy(f.t, &f.agents, stop_at_once, NULL, &deployed, &err));
	assert_int_equal(err.kind, ERR_CANCELLED);
	end(&f);
}

static void a_sweep_removes_the_folder_also_when_woken(void **state)
{
	char folder[] = "/tmp/.vnm-0000000000XXXXXX";
	char file[64];
	struct fixture f;
	FILE *out;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(file, sizeof(file), "%s/vnm-agent", folder);
	out = fopen(file, "w");
	assert_non_null(out);
	(void)fclose(out);
	begin(&f, "", 0);
	assert_int_equal(eventfd_write(f.wake_fd, 1), 0);
	deploy_sweep(f.t, folder, 0, clock_now_ns() + 5 * CLOCK_NS_PER_S);
	assert_int_not_equal(access(folder, F_OK), 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_agent_runs_and_what_it_says_is_untouched),
		cmocka_unit_test(a_large_agent_comes_whole),
		cmocka_unit_test(each_place_is_tried_and_told_when_the_agent_does_not_execute),
		cmocka_unit_test(the_source_is_compiled_where_no_agent_fits),
		cmocka_unit_test(the_source_is_compiled_when_the_agent_turns_out_to_be_foreign),
		cmocka_unit_test(a_host_that_gets_no_agent_is_told_what_to_do),
		cmocka_unit_test(an_agent_that_came_damaged_is_not_run),
		cmocka_unit_test(deploying_can_be_given_up),
		cmocka_unit_test(a_sweep_removes_the_folder_also_when_woken),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("link/deploy", tests, NULL, NULL);
}
