/* A cluster is the run of events that were written to a file together, as one basket or a few of
 * each branch. If a chunk begins or ends inside a cluster, it reads baskets that its neighbour
 * reads, too. */
#pragma once

#include <stdbool.h>

struct cup_totals;

struct cup_cluster {
    double events;   /* events per cluster; NAN: not known, or the files differ */
    bool from_trees; /* true: from fAutoFlush of the trees; false: estimated from the baskets, as
                        the largest mean number of entries per basket of any branch */
};

/* The clusters of the tree that chunks read. Needs totals->outcomes and totals->branches. */
struct cup_cluster cup_cluster_find(const struct cup_totals *totals);
