/* Checks of a profile against what a workload wrote down: what each task must have read, and Dask's
 * own account of what ran (tests/workloads/witness.py). */
#ifndef CUPPING_TESTS_E2E_WITNESS_H
#define CUPPING_TESTS_E2E_WITNESS_H

#include <jansson.h>

/* Every row that is expected is there, each column as expected, to the byte. */
void cup_check_expected(json_t *rows, json_t *expected);

/* Rows are exactly what Dask ran: no more, no fewer, of each key as many and with the same end;
 * prefix, worker, process, span and result size as Dask has them. */
void cup_check_witness(json_t *rows, json_t *witness);

/* Per prefix, CPU seconds of finished tasks agree with Dask's digests within 1 ms a task. Returns
 * the number of prefixes that were compared. */
int cup_check_digests(json_t *rows, json_t *witness);

/* What holds for every row of any profile: clocks, counters and ways fit together. */
void cup_check_sane(json_t *rows);

#endif
