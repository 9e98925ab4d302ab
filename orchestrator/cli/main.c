/* SPDX-License-Identifier: MIT */
/* main.c - picks the subcommand, runs it, turns its error into an exit code. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "common/text.h"
#include "config/suggest.h"
#include "report/format.h"

static const struct command *const commands[] = {
	&cmd_check,  &cmd_plan, &cmd_run, &cmd_resume,  &cmd_list,
	&cmd_matrix, &cmd_show, &cmd_sql, &cmd_restore, &cmd_cleanup,
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static bool refuse_command(const char *name, struct err *err)
{
	struct suggestion near = suggest_for(name);

	for (size_t i = 0; i < COUNT_OF(commands); i++)
		suggest_try(&near, commands[i]->name);
	suggest_try(&near, "help");
	if (near.best != NULL)
		return err_set(err, ERR_USAGE, "there is no command '%s', did you mean '%s'?", name,
		               near.best);
	return err_set(err, ERR_USAGE, "there is no command '%s'", name);
}

static void print_overview(FILE *out)
{
	(void)fputs("usage: vnm COMMAND [OPTION]... [OPERAND]...\n\n"
	            "Measures the network throughput between the hosts of a lab.\n\n",
	            out);
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		(void)fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	(void)fputs("  help     show the commands, or the options of one\n\n"
	            "`vnm help COMMAND` shows the options of a command; vnm(1) tells the rest.\n",
	            out);
}

static void print_command(FILE *out, const struct command *cmd)
{
	(void)fprintf(out, "usage: vnm %s [OPTION]...%s%s\n\n%s\n", cmd->name,
	              cmd->operands[0] == '\0' ? "" : " ", cmd->operands, cmd->summary);
	if (cmd->details != NULL)
		(void)fprintf(out, "\n%s\n", cmd->details);
	(void)fputc('\n', out);
	option_print(out, cmd->options);
	(void)fprintf(out, "  %-26s %s\n", "-h, --help", "show this help");
}

static bool is_help(const char *word)
{
	return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool help(const struct option_args *args, struct err *err)
{
	const struct command *cmd;

	if (args->count > 1)
		return err_set(err, ERR_USAGE, "expected one COMMAND");
	if (args->count == 0 || is_help(args->at[0])) {
		print_overview(stdout);
		return true;
	}
	cmd = find_command(args->at[0]);
	if (cmd == NULL)
		return refuse_command(args->at[0], err);
	print_command(stdout, cmd);
	return true;
}

static bool count_operands(const struct command *cmd, int count, struct err *err)
{
	if (cmd->operands[0] == '\0' && count > 0)
		return err_set(err, ERR_USAGE, "takes no operands");
	if (count < cmd->operand_min)
		return err_set(err, ERR_USAGE, "expected %s", cmd->operands);
	if (count > cmd->operand_max)
		return err_set(err, ERR_USAGE, "too many operands, expected %s", cmd->operands);
	return true;
}

/* *is_misused: the command line was wrong, and the command's help tells how it should be. */
static bool run_command(const struct command_context *ctx, const struct command *cmd,
                        struct option_args *args, int *exit_code, bool *is_misused, struct err *err)
{
	struct arena arena = {0};
	void *options = arena_alloc(&arena, 1, cmd->options_size + 1);
	bool ok = option_parse(cmd->options, args, options, &arena, err);

	*is_misused = !ok;
	if (ok && args->wants_help) {
		print_command(stdout, cmd);
	} else if (ok && !count_operands(cmd, args->count, err)) {
		*is_misused = true;
		ok = false;
	} else if (ok) {
		ok = cmd->run(ctx, options, args->count, args->at, exit_code, err);
	}
	arena_done(&arena);
	return ok;
}

static struct command_context look_around(const struct text *line, size_t *unrestored)
{
	struct terminal_env env = {.no_color = getenv("NO_COLOR"), .term = getenv("TERM")};

	return (struct command_context){
		.command_line = text_str(line),
		.home = getenv("HOME"),
		.user = getenv("USER"),
		.ssh_auth_sock = getenv("SSH_AUTH_SOCK"),
		.out = terminal_detect(STDOUT_FILENO, &env),
		.err = terminal_detect(STDERR_FILENO, &env),
		.unrestored = unrestored,
	};
}

/* True when the reader of a pipe went away, as `vnm list | head` does. */
static bool reader_is_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/*
 * Output that did not arrive makes a command fail, whatever it did; only what
 * the user must know first (unrestored, interrupted) stays.
 */
static int finish_output(int exit_code)
{
	bool had_error = ferror(stdout) != 0;
	bool flushed = fflush(stdout) == 0;
	int errnum = errno;

	if (flushed && !had_error)
		return exit_code;
	if (!reader_is_gone())
		(void)fprintf(stderr, "vnm: standard output: %s\n",
		              flushed ? "not all of it could be written" : strerror(errnum));
	if (exit_code == EXIT_UNRESTORED || exit_code == EXIT_INTERRUPTED)
		return exit_code;
	return EXIT_MACHINE;
}

/* What the user must know first: a host that is not as it was. */
static int worst_of(const struct command_context *ctx, int exit_code)
{
	return *ctx->unrestored > 0 ? EXIT_UNRESTORED : exit_code;
}

static int dispatch(const struct command_context *ctx, const char *name, struct option_args *args)
{
	struct err err = {0};
	const struct command *cmd = find_command(name);
	int exit_code = EXIT_DONE;
	bool is_misused = true;
	bool ok;

	if (cmd != NULL)
		ok = run_command(ctx, cmd, args, &exit_code, &is_misused, &err);
	else if (is_help(name))
		ok = help(args, &err);
	else
		ok = refuse_command(name, &err);
	if (ok)
		return worst_of(ctx, exit_code);
	(void)fflush(stdout); /* what was printed comes before the reason of the end */
	(void)fprintf(stderr, "vnm%s%s: %s\n", cmd != NULL ? " " : "", cmd != NULL ? name : "",
	              err.msg);
	if (is_misused)
		(void)fprintf(stderr, "see `vnm help%s%s`\n", cmd != NULL ? " " : "",
		              cmd != NULL ? name : "");
	return worst_of(ctx, exit_code_of(err.kind));
}

/*
 * A program may be started without standard files. What it opens next would take
 * their place, and a message would be written into it: so something else must,
 * on which reading and writing fail.
 */
static void keep_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			abort();
	}
}

int main(int argc, char *argv[])
{
	struct text line = {0};
	struct command_context ctx;
	size_t unrestored = 0;
	int exit_code;

	keep_standard_files();
	/* A reader that went away shows as a failed write, so that hosts are cleaned up. */
	(void)signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < argc; i++) {
		text_add(&line, i == 0 ? "" : " ");
		format_add_shell_word(&line, argv[i]);
	}
	ctx = look_around(&line, &unrestored);
	if (argc < 2) {
		print_overview(stderr);
		exit_code = EXIT_USAGE;
	} else if (strcmp(argv[1], "--version") == 0) {
		(void)puts("vnm " VNM_VERSION);
		exit_code = EXIT_DONE;
	} else {
		struct option_args args = {.count = argc - 2, .at = argv + 2};

		exit_code = dispatch(&ctx, argv[1], &args);
	}
	exit_code = finish_output(exit_code);
	text_done(&line);
	return exit_code;
}
