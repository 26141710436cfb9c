/* What the profile is missing, and what recording it cost. */
#include "analysis/metrics/formulas.h"
#include "analysis/profile/missing_tasks.h"

static struct cup_value logs_not_closed(T t)
{
    uint64_t count = 0;
    for (size_t i = 0; i < t->profile->process_count; i++)
        count += t->profile->processes[i].header.log_stop_ns == 0;
    return cup_count(count);
}

/* Calls that were counted, so that their cost can be bounded. */
static struct cup_value counted_calls(T t)
{
    static const int calls[] = {CUP_C_READ_CALLS,   CUP_C_WRITE_CALLS, CUP_C_OPEN_CALLS,
                                CUP_C_IMPORT_CALLS, CUP_C_ALLOC_CALLS, CUP_C_FREE_CALLS};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        sum += t->counters[calls[i]] + t->without_task[calls[i]] + t->elsewhere[calls[i]];
    return cup_count(sum);
}

#define METRIC_SECTION health
#define METRIC_ROWS "analysis/metrics/rows_health.h"
#include "analysis/metrics/section_table.h"
