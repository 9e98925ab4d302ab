/* SPDX-License-Identifier: MIT */
/*
 * shell.h - the only builder of command lines for a host.
 *
 * A server hands the line to the user's login shell, which may be sh, csh, tcsh, fish
 * or zsh. All of them read alike
 *
 *	exec /bin/sh -c '...'
 *
 * when there is no ', \, ! or newline inside; the script then runs in a POSIX shell.
 * What it says is found among the noise of profile and rc files by a random marker.
 */
#ifndef HOSTOPS_SHELL_H
#define HOSTOPS_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"

/* How a script begins: messages in one language, files for us alone, tools found wherever
 * they are. */
#define SHELL_PROLOGUE                         \
	"LC_ALL=C; export LC_ALL; umask 077; " \
	"PATH=$PATH:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin; export PATH; "

/* Adds "exec /bin/sh -c '<script>'" to out. False when the script holds a character that
 * not every shell would hand on: ', \, ! or a control character. */
bool shell_command(struct text *out, const char *script, struct err *err) NODISCARD;

/* Adds `word` to a script so that the shell reads it as it is: "<word>". False when it
 * holds a character that has a meaning even so: ", $, `, ', \, ! or a control character. */
bool shell_word(struct text *script, const char *word, struct err *err) NODISCARD;

/* 32 random hex digits. The command line holds them in two halves only, so a shell that
 * echoes it says nothing that looks marked. */
struct shell_marker {
	char text[33];
};

bool shell_marker_init(struct shell_marker *m, struct err *err) NODISCARD;

/* Adds `m=HALF; m=$m"HALF"; ` to a script: its marked lines are `echo; echo "$m ..."`. */
void shell_marker_define(struct text *script, const struct shell_marker *m);

/* What follows the marker and a blank in `line`, or NULL when the line is not marked. */
const char *shell_marker_read(const struct shell_marker *m, const char *line) NODISCARD;

#endif
