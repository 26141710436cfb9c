/* Which branches were read, of which files, how much of it twice: what the BASKETS records of all
 * logs say together.
 *
 * Sums over branches, files and the run are there at once. What several tasks read, each of them,
 * is found file by file from the places of the first and last basket that each task read of a
 * branch: see cup_rereads_of(). Memory is that of one file's rows. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_BRANCHES_H
#define CUPPING_ANALYSIS_METRICS_READS_BRANCHES_H

#include "analysis/profile/profile.h"

struct cup_totals;

/* Baskets of a branch of a file that were read more than once, by the same task or by another: each
 * read but the first. */
struct cup_rereads {
    uint64_t baskets, bytes;             /* compressed bytes; same_task and shared are of these */
    uint64_t same_task, same_task_bytes; /* exact */
    uint64_t border, border_bytes;       /* the last basket of one task is the first of another:
                                            exact. Chunks that cut clusters */
    uint64_t estimated, estimated_bytes; /* tasks overlap in part: by the mean basket */
    uint64_t wasted, wasted_bytes;       /* of tasks whose result was not used, as losses has it */
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

/* Branches that were read of a file; what it holds, as TREE records tell of the trees that were
 * read: where there are none, whoever has opened the file may fill tree_* in. */
struct cup_branches_file {
    uint64_t branches, tasks; /* that were read; that read them */
    bool rereads_known;
    struct cup_rereads rereads;
    uint64_t trees_known;       /* trees that were read whose TREE record is there */
    uint64_t tree_branches;     /* that hold baskets, of those; 0: not known */
    uint64_t tree_compressed;   /* fZipBytes, summed up; 0: not known */
    uint64_t tree_uncompressed; /* likewise fTotBytes */
    uint64_t branches_of_trees; /* of those that hold baskets: read */
    uint64_t read_of_trees;     /* compressed bytes of different baskets read of those */
};

struct cup_branches {
    const struct cup_profile *profile;
    struct cup_basket_sums all;          /* whoever read them */
    struct cup_basket_sums without_task; /* of those: no task is known */
    struct cup_basket_sums pages;        /* of those: of RNTuples */
    struct cup_branch_row *rows; /* owned; over all files, the most compressed bytes first */
    size_t count;
    struct cup_branches_file *files; /* owned; as profile->root_files */
    struct cup_branches_file total;  /* sums of those; branches: rows of all of them */
    uint32_t *root_of;     /* owned; by index in profile->files: index + 1 in root_files; 0: none */
    uint64_t file_bytes;   /* read by calls for tasks from the files whose baskets were seen */
    uint64_t file_rows;    /* rows that cup_branches_each() yields */
    bool rereads_known;    /* else: too many rows, and not asked for; or lost */
    uint64_t lost_records; /* that could not be read again */
    /* Chunks with an entry range that read baskets of their tree: is it true that they read all
     * of it? The branch of which a task read most decides. */
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

/* True if baskets of uproot's asking, of any kind, were told in some log. */
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
