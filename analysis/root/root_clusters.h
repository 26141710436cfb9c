/* Clusters of a tree: where its branches begin a new basket together. */
#ifndef CUPPING_ANALYSIS_ROOT_ROOT_CLUSTERS_H
#define CUPPING_ANALYSIS_ROOT_ROOT_CLUSTERS_H

#include "analysis/root/root_file.h"

/* Keeps of tree->borders those that are among the `count` first entries of a branch's baskets, big
 * endian in `width` bytes each, or takes all of these if it is the first branch. Returns 0, or -1
 * without memory. */
int cup_root_borders_meet(struct cup_root_tree *tree, const unsigned char *entries, unsigned width,
                          uint64_t count);

/* Once all branches are in: what most clusters hold. */
int cup_root_clusters_measure(struct cup_root_tree *tree);

#endif
