/* SPDX-License-Identifier: MIT */
/*
 * fixture.h - a small lab, its plan and its results, for the tests of store/.
 *
 * esx1 carries vm1 (em0, vmx0: drivers em, vmxnet3) and vm2 (the same); pc is
 * beside it. Cells, by index:
 *	0 pc.eth0 -> esx1.vmk1   window default, in profiles sweep and blog (blog has a published figure)
 *	1 esx1.vmk1 -> pc.eth0   the same, opened by pc (reverse)
 *	2 vm1.em0 -> vm2.em0     mtu 1500, window 64K
 *	3 vm1.em0 -> vm2.em0     mtu 9000, window 64K
 *	4 vm1.vmx0 -> vm2.vmx0   mtu 1500, window 64K
 * Each has FIXTURE_REPEATS tests, block by block.
 */
#ifndef TESTS_UNIT_ORCHESTRATOR_STORE_FIXTURE_H
#define TESTS_UNIT_ORCHESTRATOR_STORE_FIXTURE_H

#include "plan/plan.h"
#include "store/store.h"
#include "tests/support/test.h"

enum { FIXTURE_HOSTS = 4, FIXTURE_CELLS = 5, FIXTURE_REPEATS = 6, FIXTURE_SLOTS = 30 };
enum { FIXTURE_ESX1, FIXTURE_VM1, FIXTURE_VM2, FIXTURE_PC }; /* hosts */

struct fixture {
	struct topology topo;
	struct plan plan;
	struct store_new_run run;
	char path[128]; /* results.db in a folder of its own */
	char folder[96];
};

/* Folder and plan; nothing is opened. fixture_done() removes the folder with all files. */
void fixture_init(struct fixture *f);
void fixture_done(struct fixture *f);

/* An ok result of the slot: throughput_bps as given, 3 intervals, 2 streams, 2 counters. */
struct test_result fixture_result(const struct fixture *f, size_t slot, double throughput_bps);

/* The same as a test's setup and teardown: *state is the struct fixture. */
int fixture_setup(void **state);
int fixture_teardown(void **state);
#define FIXTURE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

/* store_open() and store_begin_run(); a failure fails the test. */
struct store *fixture_open(const char *path, enum store_mode mode);
int64_t fixture_begin(struct fixture *f, struct store *store);

/* First column of the first row as text, "NULL", or "" for no row; valid until the next call. */
const char *fixture_ask(const char *path, const char *sql);
#define EXPECT(f, sql, text) assert_string_equal(fixture_ask((f)->path, sql), text)

/* A run from open to close with results of all slots: 1e9 * (cell+1) + 1e6 * replicate bit/s. */
int64_t fixture_whole_run(struct fixture *f);

#endif
