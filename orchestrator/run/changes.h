/* SPDX-License-Identifier: MIT */
/*
 * changes.h - the settings that a plan asks for: made so on the hosts between tests, proven, and
 * put back at the end.
 *
 * A gap of a host is the time in which its settings are changed; no test runs on it. It reads
 * what is there and who needs the NICs, arms the host's guardian (hostops/guardian.h), keeps the
 * rows of the settings journal and the undo at the guardian, sets, and reads back until the
 * values, the carrier, the addresses and the routes are as they should be. What fails is put
 * back. Several hosts may be in their gaps at once.
 *
 * Never blocks: texts that the hosts run, and events of their links. One thread.
 */
#ifndef RUN_CHANGES_H
#define RUN_CHANGES_H

#include "common/arena.h"
#include "hostops/guardian.h"
#include "hostops/nic_use.h"
#include "hostops/tunable.h"
#include "plan/plan.h"
#include "run/consent.h"
#include "run/hosts.h"
#include "run/journal.h"

#define CHANGES_WHY_BYTES  256
#define CHANGES_SETTLE_MS  10000u /* for the link to come back after a change */
#define CHANGES_POLL_MS    250u
#define CHANGES_LEASE_MS   5000u  /* for an agent to take the lease */
#define CHANGES_TEXT_MS    30000u /* a text of a gap */
#define CHANGES_RESTORE_MS 60000u

enum changes_answer {
	CHANGES_READY,  /* all settings of the cell are proven to be as it asks */
	CHANGES_NEEDED, /* changes_begin(), once no test runs on its hosts */
	CHANGES_BUSY,   /* a gap is under way */
	CHANGES_CHOICE, /* it may not be changed: `reason` */
	CHANGES_FAULT   /* it could not be: `reason` */
};

struct changes_row {
	int64_t id;
	enum journal_state state;
	struct changes_row *next;
};

/* One setting of one NIC. Values are texts, as hostops/tunable.h has them; "": not known. */
struct changes_target {
	const struct nic *nic;
	size_t host;
	size_t nic_at; /* of its host's */
	enum plan_setting setting;
	struct tunable tunable;
	const uint32_t *levels; /* that the plan asks for */
	size_t level_count;
	char (*failed)[CHANGES_WHY_BYTES]; /* by level: why it cannot be had; "" */
	const char *refusal;               /* NULL: the user lets it be changed */
	char guard[CHANGES_WHY_BYTES];     /* why it is not changed all the same; "" */
	char value[TUNABLE_VALUE_BYTES];
	char goal[TUNABLE_VALUE_BYTES]; /* of the gap at hand */
	bool is_proven;                 /* value was read back, and the NIC is as before */
	uint32_t block;                 /* in which that was */
	struct tunable_reading reading;
	/* Once it was changed, until it is put back: */
	struct changes_row *rows; /* the newest first */
	unsigned number;          /* of the undo at the guardian; 0: never changed */
	char before[TUNABLE_VALUE_BYTES];
	const char *undo_line;
	bool is_foreign;              /* the guardian left it alone */
	char said[CHANGES_WHY_BYTES]; /* by the guardian, of the undo */
};

struct changes_step {
	struct changes_target *target;
	char from[TUNABLE_VALUE_BYTES], to[TUNABLE_VALUE_BYTES];
	const char *set_line, *undo_line;
	struct changes_row *row;
	bool is_over; /* status is known */
	int status;
	char said[CHANGES_WHY_BYTES];
};

enum changes_phase {
	CHANGES_IDLE,
	CHANGES_LOOK,
	CHANGES_ARM,
	CHANGES_LEASE, /* the agent takes it */
	CHANGES_KEEP,
	CHANGES_APPLY,
	CHANGES_SETTLE,
	CHANGES_PAUSE,  /* until it is read again */
	CHANGES_VERIFY, /* after a test */
	CHANGES_UNDO,
	CHANGES_END,  /* the guardian is taken away */
	CHANGES_LOST, /* the host was, and its guardian counts */
	CHANGES_RENEW
};

struct changes_host {
	enum changes_phase phase;
	struct changes_target **targets;
	size_t count;
	const struct nic **nics;
	const char **names; /* of the NICs, as the system calls them */
	size_t nic_count;
	/* of the text that runs */
	struct tunable *probed; /* targets that may be changed, as tunables */
	struct changes_target **probed_targets;
	struct tunable_reading *readings;
	size_t probed_count;
	struct tunable_reader reader;
	struct nic_use *uses;
	struct nic_state *before, *now;
	uint32_t words; /* bits of enum guardian_word that were said */
	unsigned kept;
	char said[GUARDIAN_TEXT_BYTES]; /* with the last of them */
	/* of the gap */
	struct changes_step *steps;
	size_t step_count;
	uint32_t block;
	uint64_t due_ns, limit_ns;
	uint32_t lease_id;           /* of the message; 0: none is open */
	char why[CHANGES_WHY_BYTES]; /* the gap has failed; "" */
	/* of the guardian */
	bool is_armed;
	bool was_in_gap; /* when the host was lost */
	bool must_end;   /* the guardian has done its work, or is no more */
	bool has_ended;  /* at the end: it was told to go */
	bool is_void;    /* what was measured meanwhile does not count */
	char token[GUARDIAN_TOKEN_BYTES], folder[GUARDIAN_FOLDER_BYTES], boot[GUARDIAN_BOOT_BYTES];
	unsigned numbers; /* of undos that were given */
};

struct changes {
	struct hosts *hosts;
	const struct topology *topology;
	const struct run_consent *consent;
	const struct journal_sink *journal;
	const char *owner; /* for people who find the guardian */
	struct changes_target *targets;
	size_t count;
	struct changes_host *at; /* one for each topology->hosts */
	bool is_ending;
	bool has_failed; /* the journal cannot be written: nothing more is changed */
	struct err failure;
	struct arena arena;
};

struct changes_options {
	const struct run_consent *consent;
	const struct journal_sink *journal; /* NULL: nothing is changed */
	const char *owner;
};

/* Lists what the plan asks for. Borrows all. Nothing is done on a host. */
void changes_open(struct changes *c, struct hosts *hosts, const struct plan *plan,
                  const struct changes_options *options);
void changes_close(struct changes *c);

/* Is there anything that may be changed at all? */
bool changes_are_possible(const struct changes *c);

/* Both hosts are READY. `reason` is written for CHANGES_CHOICE and CHANGES_FAULT. */
enum changes_answer changes_want(const struct changes *c, const struct plan_cell *cell,
                                 uint32_t block, char reason[CHANGES_WHY_BYTES]);

/* After CHANGES_NEEDED: begins the gap of those hosts of the cell that need one. */
void changes_begin(struct changes *c, const struct plan_cell *cell, uint32_t block);

/*
 * After a test: are the settings still as they were? Begins to read them; false: there is
 * nothing to be asked. The answer is there when none of the hosts is busy.
 */
bool changes_verify(struct changes *c, const struct plan_cell *cell);
bool changes_was_void(const struct changes *c, const struct plan_cell *cell);

/* Does something go on at the host, so that no test may be on it? */
bool changes_is_busy(const struct changes *c, size_t host);

/* The same, but for a host that is lost: nothing will come of waiting for it. */
bool changes_is_at_work(const struct changes *c, size_t host);

/* True: the event was a matter of changes alone. LINK_DOWN is looked at, and left to others. */
bool changes_event(struct changes *c, const struct link_event *event, uint64_t now_ns);

/* The host is HOSTS_READY again. */
void changes_host_ready(struct changes *c, size_t host, uint64_t now_ns);

/* Does what is due; the time by which to look again, or UINT64_MAX. */
uint64_t changes_tick(struct changes *c, uint64_t now_ns);

/* Puts everything back, and takes the guardians away. Over when no host is busy but those that
 * are lost; their guardians put things back, and `vnm restore` closes the rows. */
void changes_end(struct changes *c);
bool changes_have_ended(const struct changes *c);

#endif
