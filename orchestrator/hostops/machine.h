/* SPDX-License-Identifier: MIT */
/*
 * machine.h - which agent fits which host: by the words of uname, and by the header of
 * the agent's file.
 */
#ifndef HOSTOPS_MACHINE_H
#define HOSTOPS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* The machine that fits any host: a script's. */
#define MACHINE_ANY "any"

/*
 * The machine that a program is for, "x86_64", from its ELF header (elf(5)); MACHINE_ANY
 * when it is a script; NULL when it is neither, or for a machine that is not known here.
 */
const char *machine_of_program(const char *bytes, size_t len);

/* The machine whose agent fits a host of this kind, "Linux/x86_64" (uname -s, uname -m);
 * NULL: none is known. */
const char *machine_of_host(const char *kind);

/* Whether a build on another machine can have an agent for it (cmake/foreign_agents.cmake). */
bool machine_has_cross_agent(const char *machine);

/* As the pattern of a shell's `case`, for machine_of_program()'s answers. */
const char *machine_pattern(const char *machine);

#endif
