/* SPDX-License-Identifier: MIT */
/* `vnm sql`: a question of the user's own. */
#include <stdio.h>
#include <string.h>

#include "cli/results.h"
#include "report/writer.h"

struct sql_options {
	const char *db;
	bool csv, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "db", .letter = 'd', .kind = OPTION_TEXT, .offset = offsetof(struct sql_options, db),
	 .value = "FILE", .help = "the database to read"},
	{.name = "csv", .letter = 'c', .kind = OPTION_FLAG, .offset = offsetof(struct sql_options, csv),
	 .help = "the rows as CSV"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct sql_options, json),
	 .help = "the rows as JSON"},
	{0},
};
/* clang-format on */

/* The table is begun with the first row, which brings the names. */
struct printer {
	const struct writer_format *format;
	struct arena arena;
	struct writer writer;
	struct writer_value *values;
	bool has_begun;
};

static void begin(struct printer *p, int columns, const char *const *names)
{
	size_t count = (size_t)columns;
	const char **kept = arena_alloc(&p->arena, count, sizeof(*kept));

	for (size_t i = 0; i < count; i++)
		kept[i] = arena_strndup(&p->arena, names[i], strlen(names[i]));
	p->values = arena_alloc(&p->arena, count, sizeof(*p->values));
	writer_begin(&p->writer, p->format, stdout, kept, count);
	p->has_begun = true;
}

static bool print_row(void *arg, int columns, const char *const *names, const char *const *values)
{
	struct printer *p = arg;

	if (!p->has_begun)
		begin(p, columns, names);
	for (int i = 0; i < columns; i++)
		p->values[i] = writer_guess(values[i]);
	writer_row(&p->writer, p->values);
	return ferror(stdout) == 0; /* nobody reads on: `vnm sql ... | head` */
}

static void end(struct printer *p)
{
	if (p->has_begun)
		writer_end(&p->writer);
	else if (p->format == &writer_json)
		(void)fputs("[]\n", stdout);
	else if (p->format == &writer_text)
		(void)fputs("no rows\n", stderr);
	arena_done(&p->arena);
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct sql_options *opt = raw;
	struct printer p = {0};
	struct results r = {0};
	bool ok;

	(void)operand_count;
	*exit_code = EXIT_DONE;
	ok = results_pick_format(opt->csv, opt->json, &p.format, err) &&
	     results_open(ctx, opt->db, &r, err) &&
	     store_query(r.store, operands[0], print_row, &p, err);
	if (ok || p.has_begun)
		end(&p);
	results_close(&r);
	return ok;
}

/* clang-format off */
const struct command cmd_sql = {
	.name = "sql",
	.summary = "ask the database in SQL",
	.operands = "QUERY",
	.details =
		"Runs one statement that only reads and prints its rows. `vnm sql 'select * from\n"
		"v_help'` tells the views. The sqlite3 program can ask the same file.",
	.operand_min = 1,
	.operand_max = 1,
	.options = options,
	.options_size = sizeof(struct sql_options),
	.run = run,
};
/* clang-format on */
