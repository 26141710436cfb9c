/* Which branches were read from which files, and how much was read more than once. All of it comes
 * from the BASKETS records of the logs.
 *
 * For each branch that it read, a task recorded its first and its last basket. Comparing these
 * shows which baskets several tasks read: see rereads.c. That is done for one file at a time, so
 * only the records of one file are in memory. */
#pragma once

#include "analysis/base/units.h"
#include "analysis/profile/profile.h"

struct cup_totals;

/* Repeated reads of baskets: for each basket, every read but the first, by the same task or by
 * another. */
struct cup_rereads {
    uint64_t baskets, bytes; /* all of them, compressed; the other fields are parts of these */
    uint64_t same_task, same_task_bytes; /* the task itself had read the basket before; exact */
    uint64_t border, border_bytes; /* a task's first basket is the last one of the tasks before it:
                                      chunks that cut clusters. The baskets are exact; bytes that
                                      are not known are in `estimated`, too */
    uint64_t estimated, estimated_bytes; /* the number of common baskets, or their size, is
                                            estimated by the mean basket */
    uint64_t wasted, wasted_bytes; /* repeated only because of tasks whose result was not used */
};

/* One branch of one file; with file 0, one branch over all files. Names are strings of the profile.
 */
struct cup_branch_row {
    uint32_t file;       /* path; 0: all files */
    uint32_t root_file;  /* index + 1 in profile->root_files; 0: all files */
    uint32_t branch;     /* index + 1 in profile->branches; 0: the log did not introduce it */
    uint32_t rank;       /* in the order of trees and names */
    uint32_t tree, name; /* 0: not known, as for pages of an RNTuple */
    uint64_t files;      /* in which the branch was read */
    uint64_t tasks;      /* tasks that read it */
    uint64_t chunks;     /* those of `tasks` that are chunks */
    struct cup_basket_sums sums;
    bool rereads_known; /* see cup_branches.rereads_known; always false for pages of an RNTuple,
                           whose order is not known */
    struct cup_rereads rereads;
};

/* What was read from a file, and what the file holds. The latter is from the TREE records of the
 * trees that were read. If there are none, a caller who opened the file may fill in tree_*. */
struct cup_branches_file {
    bool rereads_known;
    /* From here on: all are uint64_t, and added up over files. */
    uint64_t branches, tasks; /* branches read; tasks that read them */
    struct cup_rereads rereads;
    uint64_t trees_known;       /* trees that were read, and whose TREE record states their size */
    uint64_t tree_branches;     /* branches with baskets in these trees; 0: not known */
    uint64_t tree_compressed;   /* fZipBytes, summed up; 0: not known */
    uint64_t tree_uncompressed; /* fTotBytes, summed up; 0: not known */
    uint64_t branches_of_trees; /* branches that were read, of those in tree_branches */
    uint64_t read_of_trees;     /* compressed bytes of different baskets of these trees */
};

struct cup_branches {
    const struct cup_profile *profile;
    struct cup_basket_sums all;          /* all that was read, attributed to a task or not */
    struct cup_basket_sums without_task; /* part of `all` that is not attributed to a task */
    struct cup_basket_sums pages;        /* part of `all`: pages of RNTuples */
    struct cup_branch_row *rows; /* owned; over all files, the most compressed bytes first */
    size_t count;
    struct cup_branches_file *files; /* owned; one for each of profile->root_files */
    struct cup_branches_file total;  /* sums over `files`: a branch counts once for each file */
    uint32_t *root_of;   /* owned; by index in profile->files: index + 1 in root_files; 0: none */
    uint64_t file_bytes; /* bytes that tasks read from files in which baskets were recognised */
    uint64_t file_rows;  /* rows that cup_branches_each() yields */
    bool rereads_known;  /* false: there were too many BASKETS records to keep their places, some
                            could not be read again, or tasks of full logs have none */
    bool at_most; /* which baskets uproot requested is not known, so these sums are upper bounds */
    uint64_t lost_records; /* BASKETS records that could not be read again */
    /* events_checked: chunks with an entry range that read baskets of their tree.
     * events_unsupported: those of them that did not read the whole range. The branch with the most
     * entries read decides. */
    uint64_t events_checked, events_unsupported;
};

/* Needs totals->outcomes. Returns 0, or -1 without memory; the caller frees in both cases. */
int cup_branches_make(struct cup_branches *branches, const struct cup_totals *totals);
void cup_branches_free(struct cup_branches *branches);

/* Calls `visit` for each file in the order of profile->root_files, with its rows in the order of
 * tree and name. Reads the logs again. `visit` returns false to stop. Returns 0, or -1 without
 * memory. */
int cup_branches_each(const struct cup_totals *totals,
                      bool (*visit)(void *context, const struct cup_branch_row *rows, size_t count),
                      void *context);

/* Which dataset a ROOT file belongs to, from Coffea's work items, which name both: for each of
 * profile->root_files the index + 1 of its dataset in totals->datasets; 0: no work item names the
 * file. Work items may have only the end of its path ("data/a.root"). Allocated, the caller frees;
 * NULL without memory. */
uint32_t *cup_datasets_of_files(const struct cup_totals *totals);

/* Whether any basket was recognised. */
static inline bool cup_branches_any(const struct cup_branches *branches)
{
    return branches->all.baskets > 0;
}

/* Number of files from which baskets were read. *sized: of these, the files with a known size of a
 * tree. Shares of the trees are shares of these. */
uint64_t cup_branches_files(const struct cup_branches *branches, uint64_t *sized);

/* What follows "of the trees" where a share is printed: " in 3 of 5 files"; "": in all files. */
const char *cup_branches_of_files(char to[CUP_LINE_ROOM], const struct cup_branches *branches);

/* True if there are rows for single files, and few enough to print. */
enum { CUP_BRANCH_ROWS_MOST = 100000 };
static inline bool cup_branches_by_file(const struct cup_branches *branches)
{
    return branches->rereads_known && branches->file_rows <= CUP_BRANCH_ROWS_MOST;
}

/* Compressed bytes with each basket counted once. Valid only if rereads_known is set. */
static inline uint64_t cup_distinct_bytes(const struct cup_basket_sums *sums,
                                          const struct cup_rereads *rereads)
{
    return sums->compressed > rereads->bytes ? sums->compressed - rereads->bytes : 0;
}
