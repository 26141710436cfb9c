/* The process's time series. Each thread has its own sums for the current bin, and adds them to the
 * shared series only when that bin is over, its task ends or it ends itself. So calls of different
 * threads do not contend for a cache line. */
#ifndef CUPPING_PRELOAD_COUNTERS_SERIES_H
#define CUPPING_PRELOAD_COUNTERS_SERIES_H

#include "preload/lifecycle/thread.h"

/* Adds the thread's sums to the series and clears them. */
void cup_series_flush(struct cup_thread *thread);

/* Adds the thread's sums to the series, and starts the bin that NOW (ticks) falls into. */
void cup_series_turn(struct cup_thread *thread, uint64_t now);

/* Adds a transfer that ended at NOW (ticks) to the calling thread's sums. */
static inline void cup_series_count(uint64_t now, uint64_t read_bytes, uint64_t read_ns,
                                    uint64_t write_bytes)
{
    struct cup_thread *thread = &cup_self;
    if (__builtin_expect(now >= thread->bin_ends, 0))
        cup_series_turn(thread, now);
    thread->bin_read_bytes += read_bytes;
    thread->bin_read_ns += read_ns;
    thread->bin_write_bytes += write_bytes;
}

#endif
