/* SPDX-License-Identifier: MIT */
/* A .pub file, and what it holds against itself, as key and as certificate. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/key_blob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Without a byte behind it, so that reading past it is seen. */
static void check_blob(const unsigned char *at, size_t len)
{
	unsigned char *copy = malloc(len == 0 ? 1 : len);
	struct key_blob blob = {copy, len};

	if (copy == NULL)
		abort();
	memcpy(copy, at, len);
	if (key_blob_certifies(blob, blob)) /* it cannot be both */
		abort();
	for (size_t cut = 0; cut <= len; cut++) {
		struct key_blob key = {copy, cut};
		struct key_blob rest = {copy + cut, len - cut};

		if (key_blob_certifies(key, rest) &&
		    (!key_blob_is_certificate(key) || key_blob_is_certificate(rest)))
			abort();
	}
	(void)!key_blob_is_security_key(blob);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char room[KEY_BLOB_BYTES];
	char *text = malloc(size + 1);
	struct key_blob blob;

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (key_blob_parse_file(text, size, room, &blob)) {
		if (blob.at != room || blob.len == 0 || blob.len > sizeof(room))
			abort();
		check_blob(blob.at, blob.len);
	}
	free(text);
	if (size < 600)
		check_blob(data, size);
	return 0;
}
