/* SPDX-License-Identifier: MIT */
#include "ceiling/ceiling.h"

#include <math.h>
#include <string.h>

enum {
	IPV4_BYTES = 20,
	IPV6_BYTES = 40,
	IPV6_FRAGMENT_BYTES = 8, /* RFC 8200 section 4.5 */
	FRAGMENT_UNIT_BYTES = 8, /* RFC 791: offsets count in it */
	TCP_BYTES = 20,
	TIMESTAMP_BYTES = 12,
	UDP_BYTES = 8
};

/* Payload and packet (frame less its overhead) bytes of a full segment. */
struct segment_size {
	double payload, packet;
};

static bool is_v6(const struct plan_cell *cell)
{
	const char *address = topology_nic_address(cell->src, cell->config.ip_version);

	return address != NULL && strchr(address, ':') != NULL;
}

static bool size_of_segment(const struct plan_cell *cell, int64_t mss, int64_t mtu,
                            struct segment_size *out)
{
	int64_t headers = (is_v6(cell) ? IPV6_BYTES : IPV4_BYTES) + TCP_BYTES + TIMESTAMP_BYTES;

	if (mss <= 0 && mtu <= headers)
		return false;
	if (mss <= 0)
		mss = mtu - headers;
	else if (mtu <= 0 || mtu > mss + headers)
		mtu = mss + headers;
	*out = (struct segment_size){.payload = (double)mss, .packet = (double)mtu};
	return true;
}

/* The mean of its fragments where a datagram is larger than the MTU. */
static bool size_of_datagram(const struct plan_cell *cell, int64_t mtu, struct segment_size *out)
{
	int64_t ip = is_v6(cell) ? IPV6_BYTES : IPV4_BYTES;
	int64_t payload = (int64_t)cell->config.buffer_bytes;
	int64_t per_fragment, fragments;

	if (payload == 0 && mtu <= ip + UDP_BYTES)
		return false;
	if (payload == 0)
		payload = mtu - ip - UDP_BYTES;
	if (mtu <= 0 || ip + UDP_BYTES + payload <= mtu) {
		*out = (struct segment_size){.payload = (double)payload,
		                             .packet = (double)(ip + UDP_BYTES + payload)};
		return true;
	}
	if (is_v6(cell))
		ip += IPV6_FRAGMENT_BYTES;
	per_fragment = (mtu - ip) / FRAGMENT_UNIT_BYTES * FRAGMENT_UNIT_BYTES;
	if (per_fragment <= 0)
		return false;
	fragments = (payload + UDP_BYTES + per_fragment - 1) / per_fragment;
	*out = (struct segment_size){
		.payload = (double)payload / (double)fragments,
		.packet = (double)(payload + UDP_BYTES) / (double)fragments + (double)ip,
	};
	return true;
}

static bool size_of_frame(const struct plan_cell *cell, int64_t mss, int64_t mtu,
                          struct segment_size *out)
{
	return cell->config.protocol == PROTOCOL_UDP ? size_of_datagram(cell, mtu, out)
	                                             : size_of_segment(cell, mss, mtu, out);
}

static void take_lower(double *least, const char **name, uint64_t speed_bps, double efficiency,
                       const char *candidate)
{
	double bps = (double)speed_bps * efficiency;

	if (speed_bps == 0 || bps >= *least)
		return;
	*least = bps;
	*name = candidate;
}

static bool nic_is_a_limit(const struct plan_cell *cell, const struct nic *nic)
{
	switch (nic->host->kind) {
	case HOST_VM:
		return false;
	case HOST_ESXI:
		return cell->path_class != PATH_VM_OWN_HOST || cell->is_routed;
	case HOST_BAREMETAL:
		return true;
	}
	return false;
}

double ceiling_line_rate(const struct plan_cell *cell, int64_t mss_bytes, int64_t mtu_bytes,
                         const char **name)
{
	const struct nic *const ends[] = {cell->src, cell->dst};
	double least = (double)INFINITY;
	const char *limiting = NULL;
	struct segment_size size;

	if (!size_of_frame(cell, mss_bytes, mtu_bytes, &size))
		return (double)NAN;
	for (size_t i = 0; i < cell->link_count; i++) {
		const struct resource *link = cell->links[i];

		take_lower(&least, &limiting, link->speed_bps,
		           size.payload / (size.packet + link->frame_overhead), link->name);
	}
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		if (nic_is_a_limit(cell, ends[i]))
			take_lower(&least, &limiting, ends[i]->speed_bps,
			           size.payload / (size.packet + CEILING_ETHERNET_OVERHEAD),
			           ends[i]->name);
	}
	if (limiting == NULL)
		return (double)NAN;
	*name = limiting;
	return least;
}

double ceiling_window(int64_t window_bytes, int64_t streams, double rtt_base_us)
{
	if (window_bytes <= 0 || streams <= 0 || !(rtt_base_us > 0))
		return (double)NAN;
	return (double)window_bytes * 8 * (double)streams / (rtt_base_us / 1e6);
}
