/* SPDX-License-Identifier: MIT */
#include "remote/ssh_settings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/text.h"
#include "remote/ssh_word.h"

#define PORT_MAX        65535
#define TIMEOUT_S_MAX   86400
#define METHODS_DEFAULT "gssapi-with-mic,hostbased,publickey,keyboard-interactive,password"

/* The methods of login and what switches them off. */
static const struct method {
	const char *name;
	const char *keys[2];
	bool preset;
} methods[] = {
	{"publickey", {"pubkeyauthentication", NULL}, true},
	{"keyboard-interactive",
         {"kbdinteractiveauthentication", "challengeresponseauthentication"},
         true},
	{"password", {"passwordauthentication", NULL}, true},
	{"hostbased", {"hostbasedauthentication", NULL}, false},
	{"gssapi-with-mic", {"gssapiauthentication", NULL}, false},
};

/* What libssh cannot do. Not here: what does not change whether and how a host is reached, and
 * GSSAPI and host-based login: Debian's ssh_config switches the first on for everybody, and
 * ssh_auth.c tells of both where the server offers them. */
static const struct {
	const char *key;
	const char *name;
} unheeded[] = {
	{"bindinterface", "BindInterface"},       {"knownhostscommand", "KnownHostsCommand"},
	{"pkcs11provider", "PKCS11Provider"},     {"proxyusefdpass", "ProxyUseFdpass"},
	{"verifyhostkeydns", "VerifyHostKeyDNS"},
};

struct taking {
	struct arena *arena;
	const struct ssh_settings_from *from;
	struct ssh_tokens tokens;
	struct ssh_config *out;
};

static const char *copy(struct arena *arena, const char *s)
{
	return s == NULL ? NULL : arena_strndup(arena, s, strlen(s));
}

/* "unbound" and "host-bound" are kinds of yes of PubkeyAuthentication. */
static bool is_off(const char *value)
{
	return value == NULL || strcmp(value, "no") == 0 || strcmp(value, "false") == 0 ||
	       strcmp(value, "off") == 0;
}

static const char *said(const struct taking *t, const char *key)
{
	return ssh_dump_value(t->from->said, key);
}

static bool take_number(const char *what, const char *text, unsigned long max, uint32_t *out,
                        struct err *err)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long value = strtoul(text, NULL, 10);

	if (digits == 0 || digits > 9 || text[digits] != '\0' || value == 0 || value > max)
		return err_set(err, ERR_INPUT, "%s '%.40s' is none of 1 to %lu", what, text, max);
	*out = (uint32_t)value;
	return true;
}

static bool take_host(struct taking *t, struct err *err)
{
	struct ssh_config *c = t->out;
	const char *hostname = said(t, "hostname");
	const char *user = said(t, "user");
	const char *port = said(t, "port");

	if (hostname == NULL || user == NULL || port == NULL)
		return err_set(err, ERR_INPUT, "the configuration has no host name, user or port");
	if (!ssh_word_check(SSH_WORD_HOST, "HostName", hostname, err) ||
	    !ssh_word_check(SSH_WORD_USER, "User", user, err) ||
	    !take_number("Port", port, PORT_MAX, &c->port, err))
		return false;
	c->alias = copy(t->arena, t->from->alias);
	c->hostname = copy(t->arena, hostname);
	c->user = copy(t->arena, user);
	c->host_key_alias = copy(t->arena, said(t, "hostkeyalias"));
	t->tokens = *t->from->place;
	t->tokens.hostname = c->hostname;
	t->tokens.alias = c->alias;
	t->tokens.port = copy(t->arena, port);
	t->tokens.user = c->user;
	t->tokens.key_alias = c->host_key_alias == NULL ? c->alias : c->host_key_alias;
	return c->host_key_alias == NULL ||
	       ssh_word_check(SSH_WORD_HOST, "HostKeyAlias", c->host_key_alias, err);
}

static bool take_connection(struct taking *t, struct err *err)
{
	struct ssh_config *c = t->out;
	const char *family = said(t, "addressfamily");
	const char *timeout = said(t, "connecttimeout");
	uint32_t seconds = 0;

	c->address_family = AF_UNSPEC;
	if (family != NULL && strcmp(family, "inet") == 0)
		c->address_family = AF_INET;
	else if (family != NULL && strcmp(family, "inet6") == 0)
		c->address_family = AF_INET6;
	if (timeout != NULL && strcmp(timeout, "0") != 0 &&
	    !take_number("ConnectTimeout", timeout, TIMEOUT_S_MAX, &seconds, err))
		return false;
	c->connect_timeout_ms = seconds * 1000;
	c->bind_address = copy(t->arena, said(t, "bindaddress"));
	return c->bind_address == NULL ||
	       ssh_word_check(SSH_WORD_HOST, "BindAddress", c->bind_address, err);
}

static bool take_proxy(struct taking *t, struct err *err)
{
	struct ssh_config *c = t->out;
	const char *command = said(t, "proxycommand");

	c->proxy_jump = copy(t->arena, said(t, "proxyjump"));
	if (c->proxy_jump != NULL)
		return ssh_word_check(SSH_WORD_JUMP, "ProxyJump", c->proxy_jump, err);
	if (command == NULL)
		return true;
	c->proxy_command = ssh_expand_command(t->arena, "ProxyCommand", command, &t->tokens, err);
	return c->proxy_command != NULL;
}

typedef const char *expander(struct arena *arena, const char *what, const char *value,
                             const struct ssh_tokens *tokens, struct err *err);

struct name_list {
	const char **at;
	size_t count, room;
};

static bool add_name(struct taking *t, struct name_list *list, const char *name)
{
	if (list->count == list->room) {
		size_t room = list->room == 0 ? 8 : 2 * list->room;
		const char **at = arena_alloc(t->arena, room, sizeof(*at));

		if (list->count > 0)
			memcpy(at, list->at, list->count * sizeof(*at));
		list->at = at;
		list->room = room;
	}
	list->at[list->count++] = name;
	return true;
}

static bool add_expanded(struct taking *t, struct name_list *list, const char *what,
                         const char *value, expander *expand, struct err *err)
{
	const char *name = expand(t->arena, what, value, &t->tokens, err);

	return name != NULL && add_name(t, list, name);
}

static struct ssh_names names_of(const struct name_list *list)
{
	return (struct ssh_names){.count = list->count, .at = list->at};
}

/* A keyword that comes several times, a file each. */
static bool take_files(struct taking *t, const char *key, const char *what, struct ssh_names *out,
                       struct err *err)
{
	struct name_list list = {0};
	size_t from = 0;
	const char *value;

	while ((value = ssh_dump_next(t->from->said, key, &from)) != NULL) {
		if (value[0] != '\0' && strcmp(value, "none") != 0 &&
		    !add_expanded(t, &list, what, value, ssh_expand_file, err))
			return false;
	}
	*out = names_of(&list);
	return true;
}

/*
 * A keyword with several files in its line. ssh prints them without the quotes that they may
 * have had: a new one begins where a word does that looks like the beginning of a path.
 */
static bool add_split(struct taking *t, const char *key, const char *what, expander *expand,
                      struct name_list *list, struct err *err)
{
	const char *at = said(t, key);

	while (at != NULL && *at != '\0') {
		const char *end = at + strcspn(at, " ");

		while (*end != '\0' && strchr("/~%$", end[1]) == NULL)
			end += 1 + strcspn(end + 1, " ");
		if (end > at &&
		    !add_expanded(t, list, what, arena_strndup(t->arena, at, (size_t)(end - at)),
		                  expand, err))
			return false;
		at = *end == '\0' ? end : end + 1;
	}
	return true;
}

static bool take_host_keys(struct taking *t, struct err *err)
{
	struct ssh_config *c = t->out;
	const char *strict = said(t, "stricthostkeychecking");
	struct name_list files = {0};

	if (!add_split(t, "userknownhostsfile", "UserKnownHostsFile", ssh_expand_file, &files, err))
		return false;
	c->user_known_hosts = files.count;
	if (!add_split(t, "globalknownhostsfile", "GlobalKnownHostsFile", ssh_expand_home, &files,
	               err))
		return false;
	c->known_hosts = names_of(&files);
	c->hash_known_hosts = !is_off(said(t, "hashknownhosts"));
	/* "no" too: a key that is not known is taken, one that has changed never. */
	c->host_key_policy = strict != NULL && (is_off(strict) || strcmp(strict, "accept-new") == 0)
	                             ? SSH_HOST_KEY_ACCEPT_NEW
	                             : SSH_HOST_KEY_STRICT;
	return take_files(t, "revokedhostkeys", "RevokedHostKeys", &c->revoked, err);
}

/* NULL when it is what ssh would take without configuration: then libssh's own list is better. */
static const char *own_list(const struct taking *t, const char *key)
{
	if (ssh_dump_agree(t->from->said, t->from->presets, key))
		return NULL;
	return copy(t->arena, said(t, key));
}

static void take_algorithms(struct taking *t)
{
	struct ssh_config *c = t->out;

	c->host_key_algorithms = own_list(t, "hostkeyalgorithms");
	c->kex_algorithms = own_list(t, "kexalgorithms");
	c->ciphers = own_list(t, "ciphers");
	c->macs = own_list(t, "macs");
	c->key_algorithms = own_list(t, "pubkeyacceptedalgorithms");
	if (c->key_algorithms == NULL) /* its name before OpenSSH 8.5 */
		c->key_algorithms = own_list(t, "pubkeyacceptedkeytypes");
}

/* "$NAME" and "SSH_AUTH_SOCK" stand for variables, the latter for one that we know. */
static bool take_agent(struct taking *t, struct err *err)
{
	const char *value = ssh_dump_next(t->from->said, "identityagent", NULL);
	struct ssh_config *c = t->out;

	if (value == NULL || value[0] == '\0' || strcmp(value, "SSH_AUTH_SOCK") == 0) {
		c->identity_agent = copy(t->arena, t->from->auth_sock);
		return true;
	}
	if (strcmp(value, "none") == 0)
		return true;
	if (value[0] == '$' && value[1] != '{') {
		c->identity_agent = copy(t->arena, t->tokens.variable(value + 1));
		return true;
	}
	c->identity_agent = ssh_expand_file(t->arena, "IdentityAgent", value, &t->tokens, err);
	return c->identity_agent != NULL;
}

/* ssh prints the files that it looks for by itself whether they exist or not: nobody has
 * named them when they are the same without any configuration. */
static bool take_identities(struct taking *t, struct err *err)
{
	struct ssh_config *c = t->out;

	c->identities_are_named = !ssh_dump_agree(t->from->said, t->from->presets, "identityfile");
	c->identities_only = !is_off(said(t, "identitiesonly"));
	c->batch_mode = !is_off(said(t, "batchmode"));
	return take_files(t, "identityfile", "IdentityFile", &c->identities, err) &&
	       take_files(t, "certificatefile", "CertificateFile", &c->certificates, err) &&
	       take_agent(t, err);
}

static bool is_switched_on(const struct taking *t, const struct method *m)
{
	for (size_t i = 0; i < COUNT_OF(m->keys) && m->keys[i] != NULL; i++) {
		const char *value = ssh_dump_next(t->from->said, m->keys[i], NULL);

		if (value != NULL)
			return !is_off(value);
	}
	return m->preset;
}

static bool take_methods(struct taking *t, struct err *err)
{
	const char *at = said(t, "preferredauthentications");
	struct name_list list = {0};

	for (at = at == NULL ? METHODS_DEFAULT : at; *at != '\0';) {
		size_t len = strcspn(at, ",");

		for (size_t i = 0; i < COUNT_OF(methods); i++) {
			const struct method *m = &methods[i];

			if (strlen(m->name) == len && strncmp(m->name, at, len) == 0 &&
			    is_switched_on(t, m))
				(void)add_name(t, &list, m->name);
		}
		at += len + (at[len] == ',' ? 1 : 0);
	}
	t->out->methods = names_of(&list);
	return list.count > 0 ||
	       err_set(err, ERR_INPUT,
	               "PreferredAuthentications, PubkeyAuthentication and the like leave no way "
	               "to log in");
}

static void take_unheeded(struct taking *t)
{
	struct text list = {0};

	for (size_t i = 0; i < COUNT_OF(unheeded); i++) {
		if (!is_off(said(t, unheeded[i].key)))
			text_printf(&list, "%s%s", list.len > 0 ? ", " : "", unheeded[i].name);
	}
	if (list.len > 0)
		t->out->unheeded = copy(t->arena, text_str(&list));
	text_done(&list);
}

bool ssh_settings_take(struct arena *arena, const struct ssh_settings_from *from,
                       struct ssh_config *out, struct err *err)
{
	struct ssh_config config = {0};
	struct taking t = {.arena = arena, .from = from, .out = &config};

	if (!take_host(&t, err) || !take_connection(&t, err) || !take_proxy(&t, err) ||
	    !take_host_keys(&t, err) || !take_identities(&t, err) || !take_methods(&t, err))
		return false;
	take_algorithms(&t);
	take_unheeded(&t);
	*out = config;
	return true;
}
