/* SPDX-License-Identifier: MIT */
/* reading.h - a topology read from a text, with what was told about it. */
#ifndef TESTS_TOPOLOGY_READING_H
#define TESTS_TOPOLOGY_READING_H

#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "topology/topology.h"

struct reading {
	struct topology topo;
	struct diag_list diags;
	struct err err;
	struct text told; /* "line:column: [note: ]text", a line each */
	bool ok;
};

static inline void reading_tell(struct reading *r)
{
	for (const struct diag *d = r->diags.first; d != NULL; d = d->next)
		text_printf(&r->told, "%s%u:%u: %s%s", r->told.len == 0 ? "" : "\n", d->pos.line,
		            d->pos.column, d->level == DIAG_NOTE ? "note: " : "", d->text);
}

static inline void reading_done(struct reading *r)
{
	topology_done(&r->topo);
	diag_done(&r->diags);
	text_done(&r->told);
	*r = (struct reading){0};
}

/* Reads text anew into r. Returns what was told. */
static inline const char *reading_of(struct reading *r, const char *text)
{
	reading_done(r);
	r->ok = topology_load_text("lab.yaml", text, strlen(text), "/home/u", &r->topo, &r->diags,
	                           &r->err);
	reading_tell(r);
	return text_str(&r->told);
}

#endif
