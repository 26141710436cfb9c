#include "plot/shared/busy.h"

#include <math.h>

void cup_busy_start(struct cup_busy *busy, const struct cup_totals *totals)
{
    cup_time_bins_make(&busy->tasks, totals);
    busy->threads = busy->tasks;
}

/* A task that never ended held its thread as long as the process was there, unless its end is among
 * the records that were lost. */
static void add_task(struct cup_time_bins *bins, const struct cup_task *task, int64_t last_ns,
                     bool lost)
{
    if (cup_task_place(task) != CUP_PLACE_POOL || (task->status == 0 && lost))
        return;
    cup_time_bins_hold(bins, task->start_ns, task->status ? task->stop_ns : last_ns, 1);
}

void cup_busy_add(struct cup_busy *busy, const struct cup_totals *totals, uint32_t process)
{
    const struct cup_process *of = &totals->profile->processes[process];
    struct cup_stretch there = cup_process_presence(of, totals->run);
    bool lost = of->header.health[CUP_H_RECORDS_DROPPED] > 0;
    cup_time_bins_hold(&busy->threads, there.start_ns, there.stop_ns,
                       (double)totals->budgets[process].threads);
    for (uint64_t i = 0; i < of->tasks; i++)
        add_task(&busy->tasks, &totals->profile->tasks[of->first_task + i], there.stop_ns, lost);
}

const struct cup_busy *cup_busy_make(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_busy *busy =
        cup_tasks_known(totals) ? cup_arena_take(input->arena, 1, sizeof *busy) : NULL;
    if (!busy)
        return NULL;
    cup_busy_start(busy, totals);
    for (uint32_t i = 0; i < totals->profile->process_count; i++)
        cup_busy_add(busy, totals, i);
    return busy->tasks.count ? busy : NULL;
}

/* Threads that existed for less than this share of a bin, or of a run that is shorter than a bin,
 * have no value there. */
#define LEAST_THERE 0.05

double cup_busy_percent(const struct cup_busy *busy, size_t bin, double threads)
{
    double there = busy->threads.amounts[bin];
    double bin_s = fmin(busy->threads.bin_s, busy->threads.run_s);
    return there > LEAST_THERE * threads * bin_s ? fmin(100, 100 * busy->tasks.amounts[bin] / there)
                                                 : NAN;
}
