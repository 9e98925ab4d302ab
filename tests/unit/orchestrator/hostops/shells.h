/* SPDX-License-Identifier: MIT */
/*
 * shells.h - runs command lines the way an SSH server does: with a login shell's -c.
 *
 * As root the line runs in a mount namespace of its own, where /tmp, /var/tmp,
 * /dev/shm, /run, /mnt and HOME are private; otherwise on the real ones.
 */
#ifndef TESTS_UNIT_HOSTOPS_SHELLS_H
#define TESTS_UNIT_HOSTOPS_SHELLS_H

#include <stdbool.h>
#include <stddef.h>

/* The login shells that this machine has, as arguments before -c; NULL after the last. */
struct shell {
	const char *name;
	const char *path;
	const char *applet; /* for busybox, or NULL */
};
extern const struct shell shells[];
bool shell_is_there(const struct shell *s);

struct shell_run {
	const char *input;
	size_t input_len;
	size_t cut_at;         /* input ends after so many bytes; 0: whole */
	int signal;            /* sent to the command once `cut_at` bytes are written; 0: none */
	const char *full;      /* a folder of the namespace that is full, or NULL */
	const char *noexec[6]; /* folders that do not execute */
	const char *pools;     /* folders in /mnt, beside a file that is there, too; NULL: none */
	const char *hidden[6]; /* programs that cannot be executed, by their paths */
	const char *sh;        /* what /bin/sh is; NULL: the machine's own */
	const char *home;      /* HOME; NULL: /root */
	const char *name;      /* of the folder that is looked for afterwards; NULL: none */
	/* out */
	char said[32768]; /* standard output */
	int status;       /* exit status, -1: a signal */
	int left;         /* how many of the folders hold one of that name */
};

/* True when this process may make mount namespaces. */
bool shell_has_namespaces(void);

void shell_run(const struct shell *s, const char *line, struct shell_run *run);

#endif
