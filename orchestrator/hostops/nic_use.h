/* SPDX-License-Identifier: MIT */
/*
 * nic_use.h - what a host uses a NIC for, and how the NIC stands: whether a run may change it,
 * and whether a change has left it as it was.
 *
 * The texts are for link_run_text(), and only read (nic_use.sh). They say, marked,
 * "use INDEX WORD TEXT" for the INDEX-th NIC of the text.
 */
#ifndef HOSTOPS_NIC_USE_H
#define HOSTOPS_NIC_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"
#include "hostops/tunable.h"

#define NIC_USE_WHY_BYTES 128

struct nic_use {
	bool is_complete;
	bool has_session; /* it is known by which NICs the SSH session comes and goes */
	bool is_ssh;      /* this is one of them, or one of them stands on it */
	bool is_router;   /* packets of others are forwarded from it */
	char busy_why[NIC_USE_WHY_BYTES]; /* who else needs it; "": nobody known */
};

struct nic_state {
	bool is_complete;
	bool has_carrier;
	bool is_tentative; /* IPv6 still looks whether an address is somebody else's */
	struct text lines; /* addresses and routes, sorted */
};

/* ERR_INPUT: what uses a NIC cannot be told on such a system yet, or the name is none. */
bool nic_use_add_probe(struct text *out, enum tunable_system system, const char *const *nics,
                       size_t count, struct err *err) NODISCARD;
bool nic_state_add_probe(struct text *out, enum tunable_system system, const char *const *nics,
                         size_t count, struct err *err) NODISCARD;

/* Before a text is run: nothing is known. */
void nic_use_clear(struct nic_use *list, size_t count);
void nic_state_clear(struct nic_state *list, size_t count);
void nic_state_done(struct nic_state *list, size_t count);

/* Read a line, see shell_marker_read(); others are left alone. */
void nic_use_read(struct nic_use *list, size_t count, const char *marked);
void nic_state_read(struct nic_state *list, size_t count, const char *marked);

/* Are carrier, addresses and routes as they were? `why` tells what is not. */
bool nic_state_is_same(const struct nic_state *before, const struct nic_state *after,
                       char why[NIC_USE_WHY_BYTES]) NODISCARD;

#endif
