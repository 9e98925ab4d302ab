/* SPDX-License-Identifier: MIT */
#include "remote/proxy_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/arena.h"
#include "common/clock.h"
#include "common/oom.h"
#include "common/text.h"
#include "remote/carrier.h"
#include "remote/child.h"

#define SAID_BYTES  200 /* that are kept, the last ones */
#define PATIENCE_MS 200u
#define STATUS_MS   100u /* for a command that has closed its output to end */
#define LOOK_MS     5u

struct proxy {
	struct carrier base;
	struct child child;
	bool has_ended;
	int status;       /* then, as of waitpid() */
	struct text said; /* printable, its lines joined by "; " */
	bool is_new_line;
};

static void add_said(struct proxy *p, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n')
			p->is_new_line = true;
		if ((unsigned char)data[i] < ' ' || data[i] == 0x7f)
			continue;
		if (p->is_new_line && p->said.len > 0)
			text_add(&p->said, "; ");
		p->is_new_line = false;
		text_add_bytes(&p->said, data + i, 1);
	}
	if (p->said.len <= SAID_BYTES)
		return;
	memmove(p->said.at, p->said.at + p->said.len - SAID_BYTES, SAID_BYTES + 1);
	p->said.len = SAID_BYTES;
}

static bool serve(struct carrier *base)
{
	struct proxy *p = (struct proxy *)base;
	char data[512];
	size_t n;

	while ((n = child_read(&p->child.said, data, sizeof(data))) > 0)
		add_said(p, data, n);
	return p->child.said >= 0;
}

static void tell(struct carrier *base, bool has_ended, char told[CARRIER_TOLD_BYTES])
{
	struct proxy *p = (struct proxy *)base;
	uint64_t end_ns = clock_now_ns() + STATUS_MS * CLOCK_NS_PER_MS;
	char how[48] = "closed the connection";
	const char *said;

	if (!has_ended) {
		(void)snprintf(
			told, CARRIER_TOLD_BYTES, "%s%s",
			p->said.len == 0 ? "" : "the ProxyCommand says: ", text_str(&p->said));
		return;
	}
	while (!p->has_ended && clock_now_ns() < end_ns) {
		p->has_ended = child_reap(&p->child, &p->status);
		if (!p->has_ended)
			clock_sleep_until(clock_now_ns() + LOOK_MS * CLOCK_NS_PER_MS);
	}
	(void)serve(base);
	said = text_str(&p->said);
	if (p->has_ended && WIFEXITED(p->status))
		(void)snprintf(how, sizeof(how), "ended with status %d", WEXITSTATUS(p->status));
	else if (p->has_ended && WIFSIGNALED(p->status))
		(void)snprintf(how, sizeof(how), "was ended by signal %d", WTERMSIG(p->status));
	(void)snprintf(told, CARRIER_TOLD_BYTES, "the ProxyCommand %s%s%s", how,
	               said[0] == '\0' ? "" : ": ", said);
}

static void close_proxy(struct carrier *base)
{
	struct proxy *p = (struct proxy *)base;

	child_end(&p->child, PATIENCE_MS);
	text_done(&p->said);
	free(p);
}

static const struct carrier_ops carrier_ops = {.tell = tell, .serve = serve, .close = close_proxy};

bool proxy_command_open(const struct ssh_config *config, const char *const *hidden,
                        struct ssh_target *target, struct err *err)
{
	struct proxy *p = calloc(1, sizeof(*p));
	struct arena arena = {0};
	struct text command = {0};
	bool ok;

	if (p == NULL)
		oom_end();
	p->base.ops = &carrier_ops;
	p->child = CHILD_NONE;
	(void)snprintf(p->base.where, sizeof(p->base.where), "%.40s through ProxyCommand",
	               config->hostname);
	text_printf(&command, "exec %s", config->proxy_command);
	{
		const char *const argv[] = {"/bin/sh", "-c", text_str(&command), NULL};

		ok = child_start_duplex(&p->child, argv,
		                        child_environment(&arena, NULL, hidden, NULL), err);
	}
	text_done(&command);
	arena_done(&arena);
	if (!ok) {
		free(p);
		return err_prefix(err, "ProxyCommand");
	}
	target->fd = p->child.in;
	p->child.in = -1; /* the transport's */
	p->base.watch_fd = p->child.said;
	target->carrier = &p->base;
	return true;
}
