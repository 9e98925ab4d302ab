/* SPDX-License-Identifier: MIT */
#include "common/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/oom.h"

#define FIRST_ROOM 64

/* Room for len more bytes and a NUL. */
static void grow(struct text *t, size_t len)
{
	size_t room = t->room == 0 ? FIRST_ROOM : t->room;
	char *at;

	if (len >= SIZE_MAX / 2 - t->len)
		oom_end();
	while (room <= t->len + len)
		room *= 2;
	if (room == t->room)
		return;
	at = realloc(t->at, room);
	if (at == NULL)
		oom_end();
	t->at = at;
	t->room = room;
}

void text_add_bytes(struct text *t, const char *s, size_t len)
{
	grow(t, len);
	if (len > 0)
		memcpy(t->at + t->len, s, len);
	t->len += len;
	t->at[t->len] = '\0';
}

void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0) /* only for text longer than INT_MAX */
		oom_end();
	grow(t, (size_t)len);
	va_start(ap, fmt);
	(void)vsnprintf(t->at + t->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	t->len += (size_t)len;
}

const char *text_str(const struct text *t)
{
	return t->at == NULL ? "" : t->at;
}

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->at != NULL)
		t->at[0] = '\0';
}

void text_done(struct text *t)
{
	free(t->at);
	*t = (struct text){0};
}
