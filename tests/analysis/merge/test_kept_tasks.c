#include "analysis/merge/kept_tasks.h"

#include <criterion/criterion.h>

enum { SECOND = 1000000000 };

/* Tasks of one prefix: number, thread, start and stop in seconds (0: it never ended), bytes. */
static const struct {
    uint32_t number, tid;
    int64_t start, stop;
    uint64_t bytes;
} rows[] = {
    {1, 7, 0, 20, 10},  /* the longest */
    {2, 8, 0, 5, 1000}, /* read most */
    {3, 7, 21, 26, 10}, {4, 8, 6, 11, 10},
    {5, 7, 45, 60, 10}, /* ended last; it overlaps with the next one, as async tasks do */
    {6, 7, 46, 50, 10}, /* began last on its thread */
    {7, 8, 12, 15, 10}, /* the same */
    {8, 9, 1, 0, 10},   /* never ended: it held its thread until 30 */
    {9, 9, 30, 31, 10}, {10, 9, 32, 33, 10}, /* began last on its thread */
};
enum { TASKS = sizeof rows / sizeof *rows };

/* Returns the set of the numbers of kept tasks: bits 1 << number. */
static unsigned choose(void)
{
    struct cup_task tasks[TASKS];
    struct cup_prefix prefix = {.tasks = TASKS};
    struct cup_scope scope = {0};
    const struct cup_profile all = {.tasks = tasks,
                                    .task_count = TASKS,
                                    .prefixes = &prefix,
                                    .prefix_count = 1,
                                    .scopes = &scope,
                                    .scope_count = 1};
    struct cup_id_map summed = {0}, kept = {0};
    unsigned set = 0;
    for (size_t i = 0; i < TASKS; i++)
        tasks[i] = (struct cup_task){.number = rows[i].number,
                                     .tid = rows[i].tid & 0xffffff,
                                     .start_ns = rows[i].start * SECOND,
                                     .stop_ns = rows[i].stop * SECOND,
                                     .status = rows[i].stop ? CUP_STATUS_FINISHED : 0,
                                     .read_bytes = rows[i].bytes,
                                     .key_hash = i + 1};
    cr_assert_geq(cup_choose_summed(&summed, &kept, &all, 1), 0);
    for (uint32_t number = 1; number <= TASKS; number++) {
        cr_expect_neq(cup_id_map_get(&summed, number), cup_id_map_get(&kept, number));
        set |= cup_id_map_get(&kept, number) << number;
    }
    cup_id_map_clear(&summed);
    cup_id_map_clear(&kept);
    return set;
}

Test(kept_tasks, the_one_that_ended_last)
{
    cr_expect(choose() & 1u << 5);
}

Test(kept_tasks, the_last_one_of_each_thread)
{
    cr_expect_eq(choose() & (1u << 6 | 1u << 7 | 1u << 10), 1u << 6 | 1u << 7 | 1u << 10);
}

Test(kept_tasks, the_next_one_on_the_thread_of_one_that_never_ended)
{
    cr_expect(choose() & 1u << 9);
}

Test(kept_tasks, the_others_are_summed_up)
{
    cr_expect_eq(choose() & (1u << 3 | 1u << 4), 0);
}
