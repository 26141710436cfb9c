/* What a chunk costs by its number of events: time and peak live heap, each a fixed part and one
 * per event; and which chunk size and memory would suit. */
#ifndef CUPPING_ANALYSIS_METRICS_CHUNKS_CHUNK_FITS_H
#define CUPPING_ANALYSIS_METRICS_CHUNKS_CHUNK_FITS_H

#include <stdint.h>

#include "analysis/metrics/chunks/fit.h"

struct cup_totals;

/* Over the used chunks of a dataset, or over all. */
struct cup_chunk_fit {
    uint32_t dataset;         /* string; 0: all */
    uint64_t chunks;          /* used chunks, also those with unknown events */
    struct cup_line_fit time; /* wall time of the task in seconds, against events */
    struct cup_line_fit heap; /* peak live heap of its threads in bytes, against events */
};

/* Why a size is no smaller, or no larger. */
enum cup_size_bound {
    CUP_BOUND_NONE,
    CUP_BOUND_FIXED_COST, /* no smaller: the fixed part of the time */
    CUP_BOUND_SCHEDULER,  /* no smaller: tasks so short that handing them out takes long */
    CUP_BOUND_WALL,       /* no larger: what a lost chunk costs */
    CUP_BOUND_THREADS,    /* no larger: each thread should get several */
    CUP_BOUND_MEMORY,     /* no larger: the worker's limit */
    CUP_BOUND_FILE,       /* no larger: the largest file holds no more */
    CUP_BOUND_FIT,        /* no larger, no smaller: far beyond the chunks that were seen */
    CUP_BOUND_COUNT
};
extern const char *const cup_size_bound_names[CUP_BOUND_COUNT];

/* By one good fit of the time. */
struct cup_chunk_size {
    const char *missing;             /* why there is none: not owned; NULL: there is */
    const struct cup_chunk_fit *fit; /* it rests on */
    double present;                  /* mean events of a chunk */
    double fixed_s, fixed_error_s;   /* of a chunk */
    double event_s, event_error_s;   /* of an event */
    double fixed_share, fixed_share_error, wall_s; /* at the present size */
    double least, most;                            /* events, between which it suits */
    enum cup_size_bound least_by, most_by;
    double events;         /* that would suit: the present ones if they do */
    double cluster_events; /* events per cluster, if `events` is whole clusters; NAN: not known */
    double new_fixed_share, new_wall_s; /* at that size */
};

/* The memory that a worker needs, by the fit of the heap over all chunks or over the dataset that
 * needs the most. Where all chunks have one size, the values per event are NAN. */
struct cup_memory_need {
    const char *missing;
    const struct cup_chunk_fit *fit;
    double event_bytes, event_error_bytes, fixed_bytes, fixed_error_bytes; /* of a chunk's heap */
    double chunk_bytes;                       /* peak live heap of a chunk of the present size */
    unsigned threads;                         /* of the workers with the most */
    double base_bytes, base_error_bytes;      /* that a process holds when a chunk begins */
    double limit_bytes;                       /* the lowest of the workers'; NAN: not known */
    double seen_bytes;                        /* most that samples saw of one worker; NAN: none */
    double bytes, error_bytes, request_bytes; /* at the present size */
    double new_bytes, new_error_bytes, new_request_bytes; /* at the suiting one; NAN: not known */
};

/* Chunks in which the fixed part is less than this share of the time are long enough. */
#define CUP_SIZE_FIXED_SHARE 0.1
/* A scheduler takes about 1 ms a task: with P threads tasks of P x 10 ms keep it 10 % busy. */
#define CUP_SIZE_SCHEDULER_S 0.01
/* A worker that dies or is evicted loses a chunk, and the run waits for its last chunk. */
#define CUP_SIZE_MOST_S 300.0
#define CUP_SIZE_CHUNKS_PER_THREAD 4.0
/* A fit is not used for sizes that are further than this factor from the chunks it is made of. */
#define CUP_SIZE_BEYOND 4.0
/* With larger standard errors nothing is concluded from a fit. */
#define CUP_SIZE_SLOPE_ERROR 0.2
#define CUP_SIZE_SHARE_ERROR 0.05
/* Dask writes results to disk at 70 % of a worker's limit, and pauses it at 80 %. */
#define CUP_MEMORY_FILL 0.7
/* If peak heaps of chunks of one size differ by more, no memory is advised. */
#define CUP_MEMORY_ERROR 0.25

struct cup_chunk_fits {
    struct cup_chunk_fit all;
    struct cup_chunk_fit *datasets; /* owned; as totals->datasets */
    size_t count;
    uint64_t every; /* fits use every n-th chunk: 1 for up to 32,768 chunks */
    struct cup_chunk_size size;
    struct cup_memory_need memory;
};

/* From totals with outcomes, datasets, budget and samples. Returns 0, or -1 without memory, then
 * with nothing to free. */
int cup_chunk_fits_make(struct cup_chunk_fits *fits, const struct cup_totals *totals);
void cup_chunk_fits_free(struct cup_chunk_fits *fits);

/* 1,234,567 as 1,200,000. */
double cup_two_digits(double number);

#endif
