/* What the files that were read say of themselves, opened when the report is made, beside what the
 * logs say was read of them. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_FILE_SHARES_H
#define CUPPING_ANALYSIS_METRICS_READS_FILE_SHARES_H

#include "analysis/metrics/reads/branches.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/root/file_facts.h"

/* One file: all of its trees from which baskets were read. */
struct cup_file_share {
    const char *reason;      /* why nothing of what follows is known; NULL: it is */
    uint64_t branches;       /* of the trees, that hold baskets */
    uint64_t bytes;          /* compressed, of their baskets */
    uint64_t branches_read;  /* of those */
    uint64_t bytes_read;     /* of those, each basket once */
    bool bytes_known;        /* bytes_read is */
    uint64_t clusters;       /* of the tree with the most bytes read, as the next field */
    uint64_t cluster_events; /* what most of them hold; 0: there is one at most */
};

struct cup_file_shares {
    const struct cup_totals *totals;
    struct cup_file_facts *facts; /* owned */
    struct cup_file_share *files; /* owned; as profile->root_files */
    uint64_t *sizes;              /* owned; likewise: as the logs have them; 0: not known */
    struct cup_file_share all;    /* sums over those that are known; `reason` of the first other */
    uint64_t known, unknown;      /* files from which baskets were read */
};

/* Opens the files of which baskets were read; `directory` as cup_file_facts_open() has it. Returns
 * 0, or -1 with the reason in *error. The shares are to be freed either way. */
int cup_file_shares_make(struct cup_file_shares *shares, const struct cup_totals *totals,
                         const char *directory, struct cup_error *error);
void cup_file_shares_free(struct cup_file_shares *shares);

/* What the file of a row, which is one of a single file, says of the row's tree. */
const struct cup_file_fact *cup_row_facts(const struct cup_file_shares *shares,
                                          const struct cup_branch_row *row);

/* "share_of_branches_pct", "share_of_bytes_pct": null where they are not known. */
struct cup_value cup_share_of_branches(const struct cup_file_share *share);
struct cup_value cup_share_of_bytes(const struct cup_file_share *share);

#endif
