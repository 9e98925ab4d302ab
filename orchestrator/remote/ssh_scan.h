/* SPDX-License-Identifier: MIT */
/*
 * ssh_scan.h - which keywords of an ssh_config(5) text could hold for a host.
 *
 * Not a reader of settings: it only says where something stands that a weaker reader would
 * pass over. Pure. `Host` is judged as OpenSSH does; what stands under a `Match` may hold.
 */
#ifndef REMOTE_SSH_SCAN_H
#define REMOTE_SSH_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"

#define SSH_SCAN_WORD_BYTES 64
#define SSH_SCAN_REST_BYTES 512

struct ssh_scan {
	const char *at, *end;
	const char *alias;
	unsigned line;
	bool holds; /* what stands in this block */
};

struct ssh_scanned {
	unsigned line;
	char key[SSH_SCAN_WORD_BYTES];  /* as it is written */
	char rest[SSH_SCAN_REST_BYTES]; /* its arguments, cut; comments are not told from them */
};

void ssh_scan_init(struct ssh_scan *scan, const char *text, size_t len, const char *alias);

/* The next keyword that may hold; Host itself is not told. False at the end. */
bool ssh_scan_next(struct ssh_scan *scan, struct ssh_scanned *out) NODISCARD;

/* Takes the next word off *rest: up to a blank, or in double quotes; "" at the end. */
void ssh_scan_word(const char **rest, char out[SSH_SCAN_REST_BYTES]);

#endif
