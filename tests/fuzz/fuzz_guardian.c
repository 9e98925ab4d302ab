/* SPDX-License-Identifier: MIT */
/* What a guardian answers, line by line; then the same lines as what it is asked. */
#include <stdlib.h>
#include <string.h>

#include "hostops/guardian.h"

#define TOKEN "00112233445566778899aabbccddeeff"
#define LINES 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(const char *line)
{
	struct guardian_said *said = malloc(sizeof(*said)); /* reading past it is seen */

	if (said == NULL)
		abort();
	if (guardian_read(line, said)) {
		if (said->word >= GUARDIAN_WORD_COUNT || said->number > GUARDIAN_UNDOS_MAX ||
		    (said->word == GUARDIAN_ARMED) != (said->folder[0] == '/'))
			abort();
		if (strlen(said->text) >= sizeof(said->text) ||
		    strlen(said->boot) >= sizeof(said->boot) || strchr(said->folder, ' ') != NULL)
			abort();
	}
	free(said);
}

static size_t count_newlines(const struct text *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->len; i++)
		count += t->at[i] == '\n';
	return count;
}

/* Whatever the lines are, a request stays as many lines as it has, and a word one word. */
static void check_requests(char *const lines[LINES])
{
	const struct guardian_undo undo = {.number = 1,
	                                   .what = lines[0],
	                                   .look = lines[1],
	                                   .before = lines[2],
	                                   .wanted = lines[3],
	                                   .back = lines[4]};
	const struct guardian_arm arm = {.dead_man_s = 10, .owner = lines[5]};
	struct text text = {0};
	struct err err;

	if (guardian_add_keep(&text, TOKEN, &undo, &err) ? count_newlines(&text) != 7
	                                                 : text.len != 0)
		abort();
	text_clear(&text);
	if (guardian_add_arm(&text, TOKEN, &arm, &err)) {
		const char *at = strchr(text_str(&text), '\'');
		size_t quotes = 0;

		for (; at != NULL && *at != '\0'; at++)
			quotes += *at == '\'';
		/* The two around it; each of its own makes three and a backslash. */
		if (count_newlines(&text) != 1 || quotes < 2 || (quotes - 2) % 3 != 0)
			abort();
	} else if (text.len != 0) {
		abort();
	}
	text_clear(&text);
	if (guardian_add_beat(&text, lines[0], 1, &err) &&
	    strspn(lines[0], "0123456789abcdef") != GUARDIAN_TOKEN_BYTES - 1)
		abort();
	text_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *lines[LINES] = {NULL};
	size_t count = 0;
	size_t at = 0;

	while (at < size) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t len = end == NULL ? size - at : (size_t)(end - data) - at;
		char *line = calloc(1, len + 1); /* of its own: reading past it is seen */

		if (line == NULL)
			abort();
		memcpy(line, data + at, len);
		check_answer(line);
		free(lines[count % LINES]);
		lines[count++ % LINES] = line;
		at += len + 1;
	}
	if (count >= LINES)
		check_requests(lines);
	for (size_t i = 0; i < LINES; i++)
		free(lines[i]);
	return 0;
}
