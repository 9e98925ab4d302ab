/* SPDX-License-Identifier: MIT */
#include "link/deploy.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"
#include "hostops/machine.h"
#include "hostops/place.h"
#include "hostops/refusal.h"
#include "link/deploy_parts.h"

#define COMMANDS_MAX 64 /* of a host that refuses place after place */

/* Byte by byte, since what follows the last line is not ours. True when one of ours came:
 * noise is no progress, however much of it comes. */
static bool take_lines(struct deployment *d)
{
	bool any = false;
	char c;

	while (d->step != STEP_RUN && transport_read(d->t, &c, 1) == 1) {
		if (c != '\n') {
			d->line_bytes++;
			if (d->line_len + 1 < sizeof(d->line) && (unsigned char)c >= ' ')
				d->line[d->line_len++] = c;
			continue;
		}
		d->line[d->line_len] = '\0';
		d->line_len = 0;
		any = deployment_take_line(d) || any;
		d->line_bytes = 0;
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

static struct place_agent offer(const struct deploy_agent *agent)
{
	return (struct place_agent){
		.machine = agent->machine, .size_bytes = agent->size, .sha256 = agent->sha256};
}

static bool start_command(struct deployment *d, struct err *err)
{
	const struct deploy_agents *all = d->agents;
	const struct place_agent source = offer(&all->source);
	struct place_agent agents[DEPLOY_AGENTS_MAX];
	const struct place_request request = {.marker = &d->marker,
	                                      .name = d->name,
	                                      .first = d->refused,
	                                      .agents = agents,
	                                      .agent_count = all->count,
	                                      .source = all->source.bytes == NULL ? NULL : &source,
	                                      .is_source_only = d->misfit.len > 0};
	struct text command = {0};
	bool ok;

	for (size_t i = 0; i < all->count; i++)
		agents[i] = offer(&all->at[i]);
	ok = shell_marker_init(&d->marker, err) && place_command(&command, &request, err) &&
	     transport_exec(d->t, text_str(&command),
	                    clock_now_ns() + DEPLOY_QUIET_MS * CLOCK_NS_PER_MS, err);
	text_done(&command);
	d->step = STEP_PLACE;
	d->outcome = OUTCOME_OPEN;
	d->agent = NULL;
	d->sent = 0;
	d->line_len = 0;
	d->line_bytes = 0;
	return ok;
}

static bool fail_still(const struct deployment *d, struct err *err)
{
	unsigned s = DEPLOY_QUIET_MS / 1000;

	if (d->step == STEP_COMPILE)
		return err_set(
			err, ERR_TIMEOUT,
			"compile the agent there: the host lives, but its compiler came to no "
			"end");
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

	if (d->step == STEP_COMPILE)
		return err_prefix(err, "compile the agent there");
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
		if (d->step == STEP_COMPILE && deadline_ns > d->compiled_by_ns)
			deadline_ns = d->compiled_by_ns;
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

/* No agent fits, and the host cannot make one. */
static bool fail_none(const struct deployment *d, struct err *err)
{
	const char *kind = text_str(&d->verdict);
	const char *machine = machine_of_host(kind);
	bool has_source = d->agents->source.bytes != NULL;
	struct text why = {0};

	if (d->misfit.len > 0)
		text_add(&why, text_str(&d->misfit));
	else
		text_printf(&why, "there is no agent for %.60s", kind);
	if (has_source)
		text_add(&why, ", and the host has no C compiler to make one: install cc, gcc or "
		               "clang there");
	if (d->misfit.len == 0 && machine != NULL && machine_has_cross_agent(machine))
		text_printf(&why, "%s build vnm with its agent for %s (scripts/agents)",
		            has_source ? ", or" : ":", machine);
	(void)err_set(err, ERR_REMOTE, "%.500s", text_str(&why));
	text_done(&why);
	return false;
}

/* No folder does. */
static bool fail_places(const struct deployment *d, struct err *err)
{
	const char *reasons = text_str(&d->reasons);
	const char *remedy = refusal_remedy(text_str(&d->verdict), reasons);

	if (remedy != NULL)
		return err_set(err, ERR_REMOTE, "%s: %s", remedy, reasons);
	return err_set(err, ERR_REMOTE,
	               "no folder takes the agent (make room, or allow execution in one): %.400s",
	               reasons);
}

/* The command has ended without an agent: true when another one may do better. */
static bool may_go_on(struct deployment *d, size_t refused_before, const struct transport_end *end,
                      struct err *err)
{
	if (d->outcome == OUTCOME_OPEN && d->refused == refused_before)
		return fail_silent(d, end, err);
	d->out->folder[0] = '\0'; /* the command has removed it */
	switch (d->outcome) {
	case OUTCOME_SOURCE:
		if (d->agents->source.bytes == NULL)
			return err_set(err, ERR_REMOTE, "%.400s", text_str(&d->misfit));
		break;
	case OUTCOME_NONE:
		return fail_none(d, err);
	case OUTCOME_STOP:
		return err_set(err, ERR_REMOTE, "%.400s", text_str(&d->verdict));
	case OUTCOME_END:
		return fail_places(d, err);
	case OUTCOME_OPEN:
		break;
	}
	return true;
}

static bool try_places(struct deployment *d, struct err *err)
{
	for (unsigned i = 0; i < COMMANDS_MAX; i++) {
		size_t refused_before = d->refused;
		struct transport_end end;
		bool has_ended;

		d->out->folder[0] = '\0';
		if (!start_command(d, err) || !follow(d, &end, &has_ended, err))
			return false;
		if (!has_ended)
			return true;
		if (!may_go_on(d, refused_before, &end, err))
			return false;
	}
	return err_set(err, ERR_REMOTE,
	               "%u folders took the agent, and none of them ran it: %.400s", COMMANDS_MAX,
	               text_str(&d->reasons));
}

bool deploy(struct transport *t, const struct deploy_agents *agents, deploy_is_cancelled *cancelled,
            void *arg, struct deployed *out, struct err *err)
{
	struct deployment d = {
		.t = t, .agents = agents, .cancelled = cancelled, .arg = arg, .out = out};
	bool ok;

	*out = (struct deployed){.is_checked = false};
	ok = place_name(d.name, err) && try_places(&d, err);
	text_done(&d.reasons);
	text_done(&d.verdict);
	text_done(&d.misfit);
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
