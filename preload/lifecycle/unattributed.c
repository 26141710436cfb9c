#include "preload/lifecycle/unattributed.h"

#include "preload/lifecycle/running_tasks.h"
#include "preload/log/log.h"

#include <stdbool.h>

uint64_t cup_unattributed_bytes[CUP_UNATTRIBUTED_REASON_COUNT];

/* cup_unattributed_bytes when the task began that has this remainder. If two running tasks share a
 * place, what was read before the later one began counts for neither. */
static uint64_t before[CUP_RUNNING_SLOTS][CUP_UNATTRIBUTED_REASON_COUNT];

static uint64_t load_bytes(int reason)
{
    return __atomic_load_n(&cup_unattributed_bytes[reason], __ATOMIC_RELAXED);
}

void cup_unattributed_task_begins(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    for (int i = 0; i < CUP_UNATTRIBUTED_REASON_COUNT; i++)
        before[task % CUP_RUNNING_SLOTS][i] = load_bytes(i);
}

void cup_unattributed_task_ends(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    struct cup_r_unattributed record = {.task = task};
    bool any = false;
    for (int i = 0; i < CUP_UNATTRIBUTED_REASON_COUNT; i++) {
        record.bytes[i] = load_bytes(i) - before[task % CUP_RUNNING_SLOTS][i];
        any |= record.bytes[i] > 0;
    }
    if (any)
        cup_log_write(CUP_R_UNATTRIBUTED, &record, NULL, 0);
}
