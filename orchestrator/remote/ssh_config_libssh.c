/* SPDX-License-Identifier: MIT */
#include "remote/ssh_config_libssh.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <libssh/libssh.h>

#include "common/io.h"
#include "common/oom.h"
#include "common/text.h"
#include "remote/ssh_scan.h"

#define FILE_BYTES_MAX (1024 * (size_t)1024)
#define DEPTH_MAX      8
#define USER_FILE      "~/.ssh/config"
#define SYSTEM_FOLDER  "/etc/ssh/"
#define SYSTEM_FILE    SYSTEM_FOLDER "ssh_config"
#define REMEDY         "install OpenSSH's client"

/* A keyword that libssh gives back when it comes once with one argument. */
static const char *const single[] = {
	"HostName", "Port", "User", "IdentityFile", "UserKnownHostsFile", "GlobalKnownHostsFile"};

/* What neither changes how a host is reached nor whom is trusted, or is libssh's own matter
 * while it reads. */
static const char *const harmless[] = {
	"addkeystoagent",
	"checkhostip",
	"clearallforwardings",
	"compression",
	"connectionattempts",
	"controlmaster",
	"controlpath",
	"controlpersist",
	"dynamicforward",
	"escapechar",
	"exitonforwardfailure",
	"fingerprinthash",
	"forkafterauthentication",
	"forwardagent",
	"forwardx11",
	"forwardx11timeout",
	"forwardx11trusted",
	"gatewayports",
	"gssapiauthentication",
	"gssapidelegatecredentials",
	"gssapikeyexchange",
	"hostbasedauthentication",
	"ignoreunknown",
	"ipqos",
	"localcommand",
	"localforward",
	"loglevel",
	"logverbose",
	"numberofpasswordprompts",
	"permitlocalcommand",
	"permitremoteopen",
	"proxycommand",
	"remotecommand",
	"remoteforward",
	"requesttty",
	"sendenv",
	"serveralivecountmax",
	"serveraliveinterval",
	"sessiontype",
	"setenv",
	"stdinnull",
	"streamlocalbindmask",
	"streamlocalbindunlink",
	"syslogfacility",
	"tcpkeepalive",
	"tunnel",
	"tunneldevice",
	"updatehostkeys",
	"visualhostkey",
	"xauthlocation",
};

/* Without these another host would be reached, or a wrong one trusted. */
static const struct {
	const char *key;
	const char *instead; /* NULL: nothing */
} needed[] = {
	{"hostkeyalias", NULL},
	{"proxyjump", "say `jump` in the topology"},
	{"revokedhostkeys", NULL},
};

struct reading {
	const struct ssh_wish *wish;
	const struct ssh_tokens *place;
	struct arena *arena;
	unsigned seen[COUNT_OF(single)];
	struct text unheeded;
};

static bool is_listed(const char *const *list, size_t count, const char *key, size_t *at)
{
	for (*at = 0; *at < count; ++*at) {
		if (strcasecmp(list[*at], key) == 0)
			return true;
	}
	return false;
}

static bool refuse(const char *file, const struct ssh_scanned *s, const char *instead,
                   struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "%s line %u: %s cannot be followed without an ssh program: " REMEDY
	               ", %s%sor leave the file out with `config: none`",
	               file, s->line, s->key, instead == NULL ? "" : instead,
	               instead == NULL ? "" : ", ");
}

static void note(struct reading *r, const char *key)
{
	if (strstr(text_str(&r->unheeded), key) == NULL)
		text_printf(&r->unheeded, "%s%s", r->unheeded.len > 0 ? ", " : "", key);
}

/* libssh 0.10 fails for some conditions, and takes others for never true. */
static bool check_match(const char *file, const struct ssh_scanned *s, struct err *err)
{
	static const char *const known[] = {"all", "host", "user", "localuser"};
	const char *rest = s->rest;
	char word[SSH_SCAN_REST_BYTES];
	size_t at;

	for (ssh_scan_word(&rest, word); word[0] != '\0'; ssh_scan_word(&rest, word)) {
		if (!is_listed(known, COUNT_OF(known), word[0] == '!' ? word + 1 : word, &at))
			return refuse(file, s, NULL, err);
		if (at != 0) /* its argument */
			ssh_scan_word(&rest, word);
	}
	return true;
}

static bool check_line(struct reading *r, const char *file, const struct ssh_scanned *s,
                       struct err *err)
{
	char word[SSH_SCAN_REST_BYTES];
	const char *rest = s->rest;
	size_t at;

	if (strcasecmp(s->key, "match") == 0)
		return check_match(file, s, err);
	if (strcasecmp(s->key, "proxyjump") == 0 &&
	    (r->wish->jump != NULL || strcasecmp(s->rest, "none") == 0))
		return true;
	for (size_t i = 0; i < COUNT_OF(needed); i++) {
		if (strcasecmp(needed[i].key, s->key) == 0)
			return refuse(file, s, needed[i].instead, err);
	}
	if (is_listed(single, COUNT_OF(single), s->key, &at)) {
		bool is_first_wins = at < 3; /* only files add up */

		ssh_scan_word(&rest, word);
		ssh_scan_word(&rest, word);
		if (word[0] != '\0' && word[0] != '#')
			note(r, s->key);
		if (r->seen[at]++ > 0 && !is_first_wins)
			note(r, s->key);
	} else if (!is_listed(harmless, COUNT_OF(harmless), s->key, &at)) {
		note(r, s->key);
	}
	return true;
}

static bool scan_file(struct reading *r, const char *path, unsigned depth, struct err *err);

/* Older ones may take a relative name for one in the working directory. */
static bool follows_relative_names(void)
{
	return ssh_version(SSH_VERSION_INT(0, 10, 6)) != NULL;
}

/* A relative name is one in the folder of the configuration; libssh takes one name. */
static bool scan_included(struct reading *r, const char *from, const struct ssh_scanned *s,
                          unsigned depth, struct err *err)
{
	bool is_system = r->wish->config == NULL &&
	                 strncmp(from, SYSTEM_FOLDER, sizeof(SYSTEM_FOLDER) - 1) == 0;
	const char *folder = is_system ? SYSTEM_FOLDER : "~/.ssh/";
	const char *rest = s->rest;
	char word[SSH_SCAN_REST_BYTES];
	char pattern[2 * SSH_SCAN_REST_BYTES];
	bool is_relative;
	const char *path;
	glob_t found = {0};
	bool ok = true;

	ssh_scan_word(&rest, word);
	is_relative = word[0] != '/' && word[0] != '~';
	(void)snprintf(pattern, sizeof(pattern), "%s%s", is_relative ? folder : "", word);
	ssh_scan_word(&rest, word);
	if ((is_relative && !follows_relative_names()) || word[0] != '\0')
		note(r, s->key);
	if (depth == DEPTH_MAX)
		return err_set(err, ERR_INPUT, "%s line %u: Include goes too deep", from, s->line);
	path = ssh_expand_home(r->arena, "Include", pattern, r->place, err);
	if (path == NULL)
		return false;
	if (glob(path, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; ok && i < found.gl_pathc; i++)
			ok = scan_file(r, found.gl_pathv[i], depth + 1, err);
		globfree(&found);
	}
	return ok;
}

static bool scan_file(struct reading *r, const char *path, unsigned depth, struct err *err)
{
	struct ssh_scan scan;
	struct ssh_scanned s;
	char *text = NULL;
	size_t len;
	bool ok = true;

	if (!io_read_file(path, FILE_BYTES_MAX, &text, &len, err))
		return err->sys_errno == ENOENT && r->wish->config == NULL
		               ? true
		               : err_prefix(err, "ssh configuration %s", path);
	ssh_scan_init(&scan, text, len, r->wish->host);
	while (ok && ssh_scan_next(&scan, &s)) {
		if (strcasecmp(s.key, "include") == 0)
			ok = scan_included(r, path, &s, depth, err);
		else
			ok = check_line(r, path, &s, err);
	}
	free(text);
	return ok;
}

static bool scan(struct reading *r, struct err *err)
{
	const char *own;

	if (r->wish->config != NULL)
		return scan_file(r, r->wish->config, 0, err);
	own = ssh_expand_home(r->arena, "home", USER_FILE, r->place, err);
	return own != NULL && scan_file(r, own, 0, err) && scan_file(r, SYSTEM_FILE, 0, err);
}

/* Where libssh itself would look when no file says anything; %d or %s is its ~/.ssh there,
 * while in a file %d is the home. */
static bool is_preset(const char *value)
{
	static const char *const presets[] = {"%d/id_ed25519", "%d/id_ecdsa", "%d/id_rsa",
	                                      "%d/id_dsa"};
	size_t at;

	return strncmp(value, "%s/", 3) == 0 || is_listed(presets, COUNT_OF(presets), value, &at);
}

/* Those that libssh gives back; it answers with an error where it knows nothing. */
static void take_answers(ssh_session session, struct arena *arena, struct ssh_dump *out)
{
	static const struct {
		enum ssh_options_e option;
		const char *key;
	} answers[] = {
		{SSH_OPTIONS_HOST, "hostname"},
		{SSH_OPTIONS_USER, "user"},
		{SSH_OPTIONS_IDENTITY, "identityfile"},
		{SSH_OPTIONS_PROXYCOMMAND, "proxycommand"},
		{SSH_OPTIONS_KNOWNHOSTS, "userknownhostsfile"},
		{SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "globalknownhostsfile"},
	};
	char port_text[12];
	unsigned port = 0;

	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		char *value = NULL;

		if (ssh_options_get(session, answers[i].option, &value) != SSH_OK)
			continue;
		if (value != NULL && value[0] != '\0' && !is_preset(value))
			ssh_dump_add(arena, out, answers[i].key, value);
		ssh_string_free_char(value);
	}
	if (ssh_options_get_port(session, &port) == SSH_OK && port != 0) {
		(void)snprintf(port_text, sizeof(port_text), "%u", port);
		ssh_dump_add(arena, out, "port", port_text);
	}
}

static bool read_by_libssh(const struct ssh_wish *wish, struct arena *arena, struct ssh_dump *out,
                           struct err *err)
{
	ssh_session session;
	bool ok;

	(void)ssh_init(); /* counts */
	session = ssh_new();
	if (session == NULL)
		oom_end();
	ok = ssh_options_set(session, SSH_OPTIONS_HOST, wish->host) == 0 &&
	     (wish->user == NULL || ssh_options_set(session, SSH_OPTIONS_USER, wish->user) == 0) &&
	     ssh_options_parse_config(session, wish->config) == 0;
	if (ok)
		take_answers(session, arena, out);
	else
		(void)err_set(err, ERR_INPUT,
		              "libssh cannot read the ssh configuration of %s: %.160s: " REMEDY
		              ", or leave it out with `config: none`",
		              wish->host, ssh_get_error(session));
	ssh_free(session);
	return ok;
}

/* A keyword that libssh has answered replaces the presets of the same name. */
static void put_in_front(struct arena *arena, const struct ssh_dump *answers, struct ssh_dump *said)
{
	struct ssh_dump all = {0};

	for (size_t i = 0; i < answers->count; i++)
		ssh_dump_add(arena, &all, answers->at[i].key, answers->at[i].value);
	for (size_t i = 0; i < said->count; i++) {
		if (ssh_dump_next(answers, said->at[i].key, NULL) == NULL)
			ssh_dump_add(arena, &all, said->at[i].key, said->at[i].value);
	}
	*said = all;
}

/* What the files say, and libssh has not given back: older ones know fewer answers. */
static void note_silence(struct reading *r, const struct ssh_dump *answers)
{
	for (size_t i = 0; i < COUNT_OF(single); i++) {
		bool is_answered = false;

		for (size_t a = 0; a < answers->count; a++)
			is_answered |= strcasecmp(answers->at[a].key, single[i]) == 0;
		if (r->seen[i] > 0 && !is_answered)
			note(r, single[i]);
	}
}

bool ssh_config_ask_libssh(struct arena *arena, const struct ssh_wish *wish,
                           const struct ssh_tokens *place, struct ssh_dump *said,
                           const char **unheeded, struct err *err)
{
	struct reading r = {.wish = wish, .place = place, .arena = arena};
	struct ssh_dump answers = {0};
	bool ok = scan(&r, err) && read_by_libssh(wish, arena, &answers, err);

	if (ok) {
		note_silence(&r, &answers);
		put_in_front(arena, &answers, said);
		*unheeded = r.unheeded.len == 0
		                    ? NULL
		                    : arena_strndup(arena, r.unheeded.at, r.unheeded.len);
	}
	text_done(&r.unheeded);
	return ok;
}
