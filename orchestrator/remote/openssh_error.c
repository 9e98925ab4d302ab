/* SPDX-License-Identifier: MIT */
/* openssh_error.c - what OpenSSH's client said, in the words of the other transport. */
#include <stdio.h>
#include <string.h>

#include "remote/openssh_args.h"
#include "remote/openssh_said.h"

/* The part behind the last ": " of ssh's line: "Connection refused". */
static const char *last_part(const char *line)
{
	const char *at = line;

	for (const char *c = strstr(at, ": "); c != NULL; c = strstr(at, ": "))
		at = c + 2;
	return at;
}

static const char *user_of(const struct openssh_said *s)
{
	return s->user[0] == '\0' ? "the user of ssh's configuration" : s->user;
}

/* "10.77.0.11 port 22" of the address, as far as it is known; else the host. */
static void peer_of(const struct openssh_said *s, const char *host, char out[96])
{
	const char *colon = strrchr(s->address, ':');
	bool has_brackets = s->address[0] == '[';

	if (colon == NULL)
		(void)snprintf(out, 96, "%.80s", host);
	else
		(void)snprintf(out, 96, "%.*s port %s",
		               (int)(colon - s->address) - (has_brackets ? 2 : 0),
		               s->address + (has_brackets ? 1 : 0), colon + 1);
}

static bool fail_connect(const struct openssh_said *s, const char *host, struct err *err)
{
	static const struct {
		const char *part;
		const char *remedy;
		enum err_kind kind;
	} reasons[] = {
		{"refused", "is sshd running there?", ERR_REMOTE},
		{"timed out", "is the address right, the host up, no firewall between?",
	         ERR_TIMEOUT},
		{"No route to host", "is the host up and its network reachable from here?",
	         ERR_REMOTE},
		{"unreachable", "is there a route to it from here?", ERR_REMOTE},
		{"ermission denied", "a firewall on this machine forbids it", ERR_REMOTE},
		{"not permitted", "a firewall on this machine forbids it", ERR_REMOTE},
	};
	const char *reason = last_part(s->reason);
	char peer[96];

	peer_of(s, host, peer);
	for (size_t i = 0; i < COUNT_OF(reasons); i++) {
		if (strstr(reason, reasons[i].part) != NULL)
			return err_set(err, reasons[i].kind, "connect to %s: %.80s: %s", peer,
			               reason, reasons[i].remedy);
	}
	return err_set(err, ERR_REMOTE, "connect to %s: %.200s", peer, reason);
}

static bool fail_changed(const struct openssh_said *s, const struct openssh_asked *asked,
                         struct err *err)
{
	bool is_known = asked->known_fingerprint[0] != '\0';

	return err_set(err, ERR_REMOTE,
	               "HOST KEY CHANGED: line %u of %s has %s%s%s, the host shows %s: if it was "
	               "installed anew, remove the old one: ssh-keygen -f '%s' -R '%s'",
	               s->known_line, s->known_file, is_known ? asked->known_type : "another key",
	               is_known ? " " : "", asked->known_fingerprint, s->host_key, s->known_file,
	               s->known_name[0] != '\0' ? s->known_name : asked->host);
}

/* What ssh would have asked a person for, and is not allowed to. */
static bool is_asking(const char *methods)
{
	return strstr(methods, "password") != NULL ||
	       strstr(methods, "keyboard-interactive") != NULL;
}

static bool fail_asking(const struct openssh_said *s, struct err *err)
{
	static const char remedy[] = "set `transport: libssh`, which can answer that";

	if (s->is_partial && s->login[0] != '\0')
		return err_set(err, ERR_REMOTE,
		               "%s was accepted for %s, but the server wants more: the server "
		               "offers %s: %s",
		               s->login, user_of(s), s->methods, remedy);
	return err_set(err, ERR_REMOTE,
	               "cannot log in as %s: no key is wanted; the server offers %s: %s",
	               user_of(s), s->methods, remedy);
}

static bool fail_denied(const struct openssh_said *s, struct err *err)
{
	const char *user = user_of(s);
	bool takes_keys = strstr(s->methods, "publickey") != NULL;
	char tried[sizeof(s->offered)];

	if (is_asking(s->methods) && !takes_keys && (s->is_partial || s->offers == 0))
		return fail_asking(s, err);
	if (s->is_partial && s->login[0] != '\0')
		return err_set(
			err, ERR_REMOTE,
			"%s was accepted for %s, but the server wants more: the server offers %s",
			s->login, user, s->methods[0] != '\0' ? s->methods : "nothing");
	if (s->login[0] != '\0')
		return err_set(
			err, ERR_REMOTE,
			"cannot log in as %s: the server takes %s, but it could not be used: "
			"if it is encrypted, load it into ssh-agent with ssh-add",
			user, s->login);
	if (s->offers == 0)
		return err_set(err, ERR_REMOTE,
		               "cannot log in as %s: %s; the server offers %s: name a key that the "
		               "host accepts with `key:`, or ssh-add it",
		               user, s->notes[0] != '\0' ? s->notes : "ssh has no key to offer",
		               s->methods[0] != '\0' ? s->methods : "nothing");
	if (s->offers == 1)
		(void)snprintf(tried, sizeof(tried), "%s", s->offered);
	else
		(void)snprintf(tried, sizeof(tried), "%u keys", s->offers);
	return err_set(err, ERR_REMOTE,
	               "permission denied for %s with %s: %s%s%sthe server offers %s: add the "
	               "public key to the host's authorized_keys",
	               user, tried, s->notes, s->notes[0] != '\0' ? "; " : "",
	               s->reason[0] != '\0' ? "servers count attempts: name the right key with "
	                                      "`key:`; "
	                                    : "",
	               s->methods[0] != '\0' ? s->methods : "nothing");
}

/* What is wrong before the host itself has spoken. */
static bool fail_behind(const struct openssh_said *s, const char *host, struct err *err)
{
	const char *said = s->reason[0] != '\0' ? s->reason : s->last;

	if (s->problem == OPENSSH_CHANGED_KEY)
		return err_set(
			err, ERR_REMOTE,
			"on the way: HOST KEY CHANGED: line %u of %s has another key: if the "
			"jump host was installed anew, remove the old one: ssh-keygen -f "
			"'%s' -R '%s'",
			s->known_line, s->known_file, s->known_file,
			s->known_name[0] != '\0' ? s->known_name : "JUMP-HOST");
	return err_set(err, ERR_REMOTE,
	               "on the way (jump host or ProxyCommand): %.250s: try: ssh -v %s",
	               said[0] != '\0' ? said : "it ended without a word", host);
}

static bool fail_other(const struct openssh_said *s, const char *host, struct err *err)
{
	const char *said = s->reason[0] != '\0' ? s->reason : s->last;
	const char *peer = s->address[0] != '\0' ? s->address : host;

	if (said[0] == '\0')
		return err_set(err, ERR_REMOTE, "ssh to %s ended without a word: try: ssh -v %s",
		               peer, host);
	if (s->is_connected && !s->has_greeted)
		return err_set(
			err, ERR_REMOTE,
			"%s hung up before its SSH greeting: is it an SSH server, or too busy "
			"(MaxStartups)?",
			peer);
	return err_set(err, ERR_REMOTE, "%s: %.200s: try: ssh -v %s",
	               s->is_verified ? "log in" : "SSH greeting and key exchange", said, host);
}

bool openssh_said_error(const struct openssh_said *s, const struct openssh_asked *asked,
                        struct err *err)
{
	const char *host = asked->host;

	if (s->is_behind && !s->has_greeted)
		return fail_behind(s, host, err);
	switch (s->problem) {
	case OPENSSH_FOLDER:
		return err_set(err, ERR_SYSTEM, "a folder for ssh's socket: %.300s",
		               s->reason + strlen(OPENSSH_NO_FOLDER));
	case OPENSSH_MISSING:
		return err_set(err, ERR_SYSTEM,
		               "there is no ssh on this machine: install OpenSSH's client, or use "
		               "`transport: libssh`");
	case OPENSSH_CONFIG:
		return err_set(err, ERR_INPUT, "ssh's configuration: %.300s", s->reason);
	case OPENSSH_RESOLVE:
		return err_set(err, ERR_REMOTE,
		               "resolve %s: %.120s: is the name right, its server reachable?", host,
		               last_part(s->reason));
	case OPENSSH_CONNECT:
		return fail_connect(s, host, err);
	case OPENSSH_NEGOTIATE:
		return err_set(err, ERR_REMOTE, "SSH greeting and key exchange: %.300s", s->reason);
	case OPENSSH_UNKNOWN_KEY:
		return err_set(err, ERR_REMOTE,
		               "host key is not known: %s: if that is the host's, set `accept_new: "
		               "true` or add it to %s",
		               s->host_key,
		               asked->known_hosts != NULL ? asked->known_hosts : "known_hosts");
	case OPENSSH_CHANGED_KEY:
		return fail_changed(s, asked, err);
	case OPENSSH_REVOKED_KEY:
		return err_set(err, ERR_REMOTE,
		               "host key %s is revoked by %s: somebody else may hold it: give the "
		               "host a new one, or remove the line if it is wrong",
		               s->host_key,
		               asked->known_hosts != NULL ? asked->known_hosts : "known_hosts");
	case OPENSSH_DENIED:
		return fail_denied(s, err);
	case OPENSSH_DEAD:
		return err_set(err, ERR_TIMEOUT, "no sign of life from the SSH server");
	case OPENSSH_CLOSED:
	case OPENSSH_NO_PROBLEM:
		break;
	}
	return fail_other(s, host, err);
}

bool openssh_said_timeout(const struct openssh_said *s, const struct openssh_asked *asked,
                          unsigned waited_ms, struct err *err)
{
	const char *host = asked->host;
	char peer[96];

	if (s->is_verified)
		return err_set(err, ERR_TIMEOUT, "log in as %s: no answer in time", user_of(s));
	if (s->is_connected)
		return err_set(err, ERR_TIMEOUT,
		               "SSH greeting and key exchange: %s did not answer in time: %s",
		               s->address[0] != '\0' ? s->address : host,
		               s->has_greeted ? "does the path lose large packets (path MTU)?"
		                              : "is it an SSH server, is the host frozen?");
	if (s->is_behind)
		return err_set(err, ERR_TIMEOUT,
		               "on the way (jump host or ProxyCommand): no answer in %.1f s: try: "
		               "ssh -v %s",
		               waited_ms / 1000.0, host);
	peer_of(s, host, peer);
	return err_set(err, ERR_TIMEOUT,
	               "connect to %s: no answer in %.1f s: is the address right, the host up, no "
	               "firewall between?",
	               peer, waited_ms / 1000.0);
}
