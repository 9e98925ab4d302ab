/* SPDX-License-Identifier: MIT */
/* link_fake_parts.h - what link_fake.c and link_fake_answers.c share. */
#ifndef TESTS_FAKES_LINK_FAKE_PARTS_H
#define TESTS_FAKES_LINK_FAKE_PARTS_H

#include "tests/fakes/link_fake.h"

/* One end of a test at a scripted agent. */
struct link_fake_session {
	uint32_t id; /* of prepare; 0: none */
	struct msg_prepare prepare;
};

/* A message that the host will say `after_ns` from now. */
struct msg *link_fake_post(size_t host, enum msg_type type, uint32_t id, uint64_t after_ns);

void link_fake_failed(size_t host, uint32_t id, const char *kind, const char *reason,
                      uint64_t after_ns);
void link_fake_connected(size_t host, const struct link_fake_session *s);

/* Everything from go to done: 100 Mbit/s, all streams alike. */
void link_fake_results(size_t host, const struct link_fake_session *s);
/* Half of it, then troubles and the failure of the script. */
void link_fake_breaks(size_t host, const struct link_fake_session *s);

#endif
