/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/attr.h"
#include "common/io.h"
#include "hostops/machine.h"
#include "tests/support/test.h"

/* The beginning of an ELF file: class, byte order, machine. */
#define ELF(class, data, low, high)                                                             \
	"\177ELF" class data "\001\000\000\000\000\000\000\000\000\000\002\000" low high "\000" \
			     "\000"

static void a_programs_machine_is_read_from_its_header(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *machine;
	} programs[] = {
		{ELF("\002", "\001", "\076", "\000"), 22, "x86_64"},
		{ELF("\002", "\001", "\267", "\000"), 22, "aarch64"},
		{ELF("\001", "\001", "\050", "\000"), 22, "armv7"},
		{ELF("\002", "\001", "\363", "\000"), 22, "riscv64"},
		{ELF("\002", "\002", "\000", "\026"), 22, "s390x"},
		{ELF("\002", "\001", "\026", "\000"), 22, NULL}, /* s390 has the other order */
		{ELF("\001", "\001", "\076", "\000"), 22, NULL}, /* x32 */
		{ELF("\002", "\001", "\377", "\377"), 22, NULL},
		{ELF("\002", "\001", "\076", "\000"), 19, NULL}, /* cut off */
		{"#!/bin/sh\n", 10, MACHINE_ANY},
		{"/* a source */ int main(void) {}", 32, NULL},
		{"", 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		const char *machine = machine_of_program(programs[i].bytes, programs[i].len);

		if (programs[i].machine == NULL)
			assert_null(machine);
		else
			assert_string_equal(machine, programs[i].machine);
	}
}

static void this_program_fits_this_machine(void **state)
{
	struct utsname name;
	char kind[160];
	char *bytes;
	size_t len;
	struct err err;
	const char *machine;

	(void)state;
	assert_true(io_read_file("/proc/self/exe", (size_t)256 << 20, &bytes, &len, &err));
	machine = machine_of_program(bytes, len);
	free(bytes);
	assert_int_equal(uname(&name), 0);
	(void)snprintf(kind, sizeof(kind), "%s/%s", name.sysname, name.machine);
	assert_non_null(machine);
	assert_string_equal(machine, machine_of_host(kind));
}

static void a_hosts_machine_is_known_by_uname(void **state)
{
	static const struct {
		const char *kind, *machine;
	} hosts[] = {
		{"Linux/x86_64", "x86_64"},
		{"VMkernel/x86_64", "x86_64"},
		{"Linux/aarch64", "aarch64"},
		{"Linux/arm64", "aarch64"},
		{"Linux/armv7l", "armv7"},
		{"Linux/armv8l", "armv7"},
		{"Linux/armv6l", NULL}, /* no such floating point */
		{"Linux/i686", "i386"},
		{"FreeBSD/amd64", NULL},
		{"FreeBSD/x86_64", NULL},
		{"Darwin/arm64", NULL},
		{"Linux/x86_64|Linux/*", NULL},
		{"/", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		const char *machine = machine_of_host(hosts[i].kind);

		if (hosts[i].machine == NULL)
			assert_null(machine);
		else
			assert_string_equal(machine, hosts[i].machine);
	}
	assert_string_equal(machine_pattern("aarch64"), "Linux/aarch64|Linux/arm64");
	assert_string_equal(machine_pattern(MACHINE_ANY), "*");
	assert_true(machine_has_cross_agent("armv7"));
	assert_false(machine_has_cross_agent("riscv64"));
	assert_false(machine_has_cross_agent(MACHINE_ANY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_programs_machine_is_read_from_its_header),
		cmocka_unit_test(this_program_fits_this_machine),
		cmocka_unit_test(a_hosts_machine_is_known_by_uname),
	};

	return cmocka_run_group_tests_name("hostops/machine", tests, NULL, NULL);
}
