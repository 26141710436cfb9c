/* Finds the clusters of a tree: entries at which all its branches begin a new basket. */
#ifndef CUPPING_ANALYSIS_ROOT_ROOT_CLUSTERS_H
#define CUPPING_ANALYSIS_ROOT_ROOT_CLUSTERS_H

#include "analysis/root/root_file.h"

/* Removes all borders from tree->borders at which no basket of this branch begins. The first
 * branch sets the borders. ENTRIES are the first entries of its baskets: COUNT big-endian numbers
 * of WIDTH bytes. Returns 0, or -1 without memory. */
int cup_root_borders_intersect(struct cup_root_tree *tree, const unsigned char *entries,
                               unsigned width, uint64_t count);

/* Sets tree->cluster_entries. Call it when all branches were added. Returns 0, or -1 without
 * memory. */
int cup_root_clusters_measure(struct cup_root_tree *tree);

#endif
