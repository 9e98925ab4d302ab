/* SPDX-License-Identifier: MIT */
/*
 * protocol_doc.c - writes what follows from schemas/protocol.def.
 *
 * usage: protocol_doc tables	the tables of docs/PROTOCOL.md
 *        protocol_doc words	the words of the protocol as a libFuzzer dictionary
 */
#include <stdio.h>
#include <string.h>

#include "common/wire/codec.h"
#include "common/wire/msg.h"
#include "tests/support/wire_doc.h"

static const char *const kinds[] = {
	[WIRE_KIND_u32] = "u32",
	[WIRE_KIND_u64] = "u64",
	[WIRE_KIND_str] = "text",
};

static void print_overview(enum wire_dir dir, const char *title)
{
	printf("### %s\n\n| message | meaning |\n|---|---|\n", title);
	for (size_t t = 0; t < MSG_TYPE_COUNT; t++) {
		const struct wire_message *m = &wire_messages[t];

		if (m->dir == dir)
			printf("| [%s](#%s) | %s |\n", m->verb, m->verb,
			       wire_doc_message((enum msg_type)t));
	}
	printf("\n");
}

static void print_message(enum msg_type type)
{
	const struct wire_message *m = &wire_messages[type];

	printf("#### %s\n\n%s: %s.\n\n", m->verb,
	       m->dir == WIRE_TO_AGENT ? "Orchestrator to agent" : "Agent to orchestrator",
	       wire_doc_message(type));
	printf("| key | value | | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; i < m->field_count; i++) {
		const struct wire_field *f = &m->fields[i];

		printf("| %s | %s | %s | %s |\n", f->name, kinds[f->kind],
		       f->need == WIRE_REQ ? "required" : "optional", wire_doc_field(type, i));
	}
	printf("\n");
}

static void print_tables(void)
{
	printf("Version %d. A line has at most %d bytes with its newline; a decoded text has at "
	       "most %d bytes.\n\n",
	       WIRE_VERSION, WIRE_LINE_MAX - 1, WIRE_STR_BYTES - 1);
	print_overview(WIRE_TO_AGENT, "Orchestrator to agent");
	print_overview(WIRE_TO_ORCH, "Agent to orchestrator");
	printf("### Fields\n\nEvery message also has `id`, a u32.\n\n");
	for (size_t t = 0; t < MSG_TYPE_COUNT; t++)
		print_message((enum msg_type)t);
}

static void print_words(void)
{
	printf("\" id=\"\n");
	for (size_t t = 0; t < MSG_TYPE_COUNT; t++) {
		printf("\"%s\"\n", wire_messages[t].verb);
		for (size_t i = 0; i < wire_messages[t].field_count; i++)
			printf("\" %s=\"\n", wire_messages[t].fields[i].name);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "tables") == 0)
		print_tables();
	else if (argc == 2 && strcmp(argv[1], "words") == 0)
		print_words();
	else
		return 2;
	return fflush(stdout) == 0 ? 0 : 1;
}
