/* SPDX-License-Identifier: MIT */
/* samples.h - the texts of tests/data/samples. */
#ifndef TESTS_UNIT_HOSTOPS_SAMPLES_H
#define TESTS_UNIT_HOSTOPS_SAMPLES_H

/* The file's text, ended by NUL; from malloc, the caller's to free. The test ends when it is not
 * there. `name` is as in INDEX.tsv: "esxi/nic-list-10g.txt". */
char *sample_load(const char *name);

/* Calls for each line, without its end. */
void sample_lines(const char *name, void (*each)(void *arg, const char *line), void *arg);

#endif
