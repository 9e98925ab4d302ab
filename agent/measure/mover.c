/* SPDX-License-Identifier: MIT */
#include "measure/mover.h"

#include "measure/copy.h"
#include "measure/rr.h"
#include "measure/udp.h"
#include "measure/zero_copy.h"

static const struct mover *choose_rr(const struct request *r, struct failure *f)
{
	if (r->zero_copy == REQUEST_COPY && r->rate_bps == 0)
		return r->side == REQUEST_SEND ? &rr_requester : &rr_responder;
	(void)failure_set(f, FAILURE_USAGE, "mode rr goes with neither zero_copy nor rate_bps");
	return NULL;
}

const struct mover *mover_choose(const struct request *r, struct failure *f)
{
	if (r->protocol == REQUEST_TCP && r->mode == REQUEST_RR)
		return choose_rr(r, f);
	if (r->protocol == REQUEST_UDP && r->mode == REQUEST_BULK && r->zero_copy == REQUEST_COPY)
		return r->side == REQUEST_SEND ? &udp_senders[0] : &udp_receivers[0];
	if (r->protocol == REQUEST_UDP) {
		(void)failure_set(f, FAILURE_USAGE,
		                  "datagrams go one way and are copied: no rr, no zero_copy");
		return NULL;
	}
	if (r->side == REQUEST_SEND)
		return r->zero_copy == REQUEST_COPY ? &copy_sender : zero_copy_sender();
	return r->zero_copy == REQUEST_ZERO_COPY_BOTH ? zero_copy_receiver() : &copy_receiver;
}
