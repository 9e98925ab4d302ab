/* SPDX-License-Identifier: MIT */
/* wire_doc.h - what schemas/protocol.def says of messages and fields. Not in common/wire:
 * neither program needs the texts, and the agent has no room for them. */
#ifndef TESTS_SUPPORT_WIRE_DOC_H
#define TESTS_SUPPORT_WIRE_DOC_H

#include "common/wire/msg.h"

/* What it asks for or tells; static. */
const char *wire_doc_message(enum msg_type type);

/* The meaning of wire_messages[type].fields[index], with its unit; static. */
const char *wire_doc_field(enum msg_type type, size_t index);

#endif
