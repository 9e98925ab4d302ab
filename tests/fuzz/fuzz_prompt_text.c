/* SPDX-License-Identifier: MIT */
/* A server's question: what is shown of it is one line that steers nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/prompt_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char clean[PROMPT_TEXT_BYTES];
	char again[PROMPT_TEXT_BYTES];

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	prompt_text_clean(text, clean);
	for (const unsigned char *c = (const unsigned char *)clean; *c != '\0'; c++) {
		if (*c < ' ' || *c == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0))
			abort();
	}
	prompt_text_clean(clean, again);
	if (strcmp(clean, again) != 0)
		abort();
	if (prompt_text_says_password(text) && !prompt_text_means_password(text))
		abort();
	free(text);
	return 0;
}
