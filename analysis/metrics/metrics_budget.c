/* Threads x wall time, split without remainder. */
#include "analysis/metrics/formulas.h"

static struct cup_value of_budget(T t, enum cup_budget_part part)
{
    return cup_value_if(t->workers, cup_ns(t->budget.ns[part]));
}

static struct cup_value of_gaps(T t, enum cup_budget_part part)
{
    return cup_value_if(!t->budget.gaps_unknown, of_budget(t, part));
}

static struct cup_value outside_tasks_s(T t)
{
    const uint64_t *ns = t->budget.ns;
    return cup_value_if(t->workers && !t->tasks_lost,
                        cup_ns(ns[CUP_BUDGET_BETWEEN] + ns[CUP_BUDGET_IDLE]));
}

/* ---- sources and reasons that several rows share ---------------------------------------- */

#define BETWEEN_P                                                                                  \
    "P: gaps of up to gap_threshold_s between two tasks of a thread: deserialising, scheduling, "  \
    "transfers"
#define NO_GAPS                                                                                    \
    "no worker left a log, or tasks have no record of their own (their log was full, or it lost "  \
    "records): see outside_tasks_s"

#define METRIC_SECTION time_budget
#define METRIC_ROWS "analysis/metrics/rows_budget.h"
#include "analysis/metrics/section_table.h"
