/* SPDX-License-Identifier: MIT */
#include "remote/ssh_ask.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "remote/capture.h"
#include "remote/child.h"

#define OUTPUT_MAX (1024 * (size_t)1024)
#define SAID_BYTES 320
#define ARGS_MAX   12
#define NO_HOST    "localhost" /* any: nothing is read and nobody connected to */

/* What it says without configuration is the same for all hosts. */
static pthread_mutex_t presets_lock = PTHREAD_MUTEX_INITIALIZER;
static char *presets_text;
static size_t presets_len;

/* On one line, printable: "FILE: line 3: Bad configuration option: x; FILE: terminating..." */
static void tidy(const struct text *said, char out[SAID_BYTES])
{
	size_t len = 0;

	for (size_t i = 0; i < said->len && len + 3 < SAID_BYTES; i++) {
		char c = said->at[i];

		if (c == '\n' && i + 1 < said->len) {
			out[len++] = ';';
			out[len++] = ' ';
		} else if ((unsigned char)c >= ' ' && c != 0x7f) {
			out[len++] = c;
		}
	}
	out[len] = '\0';
}

/* An older or another program that is called ssh. */
static bool knows_no_g(const char *said)
{
	return strstr(said, "option") != NULL &&
	       (strstr(said, "-- G") != NULL || strstr(said, "-G") != NULL ||
	        strstr(said, "'G'") != NULL);
}

static enum ssh_asked judge(const struct captured *c, struct err *err)
{
	char said[SAID_BYTES];

	if (WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0)
		return SSH_ASKED;
	tidy(&c->said, said);
	if (knows_no_g(said))
		return SSH_ASK_NOBODY;
	if (WIFSIGNALED(c->status))
		(void)err_set(err, ERR_INPUT, "`ssh -G` was ended by signal %d",
		              WTERMSIG(c->status));
	else
		(void)err_set(err, ERR_INPUT, "ssh configuration: %s",
		              said[0] == '\0' ? "`ssh -G` fails without a word" : said);
	return SSH_ASK_FAILED;
}

static enum ssh_asked run(struct arena *arena, const char *const argv[],
                          const char *const *hidden_env, const struct wait_limit *limit,
                          struct captured *c, struct err *err)
{
	char **env = child_environment(arena, NULL, hidden_env, NULL);

	if (capture(argv, env, OUTPUT_MAX, limit, c, err))
		return judge(c, err);
	if (err->kind == ERR_SYSTEM &&
	    (err->sys_errno == ENOENT || err->sys_errno == EACCES || err->sys_errno == ENOTDIR))
		return SSH_ASK_NOBODY;
	if (err->kind == ERR_TIMEOUT)
		(void)err_set(err, ERR_TIMEOUT,
		              "`ssh -G` does not end in time: does a `Match exec` or a look-up of "
		              "names in ssh_config take long?");
	return SSH_ASK_FAILED;
}

static bool parse(struct arena *arena, const char *text, size_t len, struct ssh_dump *out,
                  struct err *err)
{
	return ssh_dump_parse(arena, text, len, out, err) || err_prefix(err, "`ssh -G`");
}

/* Under the lock. */
static enum ssh_asked ask_presets(struct arena *arena, const char *const *hidden_env,
                                  const struct wait_limit *limit, struct err *err)
{
	static const char *const argv[] = {"ssh", "-G", "-F", "none", "--", NO_HOST, NULL};
	struct captured c = {0};
	enum ssh_asked asked = SSH_ASKED;

	if (presets_text == NULL) {
		asked = run(arena, argv, hidden_env, limit, &c, err);
		if (asked == SSH_ASKED) {
			presets_text = c.out.at;
			presets_len = c.out.len;
			c.out = (struct text){0};
		}
		captured_done(&c);
	}
	return asked;
}

static enum ssh_asked get_presets(struct arena *arena, const struct ssh_wish *wish,
                                  const struct wait_limit *limit, struct ssh_dump *out,
                                  struct err *err)
{
	enum ssh_asked asked;

	(void)pthread_mutex_lock(&presets_lock);
	asked = ask_presets(arena, wish->hidden_env, limit, err);
	if (asked == SSH_ASKED && !parse(arena, presets_text, presets_len, out, err))
		asked = SSH_ASK_FAILED;
	(void)pthread_mutex_unlock(&presets_lock);
	return asked;
}

enum ssh_asked ssh_ask(struct arena *arena, const struct ssh_wish *wish,
                       const struct wait_limit *limit, struct ssh_dump *said,
                       struct ssh_dump *presets, struct err *err)
{
	const char *argv[ARGS_MAX] = {"ssh", "-G"};
	size_t n = 2;
	char port[12];
	struct captured c = {0};
	enum ssh_asked asked = get_presets(arena, wish, limit, presets, err);

	if (asked != SSH_ASKED)
		return asked;
	if (wish->config != NULL) {
		argv[n++] = "-F";
		argv[n++] = wish->config;
	}
	if (wish->port != 0) {
		(void)snprintf(port, sizeof(port), "%u", (unsigned)wish->port);
		argv[n++] = "-p";
		argv[n++] = port;
	}
	if (wish->user != NULL) {
		argv[n++] = "-l";
		argv[n++] = wish->user;
	}
	argv[n++] = "--"; /* what follows is no option, whatever it looks like */
	argv[n++] = wish->host;
	argv[n] = NULL;
	asked = run(arena, argv, wish->hidden_env, limit, &c, err);
	if (asked == SSH_ASKED && !parse(arena, text_str(&c.out), c.out.len, said, err))
		asked = SSH_ASK_FAILED;
	captured_done(&c);
	return asked;
}
