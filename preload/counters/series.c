#include "preload/counters/series.h"

#include "preload/log/log.h"
#include "preload/sys/clock.h"

void cup_series_flush(struct cup_thread *thread)
{
    if (thread->bin_read_bytes)
        cup_log_series_add(CUP_S_READ_BYTES, thread->bin_time_ns, thread->bin_read_bytes);
    if (thread->bin_read_ns)
        cup_log_series_add(CUP_S_READ_NS, thread->bin_time_ns, thread->bin_read_ns);
    if (thread->bin_write_bytes)
        cup_log_series_add(CUP_S_WRITE_BYTES, thread->bin_time_ns, thread->bin_write_bytes);
    thread->bin_read_bytes = thread->bin_read_ns = thread->bin_write_bytes = 0;
}

void cup_series_turn(struct cup_thread *thread, uint64_t now)
{
    cup_series_flush(thread);
    const struct cup_series *series = cup_log_series();
    if (!series)
        return;
    thread->bin_time_ns = cup_ticks_realtime_ns(now);
    int64_t into = (thread->bin_time_ns - cup_log_header()->log_start_ns) % (int64_t)series->bin_ns;
    uint64_t left = series->bin_ns - (uint64_t)(into < 0 ? 0 : into);
    /* ticks = ns * 2^32 / multiplier */
    thread->bin_ends =
        now + (uint64_t)(((unsigned __int128)left << 32) / cup_ticks_scale.multiplier);
}
