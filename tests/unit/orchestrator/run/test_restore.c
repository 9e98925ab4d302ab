/* SPDX-License-Identifier: MIT */
/*
 * Hosts are folders, settings are files in them, and the commands are run by this machine's
 * shell: all of `vnm restore` but SSH.
 */
#include "run/restore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/test.h"

enum { HOSTS = 2, ROWS_MAX = 4, EVENTS_MAX = 64 };

static char folder[] = "/tmp/vnm-restore-XXXXXX";

/* ---- links that run what they are given ---- */

static struct {
	struct link_event events[EVENTS_MAX];
	size_t first, count;
	bool is_unreachable[HOSTS];
	size_t breaks_at; /* the n-th command from 1 ends the link; 0: none */
	size_t commands;
} net;

static void post(size_t host, enum link_event_kind kind, const char *text)
{
	struct link_event *e = &net.events[net.count++];

	assert_true(net.count <= EVENTS_MAX);
	*e = (struct link_event){.host = host, .kind = kind};
	if (kind == LINK_LINE)
		(void)snprintf(e->line, sizeof(e->line), "%s", text);
	else if (kind == LINK_DOWN)
		(void)err_set(&e->err, ERR_REMOTE, "%s", text);
}

struct link_set *link_set_new(const struct link_target *targets, size_t count,
                              const struct link_options *options, struct err *err)
{
	(void)targets;
	(void)err;
	assert_true(options->is_errand);
	assert_true(count <= HOSTS);
	return (struct link_set *)&net;
}

void link_connect(struct link_set *set, size_t host)
{
	(void)set;
	if (net.is_unreachable[host])
		post(host, LINK_DOWN, "connection refused");
	else
		post(host, LINK_UP, NULL);
}

void link_send(struct link_set *set, size_t host, const struct msg *msg)
{
	(void)set;
	(void)host;
	(void)msg;
	fail_msg("there is no agent");
}

void link_run(struct link_set *set, size_t host, const char *command,
              const struct shell_marker *marker)
{
	char line[1024];
	FILE *shell;

	(void)set;
	if (++net.commands == net.breaks_at) {
		post(host, LINK_DOWN, "connection lost");
		return;
	}
	shell = popen(command, "r"); /* NOLINT(cert-env33-c): the command is what is tested */
	assert_non_null(shell);
	while (fgets(line, sizeof(line), shell) != NULL) {
		const char *marked;

		line[strcspn(line, "\n")] = '\0';
		marked = shell_marker_read(marker, line);
		if (marked != NULL)
			post(host, LINK_LINE, marked);
	}
	(void)pclose(shell);
	post(host, LINK_RAN, NULL);
}

void link_run_text(struct link_set *set, size_t host, const struct link_text *what)
{
	static const struct shell_marker marker = {"0123456789abcdef0123456789abcdef"};
	char path[64], command[128];
	FILE *f;

	if (what->privilege != PRIVILEGE_ROOT) {
		post(host, LINK_RAN, NULL);
		(void)err_set(&net.events[net.count - 1].err, ERR_REMOTE, "sudo refused");
		return;
	}
	(void)snprintf(path, sizeof(path), "%s/text", folder);
	(void)snprintf(command, sizeof(command), "exec /bin/sh %s", path);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fprintf(f, "m=%s\n%s\n", marker.text, what->text) > 0);
	assert_int_equal(fclose(f), 0);
	link_run(set, host, command, &marker);
	assert_int_equal(unlink(path), 0);
}

bool link_next(struct link_set *set, uint64_t deadline_ns, int wake_fd, struct link_event *out)
{
	(void)set;
	(void)deadline_ns;
	(void)wake_fd;
	assert_true(net.first < net.count); /* else it would wait for ever */
	*out = net.events[net.first++];
	return true;
}

void link_set_free(struct link_set *set)
{
	(void)set;
}

/* ---- a journal that remembers ---- */

static struct {
	enum journal_state state[ROWS_MAX + 1]; /* by change_id */
	char reason[ROWS_MAX + 1][256];
	char value[ROWS_MAX + 1][64];
	size_t updates, fail_at;
} kept;

static bool update(void *ctx, int64_t id, const struct journal_update *u, struct err *err)
{
	(void)ctx;
	if (++kept.updates == kept.fail_at)
		return err_set(err, ERR_SYSTEM, "disk full");
	kept.state[id] = u->state;
	(void)snprintf(kept.reason[id], sizeof(kept.reason[id]), "%s",
	               u->reason == NULL ? "" : u->reason);
	(void)snprintf(kept.value[id], sizeof(kept.value[id]), "%s",
	               u->value_after == NULL ? "" : u->value_after);
	return true;
}

static const struct journal_sink journal = {.update = update};

/* ---- the stage ---- */

static char paths[4][64];
static char reads[4][128], backs[4][128];
static struct host hosts[HOSTS] = {{.name = "a", .mgmt = "a"}, {.name = "b", .mgmt = "b"}};
static const struct topology topo = {.hosts = hosts, .host_count = HOSTS};
static struct journal_row rows[ROWS_MAX];
static struct restore r;

static void set_file(size_t i, const char *value)
{
	FILE *f = fopen(paths[i], "we");

	assert_non_null(f);
	assert_true(fputs(value, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *file(size_t i)
{
	static char value[64];
	FILE *f = fopen(paths[i], "re");

	value[0] = '\0';
	if (f != NULL) {
		if (fgets(value, sizeof(value), f) == NULL)
			value[0] = '\0';
		(void)fclose(f);
	}
	value[strcspn(value, "\n")] = '\0';
	return value;
}

static int setup(void **state)
{
	static const char *const names[] = {"eth1", "eth2", "rmem_max", "eth1"};

	(void)state;
	memset(&net, 0, sizeof(net));
	memset(&kept, 0, sizeof(kept));
	(void)snprintf(folder, sizeof(folder), "/tmp/vnm-restore-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return 1;
	for (size_t i = 0; i < ROWS_MAX; i++) {
		(void)snprintf(paths[i], sizeof(paths[i]), "%s/%zu", folder, i);
		(void)snprintf(reads[i], sizeof(reads[i]), "cat %s", paths[i]);
		(void)snprintf(backs[i], sizeof(backs[i]), "echo 1500 >%s", paths[i]);
		rows[i] = (struct journal_row){.change_id = (int64_t)i + 1,
		                               .run_id = 1,
		                               .host = i == 3 ? "b" : "a",
		                               .object = i == 2 ? NULL : names[i],
		                               .setting = i == 2 ? names[i] : "mtu",
		                               .value_before = "1500",
		                               .value_requested = "9000",
		                               .read_command = reads[i],
		                               .restore_command = backs[i],
		                               .state = JOURNAL_CONFIRMED};
		set_file(i, "9000\n");
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	restore_close(&r);
	for (size_t i = 0; i < ROWS_MAX; i++)
		(void)unlink(paths[i]);
	return rmdir(folder);
}

static void open_and_look(size_t count)
{
	const struct link_options options = {.agent_path = NULL};
	struct err err = {0};

	if (!restore_open(&r, &topo, rows, count, &options, &err))
		fail_msg("%s", err.msg);
	restore_look(&r);
}

static void mend(void)
{
	struct err err = {0};

	if (!restore_mend(&r, &journal, &err))
		fail_msg("%s", err.msg);
}

static bool is_root(void)
{
	if (geteuid() == 0)
		return true;
	print_message("skipped: this needs root\n");
	return false;
}

/* ---- tests ---- */

static void looking_changes_nothing(void **state)
{
	(void)state;
	set_file(1, "1500\n");
	set_file(2, "4711\n");
	open_and_look(4);
	assert_int_equal(r.count, 4);
	assert_int_equal(r.at[0].state, RESTORE_CHANGED);
	assert_string_equal(r.at[0].value, "9000");
	assert_int_equal(r.at[1].state, RESTORE_AS_BEFORE);
	assert_int_equal(r.at[2].state, RESTORE_FOREIGN);
	assert_string_equal(r.at[2].why, "vnm did not set 4711: left alone");
	assert_int_equal(r.at[3].state, RESTORE_CHANGED);
	assert_string_equal(file(0), "9000");
	assert_int_equal(kept.updates, 0);
	assert_false(restore_is_settled(&r.at[0]));
	assert_true(restore_is_settled(&r.at[1]));
	assert_true(restore_is_settled(&r.at[2]));
}

static void what_is_changed_is_put_back_and_read_back(void **state)
{
	(void)state;
	if (!is_root())
		return;
	rows[1].state = JOURNAL_INTENDED;
	set_file(1, "1500\n");
	set_file(2, "4711\n");
	open_and_look(4);
	mend();
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(file(i), i == 2 ? "4711" : "1500");
	assert_int_equal(r.at[0].state, RESTORE_DONE);
	assert_int_equal(kept.state[1], JOURNAL_RESTORED);
	assert_string_equal(kept.value[1], "1500");
	assert_int_equal(kept.state[2], JOURNAL_NOT_APPLIED);
	assert_int_equal(kept.state[3], JOURNAL_FOREIGN);
	assert_string_equal(kept.reason[3], "vnm did not set 4711: left alone");
	assert_int_equal(kept.state[4], JOURNAL_RESTORED);
	assert_int_equal(kept.updates, 4);
}

/* Several changes of one setting are one object: it is read once and all its rows are closed. */
static void rows_of_one_setting_go_together(void **state)
{
	(void)state;
	if (!is_root())
		return;
	rows[0].value_before = "4000"; /* the newest */
	rows[1].object = rows[0].object;
	rows[1].value_requested = "4000";
	rows[1].read_command = "echo not this one";
	(void)snprintf(backs[1], sizeof(backs[1]), "echo 1500 >%s", paths[0]);
	rows[0].restore_command = "echo nor this one";
	open_and_look(2);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.at[0].row_count, 2);
	assert_string_equal(restore_value_before(&r.at[0]), "1500");
	mend();
	assert_string_equal(file(0), "1500");
	assert_int_equal(kept.state[1], JOURNAL_RESTORED);
	assert_int_equal(kept.state[2], JOURNAL_RESTORED);
}

static void a_host_that_refuses_stays_open_with_its_words(void **state)
{
	static const struct {
		const char *restore, *reason;
	} cases[] = {
		{"echo Operation not permitted >&2; false", "Operation not permitted"},
		{"true", "the host took the command, to no effect"},
		{"vnm-no-such-program", "not found"},
	};

	if (!is_root())
		return;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		rows[0].restore_command = cases[i].restore;
		open_and_look(1);
		mend();
		assert_int_equal(r.at[0].state, RESTORE_FAILED);
		assert_false(restore_is_settled(&r.at[0]));
		assert_int_equal(kept.state[1], JOURNAL_RESTORE_FAILED);
		if (strstr(kept.reason[1], cases[i].reason) == NULL)
			fail_msg("%s, not %s", kept.reason[1], cases[i].reason);
		assert_string_equal(kept.value[1], "9000");
		assert_int_equal(teardown(state), 0);
		assert_int_equal(setup(state), 0);
	}
}

static void what_cannot_be_read_stays_open(void **state)
{
	(void)state;
	assert_int_equal(unlink(paths[0]), 0); /* the NIC is gone */
	set_file(1, "unknown\n");
	rows[2].read_command = NULL;
	rows[3].read_command = "it's none";
	open_and_look(4);
	assert_int_equal(r.at[0].state, RESTORE_UNKNOWN);
	assert_string_equal(r.at[0].why, "its value cannot be read: is it still there?");
	assert_int_equal(r.at[1].state, RESTORE_UNKNOWN);
	assert_int_equal(r.at[2].state, RESTORE_UNKNOWN);
	assert_string_equal(r.at[2].why,
	                    "the vnm that made the change did not keep how its value is read");
	assert_int_equal(r.at[3].state, RESTORE_UNKNOWN);
	mend();
	assert_int_equal(kept.updates, 0); /* the rows stay as they are */
	assert_string_equal(file(2), "9000");
}

static void a_host_that_cannot_be_reached_stays_open(void **state)
{
	(void)state;
	net.is_unreachable[1] = true;
	open_and_look(4);
	assert_int_equal(r.at[3].state, RESTORE_UNKNOWN);
	assert_string_equal(r.at[3].why, "connection refused");
	assert_int_equal(r.at[0].state, RESTORE_CHANGED);
}

static void a_host_that_is_lost_on_the_way_stays_open(void **state)
{
	(void)state;
	if (!is_root())
		return;
	net.breaks_at = 5; /* probe, three looks, the first restore */
	open_and_look(3);
	mend();
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(r.at[i].state, RESTORE_FAILED);
		assert_string_equal(kept.reason[i + 1], "connection lost");
		assert_string_equal(file(i), "9000");
	}
}

static void a_host_that_the_topology_does_not_have_is_told(void **state)
{
	(void)state;
	rows[0].host = "gone";
	open_and_look(2);
	assert_int_equal(r.at[0].state, RESTORE_UNKNOWN);
	assert_string_equal(r.at[0].why, "the stored topology has no such host");
	assert_int_equal(r.at[1].state, RESTORE_CHANGED);
}

static void a_restart_keeps_a_foreign_value_open(void **state)
{
	(void)state;
	rows[0].boot_id = "another start of the host";
	rows[1].boot_id = rows[0].boot_id;
	set_file(0, "4711\n");
	open_and_look(2);
	assert_int_equal(r.at[0].state, RESTORE_RESTARTED);
	assert_int_equal(r.at[1].state, RESTORE_CHANGED); /* the setting outlived the restart */
	assert_false(restore_is_settled(&r.at[0]));
}

static void a_journal_that_cannot_be_written_ends_it(void **state)
{
	struct err err = {0};

	(void)state;
	if (!is_root())
		return;
	kept.fail_at = 1;
	open_and_look(3);
	assert_false(restore_mend(&r, &journal, &err));
	assert_string_equal(err.msg, "disk full");
	assert_string_equal(file(1), "9000"); /* nothing more was touched */
}

static void put_file(const char *name, const char *text)
{
	char path[80];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/guard/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fprintf(f, "%s\n", text) > 0);
	assert_int_equal(fclose(f), 0);
}

static void take_guard_away(void)
{
	static const char *const names[] = {"/token", "/log", "/pid", ""};
	char path[80];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(path, sizeof(path), "%s/guard%s", folder, names[i]);
		(void)remove(path);
	}
}

/* What a run has left to put things back by itself goes when it has nothing left to do. */
static void a_guardian_is_ended_when_all_is_settled(void **state)
{
	static const char ours[] = "00112233445566778899aabbccddeeff";
	static const char others[] = "ff112233445566778899aabbccddeeff";
	static const struct {
		const char *token; /* of the guardian that is there */
		const char *restore;
		bool is_left;
	} cases[] = {
		{ours, NULL, false},
		{ours, "false", true}, /* a setting is not restored: it is still needed */
		{others, NULL, true},  /* another run's */
	};
	char guard[80];

	if (!is_root())
		return;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		(void)snprintf(guard, sizeof(guard), "%s/guard", folder);
		assert_int_equal(mkdir(guard, 0700), 0);
		put_file("token", cases[i].token);
		put_file("log", "");
		for (size_t k = 0; k < 2; k++) {
			rows[k].guard_folder = guard;
			rows[k].guard_token = ours;
		}
		if (cases[i].restore != NULL)
			rows[1].restore_command = cases[i].restore;
		open_and_look(2);
		assert_int_equal(r.guard_count, 1);
		mend();
		assert_string_equal(r.guards[0].why, "");
		assert_int_equal(access(guard, F_OK) == 0, cases[i].is_left);
		take_guard_away();
		assert_int_equal(teardown(state), 0);
		assert_int_equal(setup(state), 0);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(looking_changes_nothing),
		TEST(what_is_changed_is_put_back_and_read_back),
		TEST(rows_of_one_setting_go_together),
		TEST(a_host_that_refuses_stays_open_with_its_words),
		TEST(what_cannot_be_read_stays_open),
		TEST(a_host_that_cannot_be_reached_stays_open),
		TEST(a_host_that_is_lost_on_the_way_stays_open),
		TEST(a_host_that_the_topology_does_not_have_is_told),
		TEST(a_restart_keeps_a_foreign_value_open),
		TEST(a_journal_that_cannot_be_written_ends_it),
		TEST(a_guardian_is_ended_when_all_is_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
