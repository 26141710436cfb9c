/* The branches that were read, file by file, with their repeated reads. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_FILE_BRANCHES_H
#define CUPPING_ANALYSIS_METRICS_READS_FILE_BRANCHES_H

#include "analysis/metrics/reads/branches.h"
#include "analysis/profile/basket_feed.h"

/* What one task read of one branch of the file. */
struct cup_branch_visit {
    uint64_t first, last; /* its first and last basket: their numbers, or where they begin */
    uint64_t bytes;       /* of different baskets, compressed */
    uint32_t first_bytes; /* of the first one; 0: not known */
    uint32_t last_bytes;  /* of the last one; 0: not known */
    uint32_t baskets;     /* different ones */
    uint32_t row;         /* index of the branch */
    uint32_t task;        /* index + 1; 0: none is known */
    bool wasted;          /* the task's result was not used */
    bool by_number;       /* first and last are numbers */
};

struct cup_file_branches {
    const struct cup_totals *totals;
    struct cup_basket_feed feed;
    struct cup_branch_row *rows; /* owned; of this file, in the order of tree and name */
    size_t count, room;
    uint64_t tasks; /* that read the file, without unattributed reads */

    /* Private. */
    uint32_t *ranks;     /* owned; of branches */
    uint32_t *row_of;    /* owned; by branch: index + 1 in rows while those are gathered */
    uint32_t *last_task; /* owned; by row: index + 1 of the one that counted last */
    size_t last_room;
    struct cup_branch_visit *visits; /* owned; of one pass */
    size_t visit_count, visit_room;
    struct cup_branch_visit *sorted; /* owned; by row */
    size_t sorted_room;
    size_t *starts; /* owned; by row: where its visits begin in `sorted` */
    size_t start_room;
    unsigned char *told; /* owned; bits: tasks with a record of this file */
    uint64_t records;    /* records of the feed that are in `told` */
    bool in_parts;       /* some task has more than one record */
    bool out_of_memory;
};

/* Returns 0, or -1 without memory: then there is nothing to close. */
int cup_file_branches_open(struct cup_file_branches *file, const struct cup_totals *totals);

/* Reads the rows of a file. Returns 0, or -1 without memory. */
int cup_file_branches_read(struct cup_file_branches *file, uint32_t root_file);

/* Returns the records that could not be read again. */
uint64_t cup_file_branches_close(struct cup_file_branches *file);

/* Joins the visits that several records have of one task; changes the order. Returns how many
 * remain. */
size_t cup_visits_merge(struct cup_branch_visit *visits, size_t count);

/* What the visits of one branch have in common; changes their order. */
struct cup_rereads cup_rereads_of(struct cup_branch_visit *visits, size_t count);

void cup_rereads_add(struct cup_rereads *sums, const struct cup_rereads *more);

#endif
