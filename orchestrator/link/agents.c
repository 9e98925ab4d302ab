/* SPDX-License-Identifier: MIT */
#include "link/agents.h"

#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "hostops/machine.h"

#define AGENT_BYTES_MAX (64 * (size_t)1024 * 1024)

static bool is_source(const char *path)
{
	size_t len = strlen(path);

	return len > 2 && strcmp(path + len - 2, ".c") == 0;
}

static bool load(struct deploy_agents *out, struct arena *arena, const char *path, struct err *err)
{
	struct deploy_agent agent = {.machine = NULL};
	char *read;
	char *bytes;

	if (!io_read_file(path, AGENT_BYTES_MAX, &read, &agent.size, err))
		return err_prefix(err, "agent %s", path);
	bytes = arena_alloc(arena, agent.size + 1, 1);
	memcpy(bytes, read, agent.size);
	free(read);
	agent.bytes = bytes;
	sha256_of(bytes, agent.size, agent.sha256);
	if (is_source(path)) {
		out->source = agent;
		return true;
	}
	agent.machine = machine_of_program(bytes, agent.size);
	if (agent.machine == NULL)
		return err_set(err, ERR_INPUT,
		               "agent %s: is no program for a machine that vnm knows", path);
	if (out->count == DEPLOY_AGENTS_MAX)
		return err_set(err, ERR_INPUT, "agent %s: there are more than %d", path,
		               DEPLOY_AGENTS_MAX);
	out->at[out->count++] = agent;
	return true;
}

bool agents_load(struct deploy_agents *out, struct arena *arena, const char *path,
                 const char *const *more, struct err *err)
{
	bool ok;

	memset(out, 0, sizeof(*out));
	ok = load(out, arena, path, err);
	for (; ok && more != NULL && *more != NULL; more++)
		ok = load(out, arena, *more, err);
	return ok;
}
