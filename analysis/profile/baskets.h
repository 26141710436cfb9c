/* What was read of ROOT files, in the model: sums for each branch (over all files), for each file
 * (over all branches) and, on request, for each task. Which branches of which file were read stays
 * in the logs, which basket_rows.h reads again: a thousand files of 1,500 branches would be the
 * largest part of the model.
 *
 * Bytes are counted as uproot counts them: compressed is the sum of fNbytes, uncompressed the sum
 * of fKeylen + fObjlen. Both hold the keys: the payload is either less key_bytes. */
#ifndef CUPPING_ANALYSIS_PROFILE_BASKETS_H
#define CUPPING_ANALYSIS_PROFILE_BASKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/log_format.h"

/* Every read of a basket counts, those of the same basket too. */
struct cup_basket_sums {
    uint64_t baskets, compressed; /* all that follow but incidental ones are of these */
    uint64_t uncompressed, key_bytes, entries;
    uint64_t unseen, unseen_compressed;     /* in none of the three above: nobody saw their keys */
    uint64_t by_place, by_place_compressed; /* nobody asked for them by name: see log_format.h */
    uint64_t embedded;                      /* in their tree's own record */
    uint64_t again, again_bytes;            /* the same task had read them before */
    uint64_t incidental, incidental_bytes;  /* in none of the above: read-ahead delivered them */
    uint32_t algorithms;                    /* enum cup_algorithm */
    uint32_t sources;                       /* bits 1 << enum cup_baskets_source */
};

/* A branch, in whichever files. */
struct cup_branch {
    uint32_t tree, name; /* 0: not known (an RNTuple's pages) */
    uint32_t last_task;  /* while loading: index + 1 of the one that counted last */
    uint32_t pad;
    uint64_t last_entries;  /* while loading: that it read of it */
    uint64_t tasks, chunks; /* different ones that read it; chunks: of those */
    struct cup_basket_sums sums;
};

/* The number of a branch in one process: those of one stand in a row. */
struct cup_branch_number {
    uint32_t number;
    uint32_t branch; /* index + 1 */
};

/* A file of which baskets were read, or whose head was. */
struct cup_root_file {
    uint32_t path;
    uint32_t first_place, last_place; /* index + 1 in basket_places */
    uint32_t first_tree;              /* index + 1 in ttrees */
    uint32_t version, compression; /* fVersion; fCompress: 100 x algorithm + level; 0: not seen */
    uint64_t end;                  /* fEND; 0: not seen */
    uint64_t rows;                 /* of branches, in all of its BASKETS records */
    uint64_t records;              /* BASKETS records: tasks that read it, as a rule */
    struct cup_basket_sums sums;
};

/* What uproot knew of a tree. */
struct cup_ttree {
    uint32_t root_file; /* index */
    uint32_t next;      /* index + 1 of the file's next one */
    uint32_t name;
    uint32_t branches;           /* those that hold baskets; 0: not known */
    uint64_t entries;            /* CUP_UNKNOWN64: not known, as the two that follow */
    uint64_t compressed_bytes;   /* fZipBytes */
    uint64_t uncompressed_bytes; /* fTotBytes */
    int64_t auto_flush;          /* fAutoFlush: entries of a cluster if positive; 0: not known */
};

/* Where a log holds a BASKETS record of a wanted task. */
struct cup_basket_place {
    uint32_t process;
    uint32_t at;   /* in units of 8 bytes */
    uint32_t task; /* index + 1; 0: none */
    uint32_t next; /* index + 1 of the next one of the same file */
};

/* What one task read; only where the counters of every task are kept. */
struct cup_task_baskets {
    uint64_t baskets, compressed, uncompressed, key_bytes;
    uint64_t unseen_compressed;
    uint64_t again_bytes, incidental, incidental_bytes;
    uint64_t branches; /* different ones */
};

/* More rows than this are gone through again only where they are asked for: it takes a second for
 * ten million. */
enum { CUP_BASKET_ROWS_MOST = 2000000 };

void cup_basket_sums_add(struct cup_basket_sums *sums, const struct cup_basket_sums *more);

void cup_task_baskets_add(struct cup_task_baskets *sums, const struct cup_task_baskets *more);

/* Adds a row of a BASKETS record: values by enum cup_basket_value. */
void cup_basket_sums_add_values(struct cup_basket_sums *sums, const uint64_t *values,
                                enum cup_baskets_source source);

/* "zlib, zstd" for a set of enum cup_algorithm, into `to`; returns it. */
enum { CUP_ALGORITHMS_ROOM = 64 };
char *cup_algorithm_names(uint32_t algorithms, char *to);

#endif
