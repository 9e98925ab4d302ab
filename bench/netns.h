/* SPDX-License-Identifier: MIT */
/* netns.h - network namespaces as `ip netns` names them. */
#ifndef BENCH_NETNS_H
#define BENCH_NETNS_H

/* The calling process, and all that it starts from now on, is in this one. NULL: stays where
 * it is. Ends the program with a message when that cannot be. */
void netns_enter(const char *name);

#endif
