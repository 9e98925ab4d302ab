/* SPDX-License-Identifier: MIT */
/*
 * options.h - what a request asks of this machine, checked before there is any
 * traffic: options of sockets, source ports, cores.
 */
#ifndef AGENT_MEASURE_OPTIONS_H
#define AGENT_MEASURE_OPTIONS_H

#include <stdbool.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/request.h"

/*
 * Tries each option on a socket of its own, and, at the connecting end, each source port.
 * Finds the cores for the streams' threads: r->cores. A failure says what is possible here.
 */
bool options_check(struct request *r, struct failure *f) NODISCARD;

/* Stream index + 1 runs where r->cores has it: in its thread. With a list each stream has one
 * core, by turns; with auto all of the cores are for all. */
void options_keep_to_cores(const struct request *r, uint32_t index);

/* Binds to the own address, and for a stream (from 1; 0: the probe) to its source port. */
bool options_bind(int fd, const struct request *r, uint32_t stream, struct failure *f) NODISCARD;

#endif
