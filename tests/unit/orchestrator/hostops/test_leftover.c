/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/attr.h"
#include "hostops/leftover.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/shells.h"

#define A ".vnm-aaaaaaaaaaaaaaaa"
#define B ".vnm-bbbbbbbbbbbbbbbb"
#define C ".vnm-0123456789abcdef"

static void read_lines(struct arena *arena, struct leftovers *out, const char *said)
{
	struct leftover_reader *r = leftover_reader_new(arena, out);

	while (*said != '\0') {
		size_t len = strcspn(said, "\n");
		char line[512];

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, said);
		leftover_read(r, line);
		said += len + (said[len] == '\n');
	}
	leftover_read_end(r);
}

static const struct {
	const char *said;
	enum leftover_state state; /* of the only one */
	uint32_t pid;
} cases[] = {
	{"folder 1000 3600 /tmp/" A "\n", LEFTOVER_LOST, 0},
	{"folder 1000 60 /tmp/" A "\n", LEFTOVER_LOST, 0},
	{"folder 1000 59 /tmp/" A "\n", LEFTOVER_YOUNG, 0},
	{"folder 1000 - /tmp/" A "\n", LEFTOVER_YOUNG, 0},
	{"folder 1000 -3 /tmp/" A "\n", LEFTOVER_YOUNG, 0}, /* changed in the future */
	{"folder 1001 3600 /tmp/" A "\n", LEFTOVER_FOREIGN, 0},
	{"blind\nfolder 1000 3600 /tmp/" A "\n", LEFTOVER_YOUNG, 0},
	/* Somebody works with it: the script that uploads, an agent under its SSH session. */
	{"proc 77 70 1000 5 other " A "\nfolder 1000 3600 /tmp/" A "\n", LEFTOVER_IN_USE, 0},
	{"proc 77 1 1000 5 other " A "\nfolder 1000 3600 /tmp/" A "\n", LEFTOVER_IN_USE, 0},
	{"proc 77 70 1000 5 agent " A "\n", LEFTOVER_IN_USE, 77},
	{"proc 77 1 1001 5 agent " A "\n", LEFTOVER_FOREIGN, 77},
	/* An agent that init has adopted. */
	{"proc 77 1 1000 5 agent " A "\n", LEFTOVER_LOST, 77},
	{"proc 77 1 1000 5 agent " A "\nfolder 1000 1 /root/a b/" A "\n", LEFTOVER_LOST, 77},
};

static void what_is_left_behind_is_told_from_what_is_in_use(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct arena arena = {0};
		struct leftovers all;
		char said[512];

		(void)snprintf(said, sizeof(said), "user 1000\n%send\n", cases[i].said);
		read_lines(&arena, &all, said);
		if (all.count == 2 && all.at[0].state == LEFTOVER_IN_USE &&
		    all.at[1].state == LEFTOVER_IN_USE)
			all.count = 1; /* folder and agent of a run that is alive */
		if (all.count != 1 || all.at[0].state != cases[i].state ||
		    all.at[0].pid != cases[i].pid)
			fail_msg("%s: %zu, the first is %d with pid %u", cases[i].said, all.count,
			         all.count > 0 ? (int)all.at[0].state : -1,
			         all.count > 0 ? all.at[0].pid : 0);
		arena_done(&arena);
	}
}

static void names_that_are_not_ours_are_not_seen(void **state)
{
	static const char said[] = "user 1000\n"
				   "folder 1000 3600 /tmp/.vnm-\n"
				   "folder 1000 3600 /tmp/.vnm-aaaaaaaaaaaaaaa\n"
				   "folder 1000 3600 /tmp/.vnm-aaaaaaaaaaaaaaaaa\n"
				   "folder 1000 3600 /tmp/.vnm-AAAAAAAAAAAAAAAA\n"
				   "folder 1000 3600 /tmp/.vnm-aaaaaaaaaaaaaaaa/x\n"
				   "folder 1000 3600 /tmp/../" A "\n"
				   "folder 1000 3600 tmp/" A "\n"
				   "folder 1000 3600 " A "\n"
				   "folder x 3600 /tmp/" A "\n"
				   "folder 1000 3600\n"
				   "folder 4294967296 3600 /tmp/" A "\n"
				   "folder 1000 99999999999999999999 /tmp/" A "\n"
				   "proc 1 1 1000 5 agent " A "\n"
				   "proc 0 1 1000 5 agent " A "\n"
				   "proc 77 1 1000 5 agents " A "\n"
				   "proc 77 1 1000 5 agent .vnm-x\n"
				   "proc 77\n"
				   "proc\nfolder\n\n"
				   "end\n";
	struct arena arena = {0};
	struct leftovers all;

	(void)state;
	read_lines(&arena, &all, said);
	assert_int_equal(all.count, 0);
	assert_true(all.is_ended);
	arena_done(&arena);
}

static void an_answer_that_is_cut_short_decides_nothing(void **state)
{
	struct arena arena = {0};
	struct leftovers all;

	(void)state;
	read_lines(&arena, &all, "user 1000\nfolder 1000 3600 /tmp/" A "\n");
	assert_int_equal(all.count, 0);
	assert_false(all.is_ended);
	read_lines(&arena, &all, "folder 1000 3600 /tmp/" A "\nend\n");
	assert_int_equal(all.count, 0);
	arena_done(&arena);
}

static void more_than_there_is_room_for_is_told(void **state)
{
	struct arena arena = {0};
	struct leftovers all;
	struct leftover_reader *r = leftover_reader_new(&arena, &all);
	char line[128];

	(void)state;
	leftover_read(r, "user 1000");
	for (unsigned i = 0; i < LEFTOVER_MAX + 5; i++) {
		(void)snprintf(line, sizeof(line), "folder 1000 99 /tmp/.vnm-%016x", i);
		leftover_read(r, line);
		(void)snprintf(line, sizeof(line), "proc %u 1 1000 99 agent .vnm-%016x", i + 2,
		               i + 100000);
		leftover_read(r, line);
	}
	leftover_read(r, "end");
	leftover_read_end(r);
	assert_int_equal(all.count, LEFTOVER_MAX);
	assert_true(all.is_cut);
	arena_done(&arena);
}

static void what_was_removed_is_taken_down(void **state)
{
	struct arena arena = {0};
	struct leftovers all;

	(void)state;
	read_lines(&arena, &all,
	           "user 0\nfolder 0 99 /tmp/" A "\nfolder 0 99 /tmp/" B "\nfolder 0 1 /tmp/" C
	           "\nend\n");
	leftover_read_removed(&all, &arena, "gone 0");
	leftover_read_removed(&all, &arena, "left 1 rm: busy");
	leftover_read_removed(&all, &arena, "gone 2"); /* nobody asked for that */
	leftover_read_removed(&all, &arena, "gone 3");
	leftover_read_removed(&all, &arena, "gone x");
	leftover_read_removed(&all, &arena, "gone");
	assert_true(all.at[0].is_gone);
	assert_false(all.at[1].is_gone);
	assert_string_equal(all.at[1].why_left, "rm: busy");
	assert_false(all.at[2].is_gone);
	arena_done(&arena);
}

static void only_what_is_lost_is_removed_a_hundred_at_a_time(void **state)
{
	struct arena arena = {0};
	struct leftovers all = {.count = 250};
	struct shell_marker marker;
	struct text line = {0};
	size_t index = 0;
	struct err err;

	(void)state;
	all.at = arena_alloc(&arena, all.count, sizeof(*all.at));
	for (size_t i = 0; i < all.count; i++) {
		all.at[i].state = i % 2 == 0 ? LEFTOVER_LOST : LEFTOVER_YOUNG;
		(void)snprintf(all.at[i].name, sizeof(all.at[i].name), ".vnm-%016zx", i);
		all.at[i].folder = "/tmp/" A;
	}
	assert_true(shell_marker_init(&marker, &err));
	assert_true(leftover_remove_command(&line, &marker, &all, &index, &err));
	assert_int_equal(index, 199);
	assert_non_null(strstr(text_str(&line), " r 198 "));
	assert_null(strstr(text_str(&line), " r 199 "));
	assert_true(leftover_remove_command(&line, &marker, &all, &index, &err));
	assert_int_equal(index, 250);
	all.at[0].folder = "/tmp/$(reboot)/" A;
	index = 0;
	text_clear(&line);
	assert_false(leftover_remove_command(&line, &marker, &all, &index, &err));
	assert_string_equal(text_str(&line), "");
	text_done(&line);
	arena_done(&arena);
}

/* What a shell said, line by line after the marker. */
static void read_said(const struct shell_marker *marker, char *said, void (*take)(void *, char *),
                      void *arg)
{
	char *save = NULL;

	for (char *line = strtok_r(said, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *marked = shell_marker_read(marker, line);

		if (marked != NULL)
			take(arg, line + (marked - line));
	}
}

static void take_found(void *arg, char *line)
{
	leftover_read(arg, line);
}

/* Agents of other tests that run on this machine at the same time. */
static void drop_others(struct leftovers *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		const char *name = all->at[i].name;

		if (strcmp(name, A) == 0 || strcmp(name, B) == 0 || strcmp(name, C) == 0)
			all->at[kept++] = all->at[i];
	}
	all->count = kept;
}

/* `find` with something made before, in one namespace; every shell finds the same. */
static void every_shell_finds_folders_and_processes(void **state)
{
	static const char make[] =
		"for d in /tmp/" A " /var/tmp/" B " /tmp/.vnm-foreign /tmp/" C "; do mkdir $d; "
		"echo x >$d/vnm-agent; done; "
		"touch -d \"10 minutes ago\" /tmp/" A "/vnm-agent /tmp/" A "; "
		"ln -s /tmp/" A " /tmp/.vnm-cccccccccccccccc; "
		"sh -c \"sleep 3; :\" /tmp/" C "/vnm-agent --self x --home /tmp/" C
		" >/dev/null 2>&1 & ";
	struct shell_marker marker;
	struct text find = {0};
	struct text line = {0};
	struct err err;

	(void)state;
	if (!shell_has_namespaces())
		skip();
	assert_true(shell_marker_init(&marker, &err));
	assert_true(leftover_find_command(&find, &marker, &err));
	for (const struct shell *s = shells; s->name != NULL; s++) {
		struct shell_run run = {.input = ""};
		struct arena arena = {0};
		struct leftovers all;
		struct leftover_reader *r;

		if (!shell_is_there(s) || strstr(s->name, "csh") != NULL ||
		    strcmp(s->name, "fish") == 0)
			continue; /* not for what is made before; the command itself is of one form */
		text_clear(&line);
		text_printf(&line, "%s%s", make, text_str(&find));
		shell_run(s, text_str(&line), &run);
		r = leftover_reader_new(&arena, &all);
		read_said(&marker, run.said, take_found, r);
		leftover_read_end(r);
		drop_others(&all);
		if (all.count != 4)
			fail_msg("%s: %zu found, status %d", s->name, all.count, run.status);
		assert_string_equal(all.at[0].folder, "/tmp/" C);
		assert_int_equal(all.at[0].state, LEFTOVER_IN_USE);
		assert_string_equal(all.at[1].folder, "/tmp/" A);
		assert_int_equal(all.at[1].state, LEFTOVER_LOST);
		assert_in_range(all.at[1].age_s, 599, 610);
		assert_string_equal(all.at[2].folder, "/var/tmp/" B);
		assert_int_equal(all.at[2].state, LEFTOVER_YOUNG);
		assert_null(all.at[3].folder);
		assert_int_equal(all.at[3].state, LEFTOVER_IN_USE);
		assert_in_range(all.at[3].age_s, 0, 5);
		(void)kill((pid_t)all.at[3].pid, SIGKILL);
		arena_done(&arena);
	}
	text_done(&find);
	text_done(&line);
}

struct removed {
	struct leftovers *all;
	struct arena *arena;
};

static void take_removed(void *arg, char *line)
{
	struct removed *r = arg;

	leftover_read_removed(r->all, r->arena, line);
}

static void every_shell_removes_them(void **state)
{
	struct shell_marker marker;
	struct text line = {0};
	struct err err;

	(void)state;
	if (!shell_has_namespaces())
		skip();
	assert_true(shell_marker_init(&marker, &err));
	for (const struct shell *s = shells; s->name != NULL; s++) {
		struct shell_run run = {.input = "", .name = A};
		struct arena arena = {0};
		struct leftovers all;
		struct removed removed = {&all, &arena};
		size_t index = 0;

		if (!shell_is_there(s))
			continue;
		/* One that is not there is gone as well; one whose id is another process's by
		 * now costs that one nothing. */
		read_lines(&arena, &all,
		           "user 0\nfolder 0 99 /tmp/" A "\nfolder 0 99 /tmp/" B
		           "\nproc 2 1 0 9 agent " C "\nend\n");
		text_clear(&line);
		text_add(&line, "mkdir /tmp/" A "; cp /bin/true /tmp/" A "/vnm-agent; ");
		assert_true(leftover_remove_command(&line, &marker, &all, &index, &err));
		shell_run(s, text_str(&line), &run);
		read_said(&marker, run.said, take_removed, &removed);
		for (size_t i = 0; i < all.count; i++) {
			if (!all.at[i].is_gone)
				fail_msg("%s: %zu: %s", s->name, i, all.at[i].why_left);
		}
		assert_int_equal(all.count, 3);
		assert_int_equal(run.left, 0);
		assert_int_equal(run.status, 0);
		arena_done(&arena);
	}
	text_done(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_behind_is_told_from_what_is_in_use),
		cmocka_unit_test(names_that_are_not_ours_are_not_seen),
		cmocka_unit_test(an_answer_that_is_cut_short_decides_nothing),
		cmocka_unit_test(more_than_there_is_room_for_is_told),
		cmocka_unit_test(what_was_removed_is_taken_down),
		cmocka_unit_test(only_what_is_lost_is_removed_a_hundred_at_a_time),
		cmocka_unit_test(every_shell_finds_folders_and_processes),
		cmocka_unit_test(every_shell_removes_them),
	};

	return cmocka_run_group_tests_name("hostops/leftover", tests, NULL, NULL);
}
