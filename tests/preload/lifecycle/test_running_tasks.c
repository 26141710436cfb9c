/* The table of running tasks. */
#include "preload/lifecycle/running_tasks.h"

#include <criterion/criterion.h>

TestSuite(running_tasks, .init = cup_running_reset);

Test(running_tasks, a_task_runs_from_its_begin_to_its_end)
{
    cr_expect(!cup_task_runs(7) && !cup_any_task_runs());
    cup_running_add(7);
    cr_expect(cup_task_runs(7) && cup_any_task_runs());
    cr_expect(!cup_task_runs(7 + CUP_RUNNING_SLOTS), "another task of the same slot does not run");
    cup_running_remove(7);
    cr_expect(!cup_task_runs(7) && !cup_any_task_runs());
}

Test(running_tasks, no_task_is_task_0)
{
    cr_expect(!cup_task_runs(0));
    cup_running_add(7);
    cr_expect(!cup_task_runs(0));
}

Test(running_tasks, tasks_of_one_slot_run_side_by_side)
{
    for (uint32_t i = 0; i < CUP_RUNNING_PROBE; i++)
        cup_running_add(7 + i * CUP_RUNNING_SLOTS);
    for (uint32_t i = 0; i < CUP_RUNNING_PROBE; i++)
        cr_expect(cup_task_runs(7 + i * CUP_RUNNING_SLOTS));
    cup_running_remove(7);
    cr_expect(!cup_task_runs(7));
    cr_expect(cup_task_runs(7 + CUP_RUNNING_SLOTS), "an end leaves the others where they are");
}

Test(running_tasks, one_without_a_slot_does_not_show_but_counts)
{
    for (uint32_t i = 0; i <= CUP_RUNNING_PROBE; i++)
        cup_running_add(7 + i * CUP_RUNNING_SLOTS);
    uint32_t last = 7 + CUP_RUNNING_PROBE * CUP_RUNNING_SLOTS;
    cr_expect(!cup_task_runs(last));
    cup_running_remove(last);
    for (uint32_t i = 0; i < CUP_RUNNING_PROBE; i++)
        cup_running_remove(7 + i * CUP_RUNNING_SLOTS);
    cr_expect(!cup_any_task_runs());
}

Test(running_tasks, the_sole_task_has_an_epoch)
{
    uint32_t before, after;
    cr_expect_eq(cup_sole_task(&before), 0);
    cup_running_add(7);
    cr_expect_eq(cup_sole_task(&before), 7);
    cr_expect_eq(cup_sole_task(&after), 7);
    cr_expect_eq(before, after);
    cup_running_add(9);
    cr_expect_eq(cup_sole_task(&after), 0, "of two tasks none is the only one");
    cup_running_remove(9);
    cr_expect_eq(cup_sole_task(&after), 7);
    cr_expect_neq(before, after, "another task ran in between");
}
