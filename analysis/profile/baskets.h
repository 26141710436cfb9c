/* What tasks read of ROOT files: sums for each branch over all files, for each file over all
 * branches and, if the options ask for it, for each task. The profile does not hold which branches
 * of which file were read: a thousand files with 1,500 branches each would be its largest part.
 * basket_feed.h reads that from the logs.
 *
 * Bytes are counted as uproot counts them: compressed is the sum of fNbytes, uncompressed the sum
 * of fKeylen + fObjlen. Both include the keys; subtract key_bytes to get the payload. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/log_format.h"

/* Every read of a basket counts, repeated reads as well. All fields before `algorithms` are sums of
 * 64 bits: cup_basket_sums_add() relies on that. */
struct cup_basket_sums {
    uint64_t baskets, compressed; /* include all fields below but the incidental ones */
    uint64_t uncompressed, key_bytes, entries;
    /* Baskets that uproot requested, but no hook saw (source UNSEEN): uncompressed, key_bytes
     * and entries do not include them. */
    uint64_t unseen, unseen_compressed;
    /* Baskets that another library read, recognised by their place in the file (source BY_PLACE).
     */
    uint64_t by_place, by_place_compressed;
    /* Baskets inside the record of the tree (source EMBEDDED). */
    uint64_t embedded;
    uint64_t again, again_bytes; /* the same task had read these baskets before */
    /* Read ahead and never requested; no other field includes them. */
    uint64_t incidental, incidental_bytes;
    uint32_t algorithms; /* enum cup_algorithm */
    uint32_t sources;    /* set of bits 1 << enum cup_baskets_source */
};

/* Sums of a branch over all files. */
struct cup_branch {
    uint32_t tree, name; /* 0: not known (an RNTuple's pages) */
    /* Used while loading: index + 1 of the last task that was counted in `tasks`. */
    uint32_t last_task;
    uint32_t pad;
    uint64_t last_entries;  /* used while loading: entries of the branch that `last_task` read */
    uint64_t tasks, chunks; /* number of tasks that read it, and how many of them are chunks */
    struct cup_basket_sums sums;
};

/* The number that one process gave to a branch. The entries of one process are next to each other,
 * in ascending order. */
struct cup_branch_number {
    uint32_t number;
    uint32_t branch; /* index + 1 */
};

/* A ROOT file that a task read: some of its baskets, or its head. */
struct cup_root_file {
    uint32_t path;
    uint32_t first_place, last_place; /* index + 1 in basket_places */
    uint32_t first_tree;              /* index + 1 in ttrees */
    uint32_t version, compression; /* fVersion; fCompress: 100 x algorithm + level; 0: not seen */
    uint64_t end;                  /* fEND; 0: not seen */
    /* Number of rows (one for each branch) in all of its BASKETS records. */
    uint64_t rows;
    uint64_t records; /* BASKETS records: usually the number of tasks that read it */
    struct cup_basket_sums sums;
};

/* What uproot knows about a tree. */
struct cup_ttree {
    uint32_t root_file; /* index */
    uint32_t next;      /* index + 1 of the file's next tree */
    uint32_t name;
    uint32_t branches;           /* that hold baskets; 0: not known */
    uint64_t entries;            /* this and the next two: CUP_UNKNOWN64 if not known */
    uint64_t compressed_bytes;   /* fZipBytes */
    uint64_t uncompressed_bytes; /* fTotBytes */
    int64_t auto_flush;          /* fAutoFlush: entries of a cluster if positive; 0: not known */
};

/* Where a log holds a BASKETS record of a loaded task. */
struct cup_basket_place {
    uint32_t process;
    uint32_t at;   /* in units of 8 bytes */
    uint32_t task; /* index + 1; 0: none */
    uint32_t next; /* index + 1 of the next place of the same file */
};

/* What one task read: sums of 64 bits only. */
struct cup_task_baskets {
    uint64_t baskets, compressed, uncompressed, key_bytes;
    uint64_t unseen_compressed;
    uint64_t again_bytes, incidental, incidental_bytes;
    uint64_t branches; /* number of different branches */
};

/* A profile with more rows than this drops all its basket places, unless the options ask for them:
 * to read ten million rows takes a second. */
enum { CUP_BASKET_ROWS_MOST = 2000000 };

void cup_basket_sums_add(struct cup_basket_sums *sums, const struct cup_basket_sums *more);

void cup_task_baskets_add(struct cup_task_baskets *sums, const struct cup_task_baskets *more);

/* Adds a row of a BASKETS record. VALUES are indexed by enum cup_basket_value. */
void cup_basket_sums_add_values(struct cup_basket_sums *sums, const uint64_t *values,
                                enum cup_baskets_source source);

/* Writes the names of a set of enum cup_algorithm, such as "zlib, zstd", to TO. Returns TO. */
enum { CUP_ALGORITHMS_ROOM = 64 };
char *cup_algorithm_names(uint32_t algorithms, char *to);
