/* SPDX-License-Identifier: MIT */
/* What `ssh -G` would print, taken as settings; and as an ssh_config text, looked through. */
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"
#include "remote/ssh_scan.h"
#include "remote/ssh_settings.h"
#include "remote/ssh_word.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *variable(const char *name)
{
	return name[0] == 'A' ? "/a" : NULL;
}

static void check_names(const struct ssh_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		if (names->at[i] == NULL)
			abort();
	}
}

/* Whatever came in, what goes to other programs is harmless. */
static void check(const struct ssh_config *c)
{
	struct err err;

	if (!ssh_word_check(SSH_WORD_HOST, "host", c->hostname, &err) ||
	    !ssh_word_check(SSH_WORD_USER, "user", c->user, &err))
		abort();
	if (c->proxy_jump != NULL && !ssh_word_check(SSH_WORD_JUMP, "jump", c->proxy_jump, &err))
		abort();
	if (c->port == 0 || c->port > 65535 || c->user_known_hosts > c->known_hosts.count)
		abort();
	check_names(&c->identities);
	check_names(&c->certificates);
	check_names(&c->known_hosts);
	check_names(&c->revoked);
	check_names(&c->methods);
}

static void take(struct arena *arena, const char *text, size_t size)
{
	static const struct ssh_tokens place = {.home = "/home/me",
	                                        .local_user = "me",
	                                        .uid = "1",
	                                        .local_host = "desk.example",
	                                        .variable = variable};
	static const struct ssh_dump presets = {0};
	struct ssh_dump said;
	struct ssh_settings_from from = {
		.said = &said, .presets = &presets, .place = &place, .alias = "lab"};
	struct ssh_config config;
	char told[200];
	struct err err;

	if (!ssh_dump_parse(arena, text, size, &said, &err) ||
	    !ssh_settings_take(arena, &from, &config, &err))
		return;
	config.source = "ssh -G";
	config.file = NULL;
	check(&config);
	ssh_config_describe(&config, told, sizeof(told));
}

static void scan(const char *text, size_t size)
{
	struct ssh_scan s;
	struct ssh_scanned found;
	size_t count = 0;

	ssh_scan_init(&s, text, size, "lab");
	while (ssh_scan_next(&s, &found)) {
		const char *rest = found.rest;
		char word[SSH_SCAN_REST_BYTES];

		ssh_scan_word(&rest, word);
		if (found.key[0] == '\0' || ++count > size)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	char *text = malloc(size == 0 ? 1 : size); /* no NUL after it: reading past it is seen */

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	take(&arena, text, size);
	scan(text, size);
	arena_done(&arena);
	free(text);
	return 0;
}
