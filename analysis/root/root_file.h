/* Reads a tree's metadata from a ROOT file: its branches, their baskets and sizes, its clusters. A
 * report uses it if the file is still there; the log only knows what was read.
 *
 * The file may be damaged or hostile: anything unexpected is refused with a reason. Only the tree's
 * record is read, no baskets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"

/* A branch with baskets; branches that only group others are left out. Bytes are counted as uproot
 * counts them, with the baskets' keys. */
struct cup_root_branch {
    const char *name; /* as in the keys of its baskets; no NUL at the end */
    size_t name_bytes;
    uint64_t baskets;            /* with a record of their own in the file */
    uint64_t embedded_baskets;   /* inside the tree's record: no read of their own */
    uint64_t entries;            /* fEntries */
    uint64_t compressed_bytes;   /* of `baskets`: sum of fBasketBytes */
    uint64_t uncompressed_bytes; /* of the same: fTotBytes */
    int32_t compression; /* fCompress: 100 * algorithm + level; negative: ROOT's default. Files of
                            uproot have 0, compressed or not */
};

struct cup_root_tree {
    bool ntuple; /* it is an RNTuple: nothing else is known */
    uint64_t entries;
    uint64_t compressed_bytes, uncompressed_bytes; /* fZipBytes and fTotBytes, of all branches */
    struct cup_root_branch *branches;              /* owned; in the order of their names */
    size_t branch_count;
    /* Entries at which all branches begin a new basket. A chunk that begins and ends at borders
     * shares no basket with other chunks. */
    uint64_t *borders; /* owned; ascending, the first is 0 */
    size_t border_count;
    int64_t auto_flush;       /* fAutoFlush: positive: entries, negative: bytes; 0: never */
    uint64_t cluster_entries; /* entries of most clusters; 0: not known, there is at most one */
    char *names;              /* owned; the names of the branches */
};

/* Reads the newest cycle of a tree. The name may be "directory/tree" or "tree;2". A name without a
 * directory is searched for in the top directory, then in all others, where it must be unique.
 *
 * Returns 0, and the caller frees OUT with cup_root_tree_free(); or -1 with nothing to free, a
 * reason in error->text that can follow "n/a: ", and the path in error->source. */
int cup_root_examine(const char *path, const char *tree, struct cup_root_tree *out,
                     struct cup_error *error);

void cup_root_tree_free(struct cup_root_tree *tree);

/* The sums over all branches of this name, because a tree may have several. `baskets` is 0 if there
 * is none. */
struct cup_root_branch cup_root_branch_named(const struct cup_root_tree *tree, const char *name,
                                             size_t length);

/* The first entry of the cluster that has ENTRY. */
uint64_t cup_root_cluster_start(const struct cup_root_tree *tree, uint64_t entry);
