/* SPDX-License-Identifier: MIT */
#include "remote/transport.h"

#include <stdio.h>
#include <string.h>

#include "remote/transport_ops.h"

bool transport_exec(struct transport *t, const char *command, uint64_t deadline_ns, struct err *err)
{
	return t->ops->exec(t, command, deadline_ns, err);
}

bool transport_pump(struct transport *t, uint64_t until_ns, struct err *err)
{
	return t->ops->pump(t, until_ns, err);
}

size_t transport_write(struct transport *t, const void *data, size_t len)
{
	return t->ops->write(t, data, len);
}

uint64_t transport_taken(const struct transport *t)
{
	return t->taken;
}

void transport_end_input(struct transport *t)
{
	t->ops->end_input(t);
}

void transport_hangup(struct transport *t)
{
	t->ops->hangup(t);
}

void transport_blame(struct transport *t, struct err *err)
{
	if (t->ops->blame != NULL)
		t->ops->blame(t, err);
}

void transport_close(struct transport *t)
{
	if (t == NULL)
		return;
	text_done(&t->out);
	text_done(&t->said);
	t->ops->close(t);
}

size_t transport_read(struct transport *t, void *data, size_t room)
{
	size_t n = t->out.len - t->out_read;

	if (n > room)
		n = room;
	if (n > 0)
		memcpy(data, t->out.at + t->out_read, n);
	t->out_read += n;
	if (t->out_read == t->out.len) {
		text_clear(&t->out);
		t->out_read = 0;
	}
	return n;
}

bool transport_ended(const struct transport *t, struct transport_end *end)
{
	/* Not at the status alone: a server may send it before the last of the output. */
	if (!t->is_closed && !(t->is_told && t->is_eof))
		return false;
	*end = t->end;
	return true;
}

const char *transport_said(const struct transport *t)
{
	return text_str(&t->said);
}

void transport_came_output(struct transport *t, const void *data, size_t len)
{
	text_add_bytes(&t->out, data, len);
}

const struct transport_said_all *transport_said_all(const struct transport *t)
{
	return &t->said_all;
}

static void count_said(struct transport *t, const char *in, size_t len)
{
	struct transport_said_all *all = &t->said_all;
	size_t at = strlen(all->first);

	all->bytes += len;
	for (size_t i = 0; i < len; i++) {
		bool is_end = in[i] == '\n';

		all->lines += is_end;
		t->has_first = t->has_first || (is_end && at > 0);
		if (!t->has_first && (unsigned char)in[i] >= ' ' && in[i] != 0x7f &&
		    at + 1 < sizeof(all->first))
			all->first[at++] = in[i];
	}
	all->first[at] = '\0';
}

/* Printable, lines joined, the last TRANSPORT_SAID_BYTES - 1 bytes. */
void transport_came_stderr(struct transport *t, const void *data, size_t len)
{
	const size_t keep = TRANSPORT_SAID_BYTES - 1;
	const char *in = data;

	count_said(t, in, len);
	for (size_t i = 0; i < len; i++) {
		if (in[i] == '\n')
			t->said_newline = true;
		if ((unsigned char)in[i] < ' ' || in[i] == 0x7f)
			continue;
		if (t->said_newline && t->said.len > 0)
			text_add(&t->said, "; ");
		t->said_newline = false;
		text_add_bytes(&t->said, in + i, 1);
	}
	if (t->said.len <= keep)
		return;
	memmove(t->said.at, t->said.at + t->said.len - keep, keep + 1);
	t->said.len = keep;
}

void transport_came_eof(struct transport *t)
{
	t->is_eof = true;
}

void transport_came_status(struct transport *t, int status)
{
	t->is_told = true;
	t->end.status = status;
}

void transport_came_signal(struct transport *t, const char *signal)
{
	t->is_told = true;
	(void)snprintf(t->end.signal, sizeof(t->end.signal), "%s", signal);
}

void transport_came_close(struct transport *t)
{
	t->is_closed = true;
}

void transport_reset(struct transport *t)
{
	text_clear(&t->out);
	text_clear(&t->said);
	t->said_all = (struct transport_said_all){0};
	t->has_first = false;
	t->out_read = 0;
	t->taken = 0;
	t->said_newline = t->is_eof = t->is_told = t->is_closed = false;
	t->end = (struct transport_end){.status = TRANSPORT_STATUS_NONE};
}
