/* SPDX-License-Identifier: MIT */
#include "link/ask.h"

#include "common/clock.h"

struct lines {
	const struct ask *ask;
	char line[ASK_LINE_BYTES];
	size_t len;
};

static void take(struct lines *l, struct transport *t)
{
	char piece[4096];
	size_t n;

	while ((n = transport_read(t, piece, sizeof(piece))) > 0) {
		for (size_t i = 0; i < n; i++) {
			const char *marked;

			if (piece[i] != '\n') {
				if ((unsigned char)piece[i] >= ' ' && l->len + 1 < sizeof(l->line))
					l->line[l->len++] = piece[i];
				continue;
			}
			l->line[l->len] = '\0';
			l->len = 0;
			marked = shell_marker_read(l->ask->marker, l->line);
			if (marked != NULL)
				l->ask->line(l->ask->arg, marked);
		}
	}
}

/* Being woken ends the start of a command: with no wish to stop it is started again. */
static bool start(struct transport *t, const char *command, const struct ask *a, struct err *err)
{
	while (!transport_exec(t, command, a->deadline_ns, err)) {
		if (err->kind != ERR_CANCELLED || a->is_cancelled(a->cancelled_arg) ||
		    clock_now_ns() >= a->deadline_ns)
			return false;
	}
	transport_end_input(t);
	return true;
}

bool ask(struct transport *t, const char *command, const struct ask *a, struct err *err)
{
	struct lines lines = {.ask = a};
	struct transport_end end;

	if (!start(t, command, a, err))
		return err_prefix(err, "run a command");
	for (;;) {
		bool has_ended = transport_ended(t, &end); /* and all of its output has come */

		take(&lines, t);
		if (has_ended)
			return true;
		if (!transport_pump(t, a->deadline_ns, err))
			return false;
		if (a->is_cancelled(a->cancelled_arg))
			return err_set(err, ERR_CANCELLED, "given up");
		if (clock_now_ns() >= a->deadline_ns && !transport_ended(t, &end))
			return err_set(err, ERR_TIMEOUT, "a command on the host does not end");
	}
}
