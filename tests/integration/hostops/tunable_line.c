/* SPDX-License-Identifier: MIT */
/*
 * tunable_line - hostops/tunable.h on a command line, for Linux:
 *
 *	tunable_line probe SETTING OBJECT		the script that asks
 *	tunable_line read SETTING OBJECT		the line that prints the value
 *	tunable_line set SETTING OBJECT VALUE <SAID	the line that sets it, after what the probe said
 *	tunable_line undo SETTING OBJECT <SAID		the line that puts it back
 *	tunable_line limits SETTING OBJECT <SAID	least and greatest value
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hostops/tunable.h"

static const struct shell_marker marker = {"0123456789abcdef0123456789abcdef"};

static void read_said(const struct tunable *t, struct tunable_reading *reading)
{
	struct tunable_reader r;
	static char line[65536];

	tunable_read_begin(&r, t, reading, 1);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		const char *marked;

		line[strcspn(line, "\n")] = '\0';
		marked = shell_marker_read(&marker, line);
		if (marked != NULL)
			tunable_read(&r, marked);
	}
	tunable_read_done(&r);
}

static bool tell(const char *verb, const struct tunable *t, const char *value, struct text *out,
                 struct err *err)
{
	struct tunable_reading reading;

	if (strcmp(verb, "probe") == 0)
		return tunable_probe(out, &marker, t, 1, err);
	if (strcmp(verb, "read") == 0)
		return tunable_read_line(out, t, err);
	read_said(t, &reading);
	if (strcmp(verb, "undo") == 0)
		return tunable_undo_line(out, t, &reading, err);
	if (strcmp(verb, "limits") == 0) {
		text_printf(out, "%" PRId64 " %" PRId64, reading.min, reading.max);
		return true;
	}
	return tunable_check(t, &reading, value, err) &&
	       tunable_set_line(out, t, &reading, value, err);
}

int main(int argc, char **argv)
{
	struct tunable t = {.system = TUNABLE_LINUX};
	struct text out = {0};
	struct err err;
	bool ok;

	if (argc < 4 || !tunable_by_name(argv[2], &t.kind))
		return 2;
	t.object = argv[3];
	ok = tell(argv[1], &t, argc > 4 ? argv[4] : "", &out, &err);
	(void)puts(ok ? text_str(&out) : err.msg);
	text_done(&out);
	return ok ? 0 : 1;
}
