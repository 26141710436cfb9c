#include "analysis/compare/directions.h"

#include <stddef.h>
#include <string.h>

#define LOWER CUP_BETTER_LOWER
#define HIGHER CUP_BETTER_HIGHER

/* Not here, because more of it may be good or bad: delivered bytes and their rate (they rise with
 * read-ahead that nobody needs), memory on average, slots busy in process() and the speed-up factor
 * (waiting for storage raises both), everything for each chunk (its size is a choice). */
static const struct cup_direction directions[] = {
    {"wall_time", LOWER, true},
    {"graph_s", LOWER, true},
    {"preprocess_s", LOWER, true},
    {"process_s", LOWER, true},
    {"tail_s", LOWER, true},
    {"merge_s", LOWER, true},
    {"total_cpu_time", LOWER, true},
    {"total_thread_cpu_time", LOWER, true},
    {"total_helper_cpu_time", LOWER, true},
    {"total_task_time", LOWER, true},
    {"num_failed_chunks", LOWER, false},
    {"num_retried_chunks", LOWER, false},
    {"read_amplification", LOWER, false},
    {"read_amplification_baskets", LOWER, false},
    {"reread_bytes", LOWER, true},
    {"incidental_bytes", LOWER, true},
    {"requested_rate_gbps", HIGHER, true},
    {"requested_rate_mbs", HIGHER, true},
    {"requested_rate_process_gbps", HIGHER, true},
    {"requested_rate_process_mbs", HIGHER, true},
    {"file_rate_gbps", HIGHER, true},
    {"file_rate_process_gbps", HIGHER, true},
    {"event_rate_wall_khz", HIGHER, false},
    {"event_rate_agg_khz", HIGHER, false},
    {"event_rate_agg_thread_cpu_khz", HIGHER, false},
    {"event_rate_core_hz", HIGHER, false},
    {"peak_memory_bytes", LOWER, false},
    {"spilled_bytes", LOWER, false},
    {"event_loop_stall_s", LOWER, true},
    {"thread_cpu_efficiency", HIGHER, false},
    {"io_wait_pct", LOWER, false},
    {"wasted_wall_s", LOWER, true},
    {"wasted_cpu_s", LOWER, true},
    {"wasted_bytes", LOWER, true},
    {"scaling_efficiency", HIGHER, false},
    {"threads_s", LOWER, true},
    {"task_cpu_s", LOWER, true},
    {"io_wait_s", LOWER, true},
    {"gil_wait_s", LOWER, true},
    {"lock_wait_s", LOWER, true},
    {"sleep_s", LOWER, true},
    {"poll_wait_s", LOWER, true},
    {"run_delay_s", LOWER, true},
    {"fault_wait_s", LOWER, true},
    {"other_wait_s", LOWER, true},
    {"unfinished_task_s", LOWER, true},
    {"dask_between_tasks_s", LOWER, true},
    {"dask_overhead_s", LOWER, true},
    {"idle_s", LOWER, true},
    {"outside_tasks_s", LOWER, true},
    {"processor_cpu_time_seconds", LOWER, true},
    {"processor_noncpu_time_seconds", LOWER, true},
    {"overhead_cpu_time_seconds", LOWER, true},
    {"overhead_noncpu_time_seconds", LOWER, true},
    {"disk_read_bytes", LOWER, true},
    {"disk_write_bytes", LOWER, true},
    {"wall_s", LOWER, true},
    {"cpu_s", LOWER, true},
    {"time_per_event_s_mean", LOWER, false},
    {"share_attributed", HIGHER, false},
};

const struct cup_direction *cup_direction_of(const char *name)
{
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        if (strcmp(directions[i].name, name) == 0)
            return &directions[i];
    return NULL;
}
