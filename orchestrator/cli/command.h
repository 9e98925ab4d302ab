/* SPDX-License-Identifier: MIT */
/*
 * command.h - one subcommand of vnm. Each lives in its own cmd_<name>.c, which
 * holds its option table, its help and its body; main.c lists them all.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/exit_code.h"
#include "cli/option.h"
#include "cli/terminal.h"

/* What a command may know of its surroundings. Texts are NULL when not set. */
struct command_context {
	const char *command_line; /* as typed, quoted where a shell would need it: for the record */
	const char *home;         /* HOME */
	const char *user;         /* USER */
	const char *ssh_auth_sock; /* SSH_AUTH_SOCK */
	struct terminal out, err;  /* stdout, stderr */
	/* Settings of hosts that are not restored, as far as the command has seen: above 0 it is
	 * main.c's exit code, whatever else came out. main.c's. */
	size_t *unrestored;
};

/*
 * Does the command. False with *err set when it could not be done: main.c
 * prints the message and takes the exit code from its kind. True with
 * *exit_code (0 on entry) when it was. `operands` has between operand_min and
 * operand_max entries.
 */
typedef bool command_run_fn(const struct command_context *ctx, const void *options,
                            int operand_count, char *operands[], int *exit_code, struct err *err);

#define COMMAND_ANY_OPERANDS 1000000

struct command {
	const char *name;
	const char *summary;  /* one line for `vnm help` */
	const char *operands; /* such as "[FILE] [PROFILE...]", or "" */
	const char *details;  /* lines for `vnm help NAME`, no final newline; NULL: none */
	int operand_min, operand_max;
	const struct option_spec *options; /* NULL: none */
	size_t options_size;               /* bytes of the struct that they fill; 0: none */
	command_run_fn *run;
};

extern const struct command cmd_check;
extern const struct command cmd_plan;
extern const struct command cmd_run;
extern const struct command cmd_resume;
extern const struct command cmd_list;
extern const struct command cmd_matrix;
extern const struct command cmd_show;
extern const struct command cmd_sql;
extern const struct command cmd_cleanup;
extern const struct command cmd_restore;

#endif
