/* SPDX-License-Identifier: MIT */
#include "run/restore_parts.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "run/hosts.h"

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
	restore_set_unknown(o, why);
	if (r->is_mending) {
		o->state = RESTORE_FAILED;
		restore_keep(r, o);
	}
}

bool restore_can_be_root(const struct restore_host *h)
{
	return h->said.privilege == PRIVILEGE_ROOT || h->said.privilege == PRIVILEGE_SUDO ||
	       h->said.privilege == PRIVILEGE_SUDO_PASSWORD;
}

void restore_run_as_root(struct restore *r, size_t host, const struct text *text)
{
	const struct link_text what = {.text = text_str(text),
	                               .privilege = r->hosts[host].said.privilege};

	link_run_text(r->links, host, &what);
}

/* Reading needs root on few systems, and is not worth a question for a password. */
static bool start_look(struct restore *r, size_t host, const char *read, struct err *err)
{
	struct restore_host *h = &r->hosts[host];
	struct text out = {0};
	bool ok = true;

	if (h->said.privilege == PRIVILEGE_ROOT || h->said.privilege == PRIVILEGE_SUDO) {
		undo_add_look(&out, read);
		restore_run_as_root(r, host, &out);
	} else {
		ok = shell_marker_init(&h->marker, err) &&
		     undo_look_command(&out, &h->marker, read, err);
		if (ok)
			link_run(r->links, host, text_str(&out), &h->marker);
	}
	text_done(&out);
	return ok;
}

static bool start_mend(struct restore *r, size_t host, const struct restore_object *o,
                       struct err *err)
{
	const struct restore_host *h = &r->hosts[host];
	struct text out = {0};

	if (!restore_can_be_root(h))
		return err_set(err, ERR_REMOTE, "this needs root, and %s",
		               h->said.privilege_why[0] != '\0' ? h->said.privilege_why
		                                                : "the login is not root");
	undo_add_restore(&out, o->rows[0]->read_command, restore_command_of(o));
	restore_run_as_root(r, host, &out);
	text_done(&out);
	return true;
}

static bool start(struct restore *r, size_t host, const struct restore_object *o, struct err *err)
{
	undo_said_clear(&r->hosts[host].said);
	if (o->rows[0]->read_command == NULL)
		return err_set(err, ERR_INPUT,
		               "the vnm that made the change did not keep how its value is read");
	return r->is_mending ? start_mend(r, host, o, err)
	                     : start_look(r, host, o->rows[0]->read_command, err);
}

static void work_on(struct restore *r, size_t host)
{
	struct restore_host *h = &r->hosts[host];
	struct err err;

	h->activity = RESTORE_IDLE;
	while (!r->has_failed && (h->current = next_object(r, host)) != NULL) {
		if (start(r, host, h->current, &err)) {
			h->activity = RESTORE_WORKING;
			return;
		}
		fail_object(r, h->current, err.msg);
	}
}

static void end_guards(struct restore *r, size_t host)
{
	r->hosts[host].activity = restore_end_guard(r, host) ? RESTORE_ENDING : RESTORE_IDLE;
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

/* `why` of kind ERR_NONE: what was asked for has run. */
static void has_run(struct restore *r, size_t host, const struct err *why)
{
	struct restore_host *h = &r->hosts[host];

	if (h->activity == RESTORE_ENDING) {
		end_guards(r, host);
		return;
	}
	if (h->activity == RESTORE_WORKING && why->kind != ERR_NONE) {
		fail_object(r, h->current, why->msg);
	} else if (h->activity == RESTORE_WORKING && r->is_mending) {
		restore_take_mended(h->current, &h->said);
		restore_keep(r, h->current);
	} else if (h->activity == RESTORE_WORKING) {
		restore_judge(h->current, &h->said);
	}
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
		if (h->activity == RESTORE_ENDING)
			restore_hear_guard(h->guard, event->line);
		else
			undo_read(&h->said, event->line);
		break;
	case LINK_RAN:
		has_run(r, event->host, &event->err);
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
	r->guards = arena_alloc(&r->arena, count, sizeof(*r->guards));
	for (size_t i = 0; i < count; i++) {
		struct restore_object *o = find_object(r, &rows[i]);

		if (o == NULL) {
			o = &r->at[r->count++];
			o->rows = arena_alloc(&r->arena, count - i, sizeof(*o->rows));
			o->host = host_index(r->topology, rows[i].host);
			if (o->host == SIZE_MAX)
				restore_set_unknown(o, "the stored topology has no such host");
		}
		o->rows[o->row_count++] = &rows[i];
		restore_add_guard(r, o->host, &rows[i]);
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
		restore_keep(r, &r->at[i]);
	for (size_t i = 0; i < r->topology->host_count; i++) {
		if (r->hosts[i].is_up)
			work_on(r, i);
	}
	wait_for_all(r);
	for (size_t i = 0; i < r->topology->host_count && !r->has_failed; i++) {
		if (r->hosts[i].is_up)
			end_guards(r, i);
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
