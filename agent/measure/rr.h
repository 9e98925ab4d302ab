/* SPDX-License-Identifier: MIT */
/*
 * rr.h - requests and responses: one of each after the other on every stream.
 *
 * The requester is the sending side, the responder the receiving one. Both have
 * the size that the test's buffer has, RR_DEFAULT_BYTES when it has none. A
 * transaction is complete, and counted, when the requester has the whole
 * response, or the responder has given it to the kernel. Bytes are the payload
 * of the requests of complete transactions, so both ends come to the same. The
 * requester ends only between transactions. Nothing is held back to fill a
 * segment (TCP_NODELAY), whatever the test asks for.
 *
 * The round trips are timed by the requester's clock, one reading a transaction:
 * the next request begins when the last response ended.
 */
#ifndef AGENT_MEASURE_RR_H
#define AGENT_MEASURE_RR_H

#include "measure/mover.h"

#define RR_DEFAULT_BYTES 1u
#define RR_PIECE_BYTES   (UINT64_C(64) * 1024) /* what is larger goes in pieces */

extern const struct mover rr_requester;
extern const struct mover rr_responder;

#endif
