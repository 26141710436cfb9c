/* Goes through the ROOT files one by one, and makes the rows of the branches that were read, with
 * their repeated reads. */
#pragma once

#include "analysis/metrics/reads/branches.h"
#include "analysis/profile/basket_feed.h"

/* A visit: what one task read of one branch of the file, in one BASKETS record; after
 * cup_visits_merge(), in all its records. */
struct cup_branch_visit {
    uint64_t first, last; /* its first and last basket: their numbers, or their positions in the
                             file (see by_number) */
    uint64_t bytes;       /* compressed bytes, each basket once */
    uint32_t first_bytes; /* compressed bytes of the first basket; 0: not known */
    uint32_t last_bytes;  /* compressed bytes of the last basket; 0: not known */
    uint32_t baskets;     /* number of different baskets */
    uint32_t row;         /* index in cup_file_branches.rows */
    uint32_t task;        /* index + 1 in profile->tasks; 0: unattributed */
    bool wasted;          /* the task's result was not used */
    bool by_number;       /* `first` and `last` are basket numbers; false: positions */
};

struct cup_file_branches {
    const struct cup_totals *totals;
    struct cup_basket_feed feed;
    struct cup_branch_row *rows; /* owned; of this file, in the order of tree and name */
    size_t count, room;
    uint64_t tasks; /* tasks that read the file */

    /* Private. */
    uint32_t *ranks;     /* owned; by branch: its place in the order of tree and name */
    uint32_t *row_of;    /* owned; by branch: index + 1 in rows, 0: no row yet */
    uint32_t *last_task; /* owned; by row: index + 1 of the last task that row.tasks counts */
    size_t last_room;
    struct cup_branch_visit *visits; /* owned; the visits of the current pass: see PASS_VISITS */
    size_t visit_count, visit_room;
    struct cup_branch_visit *sorted; /* owned; the same visits, ordered by row */
    size_t sorted_room;
    size_t *starts; /* owned; by row: where its visits begin in `sorted`, and after sort_by_row()
                       where they end */
    size_t start_room;
    unsigned char *tasks_with_record; /* owned; a bit for each task with a record of this file */
    uint64_t records;                 /* number of the last record of the feed that is in it */
    bool in_parts; /* some task has several records of this file: its visits must be merged */
    bool out_of_memory;
};

/* Returns 0, or -1 without memory: then there is nothing to close. */
int cup_file_branches_open(struct cup_file_branches *file, const struct cup_totals *totals);

/* Makes the rows of a file (index in profile->root_files) from the logs. Returns 0, or -1 without
 * memory. */
int cup_file_branches_read(struct cup_file_branches *file, uint32_t root_file);

/* Frees all. Returns how many records could not be read again. */
uint64_t cup_file_branches_close(struct cup_file_branches *file);

/* Merges visits of one branch that belong to the same task, because a long task writes several
 * records. Reorders the array. Returns how many visits remain. */
size_t cup_visits_merge(struct cup_branch_visit *visits, size_t count);

/* The baskets that several of these visits of one branch have read. Reorders the array. */
struct cup_rereads cup_rereads_of(struct cup_branch_visit *visits, size_t count);
