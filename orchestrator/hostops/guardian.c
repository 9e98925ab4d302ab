/* SPDX-License-Identifier: MIT */
#include "hostops/guardian.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/hex.h"

/* guardian.sh, see cmake/embed.cmake */
extern const char guardian_script[];

/* The account whose agent keeps the lease: not root's where sudo made us root. */
#define LOGIN_UID "\"${SUDO_UID:-$(id -u)}\""

#define HEAD_BYTES 20 /* of a here-document's end word, NUL included */

static bool random_hex(char *out, size_t digits, struct err *err)
{
	unsigned char bytes[(GUARDIAN_TOKEN_BYTES - 1) / 2];

	if (getrandom(bytes, digits / 2, 0) != (ssize_t)(digits / 2))
		return err_set_errno(err, errno, "random numbers");
	hex_format(bytes, digits / 2, out);
	return true;
}

bool guardian_token(char out[GUARDIAN_TOKEN_BYTES], struct err *err)
{
	return random_hex(out, GUARDIAN_TOKEN_BYTES - 1, err);
}

/* One line for the shell, and for people who see it on a terminal. */
static bool check_line(const char *what, const char *s, size_t room, struct err *err)
{
	if (s[0] == '\0' || s[0] == ' ' || s[strlen(s) - 1] == ' ')
		return err_set(err, ERR_INPUT,
		               "guardian: the %s '%.80s' is empty, or has a blank at its end", what,
		               s);
	if (strlen(s) >= room)
		return err_set(err, ERR_INPUT,
		               "guardian: the %s '%.80s...' is longer than %zu bytes", what, s,
		               room - 1);
	for (const char *c = s; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return err_set(err, ERR_INPUT,
			               "guardian: the %s '%.80s' holds the character %#04x", what,
			               s, (unsigned)(unsigned char)*c);
	}
	return true;
}

/* A word that the shell takes as it is. */
static void add_quoted(struct text *out, const char *s)
{
	text_add(out, "'");
	for (; *s != '\0'; s++) {
		if (*s == '\'')
			text_add(out, "'\\''");
		else
			text_add_bytes(out, s, 1);
	}
	text_add(out, "'");
}

/* "NAME TOKEN", the beginning of a request. */
static bool add_request(struct text *out, const char *name, const char *token, struct err *err)
{
	if (strlen(token) != GUARDIAN_TOKEN_BYTES - 1 ||
	    strspn(token, "0123456789abcdef") != GUARDIAN_TOKEN_BYTES - 1)
		return err_set(err, ERR_INPUT, "guardian: '%.40s' is no token", token);
	text_printf(out, "%s %s", name, token);
	return true;
}

/* Without its comments and indentation, which the host need not get. */
static void add_script(struct text *out)
{
	for (const char *at = guardian_script; *at != '\0';) {
		size_t len;

		at += strspn(at, "\t");
		len = strcspn(at, "\n");
		if (*at != '#' && len > 0) {
			text_add_bytes(out, at, len);
			text_add(out, "\n");
		}
		at += len + (at[len] == '\n' ? 1 : 0);
	}
}

bool guardian_begin(struct text *out, const char *folder, struct err *err)
{
	text_add(out, "D=");
	if (folder != NULL) {
		if (!check_line("folder", folder, GUARDIAN_FOLDER_BYTES, err))
			return false;
		if (folder[0] != '/' || strchr(folder, ' ') != NULL)
			return err_set(err, ERR_INPUT, "guardian: '%.80s' is no folder of one",
			               folder);
		add_quoted(out, folder);
	}
	text_add(out, "\n");
	add_script(out);
	return true;
}

bool guardian_add_arm(struct text *out, const char *token, const struct guardian_arm *arm,
                      struct err *err)
{
	uint32_t grace = arm->dead_man_s < GUARDIAN_GRACE_S ? arm->dead_man_s : GUARDIAN_GRACE_S;

	if (arm->dead_man_s < GUARDIAN_DEAD_MAN_MIN || arm->dead_man_s > GUARDIAN_DEAD_MAN_MAX)
		return err_set(err, ERR_INPUT, "guardian: a dead man of %" PRIu32 " s: %u to %u",
		               arm->dead_man_s, GUARDIAN_DEAD_MAN_MIN, GUARDIAN_DEAD_MAN_MAX);
	if (!check_line("owner", arm->owner, GUARDIAN_OWNER_BYTES, err) ||
	    !add_request(out, "guard_arm", token, err))
		return false;
	text_printf(out, " %" PRIu32 " %" PRIu32 " " LOGIN_UID " %" PRIu32 " ", arm->dead_man_s,
	            grace, arm->agent_pid);
	add_quoted(out, arm->owner);
	text_add(out, "\n");
	return true;
}

bool guardian_add_keep(struct text *out, const char *token, const struct guardian_undo *undo,
                       struct err *err)
{
	const struct {
		const char *name, *line;
	} lines[] = {{"name", undo->what},
	             {"line that looks", undo->look},
	             {"value before", undo->before},
	             {"values asked for", undo->wanted},
	             {"line that undoes", undo->back}};
	char end[HEAD_BYTES] = "END";

	if (undo->number < 1 || undo->number > GUARDIAN_UNDOS_MAX)
		return err_set(err, ERR_INPUT, "guardian: undo %u: 1 to %u", undo->number,
		               GUARDIAN_UNDOS_MAX);
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		if (!check_line(lines[i].name, lines[i].line, GUARDIAN_ENTRY_BYTES, err))
			return false;
	}
	/* Nobody can have a line that is equal to it. */
	if (!random_hex(end + strlen(end), HEAD_BYTES - 1 - strlen(end), err) ||
	    !add_request(out, "guard_keep", token, err))
		return false;
	text_printf(out, " %u <<'%s'\n", undo->number, end);
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		text_printf(out, "%s\n", lines[i].line);
	text_printf(out, "%s\n", end);
	return true;
}

bool guardian_add_beat(struct text *out, const char *token, uint32_t count, struct err *err)
{
	if (!add_request(out, "guard_beat", token, err))
		return false;
	text_printf(out, " %" PRIu32 "\n", count);
	return true;
}

bool guardian_add_renew(struct text *out, const char *token, uint32_t agent_pid, struct err *err)
{
	if (!add_request(out, "guard_renew", token, err))
		return false;
	text_printf(out, " " LOGIN_UID " %" PRIu32 "\n", agent_pid);
	return true;
}

bool guardian_add_restore(struct text *out, const char *token, struct err *err)
{
	if (!add_request(out, "guard_restore", token, err))
		return false;
	text_add(out, "\n");
	return true;
}

bool guardian_add_end(struct text *out, const char *token, struct err *err)
{
	if (!add_request(out, "guard_end", token, err))
		return false;
	text_add(out, "\n");
	return true;
}

void guardian_add_state(struct text *out)
{
	text_add(out, "guard_state\n");
}

/* What follows a word. */
enum form { ALONE, TEXT, NUMBER, NUMBER_TEXT, COUNT, FOLDER_BOOT };

static const struct {
	const char *name;
	enum form form;
} words[GUARDIAN_WORD_COUNT] = {
	[GUARDIAN_ARMED] = {"armed", FOLDER_BOOT},
	[GUARDIAN_BUSY] = {"busy", TEXT},
	[GUARDIAN_REFUSED] = {"refused", TEXT},
	[GUARDIAN_KEPT] = {"kept", NUMBER},
	[GUARDIAN_ALIVE] = {"alive", ALONE},
	[GUARDIAN_FIRED] = {"fired", TEXT},
	[GUARDIAN_STRANGER] = {"stranger", ALONE},
	[GUARDIAN_GONE] = {"gone", ALONE},
	[GUARDIAN_SAME] = {"same", NUMBER_TEXT},
	[GUARDIAN_RESTORED] = {"restored", NUMBER_TEXT},
	[GUARDIAN_FOREIGN] = {"foreign", NUMBER_TEXT},
	[GUARDIAN_FAILED] = {"failed", NUMBER_TEXT},
	[GUARDIAN_CLEAN] = {"clean", ALONE},
	[GUARDIAN_LEFT] = {"left", COUNT},
	[GUARDIAN_ENDED] = {"ended", ALONE},
	[GUARDIAN_WATCHING] = {"watching", TEXT},
	[GUARDIAN_DEAD] = {"dead", TEXT},
	[GUARDIAN_HOLDS] = {"holds", NUMBER_TEXT},
	[GUARDIAN_NONE] = {"none", ALONE},
};

/* 1 to GUARDIAN_UNDOS_MAX before a blank or the end; moves *at behind it. 0: none. */
static unsigned take_number(const char **at)
{
	unsigned n = 0;
	const char *s = *at;

	for (; *s >= '0' && *s <= '9' && n <= GUARDIAN_UNDOS_MAX; s++)
		n = n * 10 + (unsigned)(*s - '0');
	if (n > GUARDIAN_UNDOS_MAX || (*s != ' ' && *s != '\0'))
		return 0;
	*at = s + (*s == ' ' ? 1 : 0);
	return n;
}

static bool read_armed(const char *at, struct guardian_said *out)
{
	size_t len = strcspn(at, " ");
	const char *boot = at + len + strspn(at + len, " ");

	if (at[0] != '/' || len >= sizeof(out->folder) || strlen(boot) >= sizeof(out->boot))
		return false;
	memcpy(out->folder, at, len);
	out->folder[len] = '\0';
	(void)snprintf(out->boot, sizeof(out->boot), "%s", boot);
	return true;
}

static bool read_rest(enum form form, const char *at, struct guardian_said *out)
{
	switch (form) {
	case ALONE:
		return *at == '\0';
	case TEXT:
		break;
	case NUMBER:
		out->number = take_number(&at);
		return out->number > 0 && *at == '\0';
	case NUMBER_TEXT:
		out->number = take_number(&at);
		if (out->number == 0)
			return false;
		break;
	case COUNT:
		out->number = take_number(&at);
		return true;
	case FOLDER_BOOT:
		return read_armed(at, out);
	}
	(void)snprintf(out->text, sizeof(out->text), "%s", at);
	return true;
}

bool guardian_read(const char *marked, struct guardian_said *out)
{
	static const char head[] = "guard ";
	const char *at;

	memset(out, 0, sizeof(*out));
	if (strncmp(marked, head, sizeof(head) - 1) != 0)
		return false;
	at = marked + sizeof(head) - 1;
	for (int i = 0; i < GUARDIAN_WORD_COUNT; i++) {
		size_t len = strlen(words[i].name);

		if (strncmp(at, words[i].name, len) != 0 || (at[len] != ' ' && at[len] != '\0'))
			continue;
		out->word = (enum guardian_word)i;
		return read_rest(words[i].form, at + len + (at[len] == ' ' ? 1 : 0), out);
	}
	return false;
}
