/* SPDX-License-Identifier: MIT */
/*
 * gauge.h - what a stretch of time cost this machine, and what others did to it meanwhile.
 *
 * From Linux's /proc. Ours are the calling process, its descendants and its ancestors (the
 * benchmark that started it); kernel threads are nobody's.
 */
#ifndef BENCH_GAUGE_H
#define BENCH_GAUGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GAUGE_PROCESSES_MAX 4096u

struct gauge_process {
	pid_t pid;
	pid_t parent;
	uint64_t ticks; /* CPU time, its own and of the children it has waited for */
};

struct gauge_reading {
	uint64_t at_ns;
	uint64_t busy_ticks; /* of all cores, with interrupts, without steal */
	uint64_t steal_ticks;
	uint32_t count;
	struct gauge_process process[GAUGE_PROCESSES_MAX];
};

struct gauge_figures {
	double wall_s;
	double machine_s; /* CPU time of the whole machine */
	double steal_s;   /* that the hypervisor took, of all cores */
	double foreign_s; /* CPU time of processes that are not ours */
};

/* False, with a message on standard error, when /proc cannot be read. */
bool gauge_read(struct gauge_reading *out);
void gauge_figures(const struct gauge_reading *from, const struct gauge_reading *to,
                   struct gauge_figures *out);

/* Greatest resident memory of a process since its exec, KiB; 0: unknown. */
uint64_t gauge_resident_kib(pid_t pid);

/* CPU time of the children that were waited for, s. */
double gauge_children_s(void);

#endif
