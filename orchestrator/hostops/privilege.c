/* SPDX-License-Identifier: MIT */
#include "hostops/privilege.h"

#include <stdio.h>
#include <string.h>

#include "hostops/shell.h"

/* One row says everything about a privilege. */
static const struct {
	const char *name;
	const char *prefix; /* within a script; NULL: no way */
	const char *before; /* before /bin/sh of a whole script */
} ways[] = {
	[PRIVILEGE_UNKNOWN] = {NULL, NULL, NULL},
	[PRIVILEGE_ROOT] = {"root", "", ""},
	[PRIVILEGE_SUDO] = {"sudo", "sudo -n -- ", "env LC_ALL=C sudo -n -- "},
	/* -k: a password that sudo remembers would leave ours in the script's input. */
	[PRIVILEGE_SUDO_PASSWORD] = {"sudo-password", "sudo -k -S -p \"\" -- ",
                                     "env LC_ALL=C sudo -k -S -p \"\" -- "},
	[PRIVILEGE_NONE] = {"none", NULL, NULL},
};

/* sudo's words in the C locale, in the order they are looked for. */
static const struct {
	const char *words;
	enum privilege is; /* what the probe takes it for */
	const char *why;
} refusals[] = {
	{"must have a tty", PRIVILEGE_NONE,
         "sudo wants a terminal (requiretty): with visudo add `Defaults:NAME !requiretty`, NAME "
         "being this account"},
	{"not in the sudoers", PRIVILEGE_NONE, "sudo does not know this account"},
	{"may not run sudo", PRIVILEGE_NONE, "this account may not use sudo"},
	{"is not allowed to", PRIVILEGE_NONE, "sudo does not allow this account to run a shell"},
	{"incorrect password", PRIVILEGE_SUDO_PASSWORD, "sudo refused the password"},
	{"no password was provided", PRIVILEGE_SUDO_PASSWORD, "sudo refused the password"},
	{"Sorry, try again", PRIVILEGE_SUDO_PASSWORD, "sudo refused the password"},
	{"password is required", PRIVILEGE_SUDO_PASSWORD, "sudo asks for a password"},
	{"required to read the password", PRIVILEGE_SUDO_PASSWORD, "sudo asks for a password"},
	{"no tty present and no askpass", PRIVILEGE_SUDO_PASSWORD, "sudo asks for a password"},
};

/* $e: what sudo said, its lines in one. */
static const char probe_script[] =
	"S=no; if test \"$(id -u)\" = 0; then S=; echo; echo \"$m login root\"; "
	"elif command -v sudo >/dev/null 2>&1; then "
	"if e=$(sudo -n true 2>&1 </dev/null); then S=\"sudo -n\"; echo; echo \"$m login sudo\"; "
	"else set -f; echo; echo \"$m login refused:\" $e; set +f; fi; "
	"else echo; echo \"$m login none\"; fi; ";

const char *privilege_name(enum privilege p)
{
	return ways[p].name;
}

void privilege_add_probe(struct text *script)
{
	text_add(script, probe_script);
}

/* The row of `refusals` that fits, or COUNT_OF(refusals). */
static size_t find_refusal(const char *said)
{
	size_t i = 0;

	while (i < COUNT_OF(refusals) && strstr(said, refusals[i].words) == NULL)
		i++;
	return i;
}

enum privilege privilege_read(const char *said, char why[PRIVILEGE_WHY_BYTES])
{
	static const char refused[] = "refused:";
	size_t i;

	why[0] = '\0';
	if (strcmp(said, "root") == 0)
		return PRIVILEGE_ROOT;
	if (strcmp(said, "sudo") == 0)
		return PRIVILEGE_SUDO;
	if (strcmp(said, "none") == 0) {
		(void)snprintf(why, PRIVILEGE_WHY_BYTES, "there is no sudo");
		return PRIVILEGE_NONE;
	}
	if (strncmp(said, refused, sizeof(refused) - 1) != 0)
		return PRIVILEGE_UNKNOWN;
	said += sizeof(refused) - 1;
	i = find_refusal(said);
	if (i < COUNT_OF(refusals))
		(void)snprintf(why, PRIVILEGE_WHY_BYTES, "%s", refusals[i].why);
	else
		(void)snprintf(why, PRIVILEGE_WHY_BYTES, "sudo says:%.140s",
		               said[0] == '\0' ? " nothing" : said);
	return i < COUNT_OF(refusals) ? refusals[i].is : PRIVILEGE_NONE;
}

const char *privilege_prefix(enum privilege p)
{
	return ways[p].prefix;
}

bool privilege_command(struct text *out, enum privilege p, const char *script, struct err *err)
{
	static const char head[] = "exec ";
	struct text plain = {0};
	bool ok;

	if (ways[p].before == NULL)
		return err_set(err, ERR_REMOTE,
		               "this needs root: log in as root, or let the account use sudo");
	ok = shell_command(&plain, script, err);
	if (ok)
		text_printf(out, "%s%s%s", head, ways[p].before,
		            text_str(&plain) + sizeof(head) - 1);
	text_done(&plain);
	return ok;
}

bool privilege_input(const char *password, char out[PRIVILEGE_INPUT_BYTES], size_t *len,
                     struct err *err)
{
	*len = strlen(password);
	if (*len + 2 > PRIVILEGE_INPUT_BYTES)
		return err_set(err, ERR_INPUT, "the password for sudo is longer than %d bytes",
		               PRIVILEGE_INPUT_BYTES - 2);
	if (strchr(password, '\n') != NULL)
		return err_set(err, ERR_INPUT, "the password for sudo is more than one line");
	memcpy(out, password, *len);
	out[(*len)++] = '\n';
	out[*len] = '\0';
	return true;
}

bool privilege_is_refusal(const char *said, char why[PRIVILEGE_WHY_BYTES])
{
	size_t i = find_refusal(said);

	why[0] = '\0';
	if (i == COUNT_OF(refusals))
		return false;
	(void)snprintf(why, PRIVILEGE_WHY_BYTES, "%s", refusals[i].why);
	return true;
}
