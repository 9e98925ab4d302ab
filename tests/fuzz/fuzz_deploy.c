/* SPDX-License-Identifier: MIT */
/*
 * What a host says while an agent is put there, line by line. A line that begins with M is a
 * marked one. What is believed of it must fit: the folder is given to `rm -rf`.
 */
#include <stdlib.h>
#include <string.h>

#include "hostops/machine.h"
#include "link/deploy_parts.h"
#include "remote/transport_ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAME   ".vnm-0123456789abcdef"
#define MARKER "0123456789abcdef0123456789abcdef"

static const struct deploy_agents agents = {
	.at = {{.bytes = "a", .size = 1, .sha256 = MARKER MARKER, .machine = "x86_64"},
               {.bytes = "b", .size = 1, .sha256 = MARKER MARKER, .machine = MACHINE_ANY}},
	.count = 2,
	.source = {.bytes = "c", .size = 1, .sha256 = MARKER MARKER},
};

static void check(const struct deployment *d)
{
	const struct deployed *out = d->out;
	size_t len = strlen(out->folder);
	size_t sum = strlen(out->sha256);

	if (len > 0 && (len < strlen(NAME) + 1 || out->folder[len - strlen(NAME) - 1] != '/' ||
	                strcmp(out->folder + len - strlen(NAME), NAME) != 0))
		abort();
	if (sum > 0 && (sum != 64 || strspn(out->sha256, "0123456789abcdef") != 64))
		abort();
	if (d->step == STEP_RUN && d->agent == NULL)
		abort();
	if (out->is_compiled && d->agent != &agents.source)
		abort();
	if (d->reasons.len > 3000 || d->verdict.len > DEPLOY_LINE_BYTES || d->misfit.len > 500)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct transport t = {.ops = NULL};
	struct deployed out = {.is_checked = false};
	struct deployment d = {.t = &t, .agents = &agents, .out = &out, .name = NAME};
	const char *at = (const char *)data;
	const char *end = at + size;

	memcpy(d.marker.text, MARKER, sizeof(MARKER));
	while (at < end && d.step != STEP_RUN) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline == NULL ? end : newline) - at);
		size_t used = 0;

		if (len > 0 && at[0] == 'M') {
			memcpy(d.line, MARKER, strlen(MARKER));
			used = strlen(MARKER);
		}
		for (size_t i = used > 0; i < len && used + 1 < sizeof(d.line); i++) {
			if ((unsigned char)at[i] >= ' ') /* as deploy.c does it */
				d.line[used++] = at[i];
		}
		d.line[used] = '\0';
		(void)deployment_take_line(&d);
		check(&d);
		at += newline == NULL ? len : len + 1;
	}
	text_done(&d.reasons);
	text_done(&d.verdict);
	text_done(&d.misfit);
	return 0;
}
