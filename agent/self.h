/* SPDX-License-Identifier: MIT */
/*
 * self.h - the agent's own file: its identity, and its disappearance.
 *
 * A program that runs needs its file no more. So the agent reads it once, for
 * its SHA-256, and removes it and the folder it was put into at its very start:
 * whatever happens later, even kill -9 or power loss, nothing is left behind.
 */
#ifndef AGENT_SELF_H
#define AGENT_SELF_H

#include "common/sha256.h"

#define SELF_NAME "vnm-agent" /* of the file in its folder */

/* SHA-256 of the file as hex; "" when it cannot be read. */
void self_hash(const char *path, char out[SHA256_HEX_BYTES]);

/* Removes the file SELF_NAME in the folder, and then the folder, which must have
 * held nothing else. Does as much as it can. */
void self_remove(const char *folder);

#endif
