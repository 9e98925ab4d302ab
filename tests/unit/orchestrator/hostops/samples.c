/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/hostops/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"

char *sample_load(const char *name)
{
	char path[512];
	struct err err;
	size_t len;
	char *text;

	(void)snprintf(path, sizeof(path), "%s/%s", SAMPLES, name);
	if (!io_read_file(path, 1 << 20, &text, &len, &err)) {
		(void)fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	return text;
}

void sample_lines(const char *name, void (*each)(void *arg, const char *line), void *arg)
{
	char *text = sample_load(name);

	for (char *line = text; *line != '\0';) {
		char *end = line + strcspn(line, "\n");
		char *next = end + (*end == '\n');

		*end = '\0';
		each(arg, line);
		line = next;
	}
	free(text);
}
