/* SPDX-License-Identifier: MIT */
#include "remote/openssh_said.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"
#include "remote/openssh_args.h"

#define DEBUG_HEAD "debug1: "

/* What follows `head` in a line that begins with it, or NULL. */
static const char *after(const char *line, const char *head)
{
	size_t len = strlen(head);

	return strncmp(line, head, len) == 0 ? line + len : NULL;
}

static void keep(char *out, size_t size, const char *from, size_t len)
{
	(void)snprintf(out, size, "%.*s", (int)(len < size ? len : size), from);
}

static void set_problem(struct openssh_said *s, enum openssh_problem problem, const char *reason)
{
	s->problem = problem;
	keep(s->reason, sizeof(s->reason), reason, strlen(reason));
}

static void add_note(struct openssh_said *s, const char *note)
{
	size_t len = strlen(s->notes);

	(void)snprintf(s->notes + len, sizeof(s->notes) - len, "%s%s", len == 0 ? "" : ", ", note);
}

/* "10.77.0.11 [10.77.0.11] port 22." */
static void take_connecting(struct openssh_said *s, const char *rest)
{
	const char *open = strrchr(rest, '[');
	const char *close = open == NULL ? NULL : strchr(open, ']');
	const char *port = close == NULL ? NULL : after(close, "] port ");
	bool is_v6;

	if (port == NULL)
		return;
	is_v6 = memchr(open, ':', (size_t)(close - open)) != NULL;
	(void)snprintf(s->address, sizeof(s->address), "%s%.*s%s:%.*s", is_v6 ? "[" : "",
	               (int)(close - open - 1), open + 1, is_v6 ? "]" : "",
	               (int)strspn(port, "0123456789"), port);
}

static void take_behind(struct openssh_said *s, const char *rest)
{
	(void)rest;
	s->is_behind = true;
}

static void take_established(struct openssh_said *s, const char *rest)
{
	(void)rest;
	s->is_connected = true;
}

static void take_greeting(struct openssh_said *s, const char *rest)
{
	(void)rest;
	s->is_connected = s->has_greeted = true;
}

/* "10.77.0.11:22 as 'root'" */
static void take_user(struct openssh_said *s, const char *rest)
{
	const char *as = strstr(rest, " as '");

	if (as != NULL)
		keep(s->user, sizeof(s->user), as + 5, strcspn(as + 5, "'"));
}

/* The first one: what stands below the login may be the server's own words. Of a certificate
 * ("TYPE SHA256:..., serial 0 ID ...") its key. */
static void take_host_key(struct openssh_said *s, const char *rest)
{
	if (s->host_key[0] == '\0' && strstr(rest, " SHA256:") != NULL)
		keep(s->host_key, sizeof(s->host_key), rest, strcspn(rest, ","));
}

static void take_verified(struct openssh_said *s, const char *rest)
{
	(void)rest;
	s->is_verified = s->host_key[0] != '\0';
}

static void take_methods(struct openssh_said *s, const char *rest)
{
	s->is_verified = true;
	keep(s->methods, sizeof(s->methods), rest, strlen(rest));
}

/* "FILE-OR-NAME ED25519 SHA256:... explicit agent" */
static void name_key(const char *rest, char *out, size_t size)
{
	const char *fingerprint = strstr(rest, " SHA256:");
	const char *end = fingerprint;
	bool is_agent = fingerprint != NULL && strstr(fingerprint, " agent") != NULL;

	while (end != NULL && end > rest && end[-1] != ' ')
		end--;
	if (end == NULL || end <= rest + 1)
		return;
	(void)snprintf(out, size, "%s %.*s", is_agent ? "agent key" : "key", (int)(end - rest - 1),
	               rest);
}

static void take_offer(struct openssh_said *s, const char *rest)
{
	s->offers++;
	name_key(rest, s->offered, sizeof(s->offered));
}

static void take_key(struct openssh_said *s, const char *rest)
{
	name_key(rest, s->login, sizeof(s->login));
}

/* "10.77.0.11 ([10.77.0.11]:22) using "publickey"." or "(via proxy)" */
static void take_login(struct openssh_said *s, const char *rest)
{
	const char *method = strstr(rest, " using \"");

	s->is_verified = true;
	method = method == NULL ? "" : method + strlen(" using \"");
	if (s->login[0] == '\0' || strncmp(method, "publickey", 9) != 0)
		keep(s->login, sizeof(s->login), method, strcspn(method, "\""));
}

/* "Authenticated using "publickey" with partial success." */
static void take_partial(struct openssh_said *s, const char *line)
{
	(void)line;
	s->is_partial = s->has_greeted;
}

static void take_exit(struct openssh_said *s, const char *rest)
{
	if (strstr(rest, " rtype exit-status ") != NULL)
		s->end = OPENSSH_END_STATUS;
	else if (strstr(rest, " rtype exit-signal ") != NULL)
		s->end = OPENSSH_END_SIGNAL;
}

typedef void take_rest(struct openssh_said *s, const char *rest);

static const struct {
	const char *head;
	take_rest *take;
} debug_lines[] = {
	{"Connecting to ", take_connecting},
	{"Executing proxy command: ", take_behind},
	{"Connection established", take_established},
	{"Remote protocol version ", take_greeting},
	{"Authenticating to ", take_user},
	{"Server host key: ", take_host_key},
	{"Server host certificate: ", take_host_key},
	{"SSH2_MSG_NEWKEYS sent", take_verified},
	{"Authentications that can continue: ", take_methods},
	{"Offering public key: ", take_offer},
	{"Server accepts key: ", take_key},
	{"Authenticated with partial success", take_partial}, /* OpenSSH 8 */
	{"client_input_channel_req: ", take_exit},
};

/* "Offending ED25519 key in /root/.ssh/known_hosts:3" */
static void take_offending(struct openssh_said *s, const char *line)
{
	const char *file = strstr(line, " key in ");
	const char *colon = strrchr(line, ':');

	if (file == NULL || colon == NULL || colon < file)
		return;
	file += strlen(" key in ");
	keep(s->known_file, sizeof(s->known_file), file, (size_t)(colon - file));
	s->known_line = (unsigned)strtoul(colon + 1, NULL, 10);
}

/* `  ssh-keygen -f "/root/.ssh/known_hosts" -R "10.77.0.11"` */
static void take_remedy(struct openssh_said *s, const char *line)
{
	const char *name = strstr(line, " -R \"");

	if (name == NULL)
		return;
	name += strlen(" -R \"");
	keep(s->known_name, sizeof(s->known_name), name, strcspn(name, "\""));
}

/* "root@10.77.0.11: Permission denied (publickey,password)." */
static void take_denied(struct openssh_said *s, const char *line)
{
	const char *open = strstr(line, "Permission denied (");

	if (s->problem == OPENSSH_DENIED)
		return; /* "Too many authentication failures" says more */
	/* Else the reason is ours to say: which keys were offered. */
	set_problem(s, OPENSSH_DENIED, s->is_behind && !s->has_greeted ? line : "");
	if (open != NULL) {
		open = strchr(open, '(') + 1;
		keep(s->methods, sizeof(s->methods), open, strcspn(open, ")"));
	}
}

/* "Warning: Identity file F not accessible: No such file or directory." */
static void take_identity(struct openssh_said *s, const char *line)
{
	const char *file = after(line, "Warning: Identity file ");
	char note[sizeof(s->notes)];

	if (file == NULL)
		return;
	(void)snprintf(note, sizeof(note), "key %.*s does not exist or cannot be read",
	               (int)(strstr(file, " not accessible") - file), file);
	add_note(s, note);
}

/* "Load key "F": Permission denied", or "error in libcrypto" for a file that is no key. */
static void take_load_key(struct openssh_said *s, const char *line)
{
	const char *file = after(line, "Load key \"");
	size_t len = file == NULL ? 0 : strcspn(file, "\"");
	char note[sizeof(s->notes)];
	const char *remedy = "";

	if (file == NULL || strlen(file + len) < 3)
		return;
	if (strstr(file + len, "passphrase") != NULL)
		remedy = ": load it into ssh-agent with ssh-add";
	(void)snprintf(note, sizeof(note), "key %.*s cannot be used: %.60s%s", (int)len, file,
	               file + len + 3, remedy);
	add_note(s, note);
}

/* Lines that ssh writes for people, by what they hold. The first that fits is taken. */
static const struct {
	const char *part;
	enum openssh_problem problem; /* with the whole line as the reason; or... */
	take_rest *take;              /* ...this, with the line */
} plain_lines[] = {
	{OPENSSH_NO_FOLDER, OPENSSH_FOLDER, NULL},
	{"Authenticated to ", OPENSSH_NO_PROBLEM, take_login},
	{" with partial success", OPENSSH_NO_PROBLEM, take_partial},
	{"Warning: Identity file ", OPENSSH_NO_PROBLEM, take_identity},
	{"Load key \"", OPENSSH_NO_PROBLEM, take_load_key},
	{"Offending ", OPENSSH_NO_PROBLEM, take_offending},
	{"ssh-keygen -f ", OPENSSH_NO_PROBLEM, take_remedy},
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", OPENSSH_CHANGED_KEY, NULL},
	{"REVOKED HOST KEY DETECTED", OPENSSH_REVOKED_KEY, NULL},
	{" host key is known for ", OPENSSH_UNKNOWN_KEY, NULL},
	{"Could not resolve hostname ", OPENSSH_RESOLVE, NULL},
	{"ssh: connect to host ", OPENSSH_CONNECT, NULL},
	{": open failed: ", OPENSSH_CONNECT, NULL},
	{"Too many authentication failures", OPENSSH_DENIED, NULL},
	{"Permission denied (", OPENSSH_DENIED, take_denied},
	{"Unable to negotiate with ", OPENSSH_NEGOTIATE, NULL},
	{"Timeout, server ", OPENSSH_DEAD, NULL},
	{"Bad configuration option", OPENSSH_CONFIG, NULL},
	{"Bad owner or permissions on ", OPENSSH_CONFIG, NULL},
	{"Can't open user config file ", OPENSSH_CONFIG, NULL},
	{"onfiguration options", OPENSSH_CONFIG, NULL},
};

static bool is_final(enum openssh_problem problem)
{
	return problem == OPENSSH_CHANGED_KEY || problem == OPENSSH_REVOKED_KEY ||
	       problem == OPENSSH_CONFIG;
}

/* What the end of a connection says is a reason where nothing else was. */
static void take_closed(struct openssh_said *s, const char *line)
{
	static const char *const parts[] = {"onnection closed",
	                                    "onnection reset",
	                                    "onnection timed out",
	                                    "kex_exchange_identification",
	                                    "ost key verification failed",
	                                    "roken pipe"};

	for (size_t i = 0; i < COUNT_OF(parts) && s->problem == OPENSSH_NO_PROBLEM; i++) {
		if (strstr(line, parts[i]) != NULL)
			set_problem(s, OPENSSH_CLOSED, line);
	}
}

static void take_plain(struct openssh_said *s, const char *line)
{
	if (line[0] != '\0' && after(line, "Transferred: ") == NULL &&
	    after(line, "Bytes per second: ") == NULL)
		keep(s->last, sizeof(s->last), line, strlen(line));
	/* What the shell says that should have become ssh. */
	if (!s->is_connected && s->address[0] == '\0' && strstr(line, "ssh: ") != NULL &&
	    strstr(line, "not found") != NULL && strstr(line, "resolve") == NULL) {
		set_problem(s, OPENSSH_MISSING, line);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(plain_lines); i++) {
		const char *at = strstr(line, plain_lines[i].part);

		if (at == NULL)
			continue;
		if (plain_lines[i].take != NULL)
			plain_lines[i].take(s, plain_lines[i].take == take_login
			                               ? at + strlen(plain_lines[i].part)
			                               : line);
		else if (!is_final(s->problem))
			set_problem(s, plain_lines[i].problem, line);
		return;
	}
	take_closed(s, line);
}

void openssh_said_end(struct openssh_said *s)
{
	const char *debug;

	s->line[s->line_len] = '\0';
	s->line_len = 0;
	debug = after(s->line, DEBUG_HEAD);
	if (debug == NULL) {
		take_plain(s, s->line);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(debug_lines); i++) {
		const char *rest = after(debug, debug_lines[i].head);

		if (rest != NULL)
			debug_lines[i].take(s, rest);
	}
}

void openssh_said_take(struct openssh_said *s, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n')
			openssh_said_end(s);
		else if (s->line_len + 1 < sizeof(s->line) && (unsigned char)data[i] >= ' ' &&
		         data[i] != 0x7f)
			s->line[s->line_len++] = data[i];
	}
}

enum transport_stage openssh_said_stage(const struct openssh_said *s)
{
	if (s->is_verified)
		return TRANSPORT_LOGGING_IN;
	return s->host_key[0] != '\0' ? TRANSPORT_VERIFYING : TRANSPORT_CONNECTING;
}
