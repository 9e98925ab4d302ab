/* SPDX-License-Identifier: MIT */
#include "cli/lab.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"

static bool ends_with(const char *s, const char *end)
{
	size_t s_len = strlen(s);
	size_t end_len = strlen(end);

	return s_len >= end_len && strcmp(s + s_len - end_len, end) == 0;
}

static bool is_file_operand(const char *s)
{
	struct stat st;

	return strchr(s, '/') != NULL || ends_with(s, ".yaml") || ends_with(s, ".yml") ||
	       strcmp(s, "-") == 0 || stat(s, &st) == 0;
}

void lab_split_operands(int count, char *operands[], struct lab_operands *out)
{
	bool has_file = count > 0 && is_file_operand(operands[0]);

	*out = (struct lab_operands){
		.file = has_file ? operands[0] : LAB_FILE,
		.profiles = (const char *const *)(operands + (has_file ? 1 : 0)),
		.profile_count = (size_t)(count - (has_file ? 1 : 0)),
	};
}

static void print_problems(const char *file, const struct diag_list *diags)
{
	size_t shown = 0;

	for (const struct diag *d = diags->first; d != NULL; d = d->next) {
		(void)fprintf(stderr, "%s:%u:%u: %s%s\n", file, d->pos.line, d->pos.column,
		              d->level == DIAG_NOTE ? "note: " : "", d->text);
		shown++;
	}
	if (shown < diags->errors + diags->notes)
		(void)fprintf(stderr, "%s: and %zu more\n", file,
		              diags->errors + diags->notes - shown);
}

/* A file that is not there is no fault of this machine but of the command line. */
static bool is_wrong_name(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR || errnum == EISDIR || errnum == EACCES;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool lab_load(const struct command_context *ctx, const char *file, struct topology *out,
              struct err *err)
{
	struct diag_list diags = {0};
	bool ok;

	*out = (struct topology){0};
	if (is_folder(file))
		return err_set(err, ERR_INPUT, "%s: is a directory, a topology file is wanted",
		               file);
	ok = topology_load(file, ctx->home, out, &diags, err);
	print_problems(file, &diags);
	diag_done(&diags);
	if (!ok && err->sys_errno == ENOENT && strcmp(file, "-") == 0)
		return err_set(err, ERR_INPUT,
		               "-: a topology is not read from standard input, name a file");
	if (!ok && is_wrong_name(err->sys_errno))
		err->kind = ERR_INPUT;
	return ok;
}

/* Any number will do: it is told and stored. Nine digits can be typed again. */
static uint64_t draw_seed(void)
{
	uint64_t x = (uint64_t)clock_wall_ms() * 1000003u + (uint64_t)getpid();

	/* splitmix64's mixing step, so that runs started in a row look unlike */
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (x ^ (x >> 31)) % 1000000000u;
}

bool lab_plan(const struct topology *topo, const struct lab_operands *operands,
              const struct lab_request *request, struct plan *out, struct err *err)
{
	struct plan_request wanted = {
		.profiles = operands->profiles,
		.profile_count = operands->profile_count,
		.only = request->only,
		.has_seed = request->seed.is_given,
		.seed = request->seed.value,
	};

	return plan_make(topo, &wanted, draw_seed(), out, err);
}

bool lab_find_db(const struct command_context *ctx, const char *db, struct arena *arena,
                 const char **out, struct err *err)
{
	struct topology topo = {0};
	struct diag_list diags = {0};
	struct stat st;
	bool ok = true;

	*out = db != NULL ? db : LAB_DB;
	if (db != NULL || stat(LAB_FILE, &st) != 0)
		return true;
	ok = topology_load(LAB_FILE, ctx->home, &topo, &diags, err);
	if (!ok && topo.store != NULL) {
		(void)fprintf(
			stderr,
			"note: %s has mistakes (`vnm check` shows them); its store %s is used\n",
			LAB_FILE, topo.store);
		ok = true;
	}
	if (ok)
		*out = arena_strndup(arena, topo.store, strlen(topo.store));
	else
		(void)err_set(err, ERR_INPUT,
		              "%s names the database but has mistakes: see `vnm "
		              "check`, or name the database with --db",
		              LAB_FILE);
	topology_done(&topo);
	diag_done(&diags);
	return ok;
}
