/* SPDX-License-Identifier: MIT */
/*
 * progress.h - shows on stderr how a run goes: a status line that is redrawn on
 * a terminal, plain lines otherwise, nothing when quiet. Skipped cells are the
 * summary's to tell: there are often many for one reason.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/command.h"
#include "cli/prompt.h"
#include "common/text.h"
#include "run/progress.h"

struct progress {
	const struct topology *topology;
	const struct plan *plan;
	struct terminal terminal;
	struct prompt *prompt; /* asks on the same terminal */
	struct text held;      /* lines that wait for the end of a question */
	struct err fault;      /* the last one of this machine's that kept a host away... */
	size_t fault_host;     /* ...and whom, an index; kind 0 of the fault: there was none */
	bool is_quiet;
	bool has_line; /* a status line stands on the terminal */
	struct run_counts counts;
	size_t hosts_up, hosts_down, hosts_used;
	const struct plan_slot *now; /* newest running test; NULL: none */
	double at_s, bps;
};

void progress_init(struct progress *p, const struct command_context *ctx, const struct plan *plan,
                   struct prompt *prompt, bool is_quiet);

/* The callbacks; `p` must outlive the run. */
struct run_progress progress_callbacks(struct progress *p);

/* Takes the status line away, before other output. */
void progress_end(struct progress *p);

/* "esx1.vmk1 -> esx2.vmk1  mtu 1500, window 64K, 4 streams, reverse" into out. */
void progress_cell_text(const struct plan_cell *cell, char *out, size_t size);

#endif
