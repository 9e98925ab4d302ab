/* SPDX-License-Identifier: MIT */
/*
 * guardian.h - what is asked of the guardian of a host, and what it answers.
 *
 * The guardian is a process on the host (guardian.sh) that knows how each changed
 * setting is put back, and does it by itself when nobody looks after the host any
 * more. It needs neither SSH nor an agent nor us: it counts the seconds since its
 * lease was renewed last. One folder holds all that it knows, and is the lock of the
 * host: a second run is refused while the first one's guardian lives.
 *
 * A text is begun, gets one or more requests, and is run as root (link_run_text()):
 *
 *	arm		starts the guardian, after putting back what one that is dead has left
 *	keep		the undo of a change that is about to be made; synced when it is answered
 *	beat, renew	a sign of life of a session without an agent; another session takes over
 *	restore, end	puts all back; removes the guardian, only when nothing is left to do
 *	state		what there is, whosever it is
 *
 * All but the last obey the token of arm alone. Answers are lines after the marker.
 */
#ifndef HOSTOPS_GUARDIAN_H
#define HOSTOPS_GUARDIAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"

#define GUARDIAN_TOKEN_BYTES  33 /* 32 hex digits, NUL */
#define GUARDIAN_FOLDER_BYTES 128
#define GUARDIAN_BOOT_BYTES   64
#define GUARDIAN_TEXT_BYTES   400
#define GUARDIAN_UNDOS_MAX    99u
#define GUARDIAN_DEAD_MAN_MIN 1u /* s */
#define GUARDIAN_DEAD_MAN_MAX 3600u
#define GUARDIAN_GRACE_S      15u /* and never more than the dead man */
#define GUARDIAN_OWNER_BYTES  200
#define GUARDIAN_ENTRY_BYTES  4000 /* a line of an undo */

/* 128 random bits, in hex. */
bool guardian_token(char out[GUARDIAN_TOKEN_BYTES], struct err *err) NODISCARD;

/* Begins a text. folder: as ARMED told it; NULL: the first place of the host that can be
 * written to. */
bool guardian_begin(struct text *out, const char *folder, struct err *err) NODISCARD;

struct guardian_arm {
	uint32_t dead_man_s; /* without a sign of life for so long: everything is put back */
	uint32_t agent_pid;  /* that will keep the lease; 0: none, the session sends beats */
	const char *owner;   /* for people: who runs what from where */
};

/* Answered by ARMED, BUSY, REFUSED or LEFT; before that SAME, RESTORED, FOREIGN, FAILED of
 * what a dead guardian has left. */
bool guardian_add_arm(struct text *out, const char *token, const struct guardian_arm *arm,
                      struct err *err) NODISCARD;

/* All are single lines. */
struct guardian_undo {
	unsigned number;    /* 1 to GUARDIAN_UNDOS_MAX: the greatest is undone first */
	const char *what;   /* for people: "eth1 mtu" */
	const char *look;   /* shell: prints the value */
	const char *before; /* the value before the change, as `look` prints it */
	const char *wanted; /* the values that are asked for, with blanks between them: any
	                       other one is somebody else's and stays */
	const char *back;   /* shell: makes it `before` again */
};

/* Answered by KEPT, FIRED, REFUSED, STRANGER or GONE: nothing but KEPT allows the change. */
bool guardian_add_keep(struct text *out, const char *token, const struct guardian_undo *undo,
                       struct err *err) NODISCARD;

/* Each with another count. Answered by ALIVE, FIRED, REFUSED, STRANGER or GONE. */
bool guardian_add_beat(struct text *out, const char *token, uint32_t count,
                       struct err *err) NODISCARD;

/* agent_pid as in arm. Answered as state is, or by STRANGER or GONE. */
bool guardian_add_renew(struct text *out, const char *token, uint32_t agent_pid,
                        struct err *err) NODISCARD;

/* Answered by SAME, RESTORED, FOREIGN, FAILED of each undo, then CLEAN or LEFT; or by STRANGER
 * or GONE. */
bool guardian_add_restore(struct text *out, const char *token, struct err *err) NODISCARD;

/* Answered by ENDED, LEFT, STRANGER or GONE. */
bool guardian_add_end(struct text *out, const char *token, struct err *err) NODISCARD;

/* Answered by NONE, or by WATCHING, DEAD or FIRED and a HOLDS for each undo. */
void guardian_add_state(struct text *out);

enum guardian_word {
	GUARDIAN_ARMED,    /* folder, boot */
	GUARDIAN_BUSY,     /* text: the owner, whose guardian lives */
	GUARDIAN_REFUSED,  /* text: why the host cannot */
	GUARDIAN_KEPT,     /* number */
	GUARDIAN_ALIVE,    /* the beat was taken */
	GUARDIAN_FIRED,    /* text: why it has put things back by itself */
	GUARDIAN_STRANGER, /* the guardian there has another token */
	GUARDIAN_GONE,     /* there is none: ended, or the host was started anew */
	GUARDIAN_SAME,     /* number, text: nothing was to be done */
	GUARDIAN_RESTORED, /* number, text */
	GUARDIAN_FOREIGN,  /* number, text: a value that we did not ask for, left alone */
	GUARDIAN_FAILED,   /* number, text: not put back, and why */
	GUARDIAN_CLEAN,    /* nothing is left to be put back */
	GUARDIAN_LEFT,     /* number: so many are, 0: not told */
	GUARDIAN_ENDED,    /* the guardian and its folder are no more */
	GUARDIAN_WATCHING, /* text: the owner */
	GUARDIAN_DEAD,     /* text: the owner, whose guardian does not live */
	GUARDIAN_HOLDS,    /* number, text: what it is of */
	GUARDIAN_NONE,     /* no guardian is there */
	GUARDIAN_WORD_COUNT
};

struct guardian_said {
	enum guardian_word word;
	unsigned number;
	char folder[GUARDIAN_FOLDER_BYTES];
	char boot[GUARDIAN_BOOT_BYTES]; /* of the host; "": it does not tell */
	char text[GUARDIAN_TEXT_BYTES]; /* cut to fit; "": none */
};

/* Reads a line, see shell_marker_read(). False: it is none of the guardian's. */
bool guardian_read(const char *marked, struct guardian_said *out) NODISCARD;

#endif
