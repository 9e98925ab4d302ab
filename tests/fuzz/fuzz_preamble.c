/* SPDX-License-Identifier: MIT */
/* 32 bytes that are accepted are the ones that would have been written; any text
 * is tried as a token. */
#include <stdlib.h>
#include <string.h>

#include "common/hex.h"
#include "common/wire/preamble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_token(const uint8_t *data, size_t size)
{
	char hex[PREAMBLE_TOKEN_HEX + 8] = {0};
	char back[PREAMBLE_TOKEN_HEX];
	unsigned char token[PREAMBLE_TOKEN_BYTES];

	memcpy(hex, data, size < sizeof(hex) - 1 ? size : sizeof(hex) - 1);
	if (!preamble_token_parse(hex, token))
		return;
	hex_format(token, sizeof(token), back);
	for (size_t i = 0; hex[i] != '\0' || back[i] != '\0'; i++) {
		if (hex_value(hex[i]) != hex_value(back[i]))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct preamble p;
	unsigned char again[PREAMBLE_BYTES];

	try_token(data, size);
	if (size < PREAMBLE_BYTES || !preamble_parse(data, &p))
		return 0;
	preamble_format(&p, again);
	if (memcmp(data, again, sizeof(again)) != 0)
		abort();
	return 0;
}
