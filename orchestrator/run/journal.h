/* SPDX-License-Identifier: MIT */
/*
 * journal.h - the settings journal: what was changed on hosts, and what has to be done about it.
 *
 * Plain data and pure rules. `run` writes rows through a struct journal_sink, which cli/ joins to
 * the database; rows that were left open are read from there and judged here.
 *
 * A row is kept, synced to the disk, before the command that it tells of is sent. It is open until
 * it is proven that the host is as it was before: `intended` is open too, since a kill between the
 * command and the next update leaves a changed host.
 *
 * Values are in the canonical form that the read command prints, and are compared as texts.
 */
#ifndef RUN_JOURNAL_H
#define RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"

enum journal_state {
	JOURNAL_INTENDED,       /* the command will be sent, or was */
	JOURNAL_APPLIED,        /* the host took it */
	JOURNAL_CONFIRMED,      /* read back, and the way is as it should be */
	JOURNAL_RESTORED,       /* read back: as before. Closed */
	JOURNAL_RESTORE_FAILED, /* the host refused */
	JOURNAL_NOT_APPLIED,    /* read back: it never came to it. Closed */
	JOURNAL_FOREIGN /* somebody else has changed it since, and it was left alone. Closed */
};
extern const char *const journal_state_names[]; /* as the database writes them; NULL-terminated */

bool journal_is_open(enum journal_state state);

/* A change that will be made now. Texts are copied by the sink. */
struct journal_change {
	size_t host;         /* index into topology->hosts */
	const char *nic;     /* its name in the topology; NULL: the object is none of its NICs */
	const char *object;  /* "eth1", "vSwitch1", "Net.TcpipDefLROEnabled"; NULL: the host */
	const char *setting; /* "mtu" */
	const char *system;  /* "linux" */
	const char *address; /* at which the host was reached; NULL: not known */
	const char *boot_id; /* NULL: the host has none */
	const char *guard_folder, *guard_token; /* NULL: no guardian */
	const char *value_before;               /* what the restore command sets */
	const char *value_requested;
	const char *read_command, *apply_command, *restore_command;
};

/* A row as it was kept. NULL: not known. */
struct journal_row {
	int64_t change_id, run_id;
	const char *host, *nic, *object, *setting, *system, *address, *boot_id;
	const char *guard_folder, *guard_token;
	const char *value_before, *value_requested, *value_after;
	const char *read_command, *apply_command, *restore_command;
	const char *intended_utc, *reason;
	enum journal_state state;
};

struct journal_update {
	enum journal_state state;
	const char *value_after; /* as it was read back; NULL: as it stands in the row */
	const char *reason;      /* NULL: none */
};

/*
 * Where rows go. Each call is durable when it returns true. False with *err: not kept, and a
 * change that was to be made must not be made. A row that is closed is never updated.
 */
struct journal_sink {
	void *ctx;
	/* A row in state `intended`; *change_id is its number. */
	bool (*intend)(void *ctx, const struct journal_change *change, int64_t *change_id,
	               struct err *err);
	bool (*update)(void *ctx, int64_t change_id, const struct journal_update *update,
	               struct err *err);
};

/* What was found on the host. */
struct journal_found {
	const char *value;   /* NULL: it cannot be read */
	const char *boot_id; /* NULL: the host has none */
};

enum journal_verdict {
	JOURNAL_IS_AS_BEFORE, /* to be closed, see journal_closed_as() */
	JOURNAL_MUST_RESTORE, /* a value that we have asked for */
	JOURNAL_IS_FOREIGN,   /* neither: to be told, once, and closed */
	/* Not read, or neither, and the host was restarted since: closed only when the value is
	 * as before, because nobody knows what the restart has set. */
	JOURNAL_STAYS_OPEN
};

/* Are both of the same host, object and setting? */
bool journal_same_object(const struct journal_row *a, const struct journal_row *b);

/*
 * Judges the open rows of one object, the newest first: the value before is that of the last of
 * them, and the values of all were asked for. `count` is 1 at least.
 */
enum journal_verdict journal_judge(const struct journal_row *const *rows, size_t count,
                                   const struct journal_found *found) NODISCARD;

/* What a row becomes when the value is as before: `not_applied` where nothing shows that it was
 * ever changed. */
enum journal_state journal_closed_as(enum journal_state state);

/* "mtu of eth1", "rmem_max": what it is on its host. */
void journal_add_name(struct text *out, const char *setting, const char *object);

#endif
