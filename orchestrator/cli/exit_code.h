/* SPDX-License-Identifier: MIT */
/* exit_code.h - what vnm's exit status says. The list is in vnm(1) too. */
#ifndef CLI_EXIT_CODE_H
#define CLI_EXIT_CODE_H

#include "common/err.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_USAGE = 1,        /* command line or configuration */
	EXIT_CELLS = 2,        /* some cells failed, are invalid, or were skipped for a fault */
	EXIT_REGRESSION = 3,   /* slower beyond doubt, or an expectation is broken */
	EXIT_BLOCKED = 4,      /* a host blocks the run: no cell can be measured */
	EXIT_UNRESTORED = 5,   /* a setting could not be restored; wins over all others */
	EXIT_MACHINE = 6,      /* this machine failed: disk, database, memory, output */
	EXIT_INTERRUPTED = 130 /* stopped by the user; restored, resumable */
};

/* The code of a command that ended with an error. */
int exit_code_of(enum err_kind kind);

#endif
