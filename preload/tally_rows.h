/* What a tally holds, as records of the log. */
#ifndef CUPPING_TALLY_ROWS_H
#define CUPPING_TALLY_ROWS_H

#include "preload/tally.h"

/* LAST: nothing more is to come: also what was asked for and never seen, and what was seen and
 * never asked for. FULL: likewise the latter, which is about to be forgotten. */
enum cup_tally_rows_when { CUP_TALLY_SO_FAR, CUP_TALLY_FULL, CUP_TALLY_LAST };

/* Writes what was read since the last time. One at a time in a process: takes a lock. */
void cup_tally_rows(struct cup_tally *tally, enum cup_tally_rows_when when);

/* PATH is the string of FILE's path. */
void cup_tally_rows_named(uint32_t file, uint32_t path);

/* A new log, or a forked child. */
void cup_tally_rows_reset(void);

#endif
