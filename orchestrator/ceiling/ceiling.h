/* SPDX-License-Identifier: MIT */
/*
 * ceiling.h - the most that a cell can reach by arithmetic alone.
 *
 * Pure functions over the plan's cell and measured figures; used by run (to
 * judge a test), analysis and report. Rates are payload bits per second, as
 * the headline figure is. Unknown is NAN.
 */
#ifndef CEILING_CEILING_H
#define CEILING_CEILING_H

#include "plan/plan.h"

/* Bytes that a frame costs an Ethernet link beyond its MTU: header 14, FCS 4, preamble 8, gap 12. */
#define CEILING_ETHERNET_OVERHEAD 38u

/*
 * Line rate of a cell: the least over the links and ports it crosses, and over
 * the physical NICs at its ends, of speed x MSS / (MTU + frame overhead).
 * A virtual NIC's speed is only a label (a vmxnet3 of "10G" moves 22 Gbit/s)
 * and counts nowhere; an ESXi host's NIC counts when the traffic leaves the
 * host. NIC speeds are reckoned with CEILING_ETHERNET_OVERHEAD.
 *
 * mss_bytes and mtu_bytes are what the connection used; 0 or less: not known.
 * A segment smaller than the MTU allows makes a smaller frame, so an MTU above
 * MSS + headers (IP 20 or 40, TCP 20, timestamps 12: RFC 7323) is cut to that;
 * an unknown one is reckoned from the other. Of UDP the sizes are those of a
 * datagram of `buffer` bytes, or of what fits the MTU, with its fragments where
 * it is larger than the MTU; mss_bytes does not count.
 *
 * NAN, with *name untouched, when nothing crossed has a known speed or neither
 * size is known. Else *name is the limiting link, port or NIC as the topology
 * names it (a NIC without its host); it lives as long as the topology.
 */
double ceiling_line_rate(const struct plan_cell *cell, int64_t mss_bytes, int64_t mtu_bytes,
                         const char **name);

/*
 * window x streams / round-trip time without load (RFC 6349 section 3.3.1).
 * window_bytes is what one stream was granted. NAN when a figure is not
 * positive, as unknown ones are not.
 */
double ceiling_window(int64_t window_bytes, int64_t streams, double rtt_base_us);

#endif
