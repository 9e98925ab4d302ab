/* SPDX-License-Identifier: MIT */
/* consent.h - what the user lets a run change on hosts, beside `safety` of the topology. Plain data. */
#ifndef RUN_CONSENT_H
#define RUN_CONSENT_H

#include <stdbool.h>
#include <stdint.h>

/* Further consents, each named by itself: `--allow`. */
enum consent_allow {
	CONSENT_SYSCTL = 1,    /* limits of socket buffers, which are the whole machine's */
	CONSENT_ESXI_EXEC = 2, /* programs that are not of a signed package, on ESXi 8 and later */
	CONSENT_LRO_ON_ROUTER = 4 /* LRO on a host that forwards packets */
};

struct run_consent {
	bool no_change; /* `--no-change`: nothing at all, whatever the topology says */
	uint32_t allow; /* enum consent_allow, or-ed */
};

#endif
