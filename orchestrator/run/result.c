/* SPDX-License-Identifier: MIT */
#include "run/result.h"

#include <math.h>
#include <string.h>

/* In the order of enum test_status; the CHECK of tests.status in schemas/results has the same list. */
const char *const test_status_names[] = {"ok",      "invalid",   "failed",    "timeout",
                                         "stalled", "truncated", "cancelled", NULL};

/* In the order of enum cell_state; the CHECK of cells.state in schemas/results has the same list. */
const char *const cell_state_names[] = {"pending",  "running", "done",    "invalid",
                                        "unstable", "failed",  "skipped", NULL};

bool result_is_by_choice(enum cell_state state, const char *reason)
{
	return state == CELL_SKIPPED && reason != NULL &&
	       strncmp(reason, RESULT_BY_CHOICE, strlen(RESULT_BY_CHOICE)) == 0;
}

void result_test_unknown(struct test_result *out)
{
	*out = (struct test_result){
		.status = TEST_OK,
		.concurrent_tests = 1,
		.duration_s = NAN,
		.throughput_bps = NAN,
		.sender_bps = NAN,
		.bytes = RESULT_UNKNOWN,
		.retransmits = RESULT_UNKNOWN,
		.retransmits_per_gib = NAN,
		.rtt_base_us = NAN,
		.rtt_loaded_us = NAN,
		.rtt_min_us = NAN,
		.start_skew_us = NAN,
		.cwnd_max_bytes = RESULT_UNKNOWN,
		.window_requested_bytes = RESULT_UNKNOWN,
		.sndbuf_actual_bytes = RESULT_UNKNOWN,
		.rcvbuf_actual_bytes = RESULT_UNKNOWN,
		.mss_bytes = RESULT_UNKNOWN,
		.path_mtu_bytes = RESULT_UNKNOWN,
		.no_delay_actual = RESULT_UNKNOWN,
		.dscp_actual = RESULT_UNKNOWN,
		.src_cpu_pct = NAN,
		.dst_cpu_pct = NAN,
		.src_core_max_pct = NAN,
		.dst_core_max_pct = NAN,
		.src_thread_max_pct = NAN,
		.dst_thread_max_pct = NAN,
		.src_steal_pct = NAN,
		.dst_steal_pct = NAN,
		.src_cpu_us_per_gib = NAN,
		.dst_cpu_us_per_gib = NAN,
		.busy_us = RESULT_UNKNOWN,
		.rwnd_limited_us = RESULT_UNKNOWN,
		.sndbuf_limited_us = RESULT_UNKNOWN,
		.rx_drops = RESULT_UNKNOWN,
		.nic_byte_match_pct = NAN,
		.line_rate_bps = NAN,
		.tcp_efficiency_pct = NAN,
		.buffer_delay_pct = NAN,
		.rtt_probe_count = RESULT_UNKNOWN,
		.rtt_probe_p50_us = NAN,
		.rtt_probe_p99_us = NAN,
		.rtt_probe_max_us = NAN,
		.datagrams_sent = RESULT_UNKNOWN,
		.datagrams_received = RESULT_UNKNOWN,
		.datagrams_lost = RESULT_UNKNOWN,
		.datagrams_reordered = RESULT_UNKNOWN,
		.datagrams_duplicate = RESULT_UNKNOWN,
		.loss_pct = NAN,
		.jitter_us = NAN,
		.transactions = RESULT_UNKNOWN,
		.rr_per_s = NAN,
		.rr_min_us = NAN,
		.rr_mean_us = NAN,
		.rr_p50_us = NAN,
		.rr_p90_us = NAN,
		.rr_p99_us = NAN,
		.rr_p999_us = NAN,
		.rr_max_us = NAN,
		.reverse_bps = NAN,
		.reverse_sender_bps = NAN,
		.reverse_bytes = RESULT_UNKNOWN,
		.reverse_retransmits = RESULT_UNKNOWN,
		.reverse_rtt_loaded_us = NAN,
		.reverse_loss_pct = NAN,
		.reverse_jitter_us = NAN,
	};
}

void result_stream_unknown(struct result_stream *out)
{
	*out = (struct result_stream){
		.src_port = RESULT_UNKNOWN,
		.dst_port = RESULT_UNKNOWN,
		.throughput_bps = NAN,
		.retransmits = RESULT_UNKNOWN,
		.cwnd_max_bytes = RESULT_UNKNOWN,
		.rtt_us = RESULT_UNKNOWN,
		.cpu = RESULT_UNKNOWN,
		.rtt_min_us = RESULT_UNKNOWN,
		.busy_us = RESULT_UNKNOWN,
		.rwnd_limited_us = RESULT_UNKNOWN,
		.sndbuf_limited_us = RESULT_UNKNOWN,
		.datagrams = RESULT_UNKNOWN,
		.datagrams_lost = RESULT_UNKNOWN,
		.datagrams_reordered = RESULT_UNKNOWN,
		.datagrams_duplicate = RESULT_UNKNOWN,
		.jitter_us = NAN,
	};
}

void result_interval_unknown(struct result_interval *out)
{
	*out = (struct result_interval){
		.throughput_bps = NAN,
		.retransmits = RESULT_UNKNOWN,
		.cwnd_bytes = RESULT_UNKNOWN,
		.rtt_us = RESULT_UNKNOWN,
		.rttvar_us = RESULT_UNKNOWN,
		.mss_bytes = RESULT_UNKNOWN,
		.path_mtu_bytes = RESULT_UNKNOWN,
		.busy_us = RESULT_UNKNOWN,
		.rwnd_limited_us = RESULT_UNKNOWN,
		.sndbuf_limited_us = RESULT_UNKNOWN,
		.transactions = RESULT_UNKNOWN,
		.datagrams = RESULT_UNKNOWN,
		.datagrams_lost = RESULT_UNKNOWN,
		.cpu_pct = NAN,
		.src_cpu_pct = NAN,
		.src_core_max_pct = NAN,
		.dst_core_max_pct = NAN,
		.src_steal_pct = NAN,
		.dst_steal_pct = NAN,
	};
}
