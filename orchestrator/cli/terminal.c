/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_wants_colour(bool is_tty, const struct terminal_env *env)
{
	if (!is_tty || (env->no_color != NULL && env->no_color[0] != '\0'))
		return false;
	return env->term != NULL && env->term[0] != '\0' && strcmp(env->term, "dumb") != 0;
}

unsigned terminal_width(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct terminal terminal_detect(int fd, const struct terminal_env *env)
{
	struct terminal t = {.is_tty = isatty(fd) == 1};

	t.has_colour = terminal_wants_colour(t.is_tty, env);
	if (t.is_tty)
		t.width = terminal_width(fd);
	return t;
}
