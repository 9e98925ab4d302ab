/* SPDX-License-Identifier: MIT */
#include "remote/openssh_args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * $0 is the folder, $1 the configuration, the rest is ssh. Its signals may come from who ends
 * the process group: then it still has to clean up. Only ssh keeps our standard error, so that
 * its end is seen. The traps are away while it forks: what is not ssh yet would take our signal
 * for a trap's, forget it, and ssh would stay.
 */
static const char guard_script[] =
	"trap : 1 2 15; no() { echo \"" OPENSSH_NO_FOLDER "$1\" >&2; }; "
	"e=$(LC_ALL=C mkdir -m 700 \"$0\" 2>&1) || { no \"$e\"; exit 1; }; c=$1; shift; "
	"if e=$( { printf %s \"$c\" >\"$0/" OPENSSH_CONFIG_FILE "\"; } 2>&1); then "
	"trap - 1 2 15; \"$@\" </dev/null & p=$!; trap : 1 2 15; "
	"exec >/dev/null 2>&1; read x; kill $p; wait $p; "
	"else no \"$e\"; fi; rm -f \"$0/" OPENSSH_SOCKET "\" \"$0/" OPENSSH_CONFIG_FILE
	"\"; rmdir \"$0\"";

static const char *const master_options[] = {
	"-N",
	"-T",
	"-a",
	"-x",
	"-oControlMaster=yes",
	"-oControlPersist=no",
	"-oBatchMode=yes",
	"-oRequestTTY=no",
	"-oClearAllForwardings=yes",
	"-oPermitLocalCommand=no",
	"-oRemoteCommand=none",
	"-oTunnel=no",
	"-oUpdateHostKeys=no",
	"-oServerAliveInterval=1",
	"-oServerAliveCountMax=2", /* a lost host: within 3 s */
	"-oLogLevel=DEBUG1",       /* openssh_said.h */
};

struct args {
	struct arena *arena;
	const char **argv;
	size_t count;
};

static void add(struct args *a, const char *arg)
{
	a->argv[a->count++] = arg;
	a->argv[a->count] = NULL;
}

/* Adds `head` and `value` as one argument. */
static void add_joined(struct args *a, const char *head, const char *value, const char *tail)
{
	struct text t = {0};

	text_printf(&t, "%s%s%s", head, value, tail);
	add(a, arena_strndup(a->arena, t.at, t.len));
	text_done(&t);
}

/* ssh would replace tokens (%h), variables and quotes in it. */
static bool check_file(const char *key, const char *file, struct err *err)
{
	if (file == NULL || strpbrk(file, "%$\"\\") == NULL)
		return true;
	return err_set(
		err, ERR_INPUT,
		"`%s`: %s: with `transport: openssh` a file name may not hold %%, $, \" or \\", key,
		file);
}

static void add_wish(struct args *a, const struct ssh_wish *wish)
{
	char port[16];

	if (wish->user != NULL) {
		add(a, "-l");
		add(a, wish->user);
	}
	if (wish->port != 0) {
		(void)snprintf(port, sizeof(port), "%" PRIu32, wish->port);
		add(a, "-p");
		add(a, arena_strndup(a->arena, port, strlen(port)));
	}
	if (wish->jump != NULL)
		add_joined(a, "-oProxyJump=", wish->jump, "");
}

static const char *in_folder(struct arena *arena, const char *folder, const char *name)
{
	struct text t = {0};
	const char *path;

	text_printf(&t, "%s/%s", folder, name);
	path = arena_strndup(arena, t.at, t.len);
	text_done(&t);
	return path;
}

const char *openssh_socket(struct arena *arena, const char *folder)
{
	return in_folder(arena, folder, OPENSSH_SOCKET);
}

static const char *config_file(struct arena *arena, const char *folder)
{
	return in_folder(arena, folder, OPENSSH_CONFIG_FILE);
}

/* An absolute path: one that is not would be looked for below ~/.ssh. */
static bool add_include(struct text *out, const char *config, struct err *err)
{
	char *path = realpath(config, NULL);
	bool ok;

	if (path == NULL || access(path, R_OK) != 0) {
		(void)err_set_errno(err, errno, "`config`: %s", config);
		free(path);
		return false;
	}
	ok = check_file("config", path, err) &&
	     (strpbrk(path, "*?[") == NULL ||
	      err_set(err, ERR_INPUT, "`config`: %s: ssh would read *, ? and [ as patterns", path));
	if (ok)
		text_printf(out, "Include \"%s\"\n", path);
	free(path);
	return ok;
}

bool openssh_config_text(const struct ssh_wish *wish, struct text *out, struct err *err)
{
	if (!check_file("key", wish->key, err) ||
	    !check_file("known_hosts", wish->known_hosts, err))
		return false;
	text_printf(out,
	            "Host *\nBatchMode yes\nClearAllForwardings yes\nUpdateHostKeys no\n"
	            "StrictHostKeyChecking %s\n",
	            wish->accept_new ? "accept-new" : "yes");
	if (wish->known_hosts != NULL)
		text_printf(out, "UserKnownHostsFile \"%s\"\n", wish->known_hosts);
	/* ssh would try all keys of an agent before a named file, and servers count attempts. */
	if (wish->key != NULL)
		text_printf(out, "IdentityFile \"%s\"\nIdentitiesOnly yes\n", wish->key);
	if (wish->config == NULL)
		text_add(out, "Include ~/.ssh/config\nInclude /etc/ssh/ssh_config\n");
	else if (strcmp(wish->config, SSH_CONFIG_NONE) != 0)
		return add_include(out, wish->config, err);
	return true;
}

void openssh_master_args(struct arena *arena, const struct ssh_wish *wish, const char *folder,
                         const char *config, const char *argv[OPENSSH_ARGS_MAX])
{
	struct args a = {.arena = arena, .argv = argv};

	add(&a, "/bin/sh");
	add(&a, "-c");
	add(&a, guard_script);
	add(&a, folder);
	add(&a, config);
	add(&a, "ssh");
	for (size_t i = 0; i < COUNT_OF(master_options); i++)
		add(&a, master_options[i]);
	add_joined(&a, "-oControlPath=", openssh_socket(arena, folder), "");
	add(&a, "-F");
	add(&a, config_file(arena, folder));
	add_wish(&a, wish);
	add(&a, "--");
	add(&a, wish->host);
}

void openssh_command_args(const char *socket, const char *command,
                          const char *argv[OPENSSH_ARGS_MAX])
{
	struct args a = {.argv = argv};

	/* Without the socket ssh would connect by itself. The host's name is not used. */
	static const char *const options[] = {
		"ssh",
		"-F",
		"/dev/null",
		"-T",
		"-a",
		"-x",
		"-oControlMaster=no",
		"-oBatchMode=yes",
		"-oLogLevel=ERROR",
		"-oProxyCommand=false",
		"-S",
	};

	for (size_t i = 0; i < COUNT_OF(options); i++)
		add(&a, options[i]);
	add(&a, socket);
	add(&a, "--");
	add(&a, "host");
	add(&a, command);
}
