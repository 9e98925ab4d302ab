/* SPDX-License-Identifier: MIT */
/* What ssh says, a server's banner in it: whatever comes, the messages are whole. */
#include <stdlib.h>
#include <string.h>

#include "remote/openssh_said.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct err *err)
{
	if (err->kind == ERR_NONE || err->msg[0] == '\0')
		abort();
	for (const char *c = err->msg; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct openssh_asked asked = {.host = "web"};
	struct openssh_said said = {0};
	struct err err = {0};
	char *text = malloc(size == 0 ? 1 : size); /* no NUL after it: reading past it is seen */

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	openssh_said_take(&said, text, size / 2);
	openssh_said_take(&said, text + size / 2, size - size / 2);
	openssh_said_end(&said);
	(void)openssh_said_error(&said, &asked, &err);
	check(&err);
	(void)openssh_said_timeout(&said, &asked, 1500, &err);
	check(&err);
	if (openssh_said_stage(&said) == TRANSPORT_OPEN)
		abort();
	free(text);
	return 0;
}
