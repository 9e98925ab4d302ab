/* SPDX-License-Identifier: MIT */
#include "run/restore.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "run/hosts.h"

const char *restore_value_before(const struct restore_object *o)
{
	return o->rows[o->row_count - 1]->value_before;
}

const char *restore_command_of(const struct restore_object *o)
{
	return o->rows[o->row_count - 1]->restore_command;
}

bool restore_is_settled(const struct restore_object *o)
{
	return o->state == RESTORE_AS_BEFORE || o->state == RESTORE_FOREIGN ||
	       o->state == RESTORE_DONE;
}

/* ---- the journal ---- */

/* Updates the rows of an object; state NULL: each as journal_closed_as() says. */
static void keep(struct restore *r, const struct restore_object *o, const enum journal_state *state)
{
	for (size_t i = 0; i < o->row_count && !r->has_failed; i++) {
		const struct journal_update update = {
			.state = state != NULL ? *state : journal_closed_as(o->rows[i]->state),
			.value_after = o->value[0] == '\0' ? NULL : o->value,
			.reason = o->why[0] == '\0' ? NULL : o->why,
		};

		if (!r->journal->update(r->journal->ctx, o->rows[i]->change_id, &update,
		                        &r->failure))
			r->has_failed = true;
	}
}

static void keep_decided(struct restore *r, const struct restore_object *o)
{
	static const enum journal_state restored = JOURNAL_RESTORED;
	static const enum journal_state failed = JOURNAL_RESTORE_FAILED;
	static const enum journal_state foreign = JOURNAL_FOREIGN;

	switch (o->state) {
	case RESTORE_AS_BEFORE:
		keep(r, o, NULL);
		break;
	case RESTORE_FOREIGN:
		keep(r, o, &foreign);
		break;
	case RESTORE_DONE:
		keep(r, o, &restored);
		break;
	case RESTORE_FAILED:
		keep(r, o, &failed);
		break;
	case RESTORE_ASKED:
	case RESTORE_UNKNOWN:
	case RESTORE_CHANGED:
	case RESTORE_RESTARTED:
		break; /* the row stays as it is */
	}
}

/* ---- objects ---- */

static void set_unknown(struct restore_object *o, const char *why)
{
	o->state = RESTORE_UNKNOWN;
	(void)snprintf(o->why, sizeof(o->why), "%.*s", RESTORE_WHY_BYTES - 1, why);
}

static void judge(struct restore_object *o, const struct undo_said *said)
{
	const struct journal_found found = {
		.value = said->has_value ? said->value : NULL,
		.boot_id = said->boot_id[0] == '\0' ? NULL : said->boot_id,
	};

	if (!said->has_value) {
		set_unknown(o, "its value cannot be read: is it still there?");
		return;
	}
	(void)snprintf(o->value, sizeof(o->value), "%s", said->value);
	switch (journal_judge(o->rows, o->row_count, &found)) {
	case JOURNAL_IS_AS_BEFORE:
		o->state = RESTORE_AS_BEFORE;
		break;
	case JOURNAL_MUST_RESTORE:
		o->state = RESTORE_CHANGED;
		break;
	case JOURNAL_IS_FOREIGN:
		o->state = RESTORE_FOREIGN;
		(void)snprintf(o->why, sizeof(o->why), "vnm did not set %s: left alone", o->value);
		break;
	case JOURNAL_STAYS_OPEN:
		o->state = RESTORE_RESTARTED;
		(void)snprintf(o->why, sizeof(o->why),
		               "vnm did not set %s, and the host was restarted since: left alone",
		               o->value);
		break;
	}
}

static void take_mended(struct restore *r, struct restore_object *o, const struct undo_said *said)
{
	(void)snprintf(o->value, sizeof(o->value), "%s", said->value);
	if (said->has_value && strcmp(said->value, restore_value_before(o)) == 0) {
		o->state = RESTORE_DONE;
		o->why[0] = '\0';
	} else {
		o->state = RESTORE_FAILED;
		(void)snprintf(o->why, sizeof(o->why), "%s",
		               said->text[0] != '\0' ? said->text
		               : said->has_value     ? "the host took the command, to no effect"
		                                     : "it could not be read back");
	}
	keep_decided(r, o);
}

static bool is_wanted(const struct restore *r, const struct restore_object *o)
{
	return o->state == (r->is_mending ? RESTORE_CHANGED : RESTORE_ASKED);
}

static struct restore_object *next_object(const struct restore *r, size_t host)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->at[i].host == host && is_wanted(r, &r->at[i]))
			return &r->at[i];
	}
	return NULL;
}

/* ---- hosts ---- */

static void fail_object(struct restore *r, struct restore_object *o, const char *why)
{
	set_unknown(o, why);
	if (r->is_mending) {
		o->state = RESTORE_FAILED;
		keep_decided(r, o);
	}
}

static bool make_command(const struct restore *r, struct restore_host *h,
                         const struct restore_object *o, struct text *out, struct err *err)
{
	const char *read = o->rows[0]->read_command;

	if (read == NULL)
		return err_set(err, ERR_INPUT,
		               "the vnm that made the change did not keep how its value is read");
	if (!shell_marker_init(&h->marker, err))
		return false;
	if (!r->is_mending)
		return undo_look_command(out, &h->marker, h->said.privilege, read, err);
	if (h->said.privilege != PRIVILEGE_ROOT && h->said.privilege != PRIVILEGE_SUDO)
		return err_set(err, ERR_REMOTE, "this needs root, and %s",
		               h->said.privilege_why[0] != '\0' ? h->said.privilege_why
		                                                : "the login is not root");
	return undo_restore_command(out, &h->marker, h->said.privilege, read, restore_command_of(o),
	                            err);
}

static void work_on(struct restore *r, size_t host)
{
	struct restore_host *h = &r->hosts[host];

	h->activity = RESTORE_IDLE;
	for (h->current = next_object(r, host); h->current != NULL && !r->has_failed;
	     h->current = next_object(r, host)) {
		struct text command = {0};
		struct err err;
		bool ok = make_command(r, h, h->current, &command, &err);

		if (ok) {
			undo_said_clear(&h->said);
			h->activity = RESTORE_WORKING;
			link_run(r->links, host, text_str(&command), &h->marker);
		} else {
			fail_object(r, h->current, err.msg);
		}
		text_done(&command);
		if (ok)
			return;
	}
}

static void probe(struct restore *r, size_t host)
{
	struct restore_host *h = &r->hosts[host];
	struct text command = {0};
	struct err err;

	h->is_up = true;
	h->activity = RESTORE_PROBING;
	if (shell_marker_init(&h->marker, &err) && undo_probe_command(&command, &h->marker, &err))
		link_run(r->links, host, text_str(&command), &h->marker);
	else
		work_on(r, host); /* no random numbers: each object will say so */
	text_done(&command);
}

static void has_run(struct restore *r, size_t host)
{
	struct restore_host *h = &r->hosts[host];

	if (h->activity == RESTORE_WORKING && r->is_mending)
		take_mended(r, h->current, &h->said);
	else if (h->activity == RESTORE_WORKING)
		judge(h->current, &h->said);
	work_on(r, host);
}

static void has_gone(struct restore *r, size_t host, const struct err *why)
{
	struct restore_object *o;

	r->hosts[host].is_up = false;
	r->hosts[host].activity = RESTORE_IDLE;
	while ((o = next_object(r, host)) != NULL)
		fail_object(r, o, why->msg);
}

static void take_event(struct restore *r, const struct link_event *event)
{
	struct restore_host *h = &r->hosts[event->host];

	switch (event->kind) {
	case LINK_UP:
		probe(r, event->host);
		break;
	case LINK_LINE:
		undo_read(&h->said, event->line);
		break;
	case LINK_RAN:
		has_run(r, event->host);
		break;
	case LINK_DOWN:
		has_gone(r, event->host, &event->err);
		break;
	case LINK_MESSAGE: /* of agents */
		break;
	}
}

static void wait_for_all(struct restore *r)
{
	for (size_t i = 0; i < r->topology->host_count;) {
		struct link_event event;

		if (r->hosts[i].activity == RESTORE_IDLE)
			i++;
		else if (link_next(r->links, clock_now_ns() + CLOCK_NS_PER_S, -1, &event))
			take_event(r, &event);
	}
}

/* ---- begin and end ---- */

static size_t host_index(const struct topology *topo, const char *name)
{
	const struct host *host = topology_host(topo, name);

	return host == NULL ? SIZE_MAX : (size_t)(host - topo->hosts);
}

static struct restore_object *find_object(const struct restore *r, const struct journal_row *row)
{
	for (size_t i = 0; i < r->count; i++) {
		if (journal_same_object(r->at[i].rows[0], row))
			return &r->at[i];
	}
	return NULL;
}

static void group(struct restore *r, const struct journal_row *rows, size_t count)
{
	r->at = arena_alloc(&r->arena, count, sizeof(*r->at));
	for (size_t i = 0; i < count; i++) {
		struct restore_object *o = find_object(r, &rows[i]);

		if (o == NULL) {
			o = &r->at[r->count++];
			o->rows = arena_alloc(&r->arena, count - i, sizeof(*o->rows));
			o->host = host_index(r->topology, rows[i].host);
			if (o->host == SIZE_MAX)
				set_unknown(o, "the stored topology has no such host");
		}
		o->rows[o->row_count++] = &rows[i];
	}
}

bool restore_open(struct restore *r, const struct topology *topo, const struct journal_row *rows,
                  size_t count, const struct link_options *options, struct err *err)
{
	struct link_options errand = *options;
	struct link_target *targets;

	memset(r, 0, sizeof(*r));
	r->topology = topo;
	r->hosts = arena_alloc(&r->arena, topo->host_count, sizeof(*r->hosts));
	group(r, rows, count);
	if (topo->host_count == 0)
		return true;
	targets = arena_alloc(&r->arena, topo->host_count, sizeof(*targets));
	for (size_t i = 0; i < topo->host_count; i++)
		targets[i] = hosts_target(&topo->hosts[i]);
	errand.is_errand = true;
	r->links = link_set_new(targets, topo->host_count, &errand, err);
	return r->links != NULL;
}

void restore_look(struct restore *r)
{
	for (size_t i = 0; i < r->topology->host_count; i++) {
		if (next_object(r, i) == NULL)
			continue;
		r->hosts[i].activity = RESTORE_CONNECTING;
		link_connect(r->links, i);
	}
	wait_for_all(r);
}

bool restore_mend(struct restore *r, const struct journal_sink *journal, struct err *err)
{
	r->is_mending = true;
	r->journal = journal;
	for (size_t i = 0; i < r->count; i++)
		keep_decided(r, &r->at[i]);
	for (size_t i = 0; i < r->topology->host_count; i++) {
		if (r->hosts[i].is_up)
			work_on(r, i);
	}
	wait_for_all(r);
	if (r->has_failed)
		*err = r->failure;
	return !r->has_failed;
}

void restore_close(struct restore *r)
{
	link_set_free(r->links);
	arena_done(&r->arena);
	memset(r, 0, sizeof(*r));
}
