/* SPDX-License-Identifier: MIT */
/*
 * store_columns.h - what dataset_load*() reads: the members of dataset.h's
 * structs by their columns, and where those come from.
 */
#ifndef STORE_STORE_COLUMNS_H
#define STORE_STORE_COLUMNS_H

#include "store/dataset.h"
#include "store/sql.h"

/* SQLite has no bool; read into an int64_t beside. */
struct store_interval_row {
	struct dataset_interval interval;
	int64_t omitted;
};

/* Each ends with a row without a name. */
extern const struct sql_column store_run_columns[];      /* runs r */
extern const struct sql_column store_cell_columns[];     /* CELLS_FROM */
extern const struct sql_column store_test_columns[];     /* tests */
extern const struct sql_column store_interval_columns[]; /* intervals; struct store_interval_row */
extern const struct sql_column store_stream_columns[];   /* streams */
extern const struct sql_column store_trouble_columns[];  /* TROUBLES_OF_CELL */

/* clang-format off */
#define CELLS_FROM                                                                        \
	"FROM cells c JOIN configs k ON k.config_id=c.config_id"                          \
	" JOIN nics sn ON sn.nic_id=c.src_nic_id JOIN hosts sh ON sh.host_id=sn.host_id"  \
	" JOIN nics dn ON dn.nic_id=c.dst_nic_id JOIN hosts dh ON dh.host_id=dn.host_id"  \
	" LEFT JOIN run_nics srn ON srn.run_id=c.run_id AND srn.nic_id=c.src_nic_id"      \
	" LEFT JOIN run_nics drn ON drn.run_id=c.run_id AND drn.nic_id=c.dst_nic_id"      \
	" LEFT JOIN cell_stats s ON s.cell_id=c.cell_id"
#define CELLS_OF_RUN CELLS_FROM " WHERE c.run_id=?1 ORDER BY c.cell_id"
#define CELL_OF_ID   CELLS_FROM " WHERE c.cell_id=?1"
#define TESTS_OF_CELL "FROM tests WHERE cell_id=?1 ORDER BY seq,attempt"
#define INTERVALS_OF_TEST "FROM intervals WHERE test_id=?1 ORDER BY direction,stream,start_s"
#define STREAMS_OF_TEST "FROM streams WHERE test_id=?1 ORDER BY direction,stream"
#define NEWEST_RUN        "SELECT max(run_id) FROM runs"
#define RUN_OF_CELL       "SELECT run_id FROM cells WHERE cell_id=?1"
/* The table came with schema version 2. */
#define TROUBLES_SINCE 2
#define TROUBLES_OF_CELL \
	"FROM tests t JOIN stream_troubles s ON s.test_id=t.test_id JOIN hosts h ON h.host_id=s.host_id" \
	" WHERE t.cell_id=?1 ORDER BY t.seq,t.attempt,s.direction,s.stream,s.host_id"
/* clang-format on */

#endif
