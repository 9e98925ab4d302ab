/* SPDX-License-Identifier: MIT */
/*
 * deploy.h - puts the agent on a host and starts it, over one transport.
 *
 * Works through the places of hostops/place.h until one takes the agent that fits the
 * host, or compiles its source. When it succeeds, the transport's command is the agent,
 * about to greet.
 */
#ifndef LINK_DEPLOY_H
#define LINK_DEPLOY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/sha256.h"
#include "remote/transport.h"

#define DEPLOY_QUIET_MS     10000u /* without progress for this long on a host that lives: given up */
#define DEPLOY_FOLDER_BYTES 128

#define DEPLOY_AGENTS_MAX 8

struct deploy_agent {
	const char *bytes;
	size_t size;
	char sha256[SHA256_HEX_BYTES];
	const char *machine; /* as in hostops/machine.h; NULL for the source */
};

/* What there is to choose from: the first that fits. */
struct deploy_agents {
	struct deploy_agent at[DEPLOY_AGENTS_MAX];
	size_t count;
	struct deploy_agent source; /* bytes NULL: none */
};

/* What the login shell said of its own accord: before the first word of the command that it
 * was given, and to standard error until that had become the agent. */
struct deploy_noise {
	bool is_known; /* the command had its say */
	uint64_t out_bytes, out_lines, err_bytes, err_lines;
	char first[TRANSPORT_FIRST_BYTES]; /* the first line that says something; "" = none */
};

struct deployed {
	char folder[DEPLOY_FOLDER_BYTES]; /* set as soon as it exists on the host; "" before */
	struct deploy_noise noise;
	bool is_checked;  /* the host could compute the SHA-256 of what was sent, and it is right */
	bool is_compiled; /* there, from the source */
	char sha256[SHA256_HEX_BYTES]; /* of the agent that has to answer */
};

/* Asked after each wait: true to stop (ERR_CANCELLED). */
typedef bool deploy_is_cancelled(void *arg);

/*
 * Fills *out as far as it gets, also on failure. False with each place's reason when
 * none takes the agent, with ERR_TIMEOUT when the host stands still.
 */
bool deploy(struct transport *t, const struct deploy_agents *agents, deploy_is_cancelled *cancelled,
            void *arg, struct deployed *out, struct err *err) NODISCARD;

/*
 * Makes sure that agent and folder are gone: runs a command on the host that ends the one
 * and removes the other, until deadline_ns. What cannot be reached stays.
 */
void deploy_sweep(struct transport *t, const char *folder, uint32_t pid, uint64_t deadline_ns);

#endif
