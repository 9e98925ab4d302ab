/* SPDX-License-Identifier: MIT */
/* deploy_said.c - what the script of hostops/place.h says, line by line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "hostops/refusal.h"
#include "link/deploy_parts.h"

#define REASON_BYTES  90   /* of one place, in the message */
#define REASONS_BYTES 2000 /* of all, about */
#define COMPILE_NS    ((PLACE_COMPILE_S + 10) * CLOCK_NS_PER_S)

/* "/tmp: mkdir: cannot create directory '/tmp/.vnm-...': ..." without the random name. */
static void add_reason(struct deployment *d, const char *reason)
{
	const char *name = strstr(reason, d->name);

	d->refused++;
	if (d->reasons.len > REASONS_BYTES)
		return; /* enough is enough, whatever the host goes on to say */
	if (d->reasons.len > 0)
		text_add(&d->reasons, "; ");
	if (name != NULL && name > reason) {
		text_add_bytes(&d->reasons, reason, (size_t)(name - reason) - 1);
		reason = name + strlen(d->name);
	}
	text_printf(&d->reasons, "%.*s", REASON_BYTES, reason);
}

/* It is given to `rm -rf` later: only whole, and only with the name that we gave it. */
static void take_folder(struct deployment *d, const char *folder)
{
	const char *slash = strrchr(folder, '/');

	if (slash != NULL && strcmp(slash + 1, d->name) == 0 &&
	    strlen(folder) < sizeof(d->out->folder))
		memcpy(d->out->folder, folder, strlen(folder) + 1);
}

static void add_noise(struct deploy_noise *noise, const struct deployment *d)
{
	noise->out_bytes += d->line_bytes + 1;
	if (d->line_bytes == 0)
		return;
	noise->out_lines++;
	if (noise->first[0] == '\0')
		(void)snprintf(noise->first, sizeof(noise->first), "%.*s",
		               (int)sizeof(noise->first) - 1, d->line);
}

/* The command itself says nothing there. */
static void add_said(struct deploy_noise *noise, const struct transport *t)
{
	const struct transport_said_all *all = transport_said_all(t);

	noise->err_bytes = all->bytes;
	noise->err_lines = all->lines;
	if (noise->first[0] == '\0')
		memcpy(noise->first, all->first, sizeof(noise->first));
}

static void take_go(struct deployment *d, const char *said)
{
	const struct deploy_agents *all = d->agents;
	const char *folder;
	size_t agent;

	if (!place_read_go(said, all->count, &agent, &folder) ||
	    (agent == PLACE_SOURCE && all->source.bytes == NULL))
		return;
	d->agent = agent == PLACE_SOURCE ? &all->source : &all->at[agent];
	take_folder(d, folder);
	d->step = STEP_UPLOAD;
}

/* "126 /tmp: sh: /tmp/.vnm-...: Exec format error" */
static void take_bad(struct deployment *d, const char *said)
{
	int status = (int)strtol(said, NULL, 10);
	const char *folder = strchr(said, ' ');
	const char *colon = folder == NULL ? NULL : strstr(folder, ": ");
	struct text why = {0};

	if (d->agent == NULL || colon == NULL)
		return;
	refusal_tell(&why, status, colon + 2);
	if (d->agent->machine != NULL && refusal_of(status, colon + 2) == REFUSAL_FORMAT) {
		d->outcome = OUTCOME_SOURCE;
		text_clear(&d->misfit);
		text_printf(&d->misfit, "the agent for %s does not run on the host: %s",
		            d->agent->machine, text_str(&why));
	} else {
		struct text reason = {0};

		text_printf(&reason, "%.*s: the agent does not run: %s", (int)(colon - folder - 1),
		            folder + 1, text_str(&why));
		add_reason(d, text_str(&reason));
		text_done(&reason);
	}
	text_done(&why);
}

/* The sum stands among words that differ from tool to tool: 64 hex digits in a row. */
static void take_sum(const char *said, char out[SHA256_HEX_BYTES])
{
	const size_t len = SHA256_HEX_BYTES - 1;

	for (; *said != '\0'; said += *said != '\0') {
		size_t n = strspn(said, "0123456789abcdef");

		if (n == len) {
			memcpy(out, said, len);
			out[len] = '\0';
			return;
		}
		said += n;
	}
}

/* "binary sha256", "binary unchecked", "compiled 0123..." */
static void take_run(struct deployment *d, const char *said)
{
	const char *more = strchr(said, ' ');

	if (d->agent == NULL || more == NULL)
		return;
	d->out->is_compiled = d->agent->machine == NULL;
	d->out->is_checked = d->out->is_compiled || strcmp(more, " sha256") == 0;
	if (d->out->is_compiled)
		take_sum(more, d->out->sha256);
	else
		memcpy(d->out->sha256, d->agent->sha256, sizeof(d->out->sha256));
	d->step = STEP_RUN;
	add_said(&d->out->noise, d->t);
}

static void take_wait(struct deployment *d)
{
	if (d->step != STEP_COMPILE)
		d->compiled_by_ns = clock_now_ns() + COMPILE_NS;
	d->step = STEP_COMPILE;
}

static void take_word(struct deployment *d, const char *word, const char *said)
{
	if (strcmp(word, "no") == 0) {
		add_reason(d, said);
	} else if (strcmp(word, "bad") == 0) {
		take_bad(d, said);
	} else if (strcmp(word, "go") == 0) {
		take_go(d, said);
	} else if (strcmp(word, "wait") == 0) {
		take_wait(d);
	} else if (strcmp(word, "run") == 0) {
		take_run(d, said);
	} else if (strcmp(word, "end") == 0) {
		d->outcome = OUTCOME_END;
		text_clear(&d->verdict);
		text_add(&d->verdict, said);
	} else if (strcmp(word, "none") == 0 || strcmp(word, "stop") == 0) {
		d->outcome = word[0] == 'n' ? OUTCOME_NONE : OUTCOME_STOP;
		text_clear(&d->verdict);
		text_add(&d->verdict, said);
	}
}

bool deployment_take_line(struct deployment *d)
{
	const char *marked = shell_marker_read(&d->marker, d->line);
	struct deploy_noise *noise = &d->out->noise;
	char word[8];

	if (marked == NULL) {
		if (!noise->is_known)
			add_noise(noise, d);
		if (d->line[0] != '\0')
			memcpy(d->noise, d->line, sizeof(d->noise));
		return false;
	}
	/* The newline that comes before our first line is ours, not the shell's. */
	if (!noise->is_known && noise->out_bytes > 0)
		noise->out_bytes--;
	noise->is_known = true;
	(void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(marked, " "), marked);
	marked += strcspn(marked, " ");
	take_word(d, word, marked[0] == ' ' ? marked + 1 : marked);
	return true;
}
