/* SPDX-License-Identifier: MIT */
#include "cli/exit_code.h"

int exit_code_of(enum err_kind kind)
{
	switch (kind) {
	case ERR_NONE:
		return EXIT_DONE;
	case ERR_USAGE:
	case ERR_INPUT:
		return EXIT_USAGE;
	case ERR_REMOTE:
	case ERR_TIMEOUT:
		return EXIT_BLOCKED;
	case ERR_SYSTEM:
		return EXIT_MACHINE;
	case ERR_CANCELLED:
		return EXIT_INTERRUPTED;
	}
	return EXIT_MACHINE;
}
