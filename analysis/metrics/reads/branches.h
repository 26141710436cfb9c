/* Which branches were read from which files, and how much was read more than once: from the BASKETS
 * records of all logs.
 *
 * Sums over branches, files and the run are made at once. Baskets that several tasks read are found
 * file by file, from the first and last basket of a branch that each task read: see
 * cup_rereads_of(). This needs memory for the rows of one file. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_BRANCHES_H
#define CUPPING_ANALYSIS_METRICS_READS_BRANCHES_H

#include "analysis/profile/profile.h"

struct cup_totals;

/* Repeated reads of the baskets of a branch of a file, by the same task or by another: every read
 * but the first. */
struct cup_rereads {
    uint64_t baskets, bytes;             /* compressed bytes; the others are parts of these */
    uint64_t same_task, same_task_bytes; /* exact */
    uint64_t border, border_bytes;       /* the last basket of one task is the first of another:
                                            exact. Chunks that cut clusters */
    uint64_t estimated, estimated_bytes; /* tasks overlap in part: estimated by the mean basket */
    uint64_t wasted, wasted_bytes;       /* because of tasks whose result was not used */
};

/* One branch of one file, or, with file 0, of all. Strings of the profile. */
struct cup_branch_row {
    uint32_t file;       /* path; 0: all files */
    uint32_t root_file;  /* index + 1 in profile->root_files; 0: all files */
    uint32_t branch;     /* index + 1 in profile->branches; 0: the log did not introduce it */
    uint32_t rank;       /* in the order of trees and names */
    uint32_t tree, name; /* 0: not known: pages of an RNTuple have no names */
    uint64_t files;      /* in which it was read */
    uint64_t tasks;      /* that read it */
    uint64_t chunks;     /* of them */
    struct cup_basket_sums sums;
    bool rereads_known; /* see cup_branches.rereads_known; false for pages, which have no order */
    struct cup_rereads rereads;
};

/* Branches that were read from a file, and what the file holds by the TREE records of the trees
 * that were read. Without such records, a caller who opened the file may fill in tree_*. */
struct cup_branches_file {
    uint64_t branches, tasks; /* branches read; tasks that read them */
    bool rereads_known;
    struct cup_rereads rereads;
    uint64_t trees_known;       /* trees that were read and have a TREE record */
    uint64_t tree_branches;     /* branches with baskets in these trees; 0: not known */
    uint64_t tree_compressed;   /* fZipBytes, summed up; 0: not known */
    uint64_t tree_uncompressed; /* fTotBytes, summed up; 0: not known */
    uint64_t branches_of_trees; /* branches of tree_branches that were read */
    uint64_t read_of_trees;     /* compressed bytes of different baskets of these trees */
};

struct cup_branches {
    const struct cup_profile *profile;
    struct cup_basket_sums all;          /* read by tasks or by others */
    struct cup_basket_sums without_task; /* part of all: unattributed */
    struct cup_basket_sums pages;        /* part of all: of RNTuples */
    struct cup_branch_row *rows; /* owned; over all files, the most compressed bytes first */
    size_t count;
    struct cup_branches_file *files; /* owned; as profile->root_files */
    struct cup_branches_file total;  /* sums of those; branches: rows of all of them */
    uint32_t *root_of;     /* owned; by index in profile->files: index + 1 in root_files; 0: none */
    uint64_t file_bytes;   /* read by calls for tasks from the files whose baskets were seen */
    uint64_t file_rows;    /* rows that cup_branches_each() yields */
    bool rereads_known;    /* else: too many rows, and not asked for; or lost */
    uint64_t lost_records; /* that could not be read again */
    /* Chunks with an entry range that read baskets of their tree, and those of them that did not
     * read the whole range. The branch with the most entries read decides. */
    uint64_t events_checked, events_unsupported;
};

/* Returns 0, or -1 without memory. totals->outcomes must be there. */
int cup_branches_make(struct cup_branches *branches, const struct cup_totals *totals);
void cup_branches_free(struct cup_branches *branches);

/* The rows of every file, file by file in the order of profile->root_files, in a file in the order
 * of tree and name. Goes through the logs again. `visit` returns true to go on. Returns 0, or -1
 * without memory. */
int cup_branches_each(const struct cup_totals *totals,
                      bool (*visit)(void *context, const struct cup_branch_row *rows, size_t count),
                      void *context);

/* Whether any log has baskets that were read. */
static inline bool cup_branches_any(const struct cup_branches *branches)
{
    return branches->all.baskets > 0;
}

/* True if the rows of single files are known, and are not too many to be written. */
enum { CUP_BRANCH_ROWS_MOST = 100000 };
static inline bool cup_branches_by_file(const struct cup_branches *branches)
{
    return branches->rereads_known && branches->file_rows <= CUP_BRANCH_ROWS_MOST;
}

/* Compressed bytes of different baskets. Only where rereads are known. */
static inline uint64_t cup_distinct_bytes(const struct cup_basket_sums *sums,
                                          const struct cup_rereads *rereads)
{
    return sums->compressed > rereads->bytes ? sums->compressed - rereads->bytes : 0;
}

#endif
