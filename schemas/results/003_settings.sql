-- vnm results database, schema version 3: what the settings journal must know to put a setting back.
--
-- Rows of before keep NULL, not known. No vnm of before changed a setting.

-- What the setting belongs to, as the host names it: a NIC, a vSwitch, the path of an option; NULL:
-- the host itself. nic_id is that of the topology, where it is one of its NICs.
ALTER TABLE setting_changes ADD COLUMN object TEXT;
ALTER TABLE setting_changes ADD COLUMN system TEXT;       -- of the host: linux, freebsd, esxi, generic
ALTER TABLE setting_changes ADD COLUMN address TEXT;      -- at which the host was reached, for people
ALTER TABLE setting_changes ADD COLUMN boot_id TEXT;      -- another one later: the host was restarted
-- the guardian on the host that puts the setting back when nobody looks after it
ALTER TABLE setting_changes ADD COLUMN guard_folder TEXT;
ALTER TABLE setting_changes ADD COLUMN guard_token TEXT;
ALTER TABLE setting_changes ADD COLUMN read_command TEXT; -- prints the value, in the words of this table
ALTER TABLE setting_changes ADD COLUMN intended_utc TEXT;
ALTER TABLE setting_changes ADD COLUMN reason TEXT;       -- why the row is in its state
