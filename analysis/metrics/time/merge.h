/* Merging, Coffea's tree reduction: tasks that merge the results of chunks, or of other merges. */
#pragma once

#include "analysis/profile/profile.h"

struct cup_totals;

/* All merges of one level. */
struct cup_merge_level {
    uint32_t level; /* 1: merges results of chunks; 2: merges those of level 1; ...; 0: not known */
    bool metadata;  /* merges results of metadata tasks, not of chunks */
    /* From here to `without_cpu`: all are uint64_t, and added up over levels. */
    uint64_t tasks, finished, failed; /* failed: erred or never ended */
    uint64_t inputs;
    uint64_t input_bytes, input_bytes_known; /* ..._known: number of tasks for which it is known */
    uint64_t result_bytes, result_bytes_known;
    uint64_t wall_ns, cpu_ns; /* of ended tasks, including to read inputs that were spilled */
    uint64_t after_chunks_ns; /* part of wall_ns: after the last chunk ended */
    uint64_t without_cpu;
    uint64_t longest_ns;
    uint64_t largest_bytes;    /* bytes of the largest result */
    uint64_t rss_bytes;        /* largest RSS of their processes, at a begin or end; 0: not known */
    uint64_t peak_live_bytes;  /* largest peak of one task; 0 unless the profile has the counters of
                                  every task */
    int64_t start_ns, stop_ns; /* first start and last stop; 0: none */
};

struct cup_merge {
    struct cup_merge_level *levels; /* owned; metadata first, then by level */
    size_t count, room;
    bool summed; /* tasks that may be merges, or made their inputs, are summed up: nothing is known
                    of them */
};

/* Returns 0, or -1 without memory; the caller frees in both cases. */
int cup_merge_make(struct cup_merge *merge, const struct cup_totals *totals);
void cup_merge_free(struct cup_merge *merge);

/* Sum of all levels that merge results of chunks, or of metadata tasks if METADATA. */
struct cup_merge_level cup_merge_sum(const struct cup_merge *merge, bool metadata);
