/* SPDX-License-Identifier: MIT */
/*
 * files.h - room for the descriptors of a test.
 */
#ifndef AGENT_MEASURE_FILES_H
#define AGENT_MEASURE_FILES_H

#include <stdbool.h>
#include <sys/resource.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/request.h"

/* Has the limit of open files raised to at least `wanted`, as far as the system allows; lets it
 * stand when it is enough. Fails with kind system. */
bool files_reserve(const struct request *r, rlim_t wanted, struct failure *f) NODISCARD;

#endif
