/* SPDX-License-Identifier: MIT */
#include "hostops/survey.h"

#include <string.h>

bool survey_command(struct text *out, const struct shell_marker *marker, struct err *err)
{
	struct text script = {0};
	bool ok;

	text_add(&script, SHELL_PROLOGUE);
	shell_marker_define(&script, marker);
	privilege_add_probe(&script);
	firewall_add_probe(&script);
	ok = shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}

void survey_read_begin(struct survey_reader *r, struct survey *out)
{
	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->out = out;
	r->firewall.out = &out->firewall;
}

void survey_read(struct survey_reader *r, const char *marked)
{
	if (strncmp(marked, "login ", 6) == 0)
		r->out->privilege = privilege_read(marked + 6, r->out->privilege_why);
	else if (strncmp(marked, "fw ", 3) == 0)
		firewall_read(&r->firewall, marked + 3);
}

void survey_read_end(struct survey_reader *r)
{
	firewall_read_end(&r->firewall);
}
