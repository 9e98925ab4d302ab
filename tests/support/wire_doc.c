/* SPDX-License-Identifier: MIT */
#include "tests/support/wire_doc.h"

#define DOC_ROW(M, kind, name, need, doc) doc,
#define DOC_TABLE(NAME, name, dir, doc) \
	static const char *const docs_##name[] = {WIRE_FIELDS_##name(DOC_ROW, name)};
WIRE_MESSAGES(DOC_TABLE)

#define MESSAGE_ROW(NAME, name, dir, doc) [MSG_##NAME] = {doc, docs_##name},
static const struct {
	const char *message;
	const char *const *fields;
} docs[MSG_TYPE_COUNT] = {WIRE_MESSAGES(MESSAGE_ROW)};

const char *wire_doc_message(enum msg_type type)
{
	return docs[type].message;
}

const char *wire_doc_field(enum msg_type type, size_t index)
{
	return docs[type].fields[index];
}
