/* The baskets of one task: which were asked for, which were seen, and how. A table of baskets by
 * file and offset, in memory of our own that grows with the task and is kept for the next one.
 * Nothing here takes a lock: whoever calls holds the tally's. */
#ifndef CUPPING_PRELOAD_ROOT_BASKET_TABLE_H
#define CUPPING_PRELOAD_ROOT_BASKET_TABLE_H

#include "include/log_format.h"
#include "preload/root/baskets.h"
#include "preload/root/root_records.h"

#include <stdbool.h>

enum {
    CUP_BASKET_TABLE_PLACES = 64,      /* files of a tally, and files asked for */
    CUP_BASKET_TABLE_MOST_BITS = 18,   /* baskets of a tally, as a power of two: 256 Ki */
    CUP_BASKET_TABLE_NONE = UINT32_MAX /* instead of an index */
};

/* A basket, or a block of an RNTuple, at one place of one file. Asked for and seen are two of them
 * until it is known that they are the same: the one asked for is then empty. */
struct cup_basket_table_basket {
    uint64_t offset;
    uint32_t place;        /* index */
    uint32_t next;         /* of the same place; CUP_BASKET_TABLE_NONE: the last */
    uint32_t bytes;        /* compressed, with the key */
    uint32_t object_bytes; /* uncompressed, with the key */
    uint32_t branch;
    uint32_t number; /* in its branch, if it was asked for */
    uint32_t entries;
    uint16_t key_bytes;
    uint8_t algorithm;
    bool is_block;    /* of an RNTuple */
    bool is_embedded; /* in the tree's own record, where offset less CUP_BASKET_TABLE_EMBEDDED is */
    bool passed_told; /* it is in a row as incidental */
    uint16_t asked;   /* times */
    uint16_t seen;    /* times delivered */
    uint16_t counted; /* of those, where a request starts, or following one that counts */
    uint16_t own;     /* of those, at a request's start on the task's own thread */
    uint16_t asked_told;   /* of asked: in a row already */
    uint16_t counted_told; /* likewise of those that count by place */
};

/* A file as the log knows it, whose baskets were seen, or one that was asked for. */
struct cup_basket_table_place {
    uint32_t file;  /* FILE record; of one asked for: once it is known, else 0 */
    bool asked_for; /* a place of baskets that were asked for */
    bool is_asked;  /* of a file seen: one asked for is this one */
    bool tells;     /* tree is to be written */
    uint32_t first; /* basket */
    struct cup_requested_baskets_tree tree;
};

/* Offsets of baskets that are not at a place of the file of their own begin here. */
#define CUP_BASKET_TABLE_EMBEDDED (UINT64_C(1) << 63)

struct cup_basket_table {
    uint32_t task;
    uint32_t count;
    uint32_t kept;                           /* of those: awaited when it was last shrunk */
    unsigned bits;                           /* room for 1 << bits baskets; 0: none */
    struct cup_basket_table_basket *baskets; /* at the head of the mapping */
    uint32_t *index;     /* 2 << bits: basket + 1 by place and offset; 0: free */
    uint64_t told_ticks; /* when rows were last written */
    uint32_t place_count;
    struct cup_basket_table_place places[CUP_BASKET_TABLE_PLACES];
};

/* Index of a place, made at need; CUP_BASKET_TABLE_NONE: no room. */
uint32_t cup_basket_table_file(struct cup_basket_table *tally, uint32_t file);
uint32_t cup_basket_table_tree(struct cup_basket_table *tally,
                               const struct cup_requested_baskets_tree *tree, bool tells);

/* The basket at OFFSET of a place; NULL: none. */
struct cup_basket_table_basket *cup_basket_table_find(const struct cup_basket_table *tally,
                                                      uint32_t place, uint64_t offset);

/* Likewise, made at need with BYTES and no counts. A basket of other bytes at that place is
 * another one, whose place it takes. NULL: no room. */
struct cup_basket_table_basket *cup_basket_table_get(struct cup_basket_table *tally, uint32_t place,
                                                     uint64_t offset, uint32_t bytes);

/* So much was added since it was last shrunk that it pays to shrink it again. */
bool cup_basket_table_may_shrink(const struct cup_basket_table *tally);

/* Forgets all but what was asked for and not seen yet. */
void cup_basket_table_shrink(struct cup_basket_table *tally);

/* Forgets the baskets and the places. Memory is kept unless there is much of it, or ALL. */
void cup_basket_table_clear(struct cup_basket_table *tally, bool all);

/* In a forked child: the memory that was counted is another process's. */
void cup_basket_table_reset(void);

#endif
