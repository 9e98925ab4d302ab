/* SPDX-License-Identifier: MIT */
#include "measure/files.h"

#include <errno.h>

bool files_reserve(const struct request *r, rlim_t wanted, struct failure *f)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return failure_set_errno(f, errno, "RLIMIT_NOFILE");
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
		return true;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted)
		return failure_set(
			f, FAILURE_SYSTEM,
			"%u streams need %u open files, the limit is %u: raise ulimit -n",
			r->streams, (unsigned)wanted, (unsigned)limit.rlim_max);
	limit.rlim_cur = wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return failure_set_errno(f, errno, "RLIMIT_NOFILE");
	return true;
}
