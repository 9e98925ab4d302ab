/* SPDX-License-Identifier: MIT */
/* oom.h - the end of the program when there is no memory left. Orchestrator only. */
#ifndef COMMON_OOM_H
#define COMMON_OOM_H

/* Says so on standard error and ends the process with OOM_EXIT_CODE, without
 * running any handler: what must be undone on hosts is in the journal on disk. */
_Noreturn void oom_end(void);

#define OOM_EXIT_CODE 6 /* "this machine failed", as in cli/exit_code.c */

#endif
