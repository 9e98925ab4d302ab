/* SPDX-License-Identifier: MIT */
#include "run/judge_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/figures.h"

#define ETHERNET_BYTES 18.0 /* header 14, VLAN tag 4 */
#define ETHERNET_LEAST 64.0 /* a frame has no less */
#define TCP_IP_BYTES   52.0 /* IPv4 20, TCP 20, timestamps 12 */
#define UDP_BYTES      8.0
#define IPV4_BYTES     20.0
#define IPV6_BYTES     40.0
#define FRAGMENT_BYTES 8.0 /* IPv6's header for it */
/* An ACK with timestamps and the most SACK blocks, in a frame. */
#define ACK_BYTES 100.0

/* What the NIC's counter may stand at when the flow is over. */
struct band {
	double least, most;
};

static bool is_v6(const struct measure *m)
{
	const char *address = topology_nic_address(m->cell->src, m->cell->config.ip_version);

	return address != NULL && strchr(address, ':') != NULL;
}

/* Payload of the smallest segments that the flow is made of. */
static double segment_of(const struct measure *m, const struct measure_flow *f, double mtu)
{
	const struct plan_config *c = &m->cell->config;
	double payload = mtu - TCP_IP_BYTES - (is_v6(m) ? IPV6_BYTES - IPV4_BYTES : 0);
	uint32_t mss = f->ends[MEASURE_SRC].connected.mss_bytes;

	if (mss != WIRE_UNKNOWN_U32 && mss > 0 && mss < payload)
		payload = mss;
	if (c->no_delay && c->buffer_bytes != 0 && (double)c->buffer_bytes < payload)
		payload = (double)c->buffer_bytes; /* each write is a segment */
	return payload;
}

/*
 * Counters see payload plus headers: from nearly none (an offloading NIC counts one header for
 * 64 KiB) to those of every segment and what was sent again.
 */
static struct band band_of_tcp(const struct measure *m, size_t flow, double mtu)
{
	const struct measure_flow *f = &m->flows[flow];
	const struct measure_end *src = &f->ends[MEASURE_SRC];
	double bytes = (double)src->result.bytes;
	double segment = segment_of(m, f, mtu);
	double headers = TCP_IP_BYTES + ETHERNET_BYTES;
	uint64_t again = src->result.retransmits;
	struct band b = {.least = bytes * (1.0 - JUDGE_NIC_BELOW)};

	b.most = bytes * (1.0 + headers / segment) * (1.0 + JUDGE_NIC_ABOVE);
	if (again != WIRE_UNKNOWN_U64)
		b.most += (double)again * mtu;
	if (m->flow_count == 2) { /* the NIC acknowledges the other flow, too */
		const struct measure_flow *other = &m->flows[1 - flow];
		double taken = (double)other->ends[MEASURE_DST].result.bytes;

		b.most += taken * ACK_BYTES / segment_of(m, other, mtu);
	}
	return b;
}

/* A datagram in frames: in fragments when it is larger than the MTU. */
static double wire_of_datagram(double payload, double mtu, bool v6)
{
	double ip = v6 ? IPV6_BYTES + FRAGMENT_BYTES : IPV4_BYTES;
	double packet = payload + UDP_BYTES;
	double fragments = ceil(packet / (mtu - ip));
	double wire = packet + fragments * (ip + ETHERNET_BYTES);

	return wire > ETHERNET_LEAST ? wire : ETHERNET_LEAST;
}

/*
 * Datagrams may be lost before the sender's NIC and behind the receiver's: what was taken passed
 * both, and no more than what was sent.
 */
static struct band band_of_udp(const struct measure *m, size_t flow, double mtu)
{
	const struct measure_end *src = &m->flows[flow].ends[MEASURE_SRC];
	const struct measure_end *dst = &m->flows[flow].ends[MEASURE_DST];
	const struct msg_datagrams *sent = figures_datagrams(src, 0);
	struct band b = {(double)dst->result.bytes * (1.0 - JUDGE_NIC_BELOW), INFINITY};

	if (sent != NULL && sent->count > 0) {
		double payload = (double)src->result.bytes / (double)sent->count;

		b.most = (double)sent->count * wire_of_datagram(payload, mtu, is_v6(m)) *
		         (1.0 + JUDGE_NIC_ABOVE);
	}
	return b;
}

/* Headers dominate small requests, and there are the responses: only that they passed is told. */
static struct band band_of_requests(const struct measure *m, size_t flow)
{
	const struct measure_end *dst = &m->flows[flow].ends[MEASURE_DST];

	return (struct band){(double)dst->result.bytes * (1.0 - JUDGE_NIC_BELOW), INFINITY};
}

static struct band band_of(const struct measure *m, size_t flow, const struct judge_limits *limits)
{
	const struct plan_config *c = &m->cell->config;
	double mtu = limits->mtu_bytes > 0 ? (double)limits->mtu_bytes : JUDGE_MTU_LEAST;

	if (c->mode == MODE_RR)
		return band_of_requests(m, flow);
	return c->protocol == PROTOCOL_UDP ? band_of_udp(m, flow, mtu) : band_of_tcp(m, flow, mtu);
}

/* Below the band the bytes went another way; above it others used the NIC. */
bool judge_nic(const struct measure *m, size_t flow, enum measure_end_index end,
               const struct judge_limits *limits, struct test_result *r, bool *retry)
{
	const struct measure_end *e = &m->flows[flow].ends[end];
	const struct nic *nic = e->nic;
	int64_t count = figures_counter(e, end == MEASURE_SRC ? "nic.tx_bytes" : "nic.rx_bytes");
	double seconds = 1.0 + m->cell->config.omit_ms / 1e3 + (double)e->result.measured_ns / 1e9;
	double share = (double)count / (double)e->result.bytes;
	struct band b;

	if (count == RESULT_UNKNOWN || e->result.bytes == 0)
		return true;
	b = band_of(m, flow, limits);
	if ((double)count < b.least) {
		(void)snprintf(
			r->reason, sizeof(r->reason),
			"only %.0f %% of the bytes went through %s.%s: they took another NIC",
			100.0 * share, nic->host->name, nic->name);
		*retry = false;
		return false;
	}
	if ((double)count > b.most + JUDGE_NIC_BESIDE_BYTES_PER_S * seconds) {
		(void)snprintf(r->reason, sizeof(r->reason),
		               "%s.%s carried %.2f times the bytes of the test: other traffic ran "
		               "beside it",
		               nic->host->name, nic->name, share);
		return false;
	}
	return true;
}
