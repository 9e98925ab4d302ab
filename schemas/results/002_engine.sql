-- vnm results database, schema version 2: what the agent's engine can be told and what it measures.
--
-- Rows of before keep NULL, not known, in all of it; a factor that is NULL has its default.

-- ---- the treatment ----------------------------------------------------------------------------

ALTER TABLE configs ADD COLUMN bytes INTEGER;         -- payload that ends a test; duration_s NULL
ALTER TABLE configs ADD COLUMN no_delay INTEGER CHECK(no_delay IN(0,1));
ALTER TABLE configs ADD COLUMN affinity TEXT;         -- 'auto' or cores, '0-3,6'
ALTER TABLE configs ADD COLUMN bind_device INTEGER CHECK(bind_device IN(0,1));
ALTER TABLE configs ADD COLUMN source_port INTEGER;   -- of stream 1, stream n has n - 1 more

-- ---- the ends -----------------------------------------------------------------------------------

ALTER TABLE run_nics ADD COLUMN ip6 TEXT;             -- the second address; ip may be IPv6 itself

-- ---- a test -----------------------------------------------------------------------------------
-- All of direction 0 (src to dst) unless the name begins with reverse_; src_ and dst_ are the
-- cell's ends.

ALTER TABLE tests ADD COLUMN start_skew_us REAL;      -- of the last stream after the first one
ALTER TABLE tests ADD COLUMN rtt_min_us REAL;         -- least that the sender's system saw

-- as read back from the first stream; what was asked for is the config's
ALTER TABLE tests ADD COLUMN tcp_cc_actual TEXT;
ALTER TABLE tests ADD COLUMN no_delay_actual INTEGER;
ALTER TABLE tests ADD COLUMN dscp_actual INTEGER;
ALTER TABLE tests ADD COLUMN src_affinity TEXT;       -- cores of the data threads
ALTER TABLE tests ADD COLUMN dst_affinity TEXT;
ALTER TABLE tests ADD COLUMN src_method TEXT;         -- how the end moved bytes: writev...
ALTER TABLE tests ADD COLUMN dst_method TEXT;

ALTER TABLE tests ADD COLUMN src_thread_max_pct REAL; -- busiest data thread, of one core
ALTER TABLE tests ADD COLUMN dst_thread_max_pct REAL;
ALTER TABLE tests ADD COLUMN src_steal_pct REAL;      -- taken by the hypervisor, of all cores
ALTER TABLE tests ADD COLUMN dst_steal_pct REAL;

-- sender, sums over the streams: time with data to send, and of it waiting for the receiver's
-- window or for room in the socket buffer
ALTER TABLE tests ADD COLUMN busy_us INTEGER;
ALTER TABLE tests ADD COLUMN rwnd_limited_us INTEGER;
ALTER TABLE tests ADD COLUMN sndbuf_limited_us INTEGER;

-- small round trips on a connection of their own while the streams moved
ALTER TABLE tests ADD COLUMN rtt_probe_count INTEGER;
ALTER TABLE tests ADD COLUMN rtt_probe_p50_us REAL;
ALTER TABLE tests ADD COLUMN rtt_probe_p99_us REAL;
ALTER TABLE tests ADD COLUMN rtt_probe_max_us REAL;

-- udp, of the measured time
ALTER TABLE tests ADD COLUMN datagrams_sent INTEGER;
ALTER TABLE tests ADD COLUMN datagrams_received INTEGER;
ALTER TABLE tests ADD COLUMN datagrams_lost INTEGER;
ALTER TABLE tests ADD COLUMN datagrams_reordered INTEGER;
ALTER TABLE tests ADD COLUMN datagrams_duplicate INTEGER;
ALTER TABLE tests ADD COLUMN loss_pct REAL;           -- 100 lost / (received + lost)
ALTER TABLE tests ADD COLUMN jitter_us REAL;          -- RFC 3550, at the end of the measured time

-- rr, of the measured time, all streams together; throughput_bps is that of the requests
ALTER TABLE tests ADD COLUMN transactions INTEGER;
ALTER TABLE tests ADD COLUMN rr_per_s REAL;
ALTER TABLE tests ADD COLUMN rr_min_us REAL;
ALTER TABLE tests ADD COLUMN rr_mean_us REAL;
ALTER TABLE tests ADD COLUMN rr_p50_us REAL;
ALTER TABLE tests ADD COLUMN rr_p90_us REAL;
ALTER TABLE tests ADD COLUMN rr_p99_us REAL;
ALTER TABLE tests ADD COLUMN rr_p999_us REAL;
ALTER TABLE tests ADD COLUMN rr_max_us REAL;

-- the way back of a bidir test, beside reverse_bps and reverse_retransmits
ALTER TABLE tests ADD COLUMN reverse_sender_bps REAL;
ALTER TABLE tests ADD COLUMN reverse_bytes INTEGER;
ALTER TABLE tests ADD COLUMN reverse_rtt_loaded_us REAL;
ALTER TABLE tests ADD COLUMN reverse_loss_pct REAL;
ALTER TABLE tests ADD COLUMN reverse_jitter_us REAL;

-- ---- a stream, an interval: sender and receiver are those of the direction ----------------------

ALTER TABLE streams ADD COLUMN rtt_min_us INTEGER;
ALTER TABLE streams ADD COLUMN busy_us INTEGER;
ALTER TABLE streams ADD COLUMN rwnd_limited_us INTEGER;
ALTER TABLE streams ADD COLUMN sndbuf_limited_us INTEGER;
ALTER TABLE streams ADD COLUMN datagrams INTEGER;     -- received
ALTER TABLE streams ADD COLUMN datagrams_lost INTEGER;
ALTER TABLE streams ADD COLUMN datagrams_reordered INTEGER;
ALTER TABLE streams ADD COLUMN datagrams_duplicate INTEGER;
ALTER TABLE streams ADD COLUMN jitter_us REAL;

-- cpu_pct is that of the receiver's process
ALTER TABLE intervals ADD COLUMN src_cpu_pct REAL;    -- sender's process, of one core
ALTER TABLE intervals ADD COLUMN src_core_max_pct REAL;
ALTER TABLE intervals ADD COLUMN dst_core_max_pct REAL;
ALTER TABLE intervals ADD COLUMN src_steal_pct REAL;
ALTER TABLE intervals ADD COLUMN dst_steal_pct REAL;
ALTER TABLE intervals ADD COLUMN rttvar_us INTEGER;
ALTER TABLE intervals ADD COLUMN mss_bytes INTEGER;
ALTER TABLE intervals ADD COLUMN path_mtu_bytes INTEGER;
ALTER TABLE intervals ADD COLUMN busy_us INTEGER;
ALTER TABLE intervals ADD COLUMN rwnd_limited_us INTEGER;
ALTER TABLE intervals ADD COLUMN sndbuf_limited_us INTEGER;
ALTER TABLE intervals ADD COLUMN transactions INTEGER;
ALTER TABLE intervals ADD COLUMN datagrams INTEGER;   -- received
ALTER TABLE intervals ADD COLUMN datagrams_lost INTEGER;

-- what befell single streams: one that did not connect, one that died
CREATE TABLE stream_troubles(
  test_id INTEGER NOT NULL REFERENCES tests ON DELETE CASCADE,
  direction INTEGER NOT NULL CHECK(direction IN(0,1)),
  stream INTEGER NOT NULL,
  host_id INTEGER NOT NULL REFERENCES hosts, -- who told it
  reason TEXT NOT NULL,
  PRIMARY KEY(test_id, direction, stream, host_id)
) STRICT, WITHOUT ROWID;

-- ---- derived: medians over the tests that count, beside median_bps ------------------------------

ALTER TABLE cell_stats ADD COLUMN reverse_median_bps REAL;
ALTER TABLE cell_stats ADD COLUMN median_loss_pct REAL;
ALTER TABLE cell_stats ADD COLUMN reverse_median_loss_pct REAL;
ALTER TABLE cell_stats ADD COLUMN median_jitter_us REAL;
ALTER TABLE cell_stats ADD COLUMN median_rr_per_s REAL;
ALTER TABLE cell_stats ADD COLUMN median_rr_p50_us REAL;
ALTER TABLE cell_stats ADD COLUMN median_rr_p99_us REAL;
