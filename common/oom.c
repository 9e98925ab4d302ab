/* SPDX-License-Identifier: MIT */
#include "common/oom.h"

#include <unistd.h>

_Noreturn void oom_end(void)
{
	static const char message[] = "vnm: out of memory\n";

	/* A message that cannot be written changes nothing: the exit code tells. */
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(OOM_EXIT_CODE);
	_exit(OOM_EXIT_CODE);
}
