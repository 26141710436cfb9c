/* Clusters: the events whose baskets a file was written with at one time, one basket or a few of
 * each branch. A chunk that begins or ends within one shares baskets with its neighbour. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_CLUSTERS_H
#define CUPPING_ANALYSIS_METRICS_READS_CLUSTERS_H

#include <stdbool.h>

struct cup_totals;

struct cup_cluster {
    double events; /* of one; NAN: not known, or files differ */
    bool told;     /* by the trees (fAutoFlush); else the most entries that baskets of any branch
                      hold on average */
};

/* Of the tree that used chunks read. Needs totals->branches-> */
struct cup_cluster cup_cluster_find(const struct cup_totals *totals);

#endif
