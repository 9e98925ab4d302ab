/* SPDX-License-Identifier: MIT */
#include "hostops/esxi_host.h"

#include <stdio.h>
#include <string.h>

#include "hostops/keyed.h"

bool esxi_version_read(const char *said, struct esxi_version *out)
{
	static const char product[] = "VMware ESXi ";
	const char *at = strstr(said, product);
	const char *build;
	size_t len;

	if (at == NULL)
		return false;
	at += sizeof(product) - 1;
	len = strcspn(at, " \r\n");
	if (len == 0 || len >= sizeof(out->text) || strspn(at, "0123456789.") < len)
		return false;
	memcpy(out->text, at, len);
	out->text[len] = '\0';
	if (!keyed_int(at, strcspn(at, ". "), &out->major))
		return false;
	build = at + strcspn(at, ". ");
	out->minor = RECORDS_UNKNOWN;
	if (*build == '.' && !keyed_int(build + 1, strcspn(build + 1, ". \r\n"), &out->minor))
		out->minor = RECORDS_UNKNOWN;
	build = strstr(at, "build-");
	if (build == NULL || !keyed_int(build + 6, strcspn(build + 6, " \r\n"), &out->build))
		out->build = RECORDS_UNKNOWN;
	return true;
}

bool esxi_cpu_read(const char *said, char *out, size_t room)
{
	struct keyed_line line;
	size_t type_indent = 0;
	bool is_processor = false;

	while (keyed_next(&said, &line)) {
		if (!is_processor) {
			is_processor = keyed_is(&line, "Processor Info (Type 4)");
			type_indent = line.indent;
		} else if (line.key_len > 0 && line.indent <= type_indent) {
			is_processor = false;
		} else if (keyed_is(&line, "Version") && line.value_len > 0) {
			(void)snprintf(out, room, "%.*s", (int)line.value_len, line.value);
			return line.value_len < room;
		}
	}
	return false;
}

int64_t esxi_advcfg_read(const char *said, const char *option)
{
	const char *at = strstr(said, "Value of ");
	size_t len = strlen(option);
	int64_t value;

	if (at == NULL || strncmp(at + 9, option, len) != 0 ||
	    strncmp(at + 9 + len, " is ", 4) != 0)
		return RECORDS_UNKNOWN;
	at += 9 + len + 4;
	return keyed_int(at, strcspn(at, "\r\n"), &value) ? value : RECORDS_UNKNOWN;
}

struct records esxi_ports_read(struct arena *arena, const char *said)
{
	static const char *const keys[] = {"PortNum",    "Type",       "SubType",
	                                   "SwitchName", "MACAddress", "ClientName"};
	struct records all = {0};

	for (const char *next; *said != '\0'; said = next) {
		size_t len = strcspn(said, "\r\n");
		const char *end = said + len;
		const char *at = said + strspn(said, " ");
		struct record *r;

		next = end + strspn(end, "\r\n");
		if (*at < '0' || *at > '9')
			continue; /* the headings */
		r = records_add(arena, &all);
		for (size_t i = 0; r != NULL && i < COUNT_OF(keys) && at < end; i++) {
			size_t n =
				i + 1 == COUNT_OF(keys) ? (size_t)(end - at) : strcspn(at, " \r\n");

			record_add(arena, r, keys[i], strlen(keys[i]), at, n);
			at += n;
			at += strspn(at, " ");
		}
	}
	return all;
}

/* A field in quotes, as all of esxtop's are; moves *at to the next one. */
static bool next_quoted(const char **at, const char **field, size_t *len)
{
	if (**at != '"')
		return false;
	*field = *at + 1;
	*len = strcspn(*field, "\"\n");
	*at = *field + *len;
	*at += **at == '"';
	*at += **at == ',';
	return true;
}

static bool holds(const char *at, size_t len, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= len; i++) {
		if (memcmp(at + i, part, n) == 0)
			return true;
	}
	return false;
}

bool esxi_esxtop_read(const char *said, const char *column, char *out, size_t room)
{
	const char *first = said;
	const char *last = said;
	const char *field;
	size_t index = 0;
	size_t len;

	for (const char *line = said; *line != '\0';) {
		if (*line == '"')
			last = line;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	while (next_quoted(&said, &field, &len) && !holds(field, len, column))
		index++;
	if (last == first)
		return false; /* the headings alone, or nothing */
	for (size_t i = 0; next_quoted(&last, &field, &len); i++) {
		if (i < index)
			continue;
		(void)snprintf(out, room, "%.*s", (int)len, field);
		return len < room;
	}
	return false;
}
