/* SPDX-License-Identifier: MIT */
#include "hostops/leftover.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

#define NAME_HEAD  ".vnm-"
#define ITEMS_LINE 100 /* removed by one command */

struct process {
	uint32_t pid, ppid, uid;
	int64_t age_s;
	bool is_agent;
	char name[PLACE_NAME_BYTES];
};

struct leftover_reader {
	struct leftovers *out;
	struct arena *arena;
	uint32_t uid;
	bool has_uid;
	struct process processes[LEFTOVER_MAX];
	size_t process_count;
	struct {
		uint32_t uid;
		int64_t age_s;
		const char *path;
	} folders[LEFTOVER_MAX];
	size_t folder_count;
};

/*
 * The name is written so that no process of this script holds one that fits. A process
 * without a parent tells the id 1; $u seconds since boot, $a age, $s the fields of its stat
 * from the state on, $c its command line.
 */
static const char find_script[] =
	"say() { echo \"$m $*\"; }; "
	"echo; say user $(id -u); "
	"pat=\"[.]vnm-[0-9a-f]{16}\"; "
	"kind() { case $1 in *\"/vnm-agent --self \"*\" --home \"*) k=agent ;; *) k=other ;; esac; "
	"}; "
	"if test -r /proc/self/cmdline; then "
	"hz=$(getconf CLK_TCK 2>/dev/null) || hz=100; "
	"u=0; read -r u rest </proc/uptime; u=${u%%.*}; "
	"for f in $(grep -l -s -E \"$pat\" /proc/[0-9]*/cmdline 2>/dev/null); do "
	"p=${f#/proc/}; p=${p%/cmdline}; "
	"c=$(tr -c \"[:print:]\" \" \" <$f 2>/dev/null); "
	"s=$(cat /proc/$p/stat 2>/dev/null); "
	"test -n \"$s\" || continue; kind \"$c\"; "
	"o=$(ls -ldn /proc/$p 2>/dev/null | { read -r a b o rest; echo $o; }); "
	"set -f; set -- ${s##*) }; set +f; q=$2; test $# -ge 20 || continue; shift 19; a=$((u - $1 "
	"/ ${hz:-100})); "
	"for n in $(echo \"$c\" | grep -o -E \"$pat\" | sort -u); do "
	"say proc $p $q $o $a $k $n; done; done; "
	"elif ps -axww -o pid=,ppid=,uid=,etimes=,args= >/dev/null 2>&1; then "
	"ps -axww -o pid=,ppid=,uid=,etimes=,args= | grep -E \"$pat\" | "
	"while read -r p q o a c; do kind \"$c\"; "
	"for n in $(echo \"$c\" | grep -o -E \"$pat\" | sort -u); do "
	"say proc $p $q $o $a $k $n; done; done; "
	"else say blind; fi; "
	"t0=$(date +%s); "
	"changed() { stat -c %Y \"$1\" 2>/dev/null || stat -f %m \"$1\" 2>/dev/null; }; "
	"for t in ";

static const char find_script_end[] =
	"; do for d in \"$t\"/.[v]nm-*; do "
	"test -d \"$d\" || continue; if test -L \"$d\"; then continue; fi; "
	"o=$(ls -ldn \"$d\" | { read -r a b o rest; echo $o; }); "
	"a=; for f in \"$d\" \"$d\"/*; do x=$(changed \"$f\"); "
	"test -n \"$x\" && { test -z \"$a\" || test $x -gt $a; } && a=$x; done; "
	"test -z \"$a\" || a=$((t0 - a)); "
	"say folder $o ${a:--} \"$d\"; done; done; say end";

/* r INDEX PID NAME FOLDER. The id may be another process's by now, so the agent is known by its
 * arguments. SIGKILL ends at once, but init may take a moment to notice. */
static const char remove_script[] =
	"named() { test $1 -gt 0 && { cat /proc/$1/cmdline || ps -p $1 -o args; } 2>/dev/null | "
	"grep -q -F \"$2\"; }; "
	"r() { e=; if named $2 \"$3\"; then e=$(kill -9 $2 2>&1); "
	"for w in 1 2 3; do named $2 \"$3\" || break; sleep 1; done; "
	"if named $2 \"$3\"; then echo \"$m left $1 ${e:-the agent does not end}\"; return; fi; "
	"fi; "
	"if test -n \"$4\"; then e=$(rm -rf \"$4\" 2>&1); x=$?; "
	"if test -e \"$4\"; then set -f; echo \"$m left $1\" ${e:-rm ends with status $x}; "
	"set +f; return; fi; fi; "
	"echo \"$m gone $1\"; }; echo; ";

bool leftover_find_command(struct text *out, const struct shell_marker *marker, struct err *err)
{
	struct text script = {0};
	bool ok;

	text_add(&script, SHELL_PROLOGUE);
	shell_marker_define(&script, marker);
	text_add(&script, find_script);
	place_add_list(&script);
	text_add(&script, find_script_end);
	ok = shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}

bool leftover_remove_command(struct text *out, const struct shell_marker *marker,
                             const struct leftovers *all, size_t *index, struct err *err)
{
	struct text script = {0};
	bool ok = true;

	text_add(&script, SHELL_PROLOGUE);
	shell_marker_define(&script, marker);
	text_add(&script, remove_script);
	for (size_t n = 0; ok && *index < all->count && n < ITEMS_LINE; (*index)++) {
		const struct leftover *l = &all->at[*index];

		if (l->state != LEFTOVER_LOST)
			continue;
		text_printf(&script, "r %zu %" PRIu32 " ", *index, l->pid);
		ok = shell_word(&script, l->name, err);
		text_add(&script, " ");
		ok = ok && shell_word(&script, l->folder == NULL ? "" : l->folder, err);
		text_add(&script, "; ");
		n++;
	}
	text_add(&script, "exit 0");
	ok = ok && shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}

struct leftover_reader *leftover_reader_new(struct arena *arena, struct leftovers *out)
{
	struct leftover_reader *r = arena_alloc(arena, 1, sizeof(*r));

	*out = (struct leftovers){0};
	r->out = out;
	r->arena = arena;
	return r;
}

/* ".vnm-" and 16 hex digits as place_name() makes them, and no more. */
static bool is_name(const char *s)
{
	const char *hex = s + sizeof(NAME_HEAD) - 1;

	return strncmp(s, NAME_HEAD, sizeof(NAME_HEAD) - 1) == 0 &&
	       strspn(hex, "0123456789abcdef") == strlen(hex) && strlen(s) + 1 == PLACE_NAME_BYTES;
}

/* The number at *at and the blank behind it; moves *at on. False: there is none. */
static bool take_number(const char **at, uint64_t max, uint64_t *out)
{
	size_t len = strspn(*at, "0123456789");

	*out = 0;
	for (size_t i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)((*at)[i] - '0');

		if (*out > (max - digit) / 10)
			return false;
		*out = *out * 10 + digit;
	}
	if (len == 0 || ((*at)[len] != ' ' && (*at)[len] != '\0'))
		return false;
	*at += len + ((*at)[len] == ' ');
	return true;
}

static bool take_u32(const char **at, uint32_t *out)
{
	uint64_t v;
	bool ok = take_number(at, UINT32_MAX, &v);

	*out = (uint32_t)v;
	return ok;
}

/* A clock that went back, or none: not known. */
static bool take_age(const char **at, int64_t *out)
{
	uint64_t v;

	*out = LEFTOVER_UNKNOWN;
	if (**at == '-') {
		const char *blank = strchr(*at, ' ');

		if (blank == NULL)
			return false;
		*at = blank + 1;
		return true;
	}
	if (!take_number(at, INT64_MAX, &v))
		return false;
	*out = (int64_t)v;
	return true;
}

static void read_process(struct leftover_reader *r, const char *at)
{
	static const char agent[] = "agent ";
	static const char other[] = "other ";
	struct process p = {.pid = 0};

	if (r->process_count == LEFTOVER_MAX) {
		r->out->is_cut = true;
		return;
	}
	if (!take_u32(&at, &p.pid) || !take_u32(&at, &p.ppid) || !take_u32(&at, &p.uid) ||
	    !take_age(&at, &p.age_s))
		return;
	p.is_agent = strncmp(at, agent, sizeof(agent) - 1) == 0;
	if (!p.is_agent && strncmp(at, other, sizeof(other) - 1) != 0)
		return;
	at += sizeof(agent) - 1; /* both are as long */
	if (p.pid <= 1 || !is_name(at))
		return;
	(void)snprintf(p.name, sizeof(p.name), "%s", at);
	r->processes[r->process_count++] = p;
}

static void read_folder(struct leftover_reader *r, const char *at)
{
	const char *slash;
	uint32_t uid;
	int64_t age_s;

	if (r->folder_count == LEFTOVER_MAX) {
		r->out->is_cut = true;
		return;
	}
	if (!take_u32(&at, &uid) || !take_age(&at, &age_s))
		return;
	slash = strrchr(at, '/');
	if (at[0] != '/' || slash == NULL || !is_name(slash + 1) || strstr(at, "/../") != NULL ||
	    strlen(at) >= LEFTOVER_FOLDER_BYTES)
		return;
	r->folders[r->folder_count].uid = uid;
	r->folders[r->folder_count].age_s = age_s;
	r->folders[r->folder_count++].path = arena_strndup(r->arena, at, strlen(at));
}

void leftover_read(struct leftover_reader *r, const char *marked)
{
	const char *at = marked + 5;

	if (strncmp(marked, "user ", 5) == 0)
		r->has_uid = take_u32(&at, &r->uid);
	else if (strncmp(marked, "proc ", 5) == 0)
		read_process(r, at);
	else if (strncmp(marked, "folder ", 7) == 0)
		read_folder(r, marked + 7);
	else if (strcmp(marked, "blind") == 0)
		r->out->is_blind = true;
	else if (strcmp(marked, "end") == 0)
		r->out->is_ended = true;
}

static struct leftover *add(struct leftover_reader *r, const char *name)
{
	struct leftover *l = &r->out->at[r->out->count++];

	*l = (struct leftover){.age_s = LEFTOVER_UNKNOWN};
	memcpy(l->name, name, sizeof(l->name));
	return l;
}

/* Processes that name the folder. */
struct users {
	const struct process *lost; /* an agent without a parent, ours */
	bool lives;                 /* any that is not `lost` */
};

static bool is_lost_agent(const struct leftover_reader *r, const struct process *p)
{
	return p->is_agent && p->ppid == 1 && p->uid == r->uid;
}

static struct users users_of(const struct leftover_reader *r, const char *name)
{
	struct users u = {.lost = NULL};

	for (size_t i = 0; i < r->process_count; i++) {
		const struct process *p = &r->processes[i];

		if (strcmp(p->name, name) != 0)
			continue;
		if (is_lost_agent(r, p))
			u.lost = p;
		else
			u.lives = true;
	}
	return u;
}

static void add_folder(struct leftover_reader *r, size_t i)
{
	const char *path = r->folders[i].path;
	struct leftover *l = add(r, strrchr(path, '/') + 1);
	struct users u = users_of(r, l->name);

	l->folder = path;
	l->age_s = r->folders[i].age_s;
	if (r->folders[i].uid != r->uid)
		l->state = LEFTOVER_FOREIGN;
	else if (u.lives)
		l->state = LEFTOVER_IN_USE;
	else if (u.lost != NULL)
		l->pid = u.lost->pid;
	else if (r->out->is_blind || l->age_s == LEFTOVER_UNKNOWN || l->age_s < LEFTOVER_QUIET_S)
		l->state = LEFTOVER_YOUNG;
}

/* Once for each agent that did not come with its folder. */
static void add_agent(struct leftover_reader *r, const struct process *p)
{
	struct leftover *l;

	for (size_t i = 0; i < r->out->count; i++) {
		if (r->out->at[i].pid == p->pid)
			return;
	}
	if (!p->is_agent || r->out->count == LEFTOVER_MAX)
		return;
	l = add(r, p->name);
	l->pid = p->pid;
	l->age_s = p->age_s;
	if (p->uid != r->uid)
		l->state = LEFTOVER_FOREIGN;
	else if (!is_lost_agent(r, p))
		l->state = LEFTOVER_IN_USE;
}

void leftover_read_end(struct leftover_reader *r)
{
	r->out->at = arena_alloc(r->arena, LEFTOVER_MAX, sizeof(*r->out->at));
	if (!r->has_uid || !r->out->is_ended)
		return; /* cut short: what would be decided is not known */
	for (size_t i = 0; i < r->folder_count; i++)
		add_folder(r, i);
	for (size_t i = 0; i < r->process_count; i++)
		add_agent(r, &r->processes[i]);
}

void leftover_read_removed(struct leftovers *all, struct arena *arena, const char *marked)
{
	bool is_gone = strncmp(marked, "gone ", 5) == 0;
	const char *at = marked + 5;
	uint64_t index;

	if (!is_gone && strncmp(marked, "left ", 5) != 0)
		return;
	if (!take_number(&at, SIZE_MAX, &index) || index >= all->count ||
	    all->at[index].state != LEFTOVER_LOST)
		return;
	all->at[index].is_gone = is_gone;
	all->at[index].why_left = is_gone ? NULL : arena_strndup(arena, at, strlen(at));
}
