/* SPDX-License-Identifier: MIT */
/*
 * transport_process.h - a transport for tests: commands run in a shell of this machine.
 *
 * The address of the target says how opening goes:
 *	"here"		at once
 *	"refused"	fails, as a closed port does
 *	"silent"	waits for the deadline or the wake descriptor
 *	"slow"		takes 50 ms, then fails; process_openings() tells how many did at once
 *	"bunched"	at once; what the command writes in quick succession comes in one piece,
 *			and without a byte from it nothing wakes us
 *	"lost"		opens; its connection is lost when the agent has said `ready`
 */
#ifndef TESTS_UNIT_LINK_TRANSPORT_PROCESS_H
#define TESTS_UNIT_LINK_TRANSPORT_PROCESS_H

#include "link/link_parts.h"

link_opener process_open;

/* The greatest number of openings that went on at the same time. */
unsigned process_openings(void);

#endif
