/* SPDX-License-Identifier: MIT */
#include "hostops/undo.h"

#include <stdio.h>
#include <string.h>

/* The same as guard_boot of guardian.sh, which the journal has it from. */
static const char boot_script[] =
	"if test -r /proc/sys/kernel/random/boot_id; then "
	"b=$(cat /proc/sys/kernel/random/boot_id); "
	"else b=$(sysctl -n kern.boottime 2>/dev/null | tr -cd \"0-9,\"); fi; "
	"echo; echo \"$m boot $b\"; ";

static void begin(struct text *script, const struct shell_marker *marker)
{
	text_add(script, SHELL_PROLOGUE);
	shell_marker_define(script, marker);
}

bool undo_probe_command(struct text *out, const struct shell_marker *marker, struct err *err)
{
	struct text script = {0};
	bool ok;

	begin(&script, marker);
	privilege_add_probe(&script);
	text_add(&script, boot_script);
	ok = shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}

/* Without quotes, so that several lines become one; set -f, so that no * is a file. */
void undo_add_look(struct text *text, const char *read)
{
	text_printf(text,
	            "v=$({ %s; } 2>/dev/null </dev/null); "
	            "set -f; echo; echo \"$m value\" $v; set +f; ",
	            read);
}

void undo_add_restore(struct text *text, const char *read, const char *restore)
{
	text_printf(text,
	            "e=$({ %s; } 2>&1 </dev/null); s=$?; "
	            "set -f; echo; echo \"$m status $s\" $e; set +f; ",
	            restore);
	undo_add_look(text, read);
}

bool undo_look_command(struct text *out, const struct shell_marker *marker, const char *read,
                       struct err *err)
{
	struct text script = {0};
	bool ok;

	begin(&script, marker);
	undo_add_look(&script, read);
	ok = shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}

void undo_said_clear(struct undo_said *said)
{
	said->has_value = false;
	said->value[0] = '\0';
	said->has_status = false;
	said->text[0] = '\0';
}

/* What follows the word and a blank in `marked`, "" when nothing does; NULL: another word. */
static const char *after(const char *marked, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(marked, word, len) != 0 || (marked[len] != ' ' && marked[len] != '\0'))
		return NULL;
	return marked + len + (marked[len] == ' ');
}

/* A value that does not fit is none of ours: it is not known rather than cut. */
static void read_value(struct undo_said *said, const char *value)
{
	if (value[0] == '\0' || strcmp(value, "unknown") == 0 || strlen(value) >= UNDO_VALUE_BYTES)
		return;
	(void)snprintf(said->value, sizeof(said->value), "%s", value);
	said->has_value = true;
}

static void read_status(struct undo_said *said, const char *text)
{
	said->has_status = true;
	text += strspn(text, "0123456789");
	text += *text == ' ';
	(void)snprintf(said->text, sizeof(said->text), "%.*s", UNDO_TEXT_BYTES - 1, text);
}

void undo_read(struct undo_said *said, const char *marked)
{
	const char *rest;

	if ((rest = after(marked, "login")) != NULL)
		said->privilege = privilege_read(rest, said->privilege_why);
	else if ((rest = after(marked, "boot")) != NULL)
		(void)snprintf(said->boot_id, sizeof(said->boot_id), "%.*s", UNDO_BOOT_BYTES - 1,
		               rest);
	else if ((rest = after(marked, "value")) != NULL)
		read_value(said, rest);
	else if ((rest = after(marked, "status")) != NULL)
		read_status(said, rest);
}
