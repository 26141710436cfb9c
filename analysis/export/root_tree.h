/* What a ROOT file says of a TTree as a whole, where the file is still at hand. Only what stands in
 * the file uncompressed is read: uproot writes a tree's record so, ROOT itself as a rule does not.
 */
#ifndef CUPPING_ROOT_TREE_H
#define CUPPING_ROOT_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct cup_root_tree {
    uint64_t compressed_bytes, uncompressed_bytes; /* of all baskets, with their headers */
};

/* The tree NAME in the file's top directory, its newest cycle. False where there is no such file of
 * SIZE bytes, no such tree, or nothing that can be read without decompressing it. */
bool cup_root_tree_read(struct cup_root_tree *tree, const char *path, uint64_t size,
                        const char *name);

#endif
