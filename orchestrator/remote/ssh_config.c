/* SPDX-License-Identifier: MIT */
#include "remote/ssh_config.h"

#include <stdio.h>
#include <string.h>

#include "remote/ssh_ask.h"
#include "remote/ssh_config_libssh.h"
#include "remote/ssh_place.h"
#include "remote/ssh_presets.h"
#include "remote/ssh_settings.h"
#include "remote/ssh_word.h"

/* Where the settings came from, and what they are. */
struct source {
	const char *name;
	struct ssh_dump said, presets;
	const char *unheeded; /* more than ssh_settings.h knows of; NULL: nothing */
};

static const char *copy(struct arena *arena, const char *s)
{
	return s == NULL ? NULL : arena_strndup(arena, s, strlen(s));
}

static bool is_none(const char *word)
{
	return word != NULL && strcmp(word, SSH_CONFIG_NONE) == 0;
}

static bool check_wish(const struct ssh_wish *wish, struct err *err)
{
	return ssh_word_check(SSH_WORD_HOST, "host", wish->host, err) &&
	       (wish->user == NULL || ssh_word_check(SSH_WORD_USER, "user", wish->user, err)) &&
	       (wish->jump == NULL || ssh_word_check(SSH_WORD_JUMP, "jump", wish->jump, err));
}

static bool ask(struct arena *arena, const struct ssh_wish *wish, const struct ssh_tokens *place,
                const struct wait_limit *limit, struct source *out, struct err *err)
{
	*out = (struct source){.name = "topology"};
	if (is_none(wish->config)) {
		ssh_presets(arena, wish->host, place, &out->presets);
		out->said = out->presets;
		return true;
	}
	switch (ssh_ask(arena, wish, limit, &out->said, &out->presets, err)) {
	case SSH_ASKED:
		out->name = "ssh -G";
		return true;
	case SSH_ASK_NOBODY:
		break;
	case SSH_ASK_FAILED:
		return false;
	}
	out->name = "libssh";
	ssh_presets(arena, wish->host, place, &out->presets);
	out->said = out->presets;
	return ssh_config_ask_libssh(arena, wish, place, &out->said, &out->unheeded, err);
}

static struct ssh_names one_name(struct arena *arena, const char *name)
{
	const char **at = arena_alloc(arena, 1, sizeof(*at));

	at[0] = copy(arena, name);
	return (struct ssh_names){.count = 1, .at = at};
}

/* In place of the user's files: the system's stay, as they do for `ssh -o`. */
static void set_known_hosts(struct arena *arena, const char *file, struct ssh_config *c)
{
	size_t others = c->known_hosts.count - c->user_known_hosts;
	const char **at = arena_alloc(arena, 1 + others, sizeof(*at));

	at[0] = copy(arena, file);
	for (size_t i = 0; i < others; i++)
		at[1 + i] = c->known_hosts.at[c->user_known_hosts + i];
	c->known_hosts = (struct ssh_names){.count = 1 + others, .at = at};
	c->user_known_hosts = 1;
}

/* What the topology says wins over the configuration. */
static void grant(struct arena *arena, const struct ssh_wish *wish, struct ssh_config *c)
{
	if (wish->key != NULL) {
		c->identities = one_name(arena, wish->key);
		c->identities_are_named = true;
	}
	if (wish->known_hosts != NULL)
		set_known_hosts(arena, wish->known_hosts, c);
	if (wish->jump != NULL) {
		c->proxy_jump = is_none(wish->jump) ? NULL : copy(arena, wish->jump);
		c->proxy_command = NULL;
	}
	if (wish->accept_new)
		c->host_key_policy = SSH_HOST_KEY_ACCEPT_NEW;
	if (!is_none(wish->config))
		c->file = copy(arena, wish->config);
}

/* Those that tokens stand for come in before the expansion. */
static void grant_address(struct arena *arena, const struct ssh_wish *wish, struct ssh_dump *said)
{
	struct ssh_dump first = {0};
	char port[12];

	(void)snprintf(port, sizeof(port), "%u", (unsigned)wish->port);
	if (wish->port != 0)
		ssh_dump_add(arena, &first, "port", port);
	if (wish->user != NULL)
		ssh_dump_add(arena, &first, "user", wish->user);
	for (size_t i = 0; i < said->count; i++)
		ssh_dump_add(arena, &first, said->at[i].key, said->at[i].value);
	*said = first;
}

static void add_unheeded(struct arena *arena, const char *more, struct ssh_config *c)
{
	char list[512];

	if (more == NULL)
		return;
	(void)snprintf(list, sizeof(list), "%s%s%s", c->unheeded == NULL ? "" : c->unheeded,
	               c->unheeded == NULL ? "" : ", ", more);
	c->unheeded = copy(arena, list);
}

bool ssh_config_resolve(struct arena *arena, const struct ssh_wish *wish, const char *auth_sock,
                        const struct wait_limit *limit, struct ssh_config *out, struct err *err)
{
	struct ssh_tokens place = {0};
	struct source source;
	struct ssh_settings_from from = {.said = &source.said,
	                                 .presets = &source.presets,
	                                 .place = &place,
	                                 .alias = wish->host,
	                                 .auth_sock = auth_sock};
	struct ssh_config config;

	if (!check_wish(wish, err))
		return false;
	ssh_place(arena, &place);
	if (!ask(arena, wish, &place, limit, &source, err))
		return false;
	grant_address(arena, wish, &source.said);
	if (!ssh_settings_take(arena, &from, &config, err))
		return err_prefix(err, "ssh configuration of %s", wish->host);
	grant(arena, wish, &config);
	config.source = source.name;
	add_unheeded(arena, source.unheeded, &config);
	*out = config;
	return true;
}

void ssh_config_describe(const struct ssh_config *config, char *out, size_t room)
{
	bool has_alias = strcmp(config->alias, config->hostname) != 0;

	(void)snprintf(out, room, "%s%s%s%s%s%s%s%s", config->source,
	               config->file == NULL ? "" : " -F ", config->file == NULL ? "" : config->file,
	               has_alias ? " (alias " : "", has_alias ? config->alias : "",
	               has_alias ? ")" : "", config->unheeded == NULL ? "" : "; not followed: ",
	               config->unheeded == NULL ? "" : config->unheeded);
}

void ssh_config_blame(const struct ssh_config *config, struct err *err)
{
	bool has_ssh = strcmp(config->source, "libssh") != 0;
	size_t len = strlen(err->msg);

	if (config->unheeded == NULL || err->kind == ERR_CANCELLED)
		return;
	(void)snprintf(err->msg + len, sizeof(err->msg) - len,
	               " (of the ssh configuration not followed: %s; %s)", config->unheeded,
	               has_ssh ? "`transport: openssh` does"
	                       : "there is no ssh program: install OpenSSH's client");
}
