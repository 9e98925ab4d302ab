/* SPDX-License-Identifier: MIT */
/* Any line: what is accepted can be written, and reads back the same. */
#include <stdlib.h>
#include <string.h>

#include "common/wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct msg msg;
	struct msg again;
	struct err err = {0};
	char line[WIRE_LINE_MAX];
	char same[WIRE_LINE_MAX];
	size_t len;

	if (!wire_decode((const char *)data, size, &msg, &err)) {
		if (err.kind != ERR_REMOTE || err.msg[0] == '\0')
			abort();
		return 0;
	}
	len = wire_encode(&msg, line);
	if (len == 0 || len > size + 1) /* size may lack the newline */
		abort();
	if (!wire_decode(line, len, &again, &err) || wire_encode(&again, same) != len)
		abort();
	if (memcmp(line, same, len) != 0)
		abort();
	return 0;
}
