/* SPDX-License-Identifier: MIT */
/* What ProxyJump says, and what a jump host says when it makes no connection: what is read
 * is whole and within its bounds. */
#include <stdlib.h>
#include <string.h>

#include "remote/jump_chain.h"
#include "remote/jump_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_hop(const struct jump_hop *hop)
{
	if (hop->name[0] == '\0' || hop->host[0] == '\0' || hop->port > 65535 ||
	    strchr(hop->name, ',') != NULL || (hop->user != NULL && hop->user[0] == '\0'))
		abort();
}

static void check_chain(const char *text)
{
	struct arena arena = {0};
	struct jump_chain chain;
	struct err err = {0};

	if (jump_chain_parse(&arena, text, &chain, &err)) {
		if (chain.count == 0 || chain.count > JUMP_CHAIN_MAX)
			abort();
		for (size_t i = 0; i < chain.count; i++)
			check_hop(&chain.at[i]);
	} else if (err.kind != ERR_INPUT || err.msg[0] == '\0') {
		abort();
	}
	arena_done(&arena);
}

static void check_refusal(const char *text)
{
	char where[JUMP_WORDS_WHERE_BYTES];
	struct err err = {0};

	jump_words_where(text, 22, where);
	if (strlen(where) < strlen(":22") || strcmp(where + strlen(where) - 3, ":22") != 0)
		abort();
	jump_words_refusal(text, "jump1", where, &err);
	if (err.kind != ERR_REMOTE || strncmp(err.msg, "jump1 ", strlen("jump1 ")) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	check_chain(text);
	check_refusal(text);
	free(text);
	return 0;
}
