/* SPDX-License-Identifier: MIT */
/* What hosts say, what happens to them, and what is due. */
#include <stdio.h>
#include <string.h>

#include "run/changes_parts.h"

static void take_guardian(struct changes_host *h, const struct guardian_said *said)
{
	h->words |= 1u << said->word;
	h->kept += said->word == GUARDIAN_KEPT;
	if (said->text[0] != '\0')
		(void)snprintf(h->said, sizeof(h->said), "%s", said->text);
	if (said->word == GUARDIAN_ARMED) {
		memcpy(h->folder, said->folder, sizeof(h->folder));
		memcpy(h->boot, said->boot, sizeof(h->boot));
	}
	for (size_t i = 0; i < h->count; i++) {
		struct changes_target *t = h->targets[i];

		if (t->number != said->number || said->number == 0)
			continue;
		t->is_foreign = t->is_foreign || said->word == GUARDIAN_FOREIGN;
		if (said->word == GUARDIAN_FOREIGN || said->word == GUARDIAN_FAILED)
			(void)snprintf(t->said, sizeof(t->said), "%.*s", CHANGES_WHY_BYTES - 1,
			               said->text);
	}
}

static void take_line(struct changes_host *h, const char *marked)
{
	struct guardian_said said;

	if (guardian_read(marked, &said))
		take_guardian(h, &said);
	tunable_read(&h->reader, marked);
	nic_use_read(h->uses, h->nic_count, marked);
	nic_state_read(h->now, h->nic_count, marked);
	changes_read_step(h, marked);
}

static void has_run(struct changes *c, size_t host, const struct err *err, uint64_t now_ns)
{
	struct changes_host *h = &c->at[host];

	for (size_t i = 0; i < h->probed_count; i++)
		h->probed_targets[i]->reading = h->readings[i];
	switch (h->phase) {
	case CHANGES_LOOK:
		changes_looked(c, host, err);
		break;
	case CHANGES_ARM:
		changes_armed(c, host, err);
		if (h->phase == CHANGES_LEASE)
			changes_lease(c, host, now_ns);
		break;
	case CHANGES_KEEP:
		changes_kept(c, host, err);
		break;
	case CHANGES_APPLY:
		changes_applied(c, host, err, now_ns);
		break;
	case CHANGES_SETTLE:
		changes_settled(c, host, err, now_ns);
		break;
	case CHANGES_VERIFY:
		changes_verified(c, host, err);
		break;
	case CHANGES_UNDO:
		changes_undone(c, host, err);
		break;
	case CHANGES_END:
		changes_disarmed(c, host, err);
		break;
	case CHANGES_RENEW:
		changes_renewed(c, host, err, now_ns);
		break;
	case CHANGES_IDLE:
	case CHANGES_LEASE:
	case CHANGES_PAUSE:
	case CHANGES_LOST:
		break; /* no text runs */
	}
}

/* What is known of its settings is not any more. */
static void lost(struct changes_host *h)
{
	bool was_busy =
		h->phase != CHANGES_IDLE && h->phase != CHANGES_VERIFY && h->phase != CHANGES_LOST;

	h->lease_id = 0;
	h->due_ns = UINT64_MAX;
	h->is_void = h->is_void || h->phase == CHANGES_VERIFY;
	for (size_t i = 0; i < h->count; i++)
		h->targets[i]->is_proven = false;
	if (h->phase == CHANGES_LOOK || h->phase == CHANGES_ARM || !h->is_armed) {
		/* What was begun to be armed ends by itself: it holds nothing. */
		h->phase = h->is_armed ? CHANGES_LOST : CHANGES_IDLE;
		return;
	}
	h->was_in_gap = h->was_in_gap || was_busy;
	h->phase = CHANGES_LOST;
}

bool changes_event(struct changes *c, const struct link_event *event, uint64_t now_ns)
{
	struct changes_host *h = &c->at[event->host];

	switch (event->kind) {
	case LINK_LINE:
		take_line(h, event->line);
		return true;
	case LINK_RAN:
		has_run(c, event->host, event->err.kind == ERR_NONE ? NULL : &event->err, now_ns);
		return true;
	case LINK_DOWN:
		lost(h);
		return false;
	case LINK_MESSAGE:
		if (h->lease_id == 0 || event->msg.id != h->lease_id)
			return false;
		changes_leased(c, event->host,
		               event->msg.type == MSG_FAILED ? event->msg.u.failed.reason : NULL);
		return true;
	case LINK_UP:
		break;
	}
	return false;
}

void changes_host_ready(struct changes *c, size_t host, uint64_t now_ns)
{
	(void)now_ns;
	if (c->at[host].phase == CHANGES_LOST)
		changes_renew(c, host);
}

uint64_t changes_tick(struct changes *c, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < c->topology->host_count; i++) {
		struct changes_host *h = &c->at[i];

		if (h->due_ns <= now_ns) {
			h->due_ns = UINT64_MAX;
			if (h->phase == CHANGES_PAUSE)
				changes_settle(c, i);
			else if (h->phase == CHANGES_LEASE)
				changes_leased(c, i,
				               "the agent does not take the guardian's lease");
		}
		if (h->due_ns < next)
			next = h->due_ns;
	}
	changes_end_where_idle(c);
	return next;
}
