/* SPDX-License-Identifier: MIT */
/* job_agent.c - a job by the messages of an agent. */
#include <stdio.h>
#include <string.h>

#include "link/job.h"
#include "link/link_parts.h"

static void copy_piece(char out[WIRE_STR_BYTES], const char *at, size_t len)
{
	memcpy(out, at, len);
	out[len] = '\0';
}

static size_t piece_len(size_t left)
{
	return left < WIRE_STR_BYTES - 1 ? left : WIRE_STR_BYTES - 1;
}

static bool add_script(const struct job *j, struct talk *k, struct err *err)
{
	const char *at = text_str(&j->command);
	size_t left = j->command.len;
	bool ok = true;

	while (ok && left > 0) {
		size_t len = piece_len(left);
		struct msg msg;

		msg_init(&msg, MSG_SCRIPT, j->id);
		copy_piece(msg.u.script.text, at, len);
		ok = talk_add_message(k, &msg, err);
		at += len;
		left -= len;
	}
	return ok;
}

/* An empty one, too, when it is the last. */
static bool add_input(const struct job *j, struct talk *k, const char *at, size_t left,
                      bool is_last, struct err *err)
{
	bool ok;

	do {
		size_t len = piece_len(left);
		struct msg msg;

		msg_init(&msg, MSG_INPUT, j->id);
		copy_piece(msg.u.input.text, at, len);
		at += len;
		left -= len;
		if (is_last && left == 0)
			msg.u.input.is_last = 1;
		ok = talk_add_message(k, &msg, err);
		explicit_bzero(&msg, sizeof(msg)); /* it may be a password's */
	} while (ok && left > 0);
	return ok;
}

bool job_start(struct job *j, struct talk *k, struct err *err)
{
	char password[PRIVILEGE_INPUT_BYTES];
	struct msg run;
	size_t len;
	bool ok;

	if (!job_password(j, password, &len))
		return true; /* told */
	j->id = j->id < LINK_ID_FIRST ? LINK_ID_FIRST : j->id + 1;
	msg_init(&run, MSG_RUN, j->id);
	run.u.run.timeout_ms = j->timeout_ms;
	run.u.run.has_input = 1;
	ok = add_script(j, k, err) && talk_add_message(k, &run, err) &&
	     (len == 0 || add_input(j, k, password, len, false, err));
	explicit_bzero(password, sizeof(password));
	return ok;
}

static void take_stdout(struct job *j, struct talk *k, const char *line)
{
	const char *marked = shell_marker_read(&j->marker, line);
	struct err never; /* pieces always fit */

	if (marked == NULL)
		return;
	if (j->is_ready || strcmp(marked, JOB_READY) != 0) {
		job_tell(j, marked);
		return;
	}
	j->is_ready = true;
	(void)add_input(j, k, text_str(&j->text), j->text.len, true, &never);
}

/* The last lines that fit, joined. */
static void take_stderr(struct job *j, const char *line)
{
	size_t len = strlen(j->said);

	if (line[0] == '\0')
		return;
	if (len + strlen(line) + 3 > sizeof(j->said))
		len = 0;
	(void)snprintf(j->said + len, sizeof(j->said) - len, "%s%s", len == 0 ? "" : "; ", line);
}

/* As ask.c: what is longer than a line is cut, control characters are left out. */
static void take_said(struct job *j, struct talk *k, const struct msg_said *m)
{
	struct job_line *l = &j->line[m->stream == 2];

	for (const char *c = m->text; *c != '\0'; c++) {
		if ((unsigned char)*c >= ' ' && l->len + 1 < sizeof(l->at))
			l->at[l->len++] = *c;
	}
	if (m->goes_on == 1)
		return;
	l->at[l->len] = '\0';
	l->len = 0;
	if (m->stream == 2)
		take_stderr(j, l->at);
	else
		take_stdout(j, k, l->at);
}

static void take_ran(struct job *j, const struct msg_ran *m)
{
	struct link_ran ran = {.status = LINK_STATUS_NONE};

	if (m->status != WIRE_UNKNOWN_U32)
		ran.status = (int)m->status;
	if (m->signal != WIRE_UNKNOWN_U32)
		(void)snprintf(ran.signal, sizeof(ran.signal), "%u", (unsigned)m->signal);
	(void)snprintf(ran.said, sizeof(ran.said), "%s", j->said);
	job_end(j, &ran, NULL);
}

static void take_failed(struct job *j, const struct msg_failed *m)
{
	struct link_ran ran = {.status = LINK_STATUS_NONE};
	bool is_late = strcmp(m->kind, "timeout") == 0;
	struct err why;

	(void)snprintf(ran.said, sizeof(ran.said), "%s", j->said);
	(void)err_set(&why, is_late ? ERR_TIMEOUT : ERR_REMOTE, "%s", m->reason);
	job_end(j, &ran, &why);
}

bool job_message(struct job *j, struct talk *k, const struct msg *msg)
{
	if (msg->id < LINK_ID_FIRST)
		return false;
	if (!j->is_open || msg->id != j->id)
		return true; /* of one that is over */
	if (msg->type == MSG_SAID)
		take_said(j, k, &msg->u.said);
	else if (msg->type == MSG_RAN)
		take_ran(j, &msg->u.ran);
	else if (msg->type == MSG_FAILED)
		take_failed(j, &msg->u.failed);
	return true;
}
