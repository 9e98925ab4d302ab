/* SPDX-License-Identifier: MIT */
/*
 * privilege.h - what a login may do as root, and how a command is run as root.
 *
 * The probe asks `sudo -n true`, which changes nothing and asks nobody. To run a
 * script as root: privilege_command(), and with PRIVILEGE_SUDO_PASSWORD what
 * privilege_input() makes as the first bytes of its standard input. sudo gives
 * further lines of input to further attempts, so nothing more is sent before the
 * script has said a marked line of its own.
 */
#ifndef HOSTOPS_PRIVILEGE_H
#define HOSTOPS_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"

#define PRIVILEGE_WHY_BYTES   160
#define PRIVILEGE_INPUT_BYTES 258 /* a password, newline, NUL */

enum privilege {
	PRIVILEGE_UNKNOWN,
	PRIVILEGE_ROOT,
	PRIVILEGE_SUDO,          /* without a password */
	PRIVILEGE_SUDO_PASSWORD, /* sudo is there and asks for one */
	PRIVILEGE_NONE,
};

/* "root", "sudo", "sudo-password", "none"; NULL when it is not known. */
const char *privilege_name(enum privilege p) NODISCARD;

/* Adds the probe to a script that has $m. It says one marked line `login ...` and sets $S to
 * what runs a command as root at once ("", "sudo -n"), or to "no". */
void privilege_add_probe(struct text *script);

/* Reads what follows `login ` of that line; `why` tells what keeps it from more, or is "". */
enum privilege privilege_read(const char *said, char why[PRIVILEGE_WHY_BYTES]) NODISCARD;

/* Before a command within a script: "", "sudo -n -- ", ...; NULL when there is no way. */
const char *privilege_prefix(enum privilege p) NODISCARD;

/* Adds the command line that runs `script` as root (see shell_command()). False when there
 * is no way to be root, or the script holds what a shell would read. */
bool privilege_command(struct text *out, enum privilege p, const char *script,
                       struct err *err) NODISCARD;

/* The password as sudo reads it; its length in *len. Wipe `out` after use. False: it cannot be
 * one line, or is too long. */
bool privilege_input(const char *password, char out[PRIVILEGE_INPUT_BYTES], size_t *len,
                     struct err *err) NODISCARD;

/* Is what a command wrote to standard error a refusal of sudo? Then `why` is the reason with
 * its remedy. */
bool privilege_is_refusal(const char *said, char why[PRIVILEGE_WHY_BYTES]) NODISCARD;

#endif
