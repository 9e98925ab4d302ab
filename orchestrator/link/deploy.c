/* SPDX-License-Identifier: MIT */
#include "link/deploy.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"
#include "hostops/place.h"

#define LINE_BYTES   512
#define REASON_BYTES 90 /* of one place, in the message */

enum step {
	STEP_PLACE,  /* the script looks for a place */
	STEP_UPLOAD, /* it reads the agent */
	STEP_RUN     /* it has become the agent */
};

struct deployment {
	struct transport *t;
	const struct deploy_agent *agent;
	struct deployed *out;
	deploy_is_cancelled *cancelled;
	void *arg;
	char name[PLACE_NAME_BYTES];
	struct shell_marker marker;
	enum step step;
	size_t refused; /* places so far */
	struct text reasons;
	size_t sent;
	char line[LINE_BYTES]; /* being read; a longer one is cut */
	size_t line_len;
	char noise[LINE_BYTES]; /* the last unmarked line that said something */
};

/* "/tmp: mkdir: cannot create directory '/tmp/.vnm-...': ..." without the random name. */
static void add_reason(struct deployment *d, const char *reason)
{
	const char *name = strstr(reason, d->name);

	if (d->reasons.len > 0)
		text_add(&d->reasons, "; ");
	if (name != NULL && name > reason) {
		text_add_bytes(&d->reasons, reason, (size_t)(name - reason) - 1);
		reason = name + strlen(d->name);
	}
	text_printf(&d->reasons, "%.*s", REASON_BYTES, reason);
	d->refused++;
}

/* It is given to `rm -rf` later: only whole, and only with the name that we gave it. */
static void take_folder(struct deployment *d, const char *folder)
{
	const char *slash = strrchr(folder, '/');

	if (slash != NULL && strcmp(slash + 1, d->name) == 0 &&
	    strlen(folder) < sizeof(d->out->folder))
		memcpy(d->out->folder, folder, strlen(folder) + 1);
}

/* True when the line is one of ours. */
static bool take_line(struct deployment *d)
{
	const char *marked = shell_marker_read(&d->marker, d->line);

	if (marked == NULL) {
		if (d->line[0] != '\0')
			memcpy(d->noise, d->line, sizeof(d->noise));
		return false;
	}
	if (strncmp(marked, "no ", 3) == 0) {
		add_reason(d, marked + 3);
	} else if (strncmp(marked, "go ", 3) == 0) {
		take_folder(d, marked + 3);
		d->step = STEP_UPLOAD;
	} else if (strncmp(marked, "run ", 4) == 0) {
		d->out->is_checked = strcmp(marked + 4, "sha256") == 0;
		d->step = STEP_RUN;
	}
	return true;
}

/* Byte by byte, since what follows the last line is not ours. True when one of ours came:
 * noise is no progress, however much of it comes. */
static bool take_lines(struct deployment *d)
{
	bool any = false;
	char c;

	while (d->step != STEP_RUN && transport_read(d->t, &c, 1) == 1) {
		if (c != '\n') {
			if (d->line_len + 1 < sizeof(d->line) && (unsigned char)c >= ' ')
				d->line[d->line_len++] = c;
			continue;
		}
		d->line[d->line_len] = '\0';
		d->line_len = 0;
		any = take_line(d) || any;
	}
	return any;
}

static void upload(struct deployment *d)
{
	size_t n = 1;

	while (n > 0 && d->sent < d->agent->size) {
		n = transport_write(d->t, d->agent->bytes + d->sent, d->agent->size - d->sent);
		d->sent += n;
	}
}

static bool start_command(struct deployment *d, struct err *err)
{
	const struct place_request request = {.marker = &d->marker,
	                                      .name = d->name,
	                                      .first = d->refused,
	                                      .size_bytes = d->agent->size,
	                                      .sha256 = d->agent->sha256};
	struct text command = {0};
	bool ok = shell_marker_init(&d->marker, err) && place_command(&command, &request, err) &&
	          transport_exec(d->t, text_str(&command),
	                         clock_now_ns() + DEPLOY_QUIET_MS * CLOCK_NS_PER_MS, err);

	text_done(&command);
	d->step = STEP_PLACE;
	d->sent = 0;
	d->line_len = 0;
	return ok;
}

static bool fail_still(const struct deployment *d, struct err *err)
{
	unsigned s = DEPLOY_QUIET_MS / 1000;

	if (d->step == STEP_UPLOAD)
		return err_set(
			err, ERR_TIMEOUT,
			"upload the agent: the host lives, but its shell took nothing for %u s", s);
	return err_set(err, ERR_TIMEOUT, "start a shell: no answer in %u s%s%s", s,
	               d->noise[0] == '\0' ? "" : ": it said: ", d->noise);
}

static bool fail_lost(const struct deployment *d, struct err *err)
{
	struct err why = *err;

	if (why.kind != ERR_TIMEOUT || d->step != STEP_UPLOAD)
		return err_prefix(err, "deploy the agent");
	return err_set(err, why.kind, "upload the agent: %.300s: " TRANSPORT_STILL_WHY, why.msg);
}

/* Until the agent runs, or the command ends: true either way. */
static bool follow(struct deployment *d, struct transport_end *end, bool *has_ended,
                   struct err *err)
{
	uint64_t quiet_ns = DEPLOY_QUIET_MS * CLOCK_NS_PER_MS;
	uint64_t deadline_ns = clock_now_ns() + quiet_ns;
	uint64_t taken = 0;

	*has_ended = false;
	for (;;) {
		if (!transport_pump(d->t, deadline_ns, err))
			return fail_lost(d, err);
		if (d->cancelled(d->arg))
			return err_set(err, ERR_CANCELLED, "given up");
		if (take_lines(d) || transport_taken(d->t) != taken) {
			taken = transport_taken(d->t);
			deadline_ns = clock_now_ns() + quiet_ns;
		}
		if (d->step == STEP_RUN)
			return true;
		*has_ended = transport_ended(d->t, end);
		if (*has_ended)
			return true;
		if (clock_now_ns() >= deadline_ns)
			return fail_still(d, err);
		if (d->step == STEP_UPLOAD)
			upload(d);
	}
}

/* The command ended without a word of ours: what the account's shell says is the reason. */
static bool fail_silent(const struct deployment *d, const struct transport_end *end,
                        struct err *err)
{
	const char *said = transport_said(d->t);

	if (said[0] == '\0')
		said = d->noise;
	return err_set(
		err, ERR_REMOTE,
		"the login shell ended (status %d%s%s)%s%.200s: may the account run commands?",
		end->status, end->signal[0] == '\0' ? "" : ", signal ", end->signal,
		said[0] == '\0' ? "" : ": ", said);
}

static bool try_places(struct deployment *d, struct err *err)
{
	while (d->refused < place_count()) {
		size_t before = d->refused;
		struct transport_end end;
		bool has_ended;

		d->out->folder[0] = '\0';
		if (!start_command(d, err) || !follow(d, &end, &has_ended, err))
			return false;
		if (!has_ended)
			return true;
		if (d->refused == before)
			return fail_silent(d, &end, err);
	}
	d->out->folder[0] = '\0';
	return err_set(err, ERR_REMOTE,
	               "no folder takes the agent (make room, or allow execution in one): %.400s",
	               text_str(&d->reasons));
}

bool deploy(struct transport *t, const struct deploy_agent *agent, deploy_is_cancelled *cancelled,
            void *arg, struct deployed *out, struct err *err)
{
	struct deployment d = {
		.t = t, .agent = agent, .cancelled = cancelled, .arg = arg, .out = out};
	bool ok;

	*out = (struct deployed){.is_checked = false};
	ok = place_name(d.name, err) && try_places(&d, err);
	text_done(&d.reasons);
	return ok;
}

void deploy_sweep(struct transport *t, const char *folder, uint32_t pid, uint64_t deadline_ns)
{
	struct text command = {0};
	struct transport_end end;
	struct err err; /* nobody is left to be told: what can be done was done */
	bool ok = place_sweep_command(&command, folder, pid, &err);

	/* Being woken ends the start of a command; here it is no reason to give up. */
	while (ok && !transport_exec(t, text_str(&command), deadline_ns, &err))
		ok = err.kind == ERR_CANCELLED && clock_now_ns() < deadline_ns;
	while (ok && !transport_ended(t, &end) && clock_now_ns() < deadline_ns)
		ok = transport_pump(t, deadline_ns, &err);
	text_done(&command);
}
