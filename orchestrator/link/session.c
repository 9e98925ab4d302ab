/* SPDX-License-Identifier: MIT */
/* session.c - the life of one host's thread: up, carrying messages, down. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "link/job.h"
#include "link/link_parts.h"
#include "link/talk.h"

#define BEAT_NS  CLOCK_NS_PER_S
#define START_MS 10000u /* from the agent's start to its answer */
/* At the end, together below the 3 s of link_set_free(): */
#define BYE_MS   1000u /* for the agent to end by itself */
#define EOF_MS   400u  /* after its input has ended */
#define SWEEP_MS 1000u

struct session {
	struct link_host *host;
	struct transport *transport;
	struct talk talk;
	struct job job;
	struct link_info info;
	struct deployed deployed;
	bool has_agent;   /* it greeted */
	uint64_t sign_ns; /* last sign of life */
	uint64_t beat_ns; /* our next beat is due */
};

static uint64_t after_ms(uint64_t ms)
{
	return clock_now_ns() + ms * CLOCK_NS_PER_MS;
}

/* remote/ and link/ name the same things; link/ adds the agent's. */
static void take_info(struct session *s, const struct transport_info *from)
{
	static const enum link_stage stages[] = {
		[TRANSPORT_CONNECTING] = LINK_STAGE_CONNECT,
		[TRANSPORT_VERIFYING] = LINK_STAGE_HOST_KEY,
		[TRANSPORT_LOGGING_IN] = LINK_STAGE_LOGIN,
		[TRANSPORT_OPEN] = LINK_STAGE_DEPLOY,
	};

	s->info.stage = stages[from->stage];
	(void)snprintf(s->info.config, sizeof(s->info.config), "%s", from->config);
	(void)snprintf(s->info.address, sizeof(s->info.address), "%s", from->address);
	(void)snprintf(s->info.host_key, sizeof(s->info.host_key), "%s", from->host_key);
	(void)snprintf(s->info.login, sizeof(s->info.login), "%s", from->login);
}

static bool connect_host(struct session *s, struct err *err)
{
	struct link_host *h = s->host;
	struct link_set *set = h->set;
	struct transport_info info = {.stage = TRANSPORT_CONNECTING};
	uint32_t ms = set->options.connect_ms;
	struct wait_limit limit = {.wake_fd = h->wake_fd};

	if (!link_take_slot(h))
		return err_set(err, ERR_CANCELLED, "given up");
	limit.deadline_ns = after_ms(ms == 0 ? LINK_CONNECT_MS : ms);
	s->transport = set->opener(h, &limit, &info, err);
	link_give_slot(set);
	take_info(s, &info);
	return s->transport != NULL;
}

static bool is_cancelled(void *arg)
{
	return link_is_stopping(arg);
}

static bool deploy_agent(struct session *s, struct err *err)
{
	struct deployed *deployed = &s->deployed;
	bool ok;

	if (s->host->set->options.wants_survey)
		link_survey(s->host, s->transport, &s->info.survey);
	ok = deploy(s->transport, &s->host->set->agents, is_cancelled, s->host, deployed, err);

	(void)snprintf(s->info.folder, sizeof(s->info.folder), "%s", deployed->folder);
	s->info.noise = deployed->noise;
	if (!ok)
		return false;
	(void)snprintf(s->info.origin, sizeof(s->info.origin), "%s",
	               deployed->is_compiled ? "compiled" : "binary");
	s->info.stage = LINK_STAGE_AGENT;
	return true;
}

/* "agent ended with status 3: what it said". */
static void fail_ended(const struct session *s, const struct transport_end *end, struct err *err)
{
	const char *said = transport_said(s->transport);
	char how[48];

	if (end->signal[0] != '\0')
		(void)snprintf(how, sizeof(how), "was ended by signal %s", end->signal);
	else if (end->status != TRANSPORT_STATUS_NONE)
		(void)snprintf(how, sizeof(how), "ended with status %d", end->status);
	else
		(void)snprintf(how, sizeof(how), "ended, the host does not tell how");
	(void)err_set(err, ERR_REMOTE, "the agent %s%s%s", how, said[0] == '\0' ? "" : ": ", said);
}

/* A greeting may have come together with the script's last line: then we are to speak. */
static bool is_our_turn(const struct session *s)
{
	return !s->has_agent && talk_is_greeted(&s->talk);
}

/*
 * Waits once, then takes one message: 1. None yet: 0. The agent or the connection has ended,
 * or talks nonsense: -1 and *err.
 */
static int next_message(struct session *s, uint64_t until_ns, struct msg *out, struct err *err)
{
	struct transport_end end;
	struct err lost;
	bool is_alive = true;
	int got = talk_take(&s->talk, out, err);

	if (got == 0 && !is_our_turn(s)) {
		talk_flush(&s->talk);
		is_alive = transport_pump(s->transport, until_ns, &lost);
		got = talk_take(&s->talk, out, err);
	}
	if (got == 1) {
		s->sign_ns = clock_now_ns();
		return 1;
	}
	if (got == 0 && is_alive && !transport_ended(s->transport, &end))
		return 0;
	if (got < 0)
		(void)err_prefix(err, "the agent talks nonsense");
	else if (transport_ended(s->transport, &end))
		fail_ended(s, &end, err);
	else
		*err = lost;
	return -1;
}

/* Nothing may be sent before the agent's greeting: see hostops/place.c. */
static bool say_hello(struct session *s, int64_t *sent_wall_ms, struct err *err)
{
	struct msg msg;

	s->has_agent = true;
	*sent_wall_ms = clock_wall_ms();
	msg_init(&msg, MSG_HELLO, 0);
	msg.u.hello.version = WIRE_VERSION;
	msg.u.hello.beat_ms = LINK_BEAT_MS;
	msg.u.hello.lease_ms = LINK_LEASE_MS;
	return talk_add_message(&s->talk, &msg, err);
}

static bool take_ready(struct session *s, const struct msg_ready *ready, int64_t sent_wall_ms,
                       struct err *err)
{
	struct link_info *info = &s->info;
	const char *sha256 = s->deployed.sha256;
	int64_t middle_us = (sent_wall_ms + clock_wall_ms()) * 500;

	if (ready->version != WIRE_VERSION)
		return err_set(err, ERR_REMOTE,
		               "the agent speaks version %" PRIu32
		               " of the protocol, this vnm version "
		               "%d: use the agent that came with it",
		               ready->version, WIRE_VERSION);
	if (ready->sha256[0] == '\0' && !s->deployed.is_checked)
		return err_set(
			err, ERR_REMOTE,
			"the agent cannot be verified: neither it nor the host knows its SHA-256");
	if (ready->sha256[0] != '\0' && strcmp(ready->sha256, sha256) != 0)
		return err_set(err, ERR_REMOTE,
		               "another agent answers: SHA-256 %.16s... instead of %.16s...",
		               ready->sha256, sha256);
	(void)snprintf(info->agent_version, sizeof(info->agent_version), "%.31s",
	               ready->agent_version);
	(void)snprintf(info->platform, sizeof(info->platform), "%.15s", ready->platform);
	(void)snprintf(info->arch, sizeof(info->arch), "%.15s", ready->arch);
	(void)snprintf(info->caps, sizeof(info->caps), "%s", ready->caps);
	(void)snprintf(info->agent_sha256, sizeof(info->agent_sha256), "%s", sha256);
	info->agent_pid = ready->pid;
	info->clock_offset_us = (int64_t)ready->wall_ms * 1000 - middle_us;
	info->stage = LINK_STAGE_UP;
	return true;
}

static bool greet(struct session *s, struct err *err)
{
	uint64_t deadline_ns = after_ms(START_MS);
	int64_t sent_wall_ms = 0;
	struct msg msg;

	talk_init(&s->talk, s->transport);
	for (;;) {
		int got = next_message(s, deadline_ns, &msg, err);

		if (got < 0)
			return false;
		if (got == 1 && s->has_agent && msg.type == MSG_READY)
			return take_ready(s, &msg.u.ready, sent_wall_ms, err);
		if (got == 1 && msg.type == MSG_FAILED)
			return err_set(err, ERR_REMOTE, "the agent refuses: %s",
			               msg.u.failed.reason);
		if (is_our_turn(s) && !say_hello(s, &sent_wall_ms, err))
			return false;
		if (link_is_stopping(s->host))
			return err_set(err, ERR_CANCELLED, "given up");
		if (clock_now_ns() >= deadline_ns)
			return err_set(err, ERR_TIMEOUT, "the agent did not %s in %u s",
			               s->has_agent ? "answer hello" : "greet", START_MS / 1000);
	}
}

static void tell_up(struct session *s)
{
	struct link_event event = {.host = s->host->index, .kind = LINK_UP, .info = s->info};

	(void)pthread_mutex_lock(&s->host->lock);
	s->host->is_up = true;
	(void)pthread_mutex_unlock(&s->host->lock);
	link_post(s->host->set, &event);
}

/* What the main thread wants: its messages move to the talk. False when to end. */
static bool take_commands(struct session *s, struct err *err)
{
	struct link_host *h = s->host;
	bool ok = true;

	(void)pthread_mutex_lock(&h->lock);
	if (h->outbox.len > 0)
		talk_add(&s->talk, h->outbox.at, h->outbox.len);
	text_clear(&h->outbox);
	if (h->is_stopping)
		ok = err_set(err, ERR_CANCELLED, "given up");
	else if (h->refused.kind != ERR_NONE) {
		*err = h->refused;
		ok = false;
	}
	(void)pthread_mutex_unlock(&h->lock);
	return ok;
}

static bool beat(struct session *s, struct err *err)
{
	struct msg msg;

	if (clock_now_ns() < s->beat_ns)
		return true;
	s->beat_ns = clock_now_ns() + BEAT_NS;
	msg_init(&msg, MSG_BEAT, 0);
	msg.u.beat.clock_ns = clock_now_ns();
	return talk_add_message(&s->talk, &msg, err);
}

/* Carries messages both ways until something ends it; *err says what. */
static void carry(struct session *s, struct err *err)
{
	struct link_event event = {.host = s->host->index, .kind = LINK_MESSAGE};
	const uint64_t dead_ns = LINK_DEAD_MS * CLOCK_NS_PER_MS;

	s->beat_ns = clock_now_ns() + BEAT_NS;
	while (take_commands(s, err) && beat(s, err) &&
	       (!job_take(&s->job) || job_start(&s->job, &s->talk, err))) {
		uint64_t dead_at_ns = s->sign_ns + dead_ns;
		bool was_due =
			clock_now_ns() >= dead_at_ns; /* before looking: we may be the late ones */
		int got = next_message(s, s->beat_ns < dead_at_ns ? s->beat_ns : dead_at_ns,
		                       &event.msg, err);

		if (got < 0)
			return;
		if (got == 1 && event.msg.type != MSG_ALIVE &&
		    !job_message(&s->job, &s->talk, &event.msg))
			link_post(s->host->set, &event);
		if (got == 0 && was_due) {
			(void)err_set(err, ERR_TIMEOUT, "no sign of life for %.1f s",
			              (double)LINK_DEAD_MS / 1000);
			transport_blame(s->transport, err);
			return;
		}
	}
}

/* Pumps until the command has ended or the time is up; what comes is of no interest. */
static bool wait_for_end(struct session *s, uint64_t deadline_ns)
{
	struct transport_end end;
	struct err lost;
	char rest[4096];

	while (!transport_ended(s->transport, &end)) {
		talk_flush(&s->talk);
		if (clock_now_ns() >= deadline_ns ||
		    !transport_pump(s->transport, deadline_ns, &lost))
			return false;
		while (transport_read(s->transport, rest, sizeof(rest)) > 0)
			continue;
	}
	return true;
}

/*
 * Leaves the host as it was found. The script that deploys removes its folder when its
 * input ends, the agent its own at its start, so the sweep finds something only after
 * a SIGKILL in between; but then nobody else would.
 */
static void clean_up(struct session *s)
{
	struct err err;
	struct msg msg;
	bool has_ended = false;

	s->talk.transport = s->transport;
	if (s->has_agent) {
		msg_init(&msg, MSG_BYE, 0);
		has_ended =
			talk_add_message(&s->talk, &msg, &err) && wait_for_end(s, after_ms(BYE_MS));
	}
	if (!has_ended) {
		transport_end_input(s->transport);
		(void)wait_for_end(s, after_ms(EOF_MS));
	}
	if (s->info.folder[0] != '\0')
		deploy_sweep(s->transport, s->info.folder, s->info.agent_pid, after_ms(SWEEP_MS));
}

/* LINK_DOWN is told before cleaning up: that may wait for a host that does not answer. */
static void tell_down(struct session *s, const struct err *err)
{
	struct link_event event = {
		.host = s->host->index, .kind = LINK_DOWN, .info = s->info, .err = *err};
	bool is_wanted;

	(void)pthread_mutex_lock(&s->host->lock);
	s->host->is_up = false;
	s->host->is_down = true;
	is_wanted = !s->host->is_stopping;
	(void)pthread_mutex_unlock(&s->host->lock);
	if (!is_wanted)
		return;
	(void)err_prefix(&event.err, "%s", s->host->target.name);
	link_post(s->host->set, &event);
}

static void live(struct link_host *h)
{
	struct session s = {.host = h};
	struct err err;

	job_init(&s.job, h);
	if (!connect_host(&s, &err)) {
		/* told below */
	} else if (h->set->options.is_errand) {
		tell_up(&s);
		link_errand(h, s.transport, &err);
	} else if (deploy_agent(&s, &err) && greet(&s, &err)) {
		tell_up(&s);
		carry(&s, &err);
	}
	tell_down(&s, &err);
	if (s.transport != NULL && !h->set->options.is_errand)
		clean_up(&s);
	job_done(&s.job);
	talk_done(&s.talk);
	transport_close(s.transport);
}

/* Was link_connect() called since LINK_DOWN? */
static bool lives_again(struct link_host *h)
{
	bool again;

	(void)pthread_mutex_lock(&h->lock);
	again = h->is_wanted_again && !h->is_stopping;
	h->is_running = again;
	link_reset(h);
	(void)pthread_mutex_unlock(&h->lock);
	return again;
}

void *link_session(void *arg)
{
	do {
		live(arg);
	} while (lives_again(arg));
	return NULL;
}
