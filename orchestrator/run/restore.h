/* SPDX-License-Identifier: MIT */
/*
 * restore.h - puts back what the settings journal holds open: `vnm restore`.
 *
 * Reaches the hosts without an agent and puts nothing there. Open rows of one host, object and
 * setting are one struct restore_object, which is read back and judged (journal.h) and, where its
 * value is one that vnm has asked for, put back and read again. Every row is updated as soon as
 * its object is decided, so a kill costs nothing but the work. Blocks until every host has
 * answered or failed. One thread. Borrows topology and rows.
 */
#ifndef RUN_RESTORE_H
#define RUN_RESTORE_H

#include "common/arena.h"
#include "hostops/guardian.h"
#include "hostops/undo.h"
#include "link/link.h"
#include "run/journal.h"
#include "topology/topology.h"

#define RESTORE_WHY_BYTES 256

enum restore_state {
	RESTORE_ASKED,     /* nothing is known yet */
	RESTORE_UNKNOWN,   /* host not reached, or the value not read: `why`. Stays open */
	RESTORE_AS_BEFORE, /* nothing has to be done */
	RESTORE_CHANGED,   /* a value that vnm has asked for: to be put back */
	RESTORE_RESTARTED, /* neither, and the host was restarted: left alone. Stays open */
	RESTORE_FOREIGN,   /* neither: somebody else's, left alone */
	RESTORE_DONE,      /* put back, and read back */
	RESTORE_FAILED     /* not put back: `why`. Stays open */
};

struct restore_object {
	const struct journal_row **rows; /* the newest first */
	size_t row_count;
	size_t host; /* index into the topology's hosts; SIZE_MAX: it is not there */
	enum restore_state state;
	char value[UNDO_VALUE_BYTES]; /* as it was read last; "": not known */
	char why[RESTORE_WHY_BYTES];  /* "": nothing to say */
};

/* A guardian (guardian.h) that a run has left on a host. It is ended when all that it was for is
 * settled. */
struct restore_guard {
	size_t host;
	const char *folder, *token;
	bool is_asked;
	char why[RESTORE_WHY_BYTES]; /* it is not ended; "": it is, or was not asked */
};

enum restore_activity {
	RESTORE_IDLE,
	RESTORE_CONNECTING,
	RESTORE_PROBING,
	RESTORE_WORKING,
	RESTORE_ENDING /* a guardian */
};

struct restore_host {
	enum restore_activity activity;
	bool is_up;
	struct shell_marker marker;
	struct undo_said said;
	struct restore_object *current; /* RESTORE_WORKING */
	struct restore_guard *guard;    /* RESTORE_ENDING */
};

struct restore {
	const struct topology *topology;
	struct link_set *links;
	struct restore_host *hosts; /* one for each topology->hosts */
	struct restore_object *at;  /* the newest first */
	size_t count;
	struct restore_guard *guards;
	size_t guard_count;
	bool is_mending;
	const struct journal_sink *journal; /* while mending */
	bool has_failed;                    /* the journal could not be written: *err of mend */
	struct err failure;
	struct arena arena;
};

/*
 * Groups the rows, which come the newest first, and makes the links. Release with restore_close()
 * in any case. Hosts that the topology does not have are told by their objects.
 */
bool restore_open(struct restore *r, const struct topology *topo, const struct journal_row *rows,
                  size_t count, const struct link_options *options, struct err *err) NODISCARD;

/* Reaches the hosts, reads all objects back and judges them. Changes nothing. */
void restore_look(struct restore *r);

/*
 * After restore_look(): puts back what is RESTORE_CHANGED, closes the rows of what is decided, and
 * ends guardians that have nothing left to do. False: the journal could not be written; nothing more was put back then.
 */
bool restore_mend(struct restore *r, const struct journal_sink *journal, struct err *err) NODISCARD;

/* Is the host, or does somebody else want it to be, as it is? Else it stays open. */
bool restore_is_settled(const struct restore_object *o);

/* The command that puts the object back, for people. */
const char *restore_command_of(const struct restore_object *o);
const char *restore_value_before(const struct restore_object *o);

void restore_close(struct restore *r);

#endif
