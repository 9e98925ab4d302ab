/* SPDX-License-Identifier: MIT */
/* `vnm cleanup`: show and remove what lost runs left on the hosts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/lab.h"
#include "cli/vault.h"
#include "common/json.h"
#include "common/text.h"
#include "common/units.h"
#include "report/format.h"
#include "run/cleanup.h"

struct cleanup_options {
	bool yes, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "yes", .letter = 'y', .kind = OPTION_FLAG, .offset = offsetof(struct cleanup_options, yes),
	 .help = "do not ask before removing"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct cleanup_options, json),
	 .help = "what was found as JSON on stdout; removes only with --yes"},
	{0},
};
/* clang-format on */

struct counts {
	size_t reached, unreached, lost, gone, lost_hosts;
};

static struct counts count(const struct cleanup *c)
{
	struct counts n = {0};

	for (size_t h = 0; h < c->topology->host_count; h++) {
		const struct cleanup_host *at = &c->at[h];
		size_t before = n.lost;

		if (at->state == CLEANUP_KNOWN)
			n.reached++;
		else
			n.unreached++;
		for (size_t i = 0; i < at->found.count; i++) {
			n.lost += at->found.at[i].state == LEFTOVER_LOST;
			n.gone += at->found.at[i].is_gone;
		}
		n.lost_hosts += n.lost > before;
	}
	return n;
}

/* "3 min"; "" when it is not known. */
static void add_age(struct text *t, const char *before, int64_t age_s, const char *after)
{
	char age[UNITS_TEXT_BYTES];

	if (age_s >= 0)
		text_printf(t, "%s%s%s", before, units_format_eta((uint64_t)age_s * 1000, age),
		            after);
}

static void add_what(struct text *t, const struct leftover *l)
{
	if (l->folder == NULL) {
		text_printf(t, "agent %" PRIu32 " of %s", l->pid, l->name);
		add_age(t, ", started ", l->age_s, " ago");
		return;
	}
	text_add(t, l->folder);
	if (l->pid != 0)
		text_printf(t, " and its agent %" PRIu32, l->pid);
	add_age(t, ", changed ", l->age_s, " ago");
}

static const char *verdict(const struct leftovers *all, const struct leftover *l)
{
	switch (l->state) {
	case LEFTOVER_LOST:
		return l->pid != 0 ? "left behind: its SSH session has ended"
		                   : "left behind: no process uses it";
	case LEFTOVER_IN_USE:
		return "in use by a run, left alone";
	case LEFTOVER_YOUNG:
		if (all->is_blind)
			return "left alone: this host does not list its processes";
		return l->age_s < 0 ? "left alone: this host does not tell its age"
		                    : "left alone: too young, look again in a minute";
	case LEFTOVER_FOREIGN:
		break;
	}
	return "of another account, left alone";
}

static void print_found(const struct cleanup_host *h)
{
	if (h->state == CLEANUP_GONE) {
		(void)printf("%s\n", h->why.msg);
		return;
	}
	if (h->found.count == 0)
		(void)printf("%s: nothing left\n", h->host->name);
	for (size_t i = 0; i < h->found.count; i++) {
		const struct leftover *l = &h->found.at[i];
		struct text t = {0};

		add_what(&t, l);
		(void)printf("%s: %s: %s\n", h->host->name, text_str(&t), verdict(&h->found, l));
		text_done(&t);
	}
	if (h->found.is_cut)
		(void)printf("%s: there is more than this\n", h->host->name);
}

/* What could not be removed, a line each. */
static void print_left(const struct cleanup_host *h)
{
	if (h->state == CLEANUP_GONE && h->found.count > 0)
		(void)printf("%s\n", h->why.msg);
	for (size_t i = 0; i < h->found.count; i++) {
		const struct leftover *l = &h->found.at[i];
		struct text t = {0};

		if (l->state != LEFTOVER_LOST || l->is_gone)
			continue;
		add_what(&t, l);
		(void)printf("%s: %s: not removed: %s\n", h->host->name, text_str(&t),
		             l->why_left == NULL ? "the host does not say why" : l->why_left);
		text_done(&t);
	}
}

static const char *const state_names[] = {
	[LEFTOVER_LOST] = "lost",
	[LEFTOVER_IN_USE] = "in-use",
	[LEFTOVER_YOUNG] = "young",
	[LEFTOVER_FOREIGN] = "foreign",
};

static void add_json_leftover(struct json *j, const struct leftover *l)
{
	json_object_begin(j, NULL);
	json_str(j, "name", l->name);
	json_str(j, "folder", l->folder);
	if (l->pid != 0)
		json_uint(j, "pid", l->pid);
	else
		json_null(j, "pid");
	if (l->age_s >= 0)
		json_int(j, "age_s", l->age_s);
	else
		json_null(j, "age_s");
	json_str(j, "state", state_names[l->state]);
	json_bool(j, "removed", l->is_gone);
	json_str(j, "error", l->why_left);
	json_object_end(j);
}

/* What is left on a host that could not be reached is not known. */
static void add_json_found(struct json *j, const struct cleanup_host *h)
{
	if (h->state == CLEANUP_GONE && h->found.count == 0) {
		json_null(j, "more");
		json_null(j, "leftovers");
		return;
	}
	json_bool(j, "more", h->found.is_cut);
	json_list_begin(j, "leftovers");
	for (size_t k = 0; k < h->found.count; k++)
		add_json_leftover(j, &h->found.at[k]);
	json_list_end(j);
}

static void print_json(const struct cleanup *c)
{
	struct text out = {0};
	struct json j = {.out = &out};

	json_object_begin(&j, NULL);
	json_list_begin(&j, "hosts");
	for (size_t i = 0; i < c->topology->host_count; i++) {
		const struct cleanup_host *h = &c->at[i];

		json_object_begin(&j, NULL);
		json_str(&j, "host", h->host->name);
		json_str(&j, "address", h->info.address[0] == '\0' ? NULL : h->info.address);
		json_str(&j, "error", h->state == CLEANUP_GONE ? h->why.msg : NULL);
		add_json_found(&j, h);
		json_object_end(&j);
	}
	json_list_end(&j);
	json_object_end(&j);
	(void)printf("%s\n", text_str(&out));
	text_done(&out);
}

static bool confirm(const struct command_context *ctx, const struct counts *n, bool yes,
                    struct err *err)
{
	struct text question = {0};
	char answer[16];
	bool can_answer = ctx->err.is_tty && isatty(STDIN_FILENO) != 0;

	if (yes)
		return true;
	if (!can_answer)
		return err_set(err, ERR_USAGE,
		               "nobody is there to ask: with --yes they are removed");
	(void)fflush(stdout); /* the list comes before the question */
	text_add(&question, "Remove ");
	format_add_things(&question, n->lost, "leftover");
	text_add(&question, " of ");
	format_add_things(&question, n->lost_hosts, "host");
	(void)fprintf(stderr, "%s? [y/N] ", text_str(&question));
	text_done(&question);
	if (fgets(answer, sizeof(answer), stdin) != NULL && strchr("yY", answer[0]) != NULL)
		return true;
	return err_set(err, ERR_CANCELLED, "nothing was removed");
}

static int code_of(const struct counts *n)
{
	if (n->reached == 0 && n->unreached > 0)
		return EXIT_BLOCKED;
	return n->unreached > 0 || n->gone < n->lost ? EXIT_CELLS : EXIT_DONE;
}

static bool remove_lost(const struct command_context *ctx, struct cleanup *c, bool yes,
                        struct err *err)
{
	struct counts n = count(c);
	struct text told = {0};

	if (n.lost == 0)
		return true;
	if (!confirm(ctx, &n, yes, err))
		return false;
	cleanup_remove(c);
	n = count(c);
	for (size_t i = 0; i < c->topology->host_count; i++)
		print_left(&c->at[i]);
	format_add_things(&told, n.gone, "leftover");
	(void)printf("%s removed\n", text_str(&told));
	text_done(&told);
	return true;
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct cleanup_options *opt = raw;
	struct link_options link = {.auth_sock = ctx->ssh_auth_sock};
	struct topology topo;
	struct cleanup cleanup = {.links = NULL};
	struct vault vault = {.secrets = NULL};
	bool ok = lab_load(ctx, operand_count > 0 ? operands[0] : LAB_FILE, &topo, err) &&
	          vault_open(&vault, ctx, &topo, err);

	link.secrets = vault.secrets;
	ok = ok && cleanup_open(&cleanup, &topo, &link, err);

	if (ok && opt->json) {
		if (opt->yes)
			cleanup_remove(&cleanup);
		print_json(&cleanup);
	} else if (ok) {
		for (size_t i = 0; i < topo.host_count; i++)
			print_found(&cleanup.at[i]);
		ok = remove_lost(ctx, &cleanup, opt->yes, err);
	}
	if (ok) {
		struct counts n = count(&cleanup);

		*exit_code = code_of(&n);
	}
	cleanup_close(&cleanup);
	vault_close(&vault);
	topology_done(&topo);
	return ok;
}

/* clang-format off */
const struct command cmd_cleanup = {
	.name = "cleanup",
	.summary = "remove what lost runs left on the hosts",
	.operands = "[FILE]",
	.details =
		"Looks on every host of FILE (./lab.yaml) for folders .vnm-* and agents that runs left\n"
		"behind when they were killed, shows them, and removes them after a question. What a\n"
		"run still uses, what is younger than a minute, and what is of another account stays.",
	.operand_max = 1,
	.options = options,
	.options_size = sizeof(struct cleanup_options),
	.run = run,
};
/* clang-format on */
