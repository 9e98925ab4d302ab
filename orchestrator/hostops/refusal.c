/* SPDX-License-Identifier: MIT */
#include "hostops/refusal.h"

#include <stddef.h>
#include <string.h>

#include "common/attr.h"

#define SIGNAL_BASE     128 /* sh(1): 128 and the signal's number */
#define SIGNAL_ILL      4   /* alike on all systems */
#define SAID_BYTES_TOLD 60

/*
 * Shells word it in their own ways, and add their own names; the system's part is always the
 * same. dash and busybox take a program that the kernel does not know for a script, and stumble
 * over it; `ELF` stands in its first line.
 */
static const struct {
	const char *said;
	enum refusal refusal;
} words[] = {
	{"xec format error", REFUSAL_FORMAT},
	{"cannot execute binary file", REFUSAL_FORMAT},
	{"ELF", REFUSAL_FORMAT},
	{"yntax error", REFUSAL_FORMAT},
	{"nterminated quoted string", REFUSAL_FORMAT},
	{"peration not permitted", REFUSAL_POLICY},
	{"ermission denied", REFUSAL_ACCESS},
	{"not found", REFUSAL_MISSING},
	{"No such file", REFUSAL_MISSING},
	{"rror loading shared", REFUSAL_MISSING},
	{"rror while loading shared", REFUSAL_MISSING},
};

/* By enum refusal. */
static const char *const phrases[] = {
	[REFUSAL_OTHER] = NULL,
	[REFUSAL_FORMAT] = "it is for another kind of machine",
	[REFUSAL_POLICY] = "a policy of the host forbids foreign programs",
	[REFUSAL_ACCESS] = "the folder is noexec, or SELinux, AppArmor or the like forbids it",
	[REFUSAL_MISSING] = "something that it needs is not there",
};

enum refusal refusal_of(int status, const char *said)
{
	if (status == SIGNAL_BASE + SIGNAL_ILL)
		return REFUSAL_FORMAT;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strstr(said, words[i].said) != NULL)
			return words[i].refusal;
	}
	return REFUSAL_OTHER;
}

void refusal_tell(struct text *out, int status, const char *said)
{
	const char *phrase = phrases[refusal_of(status, said)];
	const char *colon = strrchr(said, ':');

	if (phrase != NULL && colon != NULL && colon[1] == ' ')
		said = colon + 2; /* the system's words alone */
	if (phrase != NULL && status > SIGNAL_BASE)
		text_printf(out, "%s (signal %d)", phrase, status - SIGNAL_BASE);
	else if (phrase != NULL)
		text_printf(out, "%s (%.*s)", phrase, SAID_BYTES_TOLD, said);
	else if (status > SIGNAL_BASE)
		text_printf(out, "it was ended by signal %d", status - SIGNAL_BASE);
	else
		text_printf(out, "status %d%s%.*s", status, said[0] == '\0' ? "" : ": ",
		            SAID_BYTES_TOLD, said);
}

const char *refusal_remedy(const char *kind, const char *said)
{
	if (strncmp(kind, "VMkernel/", strlen("VMkernel/")) != 0 ||
	    strstr(said, "peration not permitted") == NULL)
		return NULL;
	return "ESXi runs only programs that were installed with it (execInstalledOnly). To allow "
	       "the agent, as root there: `esxcli system settings advanced set -o "
	       "/User/execInstalledOnly -i 0`, and `-i 1` after the tests (ESXi 9 also starts with "
	       "it: VMkernel.Boot.execInstalledOnly)";
}
