/* SPDX-License-Identifier: MIT */
/* What an ssh-agent answers to the question for its keys. */
#include <stdlib.h>
#include <string.h>

#include "remote/agent_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct agent_key keys[AGENT_KEYS_MAX];
	struct err err;
	size_t count = 0;

	if (!agent_filter_parse(data, size, keys, &count, &err))
		return 0;
	if (count > AGENT_KEYS_MAX)
		abort();
	for (size_t i = 0; i < count; i++) {
		if (keys[i].blob < data || keys[i].blob + keys[i].len > data + size)
			abort();
		if (strlen(keys[i].comment) >= AGENT_COMMENT_BYTES)
			abort();
	}
	return 0;
}
