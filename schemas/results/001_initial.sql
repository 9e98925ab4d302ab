-- vnm results database, schema version 1. STRICT tables: SQLite 3.37 or newer.
--
-- Units are in the names: _bps, _bytes, _s, _us, _pct, _utc (ISO 8601, UTC). NULL is "not known"
-- or "the default", never 0. Once released this file is never edited: a change is a new script.
-- What is set for a connection (journal, foreign keys) is in orchestrator/store/store.c; views are
-- code and live in views.sql.

PRAGMA application_id = 0x564E4D31; -- 'VNM1', so that file(1) can tell

CREATE TABLE schema_migrations(
  version INTEGER PRIMARY KEY,
  applied_utc TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  description TEXT NOT NULL,
  script_sha256 TEXT NOT NULL
) STRICT;

-- ---- who, what, when, with which plan -------------------------------------------------------

CREATE TABLE runs(
  run_id INTEGER PRIMARY KEY,
  run_uuid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK(status IN('planned','running','complete','interrupted','failed','aborted')),
  started_utc TEXT,
  ended_utc TEXT,
  -- resume goes on with the stored topology and plan, not with the file
  topology_path TEXT,                -- as it was given
  topology_yaml TEXT NOT NULL,
  topology_sha256 TEXT NOT NULL,
  plan_sha256 TEXT NOT NULL,
  origin TEXT NOT NULL DEFAULT 'measured' CHECK(origin IN('measured','imported','demo')),
  profile TEXT,                      -- names with blanks between
  selection TEXT,                    -- --only
  argv TEXT,
  random_seed INTEGER NOT NULL,      -- 64 bits: above 2^63 it reads as a negative number
  design TEXT NOT NULL CHECK(design IN('split-plot','random','serial')),
  tool_version TEXT NOT NULL,
  agent_sha256 TEXT,
  controller TEXT,                   -- machine that ran vnm
  operator TEXT,
  note TEXT
) STRICT;
CREATE INDEX runs_topology ON runs(topology_sha256, run_id);

CREATE TABLE run_tags(
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(run_id, key)
) STRICT, WITHOUT ROWID;

-- ---- stable identities, by name -------------------------------------------------------------

CREATE TABLE hosts(
  host_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK(kind IN('esxi','vm','baremetal'))
) STRICT;

CREATE TABLE nics(
  nic_id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL REFERENCES hosts,
  name TEXT NOT NULL,
  mac TEXT,
  UNIQUE(host_id, name)
) STRICT;

-- ---- what they looked like IN THIS RUN: VMs move, drivers get updated -----------------------

CREATE TABLE run_hosts(
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  host_id INTEGER NOT NULL REFERENCES hosts,
  parent_host_id INTEGER REFERENCES hosts, -- hypervisor of a VM
  os TEXT,
  os_version TEXT,
  kernel TEXT,
  hypervisor_build TEXT,
  bios_version TEXT,
  power_policy TEXT,
  cpu_model TEXT,
  cpu_count INTEGER,
  cpu_mhz INTEGER,
  numa_nodes INTEGER,
  memory_bytes INTEGER,
  vm_hardware_version TEXT,
  tcp_cc TEXT,
  ip_forwarding INTEGER,
  clock_offset_us INTEGER,           -- the host's wall clock less that of the controller
  engine TEXT,
  engine_version TEXT,
  PRIMARY KEY(run_id, host_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_hosts_host ON run_hosts(host_id, run_id);

CREATE TABLE run_nics(
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  nic_id INTEGER NOT NULL REFERENCES nics,
  ip TEXT,
  driver TEXT,                       -- family: em = em, lem, e1000, e1000e; vmxnet3 = vmxnet3, vmx
  driver_actual TEXT,                -- as read from the host
  driver_version TEXT,
  firmware TEXT,
  pci_slot TEXT,
  pcie_gts REAL,
  pcie_width INTEGER,
  pcie_max_gts REAL,
  pcie_max_width INTEGER,
  pcie_limit_bps INTEGER,
  numa_node INTEGER,
  link_speed_bps INTEGER,            -- as read from the host
  rx_queues INTEGER,
  tx_queues INTEGER,
  rx_ring INTEGER,
  tx_ring INTEGER,
  portgroup TEXT,
  vswitch TEXT,
  vswitch_mtu_bytes INTEGER,
  uplink TEXT,
  vlan INTEGER,
  PRIMARY KEY(run_id, nic_id)
) STRICT, WITHOUT ROWID;

-- Everything else: sysctls, ethtool, BIOS... One value a run, host, NIC, phase and key.
CREATE TABLE facts(
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  host_id INTEGER NOT NULL REFERENCES hosts,
  nic_id INTEGER REFERENCES nics,    -- NULL: the host's own
  phase TEXT NOT NULL CHECK(phase IN('before','after')),
  key TEXT NOT NULL,
  value TEXT,
  unit TEXT,
  source_command TEXT
) STRICT;
CREATE UNIQUE INDEX facts_one ON facts(run_id, host_id, phase, key, coalesce(nic_id, 0));
CREATE INDEX facts_k ON facts(key, host_id, run_id);

-- ---- one row per distinct treatment ---------------------------------------------------------

-- NULL = the default of the tool or the system, or not known (imports)
CREATE TABLE configs(
  config_id INTEGER PRIMARY KEY,
  config_sha256 TEXT NOT NULL UNIQUE,
  engine TEXT NOT NULL DEFAULT 'agent', -- 'agent', 'iperf3'
  engine_major TEXT,                 -- iperf3 below 3.16 is another one than a threaded iperf3
  protocol TEXT NOT NULL DEFAULT 'tcp',
  mode TEXT NOT NULL DEFAULT 'bulk' CHECK(mode IN('bulk','rr')),
  bidir INTEGER NOT NULL DEFAULT 0 CHECK(bidir IN(0,1)),
  zero_copy TEXT CHECK(zero_copy IN('off','sender','both')),
  ip_version INTEGER,
  mss_bytes INTEGER,
  dscp INTEGER,
  mtu_bytes INTEGER,                 -- NULL = as it was found
  window_bytes INTEGER,              -- NULL = autotuning
  streams INTEGER,
  buffer_bytes INTEGER,              -- NULL = the engine chooses
  lro TEXT CHECK(lro IN('on','off','unchanged')),
  tso TEXT CHECK(tso IN('on','off','unchanged')),
  duration_s REAL,
  omit_s REAL,
  tcp_cc TEXT,
  target_bps INTEGER,
  extra_json TEXT
) STRICT;

-- ---- one row per matrix cell ----------------------------------------------------------------

-- src is ALWAYS the sender: direction `reverse` of a pair is stored as the swapped pair
CREATE TABLE cells(
  cell_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  src_nic_id INTEGER NOT NULL REFERENCES nics,
  dst_nic_id INTEGER NOT NULL REFERENCES nics,
  path_class TEXT NOT NULL
    CHECK(path_class IN('host-host','vm-vm-same-host','vm-vm-cross-host','vm-own-host',
      'vm-other-host','baremetal-host','baremetal-vm','baremetal-baremetal')),
  config_id INTEGER NOT NULL REFERENCES configs,
  -- who opened the connection
  initiator TEXT NOT NULL DEFAULT 'src' CHECK(initiator IN('src','dst')),
  -- sha256 of src, dst, drivers, initiator, config: key of a time series
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending'
    CHECK(state IN('pending','running','done','invalid','unstable','failed','skipped')),
  reason TEXT,
  UNIQUE(run_id, src_nic_id, dst_nic_id, config_id, initiator)
) STRICT;
CREATE INDEX cells_fp ON cells(fingerprint, run_id);
CREATE INDEX cells_state ON cells(run_id, state);

-- one cell may belong to several profiles of a run; their order is that of the rows
CREATE TABLE cell_profiles(
  cell_id INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
  profile TEXT NOT NULL,
  published_bps REAL,
  published_retransmits INTEGER,
  PRIMARY KEY(cell_id, profile)
) STRICT;

-- ---- one row per measured repetition --------------------------------------------------------

CREATE TABLE tests(
  test_id INTEGER PRIMARY KEY,
  cell_id INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
  replicate INTEGER NOT NULL,
  block INTEGER NOT NULL,
  round INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 1,
  started_utc TEXT,
  duration_s REAL,                   -- true length of the measured time, omitted start not in it
  status TEXT NOT NULL
    CHECK(status IN('ok','invalid','failed','timeout','stalled','truncated','cancelled')),
  reason TEXT,                       -- why it is not ok
  throughput_bps REAL,               -- receiver goodput after omit: THE number
  sender_bps REAL,
  bytes INTEGER,                     -- all the receiver took: omitted start and drain included
  reverse_bps REAL,                  -- the other direction of a bidir test
  reverse_retransmits INTEGER,
  retransmits INTEGER,
  retransmits_per_gib REAL,
  rtt_base_us REAL,
  rtt_loaded_us REAL,
  cwnd_max_bytes INTEGER,
  window_requested_bytes INTEGER,
  sndbuf_actual_bytes INTEGER,
  rcvbuf_actual_bytes INTEGER,
  mss_bytes INTEGER,
  path_mtu_bytes INTEGER,
  src_cpu_pct REAL,
  dst_cpu_pct REAL,
  src_core_max_pct REAL,
  dst_core_max_pct REAL,
  src_cpu_us_per_gib REAL,
  dst_cpu_us_per_gib REAL,
  rx_drops INTEGER,
  background_bps REAL,
  concurrent_tests INTEGER NOT NULL DEFAULT 1,
  nic_byte_match_pct REAL,           -- bytes counted by the intended NIC / bytes of the test
  line_rate_bps REAL,
  tcp_efficiency_pct REAL,
  buffer_delay_pct REAL,             -- how much load lengthens the round trip: loaded/base - 1
  limited_by TEXT,
  raw_json BLOB,
  UNIQUE(cell_id, replicate, attempt)
) STRICT;
CREATE INDEX tests_bad ON tests(cell_id) WHERE status <> 'ok';

-- streams count from 1; direction 0 = src to dst, 1 = back (bidir)
CREATE TABLE streams(
  test_id INTEGER NOT NULL REFERENCES tests ON DELETE CASCADE,
  direction INTEGER NOT NULL DEFAULT 0 CHECK(direction IN(0,1)),
  stream INTEGER NOT NULL,
  src_port INTEGER,
  dst_port INTEGER,
  throughput_bps REAL,
  retransmits INTEGER,
  cwnd_max_bytes INTEGER,
  rtt_us REAL,
  cpu INTEGER,
  PRIMARY KEY(test_id, direction, stream)
) STRICT, WITHOUT ROWID;

-- stream 0 = sum of all streams: always ask for stream=0 or stream>0, else all counts twice
CREATE TABLE intervals(
  test_id INTEGER NOT NULL REFERENCES tests ON DELETE CASCADE,
  direction INTEGER NOT NULL DEFAULT 0 CHECK(direction IN(0,1)),
  stream INTEGER NOT NULL,
  start_s REAL NOT NULL,
  end_s REAL NOT NULL,
  omitted INTEGER NOT NULL CHECK(omitted IN(0,1)),
  throughput_bps REAL,
  retransmits INTEGER,
  cwnd_bytes INTEGER,
  rtt_us REAL,
  cpu_pct REAL,
  PRIMARY KEY(test_id, direction, stream, start_s)
) STRICT, WITHOUT ROWID;

-- how far counters of the NIC and the system went during a test
CREATE TABLE counters(
  test_id INTEGER NOT NULL REFERENCES tests ON DELETE CASCADE,
  host_id INTEGER NOT NULL REFERENCES hosts,
  name TEXT NOT NULL,
  delta INTEGER NOT NULL,
  PRIMARY KEY(test_id, host_id, name)
) STRICT, WITHOUT ROWID;

-- ---- settings journal: written and synced BEFORE a setting is touched -----------------------
-- Not used yet: this version changes no setting.

CREATE TABLE setting_changes(
  change_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs, -- no cascade: a run with a journal stays
  host_id INTEGER NOT NULL REFERENCES hosts,
  nic_id INTEGER REFERENCES nics,
  setting TEXT NOT NULL,
  value_before TEXT NOT NULL,
  value_requested TEXT NOT NULL,
  value_after TEXT,
  apply_command TEXT NOT NULL,
  restore_command TEXT NOT NULL,
  applied_utc TEXT,
  confirmed_utc TEXT,
  restored_utc TEXT,
  state TEXT NOT NULL
    CHECK(state IN('intended','applied','confirmed','restored','restore_failed','not_applied',
      'foreign'))
) STRICT;
-- `intended` IS open: a kill between the command and the update leaves a changed host
CREATE INDEX sc_open ON setting_changes(state)
  WHERE state NOT IN('restored','not_applied','foreign');
CREATE INDEX sc_run ON setting_changes(run_id);

CREATE TABLE events(
  event_id INTEGER PRIMARY KEY,
  run_id INTEGER REFERENCES runs ON DELETE CASCADE,
  utc TEXT NOT NULL,
  level TEXT NOT NULL CHECK(level IN('info','warn','error')),
  host_id INTEGER REFERENCES hosts,
  test_id INTEGER REFERENCES tests ON DELETE CASCADE,
  message TEXT NOT NULL
) STRICT;
CREATE INDEX events_run ON events(run_id);
CREATE INDEX events_test ON events(test_id) WHERE test_id IS NOT NULL;

-- ---- derived, recomputable ------------------------------------------------------------------

CREATE TABLE cell_stats(
  cell_id INTEGER PRIMARY KEY REFERENCES cells ON DELETE CASCADE,
  n INTEGER NOT NULL,                -- ok tests
  n_invalid INTEGER NOT NULL,        -- tests left out for a cause, never for their value
  median_bps REAL,
  ci_lo_bps REAL,                    -- exact interval of the median; NULL below 6 tests
  ci_hi_bps REAL,
  ci_confidence REAL,                -- its true confidence: 0.96875 for n = 6
  mean_bps REAL,
  stddev_bps REAL,
  cv_pct REAL,
  min_bps REAL,
  max_bps REAL,
  precision_pct REAL,                -- half the interval / median
  noise TEXT CHECK(noise IN('quiet','normal','noisy','bimodal','drifting')),
  outliers INTEGER,
  line_rate_pct REAL,
  limited_by TEXT,
  method TEXT NOT NULL,
  computed_utc TEXT NOT NULL
) STRICT;

CREATE TABLE advice(
  advice_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  cell_id INTEGER REFERENCES cells ON DELETE CASCADE,
  host_id INTEGER REFERENCES hosts,
  rule TEXT NOT NULL,
  severity TEXT NOT NULL CHECK(severity IN('info','warn','critical')),
  confidence TEXT NOT NULL CHECK(confidence IN('low','medium','high')),
  title TEXT NOT NULL,
  evidence_json TEXT NOT NULL,
  remedy TEXT,
  remedy_command TEXT,
  experiment_command TEXT
) STRICT;
CREATE INDEX advice_run ON advice(run_id);
CREATE INDEX advice_cell ON advice(cell_id);

CREATE TABLE baselines(
  name TEXT PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs, -- no cascade: a pinned run cannot be deleted
  pinned_utc TEXT NOT NULL,
  note TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX baselines_run ON baselines(run_id);

CREATE TABLE comparisons(
  comparison_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  base_run_id INTEGER REFERENCES runs ON DELETE CASCADE,
  new_run_id INTEGER REFERENCES runs ON DELETE CASCADE,
  by_factor TEXT,
  created_utc TEXT NOT NULL,
  alpha REAL NOT NULL,
  min_effect_pct REAL NOT NULL,
  correction TEXT NOT NULL
) STRICT;
CREATE INDEX comparisons_base ON comparisons(base_run_id);
CREATE INDEX comparisons_new ON comparisons(new_run_id);

CREATE TABLE comparison_cells(
  comparison_id INTEGER NOT NULL REFERENCES comparisons ON DELETE CASCADE,
  base_cell_id INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
  new_cell_id INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
  ratio REAL,
  ratio_lo REAL,
  ratio_hi REAL,
  p REAL,
  p_adjusted REAL,
  verdict TEXT NOT NULL CHECK(verdict IN('faster','slower','same','inconclusive','incomparable')),
  PRIMARY KEY(comparison_id, base_cell_id, new_cell_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX comparison_cells_base ON comparison_cells(base_cell_id);
CREATE INDEX comparison_cells_new ON comparison_cells(new_cell_id);

-- numbers from blogs and forums, never mixed with measurements
CREATE TABLE published(
  published_id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  profile TEXT NOT NULL,
  label TEXT NOT NULL,
  throughput_bps REAL NOT NULL,
  approximate INTEGER NOT NULL CHECK(approximate IN(0,1)),
  config_json TEXT NOT NULL
) STRICT;
