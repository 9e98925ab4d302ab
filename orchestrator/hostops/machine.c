/* SPDX-License-Identifier: MIT */
#include "hostops/machine.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/attr.h"

#define ELF_HEAD_BYTES 20

/*
 * e_machine, EI_CLASS and EI_DATA as in elf(5); then what `uname -s` and `uname -m` say.
 * ESXi runs static Linux programs. A 32-bit process on a 64-bit ARM is told armv8l.
 */
static const struct machine {
	const char *name;
	unsigned elf;
	unsigned char elf_class, elf_data;
	bool has_cross_agent;
	const char *hosts;
} machines[] = {
	{"x86_64", 62, 2, 1, true, "Linux/x86_64|Linux/amd64|VMkernel/x86_64"},
	{"aarch64", 183, 2, 1, true, "Linux/aarch64|Linux/arm64"},
	{"armv7", 40, 1, 1, true, "Linux/armv7*|Linux/armv8l"},
	{"i386", 3, 1, 1, false, "Linux/i?86"},
	{"riscv64", 243, 2, 1, false, "Linux/riscv64"},
	{"ppc64le", 21, 2, 1, false, "Linux/ppc64le"},
	{"s390x", 22, 2, 2, false, "Linux/s390x"},
	{"loongarch64", 258, 2, 1, false, "Linux/loongarch64"},
};

const char *machine_of_program(const char *bytes, size_t len)
{
	const unsigned char *b = (const unsigned char *)bytes;
	unsigned elf;

	if (len >= 2 && memcmp(bytes, "#!", 2) == 0)
		return MACHINE_ANY;
	if (len < ELF_HEAD_BYTES || memcmp(bytes, "\177ELF", 4) != 0)
		return NULL;
	elf = b[5] == 1 ? b[18] | (unsigned)b[19] << 8 : (unsigned)b[18] << 8 | b[19];
	for (size_t i = 0; i < COUNT_OF(machines); i++) {
		const struct machine *m = &machines[i];

		if (m->elf == elf && m->elf_class == b[4] && m->elf_data == b[5])
			return m->name;
	}
	return NULL;
}

/* One of the patterns between the bars. */
static bool fits(const char *patterns, const char *kind)
{
	for (const char *at = patterns; *at != '\0';) {
		size_t len = strcspn(at, "|");
		char pattern[64];

		(void)snprintf(pattern, sizeof(pattern), "%.*s", (int)len, at);
		if (fnmatch(pattern, kind, 0) == 0)
			return true;
		at += at[len] == '|' ? len + 1 : len;
	}
	return false;
}

const char *machine_of_host(const char *kind)
{
	for (size_t i = 0; i < COUNT_OF(machines); i++) {
		if (fits(machines[i].hosts, kind))
			return machines[i].name;
	}
	return NULL;
}

bool machine_has_cross_agent(const char *machine)
{
	for (size_t i = 0; i < COUNT_OF(machines); i++) {
		if (strcmp(machines[i].name, machine) == 0)
			return machines[i].has_cross_agent;
	}
	return false;
}

const char *machine_pattern(const char *machine)
{
	for (size_t i = 0; i < COUNT_OF(machines); i++) {
		if (strcmp(machines[i].name, machine) == 0)
			return machines[i].hosts;
	}
	return "*";
}
