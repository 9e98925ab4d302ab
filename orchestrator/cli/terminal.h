/* SPDX-License-Identifier: MIT */
/* terminal.h - what an output can show: is it a terminal, how wide, in colour. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

struct terminal {
	bool is_tty;
	bool has_colour;
	unsigned width; /* columns; 0: not a terminal, or it does not say */
};

/* Variables of the environment that have a say; NULL when not set. */
struct terminal_env {
	const char *no_color; /* NO_COLOR (no-color.org): set and not empty means no colour */
	const char *term;     /* TERM: none or "dumb" means no colour */
};

struct terminal terminal_detect(int fd, const struct terminal_env *env);

/* The width as it is now: a window may have been made narrower. 0: not known. */
unsigned terminal_width(int fd);

/* The part of it that does not ask the system, for tests. */
bool terminal_wants_colour(bool is_tty, const struct terminal_env *env);

#endif
