/* SPDX-License-Identifier: MIT */
/* field_doc.h - a table of keys as a list of a mdoc(7) manual page. */
#ifndef CONFIG_FIELD_DOC_H
#define CONFIG_FIELD_DOC_H

#include "common/text.h"
#include "config/field.h"

/* Adds a tagged list with an item for each row: meaning, kind, range, default, what is missing. */
void field_doc_mdoc(const struct field *rows, struct text *out);

#endif
