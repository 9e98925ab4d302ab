/* SPDX-License-Identifier: MIT */
/* refusal.h - why a host does not run a program, by what its shell says of it. */
#ifndef HOSTOPS_REFUSAL_H
#define HOSTOPS_REFUSAL_H

#include "common/text.h"

enum refusal {
	REFUSAL_OTHER,
	REFUSAL_FORMAT, /* ENOEXEC: another machine's; or an instruction that it lacks */
	REFUSAL_POLICY, /* EPERM: ESXi's execInstalledOnly, for one */
	REFUSAL_ACCESS, /* EACCES: mounted noexec, SELinux, AppArmor */
	REFUSAL_MISSING /* ENOENT: what it is linked with */
};

/* By the exit status that the shell had, and by what it or the program said. */
enum refusal refusal_of(int status, const char *said);

/* Adds a phrase for the user: "a policy of the host forbids it (Operation not permitted)". */
void refusal_tell(struct text *out, int status, const char *said);

/* What lifts such a refusal on that kind of host ("VMkernel/x86_64": `uname -s`/`uname -m`), as
 * the beginning of a message; NULL when there is nothing to say. */
const char *refusal_remedy(const char *kind, const char *said);

#endif
