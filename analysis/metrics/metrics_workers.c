/* The workers: how many, how large, how busy. */
#include "analysis/metrics/formulas.h"

static struct cup_value avg_cores(T t)
{
    return t->workers ? cup_real(cup_run_cores(t)) : cup_null();
}

/* ---- the table -------------------------------------------------------------------------- */

#define NO_D "Dask's own figures are not read by this version"
#define CORES_P                                                                                    \
    "P: estimated from the thread counts of the workers, each for the time of the run that its "   \
    "log was open"

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"avg_cores", NULL, CUP_UNIT_RATIO, avg_cores, CORES_P, 0, NULL},
    {"avg_workers", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"mean_workers", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"peak_workers", NULL, CUP_UNIT_COUNT, NULL, NO_D, 0, NULL},
    {"cores_per_worker", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"total_cores", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"peak_memory_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"avg_memory_per_worker_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"memory_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0, NULL},
    {"cpu_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0, NULL},
    {"executing_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0, NULL},
    {"real_cpu_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0, NULL},
    {"spilled_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"managed_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"unmanaged_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0, NULL},
    {"host_net_read_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"host_net_write_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"host_disk_read_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"host_disk_write_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0, NULL},
    {"event_loop_stall_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0, NULL},
    {"num_fds", NULL, CUP_UNIT_COUNT, NULL, NO_D, 0, NULL},
    {"tracking_data", NULL, CUP_UNIT_NONE, NULL, NO_D, 0, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_workers_metrics = {"workers", metrics,
                                                       sizeof metrics / sizeof *metrics};
