/* SPDX-License-Identifier: MIT */
/* deploy_parts.h - what deploy.c and deploy_said.c share. Not for others. */
#ifndef LINK_DEPLOY_PARTS_H
#define LINK_DEPLOY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/text.h"
#include "hostops/place.h"
#include "link/deploy.h"

#define DEPLOY_LINE_BYTES 512

enum deploy_step {
	STEP_PLACE,   /* the script looks for a place */
	STEP_UPLOAD,  /* it reads the agent */
	STEP_COMPILE, /* it compiles what it has read */
	STEP_RUN      /* it has become the agent */
};

/* What the command said about trying again. */
enum deploy_outcome {
	OUTCOME_OPEN,  /* nothing: the next place may do */
	OUTCOME_END,   /* there is none */
	OUTCOME_NONE,  /* no agent fits */
	OUTCOME_STOP,  /* another place would not help */
	OUTCOME_SOURCE /* the agent is not for this machine after all: the source may be */
};

struct deployment {
	struct transport *t;
	const struct deploy_agents *agents;
	const struct deploy_agent *agent; /* that the host has chosen; NULL: not yet */
	struct deployed *out;
	deploy_is_cancelled *cancelled;
	void *arg;
	char name[PLACE_NAME_BYTES];
	struct shell_marker marker;
	enum deploy_step step;
	enum deploy_outcome outcome;
	struct text verdict; /* OUTCOME_NONE, OUTCOME_END: the kind of host; OUTCOME_STOP: why */
	struct text misfit;  /* the agent that was chosen does not run: how that was told */
	size_t refused;      /* places so far */
	struct text reasons;
	size_t sent;
	uint64_t compiled_by_ns;
	char line[DEPLOY_LINE_BYTES]; /* being read; a longer one is cut */
	size_t line_len;
	uint64_t line_bytes;           /* all of it that came */
	char noise[DEPLOY_LINE_BYTES]; /* the last unmarked line that said something */
};

/* Takes d->line, a whole one. True when it is one of ours. */
bool deployment_take_line(struct deployment *d);

#endif
