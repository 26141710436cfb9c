/* How chunks share the growth of their process's memory. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "analysis/metrics/sums/sums.h"

enum { TASKS = 300, SECOND = 1000000000, MEGABYTE = 1000000 };

/* Task I runs from second I to I + 3, and its process grows by a megabyte a second. */
static struct cup_task task_at(uint32_t i)
{
    return (struct cup_task){.start_ns = (int64_t)i * SECOND,
                             .stop_ns = (int64_t)(i + 3) * SECOND,
                             .status = CUP_STATUS_FINISHED,
                             .rss_start = cup_rss_pack((uint64_t)i * MEGABYTE),
                             .rss_stop = cup_rss_pack((uint64_t)(i + 3) * MEGABYTE),
                             .item = i + 1};
}

/* The growth by task, if the tasks stand in the profile in the order of (I * STEP) modulo TASKS. */
static double *growth_of(uint32_t step)
{
    struct cup_task tasks[TASKS];
    struct cup_item items[TASKS] = {0};
    struct cup_process process = {.tasks = TASKS};
    struct cup_profile profile = {.tasks = tasks,
                                  .task_count = TASKS,
                                  .items = items,
                                  .item_count = TASKS,
                                  .processes = &process,
                                  .process_count = 1};
    struct cup_totals totals = {.profile = &profile};
    for (uint32_t i = 0; i < TASKS; i++)
        tasks[i] = task_at(i * step % TASKS);
    cr_assert_eq(cup_rss_growth_make(&totals), 0);
    return totals.rss_growth;
}

Test(rss_growth, three_tasks_at_a_time_share_it)
{
    double *growth = growth_of(1);
    for (int i = 3; i < TASKS - 3; i++)
        cr_expect_float_eq(growth[i], MEGABYTE, 1, "%d: %g", i, growth[i]);
    free(growth);
}

Test(rss_growth, the_order_of_the_tasks_in_the_profile_does_not_matter)
{
    double *in_order = growth_of(1);
    for (uint32_t step = 7; step < TASKS; step += 48) { /* far from where they belong */
        double *growth = growth_of(step);
        if (step % 2 && step % 3 && step % 5) /* otherwise some tasks occur twice */
            cr_expect_arr_eq(growth, in_order, TASKS * sizeof *growth, "%u", step);
        free(growth);
    }
    free(in_order);
}
