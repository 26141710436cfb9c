/* The baskets of one task: which were requested, and which were seen in reads. A hash table by file
 * and offset, in a mapping of its own that grows with the task and is kept for the next one.
 *
 * It is not the table of sys/id_table.h: its memory counts towards a limit of all tables, and it is
 * shrunk to the baskets that are still awaited. All functions: the caller holds the table's lock.
 */
#pragma once

#include "include/log_format.h"
#include "preload/root/baskets.h"
#include "preload/root/root_records.h"

#include <stdbool.h>

enum {
    CUP_BASKET_TABLE_PLACES = 64,      /* files and trees of a table */
    CUP_BASKET_TABLE_MOST_BITS = 18,   /* baskets of a table, as a power of two: 256 Ki */
    CUP_BASKET_TABLE_NONE = UINT32_MAX /* no index */
};

/* A basket, or a block of an RNTuple, at one offset of one place. A basket that was requested and
 * one that was seen are two entries until it is known that they are the same: then the one seen
 * takes over the requests. */
struct cup_basket_table_basket {
    uint64_t offset;
    uint32_t place;        /* index */
    uint32_t next;         /* of the same place; CUP_BASKET_TABLE_NONE: the last */
    uint32_t bytes;        /* compressed, with the key */
    uint32_t object_bytes; /* uncompressed, with the key */
    uint32_t branch;
    uint32_t number; /* in its branch, if it was requested */
    uint32_t entries;
    uint16_t key_bytes;
    uint8_t algorithm;
    bool is_block;    /* of an RNTuple */
    bool is_embedded; /* in the tree's own record, whose offset CUP_BASKET_TABLE_EMBEDDED is added
                         to */
    bool passed_written; /* written already, as only read ahead */
    uint16_t requested;  /* times */
    uint16_t seen;       /* how often a read delivered it */
    uint16_t counted;    /* of those, the ones at the start of a read, or after one that counts */
    uint16_t own;        /* deliveries at the start of a read by the task's own thread */
    uint16_t requested_written; /* how many of REQUESTED are written in rows already */
    uint16_t counted_written;   /* how many that count by place are written in rows already */
};

/* What baskets belong to: a file of the log, in which they were seen, or a tree, from which they
 * were requested. */
struct cup_basket_table_place {
    uint32_t file; /* number of the FILE record; of a tree: 0 until its file is known */
    bool is_tree;
    bool is_requested; /* of a file: a tree of this table is in it */
    bool writes_tree;  /* the tree's record is still to be written */
    uint32_t first;    /* index of its first basket; CUP_BASKET_TABLE_NONE: it has none */
    struct cup_requested_baskets_tree tree;
};

/* Added to the offsets of baskets that lie in the record of their tree: no file is so long. */
#define CUP_BASKET_TABLE_EMBEDDED (UINT64_C(1) << 63)

struct cup_basket_table {
    uint32_t task;
    bool fails; /* the task failed */
    uint32_t count;
    uint32_t kept; /* baskets left when it was last shrunk */
    unsigned bits; /* room for 1 << bits baskets; 0: there is no mapping */
    struct cup_basket_table_basket *baskets; /* at the head of the mapping */
    uint32_t *index;                         /* 2 << bits slots: a basket's index + 1; 0: free */
    uint64_t written_ticks;                  /* when rows were last written */
    uint32_t place_count;
    struct cup_basket_table_place places[CUP_BASKET_TABLE_PLACES];
};

/* Index of the place of a file, or of a tree (WRITES: its record is to be written). It is added if
 * it is new; CUP_BASKET_TABLE_NONE: there is no room. A new tree needs room for its file, too:
 * without it, what is requested from the tree would not be found among what reads deliver. */
uint32_t cup_basket_table_file(struct cup_basket_table *table, uint32_t file);
uint32_t cup_basket_table_tree(struct cup_basket_table *table,
                               const struct cup_requested_baskets_tree *tree, bool writes);

/* The basket at OFFSET of PLACE; NULL: there is none. */
struct cup_basket_table_basket *cup_basket_table_find(const struct cup_basket_table *table,
                                                      uint32_t place, uint64_t offset);

/* The same; a new basket of BYTES is added if there is none, and replaces one of another size.
 * NULL: there is no room. */
struct cup_basket_table_basket *cup_basket_table_get(struct cup_basket_table *table, uint32_t place,
                                                     uint64_t offset, uint32_t bytes);

/* Enough baskets were added since the table was last shrunk to make shrinking it worthwhile. */
bool cup_basket_table_may_shrink(const struct cup_basket_table *table);

/* Removes all baskets but those that were requested and not seen yet. */
void cup_basket_table_shrink(struct cup_basket_table *table);

/* Removes all baskets and places. Unmaps the memory if ALL, or if there is much of it. */
void cup_basket_table_clear(struct cup_basket_table *table, bool all);

/* Call after all tables were cleared: starts to count their memory from 0. In a forked child the
 * count may include mappings that a thread of the parent was about to make. */
void cup_basket_table_reset(void);

/* ---- the log (basket_table_rows.c) ------------------------------------------------------- */

/* What of a table is written to the log. SO_FAR: baskets that were read. FULL: also those that were
 * only read ahead, which are about to be removed from the table. LAST: also those that were
 * requested and never seen, for nothing more is to come. */
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
