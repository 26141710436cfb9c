/* Compares a profile with what a workload wrote down: what each task must have read, and what Dask
 * itself says that it ran (tests/workloads/witness.py). */
#pragma once

#include <jansson.h>

/* Checks that every expected row exists, and that each column is as expected, to the byte. */
void cup_check_expected(json_t *rows, json_t *expected);

/* Checks that the rows are exactly what Dask ran: as many for each key, with the same outcome;
 * prefix, worker, process, span and result size are those of Dask. */
void cup_check_witness(json_t *rows, json_t *witness);

/* Checks that the CPU seconds of the finished tasks of each prefix agree with Dask's digests within
 * 1 ms for each task. Returns the number of prefixes that were compared. */
int cup_check_digests(json_t *rows, json_t *witness);

/* Checks what holds for every row of any profile: clocks, counters and attribution methods agree.
 */
void cup_check_sane(json_t *rows);
