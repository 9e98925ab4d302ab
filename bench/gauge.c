/* SPDX-License-Identifier: MIT */
#include "bench/gauge.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/attr.h"
#include "common/clock.h"

#define KERNEL_THREADS 2 /* their parent */

static bool read_text(const char *path, char *text, size_t room)
{
	FILE *f = fopen(path, "re");
	size_t len;

	if (f == NULL)
		return false;
	len = fread(text, 1, room - 1, f);
	(void)fclose(f);
	text[len] = '\0';
	return len > 0;
}

/* The word at this index, from 0, of a text of words with blanks between, as a number. */
static uint64_t number_at(const char *text, uint32_t index)
{
	for (; index > 0; index--) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return strtoull(text, NULL, 10);
}

/* The machine's line of /proc/stat (proc_stat(5)): cpu, then the ticks of user nice system idle
 * iowait irq softirq steal. */
static bool read_machine(struct gauge_reading *out)
{
	static const uint32_t busy[] = {1, 2, 3, 6, 7};
	char text[512];

	if (!read_text("/proc/stat", text, sizeof(text)))
		return false;
	out->busy_ticks = 0;
	for (size_t i = 0; i < COUNT_OF(busy); i++)
		out->busy_ticks += number_at(text, busy[i]);
	out->steal_ticks = number_at(text, 8);
	return true;
}

/* /proc/PID/stat. Its second word is a name that may hold anything but a NUL; from behind it:
 * 1 the parent, 11 to 14 utime stime cutime cstime. */
static bool read_process(const char *name, struct gauge_process *out)
{
	char path[64];
	char text[1024];
	const char *rest;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
	if (!read_text(path, text, sizeof(text)))
		return false;
	rest = strrchr(text, ')');
	if (rest == NULL || rest[1] != ' ')
		return false;
	rest += 2;
	out->pid = (pid_t)strtol(name, NULL, 10);
	out->parent = (pid_t)number_at(rest, 1);
	out->ticks = 0;
	for (uint32_t i = 11; i <= 14; i++)
		out->ticks += number_at(rest, i);
	return true;
}

static bool read_processes(struct gauge_reading *out)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;

	out->count = 0;
	if (dir == NULL)
		return false;
	while ((entry = readdir(dir)) != NULL && out->count < GAUGE_PROCESSES_MAX) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    read_process(entry->d_name, &out->process[out->count]))
			out->count++;
	}
	(void)closedir(dir);
	return out->count > 0;
}

bool gauge_read(struct gauge_reading *out)
{
	out->at_ns = clock_now_ns();
	if (read_processes(out) && read_machine(out))
		return true;
	(void)fprintf(stderr, "cannot read /proc: %s\n", strerror(errno));
	return false;
}

static const struct gauge_process *find(const struct gauge_reading *r, pid_t pid)
{
	for (uint32_t i = 0; i < r->count; i++) {
		if (r->process[i].pid == pid)
			return &r->process[i];
	}
	return NULL;
}

static bool descends_from(const struct gauge_reading *r, const struct gauge_process *p, pid_t from)
{
	for (uint32_t depth = 0; p != NULL && depth < 64; depth++) {
		if (p->pid == from)
			return true;
		p = find(r, p->parent);
	}
	return false;
}

static bool is_foreign(const struct gauge_reading *r, const struct gauge_process *p)
{
	const struct gauge_process *self = find(r, getpid());

	if (p->pid == KERNEL_THREADS || p->parent == KERNEL_THREADS)
		return false;
	return !descends_from(r, p, getpid()) && !descends_from(r, self, p->pid);
}

/* What ended meanwhile has left its time with its parent, with what it had before. */
static uint64_t foreign_ticks(const struct gauge_reading *from, const struct gauge_reading *to)
{
	uint64_t more = 0;
	uint64_t less = 0;

	for (uint32_t i = 0; i < to->count; i++) {
		if (is_foreign(to, &to->process[i]))
			more += to->process[i].ticks;
	}
	for (uint32_t i = 0; i < from->count; i++) {
		if (is_foreign(from, &from->process[i]))
			less += from->process[i].ticks;
	}
	return more > less ? more - less : 0;
}

void gauge_figures(const struct gauge_reading *from, const struct gauge_reading *to,
                   struct gauge_figures *out)
{
	double ticks = (double)sysconf(_SC_CLK_TCK);

	out->wall_s = (double)(to->at_ns - from->at_ns) / (double)CLOCK_NS_PER_S;
	out->machine_s = (double)(to->busy_ticks - from->busy_ticks) / ticks;
	out->steal_s = (double)(to->steal_ticks - from->steal_ticks) / ticks;
	out->foreign_s = (double)foreign_ticks(from, to) / ticks;
}

uint64_t gauge_resident_kib(pid_t pid)
{
	char path[64];
	char line[256];
	uint64_t kib = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	while (kib == 0 && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtoull(line + 6, NULL, 10);
	}
	(void)fclose(f);
	return kib;
}

double gauge_children_s(void)
{
	struct rusage used = {0};

	(void)getrusage(RUSAGE_CHILDREN, &used);
	return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}
