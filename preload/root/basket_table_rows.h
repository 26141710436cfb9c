/* Writes the baskets of a table to the log. */
#ifndef CUPPING_PRELOAD_ROOT_BASKET_TABLE_ROWS_H
#define CUPPING_PRELOAD_ROOT_BASKET_TABLE_ROWS_H

#include "preload/root/basket_table.h"

/* SO_FAR: baskets that were read. FULL: also those that were only read ahead, which are about to be
 * removed from the table. LAST: also those that were requested and never seen, for nothing more is
 * to come. */
enum cup_basket_table_rows_when {
    CUP_BASKET_TABLE_SO_FAR,
    CUP_BASKET_TABLE_FULL,
    CUP_BASKET_TABLE_LAST
};

/* Writes what is new since the last time. One table of the process at a time: takes a lock. */
void cup_basket_table_rows(struct cup_basket_table *table, enum cup_basket_table_rows_when when);

/* PATH is the string id of FILE's path. */
void cup_basket_table_rows_named(uint32_t file, uint32_t path);

/* Called when a log is opened, and in a forked child. */
void cup_basket_table_rows_reset(void);

#endif
