/* SPDX-License-Identifier: MIT */
/*
 * privilege_line - hostops/privilege.h on a command line:
 *
 *	privilege_line sudo|sudo-password SCRIPT	the command that runs SCRIPT as root
 *	privilege_line refusal <STDERR			what a refusal of sudo means
 */
#include <stdio.h>
#include <string.h>

#include "hostops/privilege.h"

static int tell_refusal(void)
{
	char said[4096];
	char why[PRIVILEGE_WHY_BYTES];
	size_t len = fread(said, 1, sizeof(said) - 1, stdin);

	said[len] = '\0';
	if (!privilege_is_refusal(said, why))
		return 1;
	(void)puts(why);
	return 0;
}

static enum privilege kind_of(const char *name)
{
	if (strcmp(name, "sudo") == 0)
		return PRIVILEGE_SUDO;
	return strcmp(name, "sudo-password") == 0 ? PRIVILEGE_SUDO_PASSWORD : PRIVILEGE_NONE;
}

int main(int argc, char **argv)
{
	struct text line = {0};
	struct err err;

	if (argc == 2 && strcmp(argv[1], "refusal") == 0)
		return tell_refusal();
	if (argc != 3)
		return 2;
	if (!privilege_command(&line, kind_of(argv[1]), argv[2], &err)) {
		(void)puts(err.msg);
		return 1;
	}
	(void)puts(text_str(&line));
	text_done(&line);
	return 0;
}
