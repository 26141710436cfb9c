/* Clusters: the events that were written to a file together, as one basket or a few of each branch.
 * A chunk that begins or ends inside a cluster shares baskets with its neighbour. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_CLUSTERS_H
#define CUPPING_ANALYSIS_METRICS_READS_CLUSTERS_H

#include <stdbool.h>

struct cup_totals;

struct cup_cluster {
    double events; /* of one; NAN: not known, or files differ */
    bool told;     /* from the trees' fAutoFlush; else from the baskets: the largest mean number of
                      entries of any branch */
};

/* Of the tree that used chunks read. Needs totals->branches-> */
struct cup_cluster cup_cluster_find(const struct cup_totals *totals);

#endif
