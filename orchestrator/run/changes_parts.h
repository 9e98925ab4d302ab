/* SPDX-License-Identifier: MIT */
/* changes_parts.h - what the parts of changes share. Not for others. */
#ifndef RUN_CHANGES_PARTS_H
#define RUN_CHANGES_PARTS_H

#include "common/clock.h"
#include "run/changes.h"

/* ---- changes.c ---- */

/* What the host's settings are handled as. */
enum tunable_system changes_system(const struct changes *c, size_t host);

/* Has the host run a text, and clears it. */
void changes_run(struct changes *c, size_t host, struct text *text, enum changes_phase phase);

/* What the plan's level is called on a host. */
void changes_level_text(enum plan_setting setting, uint32_t level, char out[TUNABLE_VALUE_BYTES]);

/* A value was read: the hosts' facts follow. */
void changes_take_value(struct changes *c, struct changes_target *t);

/* The goals of the gap cannot be had, as `why` tells. */
void changes_fail_goals(struct changes *c, size_t host, const char *why);

/* Updates a row; value NULL, reason NULL: none. */
void changes_keep_row(struct changes *c, struct changes_row *row, enum journal_state state,
                      const char *value, const char *reason);

/* Adds the probe of the host's targets that have a goal or were changed or proven. Its lines go
 * to the host's readings. */
bool changes_add_probe(struct changes *c, size_t host, struct text *out, struct err *err) NODISCARD;

/* ---- changes_look.c ---- */

void changes_look(struct changes *c, size_t host);
void changes_looked(struct changes *c, size_t host, const struct err *err);

/* ---- changes_step.c ---- */

void changes_arm(struct changes *c, size_t host);
void changes_armed(struct changes *c, size_t host, const struct err *err);
void changes_lease(struct changes *c, size_t host, uint64_t now_ns);
void changes_leased(struct changes *c, size_t host, const char *failure);
void changes_kept(struct changes *c, size_t host, const struct err *err);
void changes_applied(struct changes *c, size_t host, const struct err *err, uint64_t now_ns);
void changes_settle(struct changes *c, size_t host);
void changes_settled(struct changes *c, size_t host, const struct err *err, uint64_t now_ns);
void changes_read_step(struct changes_host *h, const char *marked);

/* ---- changes_end.c ---- */

/* Puts everything of the host back; `why` is why the gap has failed, NULL: it has not. */
void changes_undo(struct changes *c, size_t host, const char *why);
void changes_undone(struct changes *c, size_t host, const struct err *err);
void changes_disarmed(struct changes *c, size_t host, const struct err *err);
void changes_renew(struct changes *c, size_t host);
void changes_renewed(struct changes *c, size_t host, const struct err *err, uint64_t now_ns);
/* The agent of a host that was lost keeps the lease again. True: something was left to undo. */
bool changes_resume_lease(struct changes *c, size_t host);
void changes_end_where_idle(struct changes *c);
void changes_verified(struct changes *c, size_t host, const struct err *err);

#endif
