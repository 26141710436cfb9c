/* The tree reduction: tasks that merge the results of chunks, or of other merges. */
#ifndef CUPPING_ANALYSIS_METRICS_TIME_MERGE_H
#define CUPPING_ANALYSIS_METRICS_TIME_MERGE_H

#include "analysis/profile/profile.h"

struct cup_totals;

/* All merges of one level. */
struct cup_merge_level {
    uint32_t level; /* 1: merges results of chunks; 2: merges those of level 1; ...; 0: not known */
    bool metadata;  /* merges results of metadata tasks, not of chunks */
    uint64_t tasks, finished, failed; /* failed: erred or never ended */
    uint64_t inputs;
    uint64_t input_bytes, input_bytes_known; /* ..._known: number of tasks that have it */
    uint64_t result_bytes, result_bytes_known;
    uint64_t wall_ns, cpu_ns; /* of ended ones: accumulating, and reading what was spilled */
    uint64_t without_cpu;
    uint64_t longest_ns;
    uint64_t largest_bytes; /* result */
    uint64_t rss_bytes;     /* the largest, of their processes, when one began or ended; 0: none */
    uint64_t peak_live_bytes;  /* the largest of one task, where the counters are loaded */
    int64_t start_ns, stop_ns; /* first and last; 0: none */
};

struct cup_merge {
    struct cup_merge_level *levels; /* owned; metadata first, then by level */
    size_t count, room;
};

/* Without memory returns -1: what there is is freed with the others. */
int cup_merge_make(struct cup_merge *merge, const struct cup_totals *totals);
void cup_merge_free(struct cup_merge *merge);

/* All levels that merge chunks' results (or metadata). */
struct cup_merge_level cup_merge_sum(const struct cup_merge *merge, bool metadata);

#endif
