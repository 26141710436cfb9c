/* What a ROOT file says of one tree: its branches, their baskets and sizes, its clusters. Read when
 * a report is made, where the file is still at hand; the log alone has what was read of it.
 *
 * The bytes of the file may be damaged or hostile: whatever is not understood is refused with a
 * reason. Baskets themselves are not read, only what the tree's record says of them. */
#ifndef CUPPING_ANALYSIS_ROOT_ROOT_FILE_H
#define CUPPING_ANALYSIS_ROOT_ROOT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"

/* A branch that holds baskets; those that merely group others are left out. Bytes are counted as
 * uproot counts them: with the baskets' keys. */
struct cup_root_branch {
    const char *name; /* as the keys of its baskets have it; no NUL at the end */
    size_t name_bytes;
    uint64_t baskets;            /* records of their own in the file */
    uint64_t embedded_baskets;   /* those that the tree's own record holds, and no read shows */
    uint64_t entries;            /* fEntries */
    uint64_t compressed_bytes;   /* of `baskets`: sum of fBasketBytes */
    uint64_t uncompressed_bytes; /* of the same: fTotBytes */
    int32_t compression; /* fCompress: 100 * algorithm + level; below 0: ROOT's default. uproot has
                            0 here, however it compressed */
};

struct cup_root_tree {
    bool ntuple; /* an RNTuple: that is all that is known of it */
    uint64_t entries;
    uint64_t compressed_bytes, uncompressed_bytes; /* fZipBytes and fTotBytes: of all branches */
    struct cup_root_branch *branches;              /* owned; in the order of their names */
    size_t branch_count;
    /* Where all branches begin a new basket together: a chunk that begins and ends at these reads
     * no basket that another one reads, too. */
    uint64_t *borders; /* owned; first entries, ascending, the first is 0 */
    size_t border_count;
    int64_t auto_flush;       /* fAutoFlush: above 0 entries, below 0 bytes; 0: never */
    uint64_t cluster_entries; /* what most clusters hold; 0: not known, there is one at most */
    char *names;              /* owned; all of the branches */
};

/* The tree of this name in the file, its newest cycle; "directory/tree" and "tree;2" are names,
 * too. A name without a directory that is not in the top one may be anywhere, if it is there once.
 *
 * Returns 0, and the caller gives `out` back with cup_root_tree_free(); or -1 with nothing to give
 * back, and why in error->text, so that it can follow "n/a: " (error->source is the path). */
int cup_root_examine(const char *path, const char *tree, struct cup_root_tree *out,
                     struct cup_error *error);

void cup_root_tree_free(struct cup_root_tree *tree);

/* All branches of this name together (a tree may have several: their sizes are added); `baskets` is
 * 0 where there is none. */
struct cup_root_branch cup_root_branch_named(const struct cup_root_tree *tree, const char *name,
                                             size_t length);

/* The largest border that is not above `entry`: where its cluster begins. */
uint64_t cup_root_cluster_start(const struct cup_root_tree *tree, uint64_t entry);

#endif
