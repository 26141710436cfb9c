/* The tail of a run: the last 10 % of the chunks to end, and why each of them ended so late. */
#pragma once

#include "analysis/metrics/sums/sums.h"

/* Why a chunk ended in the tail; several reasons may apply, or none. */
#define CUP_TAIL_REASONS(X)                                                                        \
    X(STARTED_LATE, "started late")                                                                \
    X(MANY_EVENTS, "many events")                                                                  \
    X(SLOW_HOST, "slow host")                                                                      \
    X(IO_WAIT, "I/O wait")                                                                         \
    X(OFF_CPU, "waited")                                                                           \
    X(LONG, "long for its events")                                                                 \
    X(FAILED, "failed")
enum cup_tail_reason {
#define X(id, text) CUP_TAIL_##id,
    CUP_TAIL_REASONS(X)
#undef X
        CUP_TAIL_REASON_COUNT
};

struct cup_tail_chunk {
    uint32_t item;
    uint32_t reasons; /* bits 1 << enum cup_tail_reason */
};

struct cup_tail {
    struct cup_tail_chunk *chunks; /* owned; those that ended last first */
    size_t count;
    uint64_t total;  /* number of chunks in the tail; `chunks` has CUP_TAIL_MOST of them at most */
    int64_t from_ns; /* when 90 % of the chunks had ended, which is when the tail begins; 0: none
                        ended */
    double median_s; /* median time of a used chunk; NAN: not known */
};
enum { CUP_TAIL_MOST = 100 };

/* A chunk is long, or has many events, if it has at least this many times the median. It waited if
 * it waited for more than this share of its time. */
#define CUP_TAIL_TIMES 1.5
#define CUP_TAIL_WAIT_SHARE 0.5

/* Slow, with several passes over the chunks: call it once, and only if the tail is shown. I/O waits
 * are known only if the profile has own_waits. Returns 0, or -1 without memory. */
int cup_tail_make(struct cup_tail *tail, const struct cup_totals *totals);
void cup_tail_free(struct cup_tail *tail);

/* Writes the reasons, "started late, many events"; "" if there are none. TO has CUP_TAIL_ROOM.
 * Returns TO. */
enum { CUP_TAIL_ROOM = 128 };
char *cup_tail_why(char to[CUP_TAIL_ROOM], const struct cup_tail_chunk *chunk);
