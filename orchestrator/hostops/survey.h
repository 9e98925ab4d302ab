/* SPDX-License-Identifier: MIT */
/*
 * survey.h - what the preflight asks a host besides its agent, in one command that
 * only reads: what the login may do as root, and which firewall is on.
 */
#ifndef HOSTOPS_SURVEY_H
#define HOSTOPS_SURVEY_H

#include "hostops/firewall.h"
#include "hostops/privilege.h"
#include "hostops/shell.h"

struct survey {
	enum privilege privilege;
	char privilege_why[PRIVILEGE_WHY_BYTES];
	struct firewall firewall;
};

struct survey_reader {
	struct survey *out;
	struct firewall_reader firewall;
};

/* Adds the command to out. */
bool survey_command(struct text *out, const struct shell_marker *marker, struct err *err) NODISCARD;

void survey_read_begin(struct survey_reader *r, struct survey *out); /* *out: nothing known */
void survey_read(struct survey_reader *r, const char *marked); /* a line, see shell_marker_read() */
void survey_read_end(struct survey_reader *r);

#endif
