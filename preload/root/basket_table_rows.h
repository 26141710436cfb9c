/* What a tally holds, as records of the log. */
#ifndef CUPPING_PRELOAD_ROOT_BASKET_TABLE_ROWS_H
#define CUPPING_PRELOAD_ROOT_BASKET_TABLE_ROWS_H

#include "preload/root/basket_table.h"

/* LAST: nothing more is to come: also what was asked for and never seen, and what was seen and
 * never asked for. FULL: likewise the latter, which is about to be forgotten. */
enum cup_basket_table_rows_when {
    CUP_BASKET_TABLE_SO_FAR,
    CUP_BASKET_TABLE_FULL,
    CUP_BASKET_TABLE_LAST
};

/* Writes what was read since the last time. One at a time in a process: takes a lock. */
void cup_basket_table_rows(struct cup_basket_table *tally, enum cup_basket_table_rows_when when);

/* PATH is the string of FILE's path. */
void cup_basket_table_rows_named(uint32_t file, uint32_t path);

/* A new log, or a forked child. */
void cup_basket_table_rows_reset(void);

#endif
