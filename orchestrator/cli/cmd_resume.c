/* SPDX-License-Identifier: MIT */
/* `vnm resume`: go on with the newest run that is not complete. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/agent_file.h"
#include "cli/command.h"
#include "cli/consent.h"
#include "cli/lab.h"
#include "cli/session.h"
#include "cli/unrestored.h"
#include "common/text.h"

struct resume_options {
	const char *db;
	struct option_list allow;
	bool yes, no_change, quiet, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "db", .letter = 'd', .kind = OPTION_TEXT, .offset = offsetof(struct resume_options, db),
	 .value = "FILE", .help = "the database of the run instead of the topology's store"},
	{.name = "yes", .letter = 'y', .kind = OPTION_FLAG, .offset = offsetof(struct resume_options, yes),
	 .help = "agree to the changes of settings: do not ask"},
	{.name = "no-change", .kind = OPTION_FLAG, .offset = offsetof(struct resume_options, no_change),
	 .help = CONSENT_NO_CHANGE_HELP},
	{.name = "allow", .kind = OPTION_LIST, .offset = offsetof(struct resume_options, allow),
	 .value = "WHAT", .help = CONSENT_ALLOW_HELP},
	{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = offsetof(struct resume_options, quiet),
	 .help = "no progress; a summary only when something failed"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct resume_options, json),
	 .help = "the run as JSON on stdout"},
	{0},
};
/* clang-format on */

/* The database, and which topology the user means: the file may be gone when --db is given.
 * *sha256 stays empty then. */
static bool find_store(struct session *s, const char *db, struct arena *arena,
                       char sha256[SHA256_HEX_BYTES], struct err *err)
{
	struct topology topo;
	bool ok;

	s->db_path = db;
	if (db != NULL && access(s->file, R_OK) != 0)
		return true;
	ok = lab_load(s->ctx, s->file, &topo, err);
	if (ok) {
		memcpy(sha256, topo.source_sha256, SHA256_HEX_BYTES);
		if (db == NULL)
			s->db_path = arena_strndup(arena, topo.store, strlen(topo.store));
	}
	topology_done(&topo);
	return ok;
}

static bool find_run(struct store *store, const char *sha256, const char *file, const char *db,
                     struct store_resumable *out, struct err *err)
{
	bool found = false;

	if (sha256[0] != '\0' && !store_find_resumable(store, sha256, out, &found, err))
		return false;
	if (found)
		return true;
	if (!store_find_resumable(store, NULL, out, &found, err))
		return false;
	if (!found)
		return err_set(err, ERR_USAGE,
		               "%s: there is no run to go on with; start one with vnm run %s", db,
		               file);
	if (sha256[0] != '\0')
		(void)fprintf(stderr,
		              "note: %s is not what run %" PRId64
		              " was made with; the run goes on as it was planned\n",
		              file, out->run_id);
	return true;
}

/* "a b c" to a list of names, in the arena. */
static size_t split_names(struct arena *arena, const char *names, const char ***out)
{
	char *copy = arena_strndup(arena, names, strlen(names));
	size_t room = strlen(names) / 2 + 1;
	size_t count = 0;
	char *word;

	*out = arena_alloc(arena, room, sizeof(**out));
	while ((word = strsep(&copy, " ")) != NULL) {
		if (*word != '\0' && count < room)
			(*out)[count++] = word;
	}
	return count;
}

static bool go_on(struct session *s, const struct store_resumable *r, const struct topology *topo,
                  struct arena *arena, int *exit_code, struct err *err)
{
	struct plan_request request = {.only = r->only, .has_seed = true, .seed = r->seed};
	const char **names;
	struct plan plan;
	bool *done;
	bool ok = false;

	request.profile_count = split_names(arena, r->profile, &names);
	request.profiles = names;
	if (!plan_make(topo, &request, r->seed, &plan, err))
		return err_prefix(err, "run %" PRId64, r->run_id);
	done = arena_alloc(arena, plan.slot_count, sizeof(*done));
	s->plan = &plan;
	s->run_id = r->run_id;
	s->done = done;
	if (session_agree(s, err) && store_resume_run(s->store, r->run_id, &plan, done, err))
		ok = session_go(s, exit_code, err);
	s->plan = NULL;
	plan_done(&plan);
	return ok;
}

static bool resume(struct session *s, const char *sha256, struct arena *arena, int *exit_code,
                   struct err *err)
{
	struct store_resumable r = {0};
	struct diag_list diags = {0};
	struct topology topo = {0};
	bool ok = find_run(s->store, sha256, s->file, s->db_path, &r, err);

	if (ok)
		ok = topology_load_text(r.topology_path, r.topology_yaml, strlen(r.topology_yaml),
		                        s->ctx->home, &topo, &diags, err) &&
		     go_on(s, &r, &topo, arena, exit_code, err);
	topology_done(&topo);
	diag_done(&diags);
	store_resumable_done(&r);
	return ok;
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct resume_options *opt = raw;
	struct session s = {.ctx = ctx,
	                    .file = operand_count > 0 ? operands[0] : LAB_FILE,
	                    .is_agreed = opt->yes,
	                    .is_resumed = true,
	                    .is_quiet = opt->quiet,
	                    .is_json = opt->json};
	char agent_sha256[SHA256_HEX_BYTES];
	struct arena arena = {0};
	char sha256[SHA256_HEX_BYTES] = "";
	bool ok = consent_parse(opt->no_change, &opt->allow, &s.consent, err) &&
	          find_store(&s, opt->db, &arena, sha256, err) &&
	          agent_file_find(&arena, &s.agent_path, &s.more_agents, agent_sha256, err);

	if (ok && access(s.db_path, F_OK) != 0)
		ok = err_set(err, ERR_USAGE,
		             "%s: there is no such database; start a run with vnm run %s",
		             s.db_path, s.file);
	if (ok)
		s.store = store_open(s.db_path, STORE_WRITE, err);
	ok = ok && s.store != NULL && unrestored_tell(ctx, s.store, s.db_path, err) &&
	     resume(&s, sha256, &arena, exit_code, err);
	store_close(s.store);
	arena_done(&arena);
	return ok;
}

/* clang-format off */
const struct command cmd_resume = {
	.name = "resume",
	.summary = "go on with a run that was interrupted",
	.operands = "[FILE]",
	.details =
		"Takes the newest run that is not complete and measures exactly what is missing of\n"
		"it, with the topology, plan and seed that were stored when it began: cells that were\n"
		"not reached, failed, are invalid, or were skipped (a host was away, a setting differed).",
	.operand_min = 0,
	.operand_max = 1,
	.options = options,
	.options_size = sizeof(struct resume_options),
	.run = run,
};
/* clang-format on */
