/* SPDX-License-Identifier: MIT */
#include "measure/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const failure_kind_names[] = {
	[FAILURE_USAGE] = "usage",         [FAILURE_PORT] = "port",
	[FAILURE_REFUSED] = "refused",     [FAILURE_TIMEOUT] = "timeout",
	[FAILURE_STALLED] = "stalled",     [FAILURE_TRUNCATED] = "truncated",
	[FAILURE_CANCELLED] = "cancelled", [FAILURE_SYSTEM] = "system",
};

bool failure_set(struct failure *f, enum failure_kind kind, const char *fmt, ...)
{
	va_list ap;

	f->kind = kind;
	va_start(ap, fmt);
	(void)vsnprintf(f->reason, sizeof(f->reason), fmt, ap);
	va_end(ap);
	return false;
}

bool failure_set_errno(struct failure *f, int errnum, const char *fmt, ...)
{
	char what[WIRE_STR_BYTES / 2];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return failure_set(f, FAILURE_SYSTEM, "%s: %s", what, strerror(errnum));
}
