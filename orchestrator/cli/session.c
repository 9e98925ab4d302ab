/* SPDX-License-Identifier: MIT */
#include "cli/session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/consent.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "cli/unrestored.h"
#include "cli/vault.h"
#include "common/text.h"
#include "common/units.h"
#include "hostops/guardian.h"
#include "report/format.h"
#include "report/report.h"
#include "run/run.h"
#include "store/dataset.h"

static size_t list_changes(const struct session *s, struct text *out)
{
	struct arena arena = {0};
	struct plan_changes changes = plan_list_changes(s->plan, &arena);
	size_t count =
		s->consent.no_change ? 0 : consent_add_list(out, s->plan->topology, &changes);

	arena_done(&arena);
	return count;
}

static bool ask(const struct session *s, const char *list, size_t changes, struct err *err)
{
	char time[UNITS_TEXT_BYTES];
	char answer[16];
	struct text t = {0};

	text_add(&t, list);
	format_add_things(&t, s->plan->slot_count, "test");
	text_add(&t, " of ");
	format_add_things(&t, s->plan->cell_count, "cell");
	(void)fprintf(stderr, "%s, about %s of test traffic; %s. Go? [Y/n] ", text_str(&t),
	              units_format_eta(plan_estimate_ms(s->plan, 0), time),
	              changes > 0 ? "settings are changed as listed" : "no setting is changed");
	text_done(&t);
	if (fgets(answer, sizeof(answer), stdin) != NULL && strchr("yY\n", answer[0]) != NULL)
		return true;
	return err_set(err, ERR_CANCELLED, "not started");
}

bool session_agree(const struct session *s, struct err *err)
{
	struct text list = {0};
	size_t changes = list_changes(s, &list);
	bool can_ask = s->ctx->err.is_tty && isatty(STDIN_FILENO) != 0;
	bool ok = s->is_agreed || (s->is_resumed && changes == 0);

	/* A script is taken at its word, but for other people's machines it has to say it. */
	if (!ok && can_ask) {
		ok = ask(s, text_str(&list), changes, err);
	} else if (!ok && changes > 0) {
		(void)fputs(text_str(&list), stderr);
		ok = err_set(err, ERR_USAGE,
		             "settings of hosts would be changed: --yes agrees to it, --no-change "
		             "leaves them alone");
	} else {
		ok = true;
	}
	text_done(&list);
	return ok;
}

/* What became of the whole run, tests of earlier sessions included. */
struct tally {
	size_t done, bad, pending;
	size_t measured; /* of the bad ones: something came out, though it does not count */
};

static void count_bad(const struct dataset_cell *c, struct tally *out)
{
	out->bad++;
	out->measured += strcmp(c->state, cell_state_names[CELL_INVALID]) == 0 ||
	                 strcmp(c->state, cell_state_names[CELL_UNSTABLE]) == 0;
}

static bool load_tally(struct store *store, int64_t run_id, struct dataset *data, struct tally *out,
                       struct err *err)
{
	if (!dataset_load(store, run_id, data, err) || !dataset_load_tests(store, data, err))
		return false;
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < data->cell_count; i++) {
		const struct dataset_cell *c = &data->cells[i];
		bool is_skipped = strcmp(c->state, cell_state_names[CELL_SKIPPED]) == 0;

		if (is_skipped && result_is_by_choice(CELL_SKIPPED, c->reason))
			continue;
		if (strcmp(c->state, cell_state_names[CELL_DONE]) == 0)
			out->done++;
		else if (strcmp(c->state, cell_state_names[CELL_PENDING]) == 0 ||
		         strcmp(c->state, cell_state_names[CELL_RUNNING]) == 0)
			out->pending++;
		else
			count_bad(c, out);
	}
	return true;
}

static const char *status_of(const struct run_outcome *out, bool could_go_on)
{
	if (!could_go_on)
		return "aborted";
	if (out->is_interrupted && out->cells_missing > 0)
		return "interrupted";
	return out->cells_fault > 0 || out->cells_missing > 0 ? "failed" : "complete";
}

static int code_of(const struct run_outcome *out, const struct tally *t)
{
	if (out->is_interrupted && t->pending > 0)
		return EXIT_INTERRUPTED;
	if (t->done == 0 && t->bad > 0 && t->measured == 0)
		return EXIT_BLOCKED;
	return t->bad > 0 || t->pending > 0 ? EXIT_CELLS : EXIT_DONE;
}

static void show_how_to_resume(const struct session *s)
{
	struct text t = {0};

	text_add(&t, "to measure what is missing: vnm resume ");
	format_add_shell_word(&t, s->file);
	text_add(&t, " --db ");
	format_add_shell_word(&t, s->db_path);
	(void)fprintf(stderr, "%s\n", text_str(&t));
	text_done(&t);
}

static void show(const struct session *s, const struct dataset *data, const struct tally *t)
{
	struct report_style style = {.has_colour = s->ctx->out.has_colour,
	                             .width = s->ctx->out.width,
	                             .db_path = s->db_path};

	if (s->is_json)
		report_run_json(stdout, data);
	else if (!s->is_quiet || t->bad > 0)
		report_summary(stdout, data, &style);
	if (t->pending > 0 || t->bad > 0)
		show_how_to_resume(s);
}

/* For people who find the guardian on a host: what has changed it. */
static void name_owner(const struct session *s, char out[GUARDIAN_OWNER_BYTES])
{
	char machine[64] = "";

	if (gethostname(machine, sizeof(machine) - 1) != 0)
		machine[0] = '\0';
	(void)snprintf(out, GUARDIAN_OWNER_BYTES, "vnm, process %ld of %.40s on %s, run %lld",
	               (long)getpid(), s->ctx->user != NULL ? s->ctx->user : "somebody",
	               machine[0] != '\0' ? machine : "some machine", (long long)s->run_id);
}

static bool measure_with(const struct session *s, struct vault *vault, struct run_outcome *out,
                         struct err *err)
{
	struct progress progress;
	struct run_progress callbacks;
	struct journal_sink journal = store_journal(s->store);
	char owner[GUARDIAN_OWNER_BYTES];
	struct run_job job = {
		.plan = s->plan,
		.done = s->done,
		.link = {.agent_path = s->agent_path,
	                 .more_agents = s->more_agents,
	                 .auth_sock = s->ctx->ssh_auth_sock,
	                 .secrets = vault->secrets},
		.sink = store_sink(s->store),
		.journal = &journal,
		.owner = owner,
		.consent = s->consent,
		.progress = &callbacks,
		.wake_fd = -1,
		.stop_level = stop_level,
	};
	bool ok;

	name_owner(s, owner);
	if (!stop_install(&job.wake_fd, err))
		return false;
	progress_init(&progress, s->ctx, s->plan, &vault->prompt, s->is_quiet);
	callbacks = progress_callbacks(&progress);
	ok = run_plan(&job, out, err);
	progress_end(&progress);
	stop_remove();
	return ok;
}

static bool measure(const struct session *s, struct run_outcome *out, struct err *err)
{
	struct vault vault;
	bool ok;

	memset(out, 0, sizeof(*out));
	ok = vault_open(&vault, s->ctx, s->plan->topology, err) &&
	     measure_with(s, &vault, out, err);
	vault_close(&vault);
	return ok;
}

bool session_go(const struct session *s, int *exit_code, struct err *err)
{
	struct run_outcome out;
	struct dataset data = {0};
	struct tally tally;
	struct err later = {0};
	bool ok = measure(s, &out, err);
	const char *status = status_of(&out, ok);

	/* The first error counts; closing a run whose disk is full may well fail too. */
	if (!store_end_run(s->store, status, ok ? err : &later))
		ok = false;
	if (load_tally(s->store, s->run_id, &data, &tally, &later)) {
		data.run.status = status; /* also where the disk had no room for it */
		show(s, &data, &tally);
		*exit_code = code_of(&out, &tally);
	} else if (ok) {
		*err = later;
		ok = false;
	}
	dataset_done(&data);
	/* A run may have left some, or have put back what an earlier one left. */
	if (!unrestored_tell(s->ctx, s->store, s->db_path, ok ? err : &later))
		ok = false;
	return ok;
}
