/* The process's time series, fed without a shared line at every call: a thread adds up what falls
 * into one bin and hands it over when the bin is past, or its block is closed. */
#ifndef CUPPING_PRELOAD_COUNTERS_SERIES_H
#define CUPPING_PRELOAD_COUNTERS_SERIES_H

#include "preload/lifecycle/thread.h"

/* Hands over what the thread has added up. */
void cup_series_flush(struct cup_thread *thread);

/* The bin that NOW (ticks) falls into becomes the thread's. */
void cup_series_turn(struct cup_thread *thread, uint64_t now);

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
