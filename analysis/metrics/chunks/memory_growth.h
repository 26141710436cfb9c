/* Memory of workers that grows from chunk to chunk and is not given back: what a processor keeps in
 * a list of its module, for example. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cup_totals;

/* The chunks of each process, in the order in which they began, are divided into this many parts of
 * the same size. The medians of the parts are compared: of the resident memory (RSS) of the process
 * when a chunk began, added up over the processes. */
enum { CUP_GROWTH_PARTS = 8 };
/* Processes that ran fewer chunks are not judged. */
enum { CUP_GROWTH_CHUNKS = 16 };
/* Memory grows if the last part is above the first by more than this share of the first, */
#define CUP_GROWTH_SHARE 0.2
/* and each part is above the part before by at least this share of the mean step. Imports, caches
 * that fill and what the allocator keeps raise the first parts, and the last ones hardly. Where a
 * dataset with larger chunks begins, memory rises once. */
#define CUP_GROWTH_STEP 0.5
/* Pages of mapped files are in RSS, too, and the kernel takes them back. Growth is not judged if
 * the chunks touched more than this share of it. */
#define CUP_GROWTH_MAPPED 0.5

struct cup_memory_growth {
    bool grows;
    size_t processes; /* that were judged */
    size_t chunks;    /* of one of them, on average */
    double first_bytes,
        last_bytes;     /* medians of the first and the last part: mean over processes */
    double chunk_bytes; /* growth from chunk to chunk: mean over processes */
};

/* Needs totals with outcomes. Returns 0, or -1 without memory. */
int cup_memory_growth_make(struct cup_memory_growth *growth, const struct cup_totals *totals);
