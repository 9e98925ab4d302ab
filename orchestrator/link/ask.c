/* SPDX-License-Identifier: MIT */
#include "link/ask.h"

#include <string.h>

#include "common/clock.h"

struct asking {
	const struct ask *ask;
	char line[ASK_LINE_BYTES];
	size_t len;
	bool is_ready;
	size_t first_sent, rest_sent;
	bool is_fed; /* the input has ended */
};

static void take_line(struct asking *s, const char *line)
{
	const char *marked = shell_marker_read(s->ask->marker, line);
	const char *ready = s->ask->input.ready;

	if (marked == NULL)
		return;
	if (!s->is_ready && ready != NULL && strcmp(marked, ready) == 0)
		s->is_ready = true;
	else
		s->ask->line(s->ask->arg, marked);
}

static void take(struct asking *s, struct transport *t)
{
	char piece[4096];
	size_t n;

	while ((n = transport_read(t, piece, sizeof(piece))) > 0) {
		for (size_t i = 0; i < n; i++) {
			if (piece[i] != '\n') {
				if ((unsigned char)piece[i] >= ' ' && s->len + 1 < sizeof(s->line))
					s->line[s->len++] = piece[i];
				continue;
			}
			s->line[s->len] = '\0';
			s->len = 0;
			take_line(s, s->line);
		}
	}
}

/* True when all of it is written. */
static bool write_all(struct transport *t, const char *data, size_t len, size_t *sent)
{
	while (*sent < len) {
		size_t n = transport_write(t, data + *sent, len - *sent);

		if (n == 0)
			return false;
		*sent += n;
	}
	return true;
}

static void feed(struct asking *s, struct transport *t)
{
	const struct ask_input *in = &s->ask->input;

	if (s->is_fed || !write_all(t, in->first, in->first_len, &s->first_sent) ||
	    (in->ready != NULL && !s->is_ready) ||
	    !write_all(t, in->rest, in->rest_len, &s->rest_sent))
		return;
	transport_end_input(t);
	s->is_fed = true;
}

/* Being woken ends the start of a command: with no wish to stop it is started again. */
static bool start(struct transport *t, const char *command, const struct ask *a, struct err *err)
{
	while (!transport_exec(t, command, a->deadline_ns, err)) {
		if (err->kind != ERR_CANCELLED || a->is_cancelled(a->cancelled_arg) ||
		    clock_now_ns() >= a->deadline_ns)
			return false;
	}
	return true;
}

static bool follow(struct asking *s, struct transport *t, struct ask_end *end, struct err *err)
{
	const struct ask *a = s->ask;

	for (;;) {
		bool has_ended = transport_ended(t, &end->how); /* and all of its output has come */

		take(s, t);
		if (has_ended)
			return true;
		feed(s, t);
		if (!transport_pump(t, a->deadline_ns, err))
			return false;
		if (a->is_cancelled(a->cancelled_arg))
			return err_set(err, ERR_CANCELLED, "given up");
		if (clock_now_ns() >= a->deadline_ns && !transport_ended(t, &end->how)) {
			end->is_late = true;
			return err_set(err, ERR_TIMEOUT, "a command on the host does not end");
		}
	}
}

bool ask(struct transport *t, const char *command, const struct ask *a, struct err *err)
{
	struct asking s = {.ask = a};
	struct ask_end end = {.is_late = false};
	bool ok = start(t, command, a, err) || err_prefix(err, "run a command");

	ok = ok && follow(&s, t, &end, err);
	end.is_ready = s.is_ready;
	if (a->end != NULL)
		*a->end = end;
	return ok;
}
