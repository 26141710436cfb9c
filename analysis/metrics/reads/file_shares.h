/* The share of each file that was read: what the logs say was read, over what the file itself
 * holds. The files are opened when the report is made. */
#pragma once

#include "analysis/metrics/reads/branches.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/root/file_facts.h"

/* One file: all of its trees from which baskets were read. */
struct cup_file_share {
    const char *reason;      /* why the fields below are not known; NULL: they are known */
    uint64_t branches;       /* branches of these trees that hold baskets */
    uint64_t bytes;          /* compressed bytes of all their baskets */
    uint64_t branches_read;  /* those of `branches` that were read */
    uint64_t bytes_read;     /* those of `bytes` that were read, each basket once */
    bool bytes_known;        /* bytes_read is known */
    uint64_t clusters;       /* clusters of the tree from which most bytes were read */
    uint64_t cluster_events; /* events that most of these clusters hold; 0: there is one cluster at
                                most */
};

struct cup_file_shares {
    const struct cup_totals *totals;
    struct cup_file_facts *facts; /* owned */
    struct cup_file_share *files; /* owned; one for each of profile->root_files */
    uint64_t *sizes; /* owned; one for each of profile->root_files: size of the file by the logs, 0:
                        not known */
    struct cup_file_share all; /* sums over the known ones; `reason` of the first unknown one */
    uint64_t known, unknown;   /* numbers of files from which baskets were read */
};

/* Opens the files from which baskets were read. `directory` is as in cup_file_facts_open(). Returns
 * 0, or -1 with the reason in *error. The caller frees the shares in both cases. */
int cup_file_shares_make(struct cup_file_shares *shares, const struct cup_totals *totals,
                         const char *directory, struct cup_error *error);
void cup_file_shares_free(struct cup_file_shares *shares);

/* What the file holds of the row's tree. The row must be that of a single file. */
const struct cup_file_fact *cup_row_facts(const struct cup_file_shares *shares,
                                          const struct cup_branch_row *row);

/* "share_of_branches_pct" and "share_of_bytes_pct" of the JSON; null if not known. */
struct cup_value cup_share_of_branches(const struct cup_file_share *share);
struct cup_value cup_share_of_bytes(const struct cup_file_share *share);
