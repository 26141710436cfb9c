#include "analysis/metrics/sums/task_sums.h"

static uint64_t known(uint64_t value)
{
    return value == CUP_UNKNOWN64 ? 0 : value;
}

void cup_task_sums_add(struct cup_task_sums *sums, const struct cup_task *task)
{
    sums->tasks++;
    sums->finished += task->status == CUP_STATUS_FINISHED;
    sums->erred += task->status == CUP_STATUS_ERRED;
    sums->unfinished += task->status == 0;
    sums->wall_ns += known(cup_task_wall_ns(task));
    sums->cpu_ns += known(task->cpu_ns);
    if (task->cpu_ns != CUP_UNKNOWN64)
        sums->with_cpu_ns += known(cup_task_wall_ns(task));
    else
        sums->without_cpu += task->status != 0;
    sums->read_bytes += task->read_bytes;
    sums->child_read_bytes += task->child_read_bytes;
    sums->result_bytes += known(task->result_bytes);
}
