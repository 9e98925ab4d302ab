/* SPDX-License-Identifier: MIT */
/* Of tunable.h: what is asked of a host, and how its answers are read. */
#include <stdio.h>
#include <string.h>

#include "hostops/keyed.h"
#include "hostops/tunable_system.h"

bool tunable_read_line(struct text *out, const struct tunable *t, struct err *err)
{
	struct text line = {0};
	bool ok = tunable_check_object(t, err) && tunable_ops_of(t)->add_read(&line, t, err);

	if (ok)
		text_add(out, text_str(&line));
	text_done(&line);
	return ok;
}

static bool add_probe_of(struct text *script, const struct tunable *t, size_t index,
                         struct err *err)
{
	text_printf(script, "n=%zu; { ", index);
	if (!tunable_read_line(script, t, err))
		return false;
	text_add(script, "; } 2>/dev/null </dev/null | mark value; ");
	if (tunable_ops_of(t)->add_probe != NULL && !tunable_ops_of(t)->add_probe(script, t, err))
		return false;
	text_add(script, "tun end; ");
	return true;
}

bool tunable_probe(struct text *script, const struct shell_marker *marker,
                   const struct tunable *list, size_t count, struct err *err)
{
	text_add(script, SHELL_PROLOGUE);
	if (marker != NULL)
		shell_marker_define(script, marker);
	text_add(script, "tun() { echo \"$m tun $n $*\"; }; "
	                 "mark() { sed \"s/^/$m tun $n $1 /\"; }; "
	                 "has() { if command -v $1 >/dev/null 2>&1; then tun has $1; fi; }; "
	                 "echo; ");
	for (size_t i = 0; i < count; i++) {
		if (!add_probe_of(script, &list[i], i, err))
			return err_prefix(err, "%s of %s", tunable_name(list[i].kind),
			                  list[i].object[0] == '\0' ? "the host" : list[i].object);
	}
	return true;
}

void tunable_read_begin(struct tunable_reader *r, const struct tunable *list,
                        struct tunable_reading *out, size_t count)
{
	*r = (struct tunable_reader){.list = list, .out = out, .count = count};
	memset(out, 0, count * sizeof(*out));
	for (size_t i = 0; i < count; i++)
		out[i].min = out[i].max = out[i].under_mtu = TUNABLE_UNKNOWN;
}

const char *tunable_section(const char *said, const char *section)
{
	size_t len = strlen(section);

	if (strncmp(said, section, len) != 0 || (said[len] != ' ' && said[len] != '\0'))
		return NULL;
	return said + len + (said[len] == ' ');
}

void tunable_read(struct tunable_reader *r, const char *marked)
{
	const char *said = tunable_section(marked, "tun");
	struct tunable_reading *to;
	const struct tunable *t;
	const char *value;
	int64_t index;

	if (said == NULL || !keyed_int(said, strcspn(said, " "), &index) ||
	    (uint64_t)index >= r->count)
		return;
	to = &r->out[index];
	t = &r->list[index];
	said += strcspn(said, " ");
	said += *said == ' ';
	if (to->is_complete)
		return;
	value = tunable_section(said, "value");
	if (value != NULL) {
		if (to->value[0] == '\0' && tunable_is_value(t->kind, value))
			(void)snprintf(to->value, sizeof(to->value), "%s", value);
	} else if (strcmp(said, "end") == 0) {
		to->is_complete = true;
		if (tunable_ops_of(t)->read_end != NULL)
			tunable_ops_of(t)->read_end(r, t, to);
		text_clear(&r->said[0]);
		text_clear(&r->said[1]);
	} else if (tunable_ops_of(t)->read != NULL) {
		tunable_ops_of(t)->read(r, t, to, said);
	}
}

void tunable_read_done(struct tunable_reader *r)
{
	text_done(&r->said[0]);
	text_done(&r->said[1]);
}

void tunable_limit_min(struct tunable_reading *to, int64_t min, const char *why)
{
	if (min <= to->min)
		return;
	to->min = min;
	(void)snprintf(to->min_why, sizeof(to->min_why), "%s", why);
}

void tunable_limit_max(struct tunable_reading *to, int64_t max, const char *why)
{
	if (max == TUNABLE_UNKNOWN || (to->max != TUNABLE_UNKNOWN && max >= to->max))
		return;
	to->max = max;
	(void)snprintf(to->max_why, sizeof(to->max_why), "%s", why);
}
