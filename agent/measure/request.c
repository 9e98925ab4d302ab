/* SPDX-License-Identifier: MIT */
#include "measure/request.h"

#include <string.h>

#include "common/clock.h"
#include "measure/ranges.h"

/* One of two words. */
static bool check_word(const char *name, const char *value, const char *yes, const char *no,
                       struct failure *f)
{
	if (strcmp(value, yes) == 0 || strcmp(value, no) == 0)
		return true;
	return failure_set(f, FAILURE_USAGE, "%s '%.32s' is not %s or %s", name, value, yes, no);
}

static bool check_address(const char *name, const char *value, struct address *out,
                          struct failure *f)
{
	if (address_parse(value, out))
		return true;
	return failure_set(f, FAILURE_USAGE, "%s '%.64s' is not the address of a NIC", name, value);
}

static bool check_peer(const struct msg_prepare *m, struct request *out, struct failure *f)
{
	if (m->port == WIRE_UNKNOWN_U32 || m->peer[0] == '\0')
		return failure_set(f, FAILURE_USAGE, "connect needs peer and port");
	if (!check_address("peer", m->peer, &out->peer, f))
		return false;
	if (out->peer.at.any.sa_family != out->own.at.any.sa_family)
		return failure_set(f, FAILURE_USAGE,
		                   "%.64s and %.64s are not of the same IP version", m->address,
		                   m->peer);
	address_set_port(&out->peer, (uint16_t)m->port);
	return true;
}

static bool check_ports(const struct msg_prepare *m, struct request *out, struct failure *f)
{
	if (m->port_min == WIRE_UNKNOWN_U32 && m->port_max == WIRE_UNKNOWN_U32)
		return true;
	if (m->port_min == WIRE_UNKNOWN_U32 || m->port_max == WIRE_UNKNOWN_U32)
		return failure_set(f, FAILURE_USAGE, "port_min and port_max go together");
	if (m->port_min > m->port_max)
		return failure_set(f, FAILURE_USAGE, "port_min %u is above port_max %u",
		                   m->port_min, m->port_max);
	out->port_min = (uint16_t)m->port_min;
	out->port_max = (uint16_t)m->port_max;
	return true;
}

static uint64_t or_zero(uint64_t value)
{
	return value == WIRE_UNKNOWN_U64 ? 0 : value;
}

/* One of some words, the first when it is left out; their place. */
static bool check_choice(const char *name, const char *value, const char *const *words,
                         unsigned *out, struct failure *f)
{
	for (unsigned i = 0; words[i] != NULL; i++) {
		if (strcmp(value, words[i]) == 0 || (i == 0 && value[0] == '\0')) {
			*out = i;
			return true;
		}
	}
	return failure_set(f, FAILURE_USAGE, "%s '%.32s' is not known to this agent", name, value);
}

static bool check_kind(const struct msg_prepare *m, struct request *out, struct failure *f)
{
	static const char *const protocols[] = {"tcp", "udp", NULL};
	static const char *const modes[] = {"bulk", "rr", NULL};
	static const char *const zero_copies[] = {"off", "sender", "both", NULL};
	unsigned protocol = 0;
	unsigned mode = 0;
	unsigned zero_copy = 0;

	if (!check_choice("protocol", m->protocol, protocols, &protocol, f) ||
	    !check_choice("mode", m->mode, modes, &mode, f) ||
	    !check_choice("zero_copy", m->zero_copy, zero_copies, &zero_copy, f))
		return false;
	out->protocol = (enum request_protocol)protocol;
	out->mode = (enum request_mode)mode;
	out->zero_copy = (enum request_zero_copy)zero_copy;
	return true;
}

static bool take_text(const char *name, const char *value, char *out, size_t room,
                      struct failure *f)
{
	if (strlen(value) >= room)
		return failure_set(f, FAILURE_USAGE, "%s '%.32s' is too long", name, value);
	memcpy(out, value, strlen(value) + 1);
	return true;
}

static uint32_t or_zero32(uint32_t value)
{
	return value == WIRE_UNKNOWN_U32 ? 0 : value;
}

static bool check_affinity(const struct msg_prepare *m, struct request *out, struct failure *f)
{
	out->is_affinity_auto = strcmp(m->affinity, "auto") == 0;
	if (out->is_affinity_auto || m->affinity[0] == '\0' ||
	    number_set_parse(m->affinity, &out->cores))
		return true;
	return failure_set(f, FAILURE_USAGE, "affinity '%.32s' is not auto or a list as 0-3,6",
	                   m->affinity);
}

static bool check_bytes(const struct request *r, struct failure *f)
{
	return r->bytes == 0 || r->bytes >= r->streams ||
	       failure_set(f, FAILURE_USAGE, "bytes %u are too few for %u streams",
	                   (unsigned)r->bytes, r->streams);
}

static bool check_options(const struct msg_prepare *m, struct request *out, struct failure *f)
{
	out->bytes = or_zero(m->bytes);
	out->rate_bps = or_zero(m->rate_bps);
	out->mss_bytes = or_zero32(m->mss_bytes);
	out->is_no_delay = m->no_delay == 1 || out->mode == REQUEST_RR;
	out->dscp = m->dscp == WIRE_UNKNOWN_U32 ? REQUEST_DSCP_DEFAULT : m->dscp;
	out->source_port = or_zero32(m->source_port);
	out->beside = or_zero32(m->beside);
	out->probe_ns = or_zero32(m->probe_ms) * CLOCK_NS_PER_MS;
	if (out->source_port != 0 && out->source_port + out->streams - 1 > 65535)
		return failure_set(f, FAILURE_USAGE,
		                   "source_port %u leaves no room for %u streams: at most %u",
		                   out->source_port, out->streams, 65536 - out->streams);
	return take_text("congestion", m->congestion, out->congestion, sizeof(out->congestion),
	                 f) &&
	       take_text("device", m->device, out->device, sizeof(out->device), f) &&
	       check_affinity(m, out, f);
}

bool request_check(const struct msg_prepare *m, struct request *out, struct failure *f)
{
	struct request r = {
		.is_listener = strcmp(m->role, "listen") == 0,
		.side = strcmp(m->side, "send") == 0 ? REQUEST_SEND : REQUEST_RECV,
		.streams = m->streams,
		.window_bytes = or_zero(m->window_bytes),
		.buffer_bytes = or_zero(m->buffer_bytes),
		.omit_ns = m->omit_ms * CLOCK_NS_PER_MS,
		.duration_ns = m->duration_ms * CLOCK_NS_PER_MS,
		.interval_ns = m->interval_ms * CLOCK_NS_PER_MS,
		.rtt_probes = m->rtt_probes,
	};

	if (!check_word("role", m->role, "listen", "connect", f) ||
	    !check_word("side", m->side, "send", "recv", f) || !ranges_check(m, f) ||
	    !check_address("address", m->address, &r.own, f) || !check_kind(m, &r, f) ||
	    !check_options(m, &r, f) || !check_bytes(&r, f))
		return false;
	if (!preamble_token_parse(m->token, r.token))
		return failure_set(f, FAILURE_USAGE, "token is not %d hex digits",
		                   PREAMBLE_TOKEN_BYTES * 2);
	if (r.is_listener ? !check_ports(m, &r, f) : !check_peer(m, &r, f))
		return false;
	*out = r;
	return true;
}

bool request_has_probe(const struct request *r)
{
	return r->rtt_probes > 0 || r->probe_ns > 0;
}

uint64_t request_share(const struct request *r, uint32_t index)
{
	return r->bytes / r->streams + (index < r->bytes % r->streams);
}

enum preamble_kind request_preamble_kind(const struct request *r)
{
	return r->is_listener == (r->side == REQUEST_RECV) ? PREAMBLE_CONNECTOR_SENDS
	                                                   : PREAMBLE_CONNECTOR_RECEIVES;
}
