/* SPDX-License-Identifier: MIT */
/* restore_view.h - what `vnm restore` prints. */
#ifndef CLI_RESTORE_VIEW_H
#define CLI_RESTORE_VIEW_H

#include "run/restore.h"

/* A line for each setting, and the sum. */
void restore_view_text(const struct restore *r, bool is_check);

void restore_view_json(const struct restore *r);

/* Settings that are not as before, as far as is known. */
size_t restore_view_open(const struct restore *r);

#endif
