/* What a chunk costs, as a function of its number of events: straight lines for its time and its
 * peak live heap, each a fixed cost and a cost per event. From these follow a suitable chunk size
 * and the memory that a worker needs. */
#pragma once

#include <stdint.h>

#include "analysis/metrics/chunks/fit.h"
#include "analysis/metrics/chunks/memory_growth.h"

struct cup_totals;

/* Fits over the used chunks of one dataset, or of all. */
struct cup_chunk_fit {
    uint32_t dataset;         /* string; 0: all */
    uint64_t chunks;          /* used chunks, also those with unknown events */
    struct cup_line_fit time; /* wall time of the task in seconds, against events */
    struct cup_line_fit heap; /* peak live heap of the task's threads in bytes, against events */
    double helpers_share;     /* the part of these peaks that is of helper threads; NAN: no peaks */
};

/* What limits the range of suitable chunk sizes, from below or from above. */
enum cup_size_bound {
    CUP_BOUND_NONE,
    CUP_BOUND_FIXED_COST, /* from below: the fixed part would be too large a share of the time */
    CUP_BOUND_SCHEDULER,  /* from below: the scheduler could not keep up with shorter tasks */
    CUP_BOUND_WALL,       /* from above: a lost chunk would cost too much time */
    CUP_BOUND_THREADS,    /* from above: each thread should get several chunks */
    CUP_BOUND_MEMORY,     /* from above: the worker's memory limit */
    CUP_BOUND_FILE,       /* from above: the largest file has no more events */
    CUP_BOUND_FIT,        /* from above: too far from the chunks that the fit is made of */
    CUP_BOUND_COUNT
};
extern const char *const cup_size_bound_names[CUP_BOUND_COUNT];

/* The chunk size that suits, by the fit of the time over all chunks or over one dataset. */
struct cup_chunk_size {
    const char *missing;             /* why no size is given, not owned; NULL: one is given */
    const struct cup_chunk_fit *fit; /* the fit that the size is computed from */
    double present;                  /* present size: mean events of a chunk */
    double fixed_s, fixed_error_s;   /* fixed seconds of a chunk */
    double event_s, event_error_s;   /* seconds for each event */
    double fixed_share, fixed_share_error, wall_s; /* at the present size */
    double least, most;                            /* range of suitable sizes, in events */
    enum cup_size_bound least_by, most_by;
    double events;         /* the size that suits best: the present one if it is in the range */
    double cluster_events; /* events per cluster, if `events` is whole clusters; NAN: not known */
    double new_fixed_share, new_wall_s; /* with chunks of `events` */
};

/* The memory that a worker needs: what its process holds, plus the peak heap of a chunk for each
 * thread. By the fit of the heap over all chunks or over one dataset, whichever has the largest
 * heap of a mean chunk. If all chunks have one size, the values per event are NAN. */
struct cup_memory_need {
    const char *missing; /* why nothing is known, not owned; NULL: it is */
    const struct cup_chunk_fit *fit;
    /* Heap of a chunk: bytes for each event, and fixed bytes. */
    double event_bytes, event_error_bytes, fixed_bytes, fixed_error_bytes;
    double chunk_bytes; /* peak live heap of a chunk of the present size: at most, because peaks of
                           a task's threads are added up */
    /* Threads and memory limit (NAN: none is known) of the worker with the least memory per thread;
     * without limits, threads of the worker with the most of them. */
    unsigned threads;
    double limit_bytes;
    double base_bytes, base_error_bytes; /* resident memory of a process when a chunk begins */
    double seen_bytes; /* largest memory that samples have of a worker with these threads and this
                          limit; NAN: none */
    /* What a worker needs, the error of that, and the limit to request: at the present chunk size,
     * and at the one that suits (NAN: not known). */
    double bytes, error_bytes, request_bytes;
    double new_bytes, new_error_bytes, new_request_bytes;
};

/* Chunks are large enough if the fixed part is less than this share of their time. */
#define CUP_SIZE_FIXED_SHARE 0.1
/* A scheduler takes about 1 ms for each task. With P threads, tasks of P x 10 ms keep it busy for
 * 10 % of the time. */
#define CUP_SIZE_SCHEDULER_S 0.01
/* Longest chunk in seconds: a worker that dies loses its chunk, and the run waits for its last
 * chunk. */
#define CUP_SIZE_MOST_S 300.0
#define CUP_SIZE_CHUNKS_PER_THREAD 4.0
/* A fit is not used for sizes that are larger than the largest chunk, or smaller than the smallest,
 * by more than this factor. */
#define CUP_SIZE_BEYOND 4.0
/* No size is advised if these standard errors are exceeded: that of the time per event, as a share
 * of it; that of the fixed part, as a share of a chunk's time. */
#define CUP_SIZE_SLOPE_ERROR 0.2
#define CUP_SIZE_SHARE_ERROR 0.05
/* A request is so large that the need is this share of it: Dask begins to write results to disk at
 * 70 % of a worker's limit, and pauses the worker at 80 %. */
#define CUP_MEMORY_FILL 0.7
/* No memory is advised if the peak heaps of chunks of one size differ by more than this share. */
#define CUP_MEMORY_ERROR 0.25
/* Nor if a larger share of the peaks is of helper threads: they need not coincide. */
#define CUP_MEMORY_HELPERS 0.25

struct cup_chunk_fits {
    struct cup_chunk_fit all;
    struct cup_chunk_fit *datasets; /* owned; as totals->datasets */
    size_t count;
    uint64_t every; /* fits use every n-th chunk: 1 for up to 32,768 chunks */
    struct cup_chunk_size size;
    struct cup_memory_growth growth; /* if memory grows, what a worker needs is not known */
    struct cup_memory_need memory;
};

/* Needs totals with outcomes, datasets, budget, branches and samples. Returns 0; or -1 without
 * memory, with nothing to free. */
int cup_chunk_fits_make(struct cup_chunk_fits *fits, const struct cup_totals *totals);
void cup_chunk_fits_free(struct cup_chunk_fits *fits);

/* For cup_chunk_fits_make(): fills in fits->size and fits->memory. Returns 0, or -1 without memory.
 */
int cup_chunk_size_make(struct cup_chunk_fits *fits, const struct cup_totals *totals);

/* Why a fit of the time is too uncertain to advise a size; NULL: it is good enough. Not owned. */
const char *cup_time_doubt(const struct cup_line_fit *fit);

/* Rounds to two significant digits: 1,234,567 becomes 1,200,000. */
double cup_two_digits(double number);
