/* SPDX-License-Identifier: MIT */
/*
 * Reads every NAME.yaml of a folder and compares what is told about it with
 * NAME.ok. UPDATE=1 writes NAME.ok instead; look at the diff.
 *
 * usage: golden_check FOLDER
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "common/text.h"
#include "topology/topology.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* "NAME.yaml:LINE:COLUMN: [note: ]TEXT" a line each, then the verdict. */
static void tell(const char *path, struct text *out)
{
	struct topology topo = {0};
	struct diag_list diags = {0};
	struct err err = {0};
	const char *name = base_name(path);
	char *text = NULL;
	size_t len = 0;

	if (!io_read_file(path, (size_t)1 << 20, &text, &len, &err)) {
		text_printf(out, "%s\n", err.msg);
		return;
	}
	if (topology_load_text(name, text, len, "/home/u", &topo, &diags, &err))
		text_printf(out, "good: %zu hosts, %zu profiles\n", topo.host_count,
		            topo.profile_count);
	else
		text_printf(out, "%s\n", err.msg);
	for (const struct diag *d = diags.first; d != NULL; d = d->next)
		text_printf(out, "%s:%u:%u: %s%s\n", name, d->pos.line, d->pos.column,
		            d->level == DIAG_NOTE ? "note: " : "", d->text);
	topology_done(&topo);
	diag_done(&diags);
	free(text);
}

static bool write_file(const char *path, const struct text *t)
{
	FILE *file = fopen(path, "wb");
	bool ok = file != NULL && fwrite(t->at, 1, t->len, file) == t->len;

	if (file != NULL)
		ok = fclose(file) == 0 && ok;
	return ok;
}

static bool compare(const char *ok_path, const struct text *got)
{
	struct err err = {0};
	char *want = NULL;
	size_t len;
	bool same;

	if (!io_read_file(ok_path, (size_t)1 << 20, &want, &len, &err)) {
		(void)fprintf(stderr, "%s\n", err.msg);
		return false;
	}
	same = strcmp(want, text_str(got)) == 0;
	if (!same)
		(void)fprintf(stderr, "%s differs\n--- want\n%s--- got\n%s", ok_path, want,
		              text_str(got));
	free(want);
	return same;
}

int main(int argc, char **argv)
{
	const char *wish = getenv("UPDATE");
	bool update = wish != NULL && strcmp(wish, "1") == 0;
	char pattern[1024], ok_path[1100];
	glob_t files;
	bool ok = true;

	if (argc != 2)
		return 2;
	(void)snprintf(pattern, sizeof(pattern), "%s/*.yaml", argv[1]);
	if (glob(pattern, 0, NULL, &files) != 0)
		return 2;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *path = files.gl_pathv[i];
		struct text got = {0};

		(void)snprintf(ok_path, sizeof(ok_path), "%.*s.ok",
		               (int)(strlen(path) - strlen(".yaml")), path);
		tell(path, &got);
		ok = (update ? write_file(ok_path, &got) : compare(ok_path, &got)) && ok;
		text_done(&got);
	}
	globfree(&files);
	return ok ? 0 : 1;
}
