/* SPDX-License-Identifier: MIT */
#include "tests/agent/bed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#define BEAT_MS  500u
#define LEASE_MS 30000u

struct agent bed_one;
struct agent bed_two;

void bed_do(const struct agent *a, const char *fmt, ...)
{
	char wanted[512];
	char command[640];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(wanted, sizeof(wanted), fmt, ap);
	va_end(ap);
	(void)snprintf(command, sizeof(command), "exec nsenter -n -t %d sh -ec '%s'", (int)a->pid,
	               wanted);
	if (system(command) != 0) /* NOLINT(cert-env33-c): a test's own words */
		fail_msg("failed: %s", command);
}

static void start_apart(struct agent *a)
{
	const char *args[] = {"-c",
	                      "exec unshare -n sh -c 'ip link set lo up && exec \"$0\"' \"$0\"",
	                      driver_agent_path(), NULL};
	struct msg msg;

	agent_exec(a, "/bin/sh", args);
	agent_say(a, "hello id=1 version=%d beat_ms=%u lease_ms=%u", WIRE_VERSION, BEAT_MS,
	          LEASE_MS);
	agent_expect(a, MSG_READY, 1, &msg);
	(void)snprintf(a->caps, sizeof(a->caps), ",%s,", msg.u.ready.caps);
	a->next_id = 2;
}

void bed_start(void)
{
	start_apart(&bed_one);
	start_apart(&bed_two);
	bed_do(&bed_one, "ip link add nic1 mtu 1500 type veth peer name nic2 mtu 1500 netns %d",
	       (int)bed_two.pid);
	bed_do(&bed_one,
	       "ip addr add " BED_ADDRESS "/24 dev nic1; ip addr add fd00:6::1/64 dev nic1 nodad;"
	       " ip link set nic1 up");
	bed_do(&bed_two,
	       "ip addr add " BED_PEER "/24 dev nic2; ip addr add fd00:6::2/64 dev nic2 nodad;"
	       " ip link set nic2 up");
}

bool bed_end(void)
{
	bool ok = agent_bye(&bed_one) == 0;

	return agent_bye(&bed_two) == 0 && ok;
}

void bed_mend(void)
{
	const struct agent *ends[] = {&bed_one, &bed_two};

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		bed_do(ends[i],
		       "nft flush ruleset; tc qdisc del dev nic%zu root 2>/dev/null || true",
		       i + 1);
}

uint64_t bed_figure(const struct agent *a, const char *file, const char *word, int line, int nth)
{
	char path[64];
	char text[1024];
	uint64_t value = UINT64_MAX;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)a->pid, file);
	f = fopen(path, "re");
	assert_non_null(f);
	while (line > 0 && fgets(text, sizeof(text), f) != NULL) {
		char *at = text + strspn(text, " ");

		if (strncmp(at, word, strlen(word)) != 0 || --line > 0)
			continue;
		at += strlen(word);
		for (int i = 0; i < nth; i++)
			value = strtoull(at, &at, 10);
	}
	(void)fclose(f);
	assert_int_not_equal(value, UINT64_MAX);
	return value;
}
