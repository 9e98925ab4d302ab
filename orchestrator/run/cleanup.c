/* SPDX-License-Identifier: MIT */
#include "run/cleanup.h"

#include <string.h>

#include "common/clock.h"
#include "run/hosts.h"

static void fail(struct cleanup_host *h, const struct err *why)
{
	h->why = *why;
	h->state = CLEANUP_GONE;
}

/* Starts one command on the host: `command` was made, or *err says why not. */
static void start(struct cleanup *c, struct cleanup_host *h, bool ok, const struct text *command,
                  const struct err *err)
{
	if (!ok) {
		fail(h, err);
		return;
	}
	h->state = CLEANUP_ASKED;
	link_run(c->links, (size_t)(h - c->at), text_str(command), &h->marker);
}

static void look(struct cleanup *c, struct cleanup_host *h)
{
	struct text command = {0};
	struct err err;
	bool ok = shell_marker_init(&h->marker, &err) &&
	          leftover_find_command(&command, &h->marker, &err);

	h->reader = leftover_reader_new(&c->arena, &h->found);
	start(c, h, ok, &command, &err);
	text_done(&command);
}

static bool has_lost(const struct cleanup_host *h, size_t from)
{
	for (size_t i = from; i < h->found.count; i++) {
		if (h->found.at[i].state == LEFTOVER_LOST)
			return true;
	}
	return false;
}

static void remove_next(struct cleanup *c, struct cleanup_host *h)
{
	struct text command = {0};
	struct err err;
	bool ok = shell_marker_init(&h->marker, &err) &&
	          leftover_remove_command(&command, &h->marker, &h->found, &h->next, &err);

	start(c, h, ok, &command, &err);
	text_done(&command);
}

static void has_run(struct cleanup *c, struct cleanup_host *h)
{
	struct err err;

	if (h->reader == NULL) {
		h->state = CLEANUP_KNOWN;
		if (has_lost(h, h->next))
			remove_next(c, h);
		return;
	}
	leftover_read_end(h->reader);
	h->reader = NULL;
	h->state = CLEANUP_KNOWN;
	if (h->found.is_ended)
		return;
	(void)err_set(&err, ERR_REMOTE,
	              "%s: the login shell ended before it had looked: may the account run "
	              "commands?",
	              h->host->name);
	fail(h, &err);
}

static void take_event(struct cleanup *c, const struct link_event *event)
{
	struct cleanup_host *h = &c->at[event->host];

	switch (event->kind) {
	case LINK_UP:
		h->info = event->info;
		look(c, h);
		break;
	case LINK_LINE:
		if (h->reader != NULL)
			leftover_read(h->reader, event->line);
		else
			leftover_read_removed(&h->found, &c->arena, event->line);
		break;
	case LINK_RAN:
		has_run(c, h);
		break;
	case LINK_DOWN:
		if (h->info.address[0] == '\0')
			h->info = event->info;
		fail(h, &event->err);
		break;
	case LINK_MESSAGE: /* of agents */
		break;
	}
}

static void wait_for_all(struct cleanup *c)
{
	for (size_t i = 0; i < c->topology->host_count;) {
		struct link_event event;

		if (c->at[i].state != CLEANUP_ASKED)
			i++;
		else if (link_next(c->links, clock_now_ns() + CLOCK_NS_PER_S, -1, &event))
			take_event(c, &event);
	}
}

bool cleanup_open(struct cleanup *c, const struct topology *topo,
                  const struct link_options *options, struct err *err)
{
	struct link_options errand = *options;
	struct link_target *targets;

	memset(c, 0, sizeof(*c));
	c->topology = topo;
	c->at = arena_alloc(&c->arena, topo->host_count, sizeof(*c->at));
	targets = arena_alloc(&c->arena, topo->host_count, sizeof(*targets));
	for (size_t i = 0; i < topo->host_count; i++) {
		c->at[i].host = &topo->hosts[i];
		targets[i] = hosts_target(&topo->hosts[i]);
	}
	errand.is_errand = true;
	c->links = link_set_new(targets, topo->host_count, &errand, err);
	if (c->links == NULL)
		return false;
	for (size_t i = 0; i < topo->host_count; i++)
		link_connect(c->links, i);
	wait_for_all(c);
	return true;
}

void cleanup_remove(struct cleanup *c)
{
	for (size_t i = 0; i < c->topology->host_count; i++) {
		if (c->at[i].state == CLEANUP_KNOWN && has_lost(&c->at[i], 0))
			remove_next(c, &c->at[i]);
	}
	wait_for_all(c);
}

void cleanup_close(struct cleanup *c)
{
	link_set_free(c->links);
	arena_done(&c->arena);
	memset(c, 0, sizeof(*c));
}
