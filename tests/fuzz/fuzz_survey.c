/* SPDX-License-Identifier: MIT */
/* What a host answers to the survey, line by line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostops/survey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Shown in a command to be typed: nothing in it may mean something to a shell. */
static void check_remedy(const struct firewall *f)
{
	struct text remedy = {0};

	firewall_add_remedy(&remedy, f, 5201, 5210);
	if (f->kind == FIREWALL_NFTABLES && strpbrk(text_str(&remedy), "$`;&|<>(){}\\\"'!*?~#\n"))
		abort();
	if ((remedy.len > 0) != (f->kind > FIREWALL_NONE))
		abort();
	text_done(&remedy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct survey_reader *reader = malloc(sizeof(*reader));
	struct survey out;
	char why[PRIVILEGE_WHY_BYTES];
	size_t at = 0;

	if (reader == NULL)
		abort();
	survey_read_begin(reader, &out);
	while (at < size) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t len = end == NULL ? size - at : (size_t)(end - data) - at;
		char *line = calloc(1, len + 1); /* of its own: reading past it is seen */

		if (line == NULL)
			abort();
		memcpy(line, data + at, len);
		survey_read(reader, line);
		if (privilege_is_refusal(line, why) != (why[0] != '\0'))
			abort();
		free(line);
		at += len + 1;
	}
	survey_read_end(reader);
	if (strlen(out.privilege_why) >= sizeof(out.privilege_why) ||
	    strlen(out.firewall.chain) >= sizeof(out.firewall.chain) ||
	    strlen(out.firewall.closed) >= sizeof(out.firewall.closed))
		abort();
	check_remedy(&out.firewall);
	free(reader);
	return 0;
}
