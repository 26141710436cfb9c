/* Sums by task, node and use, and the rows of STACK_USE records. */
#include "tests/preload/stack_use_records.h"

#include "preload/lifecycle/running_tasks.h"
#include "preload/stacks/stack_uses.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASK = 7, OTHER = 8, MOST = 100000 };

static struct test_use found[MOST];

static void set_up(void)
{
    test_log_open(16 << 20);
    cup_running_reset();
    cup_stack_uses_reset();
    cup_running_add(TASK);
    cup_running_add(OTHER);
}

TestSuite(stack_uses, .init = set_up, .fini = test_log_close);

static size_t rows(size_t *records)
{
    return test_uses(found, MOST, records);
}

static void expect_row(size_t i, uint32_t task, uint32_t node, uint32_t use, uint64_t count,
                       uint64_t bytes, uint64_t ns)
{
    const struct test_use *row = &found[i];
    cr_expect(row->task == task && row->node == node && row->use == use && row->count == count &&
                  row->bytes == bytes && row->ns == ns,
              "row %zu: task %u node %u use %u: %lu %lu %lu", i, row->task, row->node, row->use,
              row->count, row->bytes, row->ns);
}

Test(stack_uses, what_was_added_is_summed_and_put_in_order)
{
    size_t records;
    cup_stack_use(TASK, 900, CUP_U_READ, 1, 4096, 70);
    cup_stack_use(TASK, 5, CUP_U_CPU, 1, 0, 10000000);
    cup_stack_use(TASK, 900, CUP_U_ALLOC, 1, 524288, 0);
    cup_stack_use(TASK, 900, CUP_U_READ, 16, UINT64_C(1) << 60, 30);
    cup_stack_use(OTHER, 5, CUP_U_CPU, 3, 0, 1);
    cup_stack_uses_task_ended(TASK);
    cr_assert_eq(rows(&records), 3);
    cr_expect_eq(records, 1);
    expect_row(0, TASK, 5, CUP_U_CPU, 1, 0, 10000000);
    expect_row(1, TASK, 900, CUP_U_READ, 17, (UINT64_C(1) << 60) + 4096, 100);
    expect_row(2, TASK, 900, CUP_U_ALLOC, 1, 524288, 0);
    cup_stack_uses_task_ended(OTHER);
    cr_assert_eq(rows(&records), 4);
    expect_row(3, OTHER, 5, CUP_U_CPU, 3, 0, 1);
}

Test(stack_uses, a_stack_that_is_not_known_is_a_row_too)
{
    size_t records;
    cup_stack_use(TASK, 0, CUP_U_IO_WAIT, 0, 0, 5);
    cup_stack_use(TASK, UINT32_MAX, CUP_U_OFF_CPU, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    cup_stack_uses_task_ended(TASK);
    cr_assert_eq(rows(&records), 2);
    expect_row(0, TASK, 0, CUP_U_IO_WAIT, 0, 0, 5);
    expect_row(1, TASK, UINT32_MAX, CUP_U_OFF_CPU, UINT64_MAX, UINT64_MAX, UINT64_MAX);
}

/* The search for a task's table begins where a task with the same lowest byte was last found. */
Test(stack_uses, tasks_whose_numbers_are_alike_have_their_own_sums)
{
    size_t records;
    cup_running_add(TASK + 256);
    for (int i = 0; i < 3; i++) {
        cup_stack_use(TASK, 900, CUP_U_READ, 1, 10, 1);
        cup_stack_use(TASK + 256, 900, CUP_U_READ, 1, 1000, 1);
    }
    cup_stack_uses_task_ended(TASK);
    cr_assert_eq(rows(&records), 1);
    expect_row(0, TASK, 900, CUP_U_READ, 3, 30, 3);
    cup_running_remove(TASK);
    cup_stack_use(TASK, 900, CUP_U_READ, 1, 5, 1); /* the task has ended: counted for task 0 */
    cup_stack_use(TASK + 256, 900, CUP_U_READ, 1, 1000, 1);
    cup_stack_uses_task_ended(TASK + 256);
    cr_assert_eq(rows(&records), 2);
    expect_row(1, TASK + 256, 900, CUP_U_READ, 4, 4000, 4);
    cup_stack_uses_process_ends();
    cr_assert_eq(rows(&records), 3);
    expect_row(2, 0, 900, CUP_U_READ, 1, 5, 1);
}

Test(stack_uses, nothing_is_no_record)
{
    size_t records;
    cup_stack_uses_task_ended(TASK);
    cup_stack_uses_process_ends();
    cr_expect_eq(rows(&records), 0);
    cr_expect_eq(records, 0);
}

Test(stack_uses, a_task_that_runs_no_more_is_no_task)
{
    size_t records;
    cup_running_remove(TASK);
    cup_stack_uses_task_ended(TASK);
    cup_stack_use(TASK, 3, CUP_U_READ, 1, 2, 3);
    cup_stack_uses_task_ended(TASK);
    cr_expect_eq(rows(&records), 0);
    cup_stack_uses_process_ends();
    cr_assert_eq(rows(&records), 1);
    expect_row(0, 0, 3, CUP_U_READ, 1, 2, 3);
}

/* More rows than a table and a record can hold: none is lost. */
Test(stack_uses, full_tables_are_written_out)
{
    enum { NODES = 30000 };
    size_t records;
    uint64_t bytes = 0, count = 0;
    cup_stack_uses_want_all();
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 1; i <= NODES; i++)
            cup_stack_use(TASK, i * 7919 % 1000003, CUP_U_READ, 1, i, 1);
    cup_stack_uses_task_ended(TASK);
    size_t all = rows(&records);
    cr_expect_gt(records, 10);
    cr_expect_geq(all, NODES);
    for (size_t i = 0; i < all; i++) {
        bytes += found[i].bytes;
        count += found[i].count;
    }
    cr_expect_eq(count, 2 * NODES);
    cr_expect_eq(bytes, (uint64_t)NODES * (NODES + 1));
    cr_expect_eq(cup_log_header()->health[CUP_H_STACKS_DROPPED], 0);
}

/* 120 tasks alike, of 100 reads at 100 stacks each. */
Test(stack_uses, after_many_rows_small_ones_are_joined)
{
    enum { TASKS = 120, READS = 100, WHOLE = 8192 };
    size_t records, joined = 0;
    for (uint32_t task = 1000; task < 1000 + TASKS; task++) {
        size_t before = rows(&records);
        uint64_t bytes = 0, count = 0, ns = 0;
        cup_running_add(task);
        for (uint32_t i = 1; i <= READS; i++)
            cup_stack_use(task, 7 * i, CUP_U_READ, 1, 100 + i, 5);
        cup_stack_uses_task_ended(task);
        cup_running_remove(task);
        size_t all = rows(&records);
        for (size_t i = before; i < all; i++) {
            bytes += found[i].bytes;
            count += found[i].count;
            ns += found[i].ns;
        }
        cr_expect(count == READS && bytes == 100 * READS + READS * (READS + 1) / 2 &&
                  ns == 5 * READS);
        if (before < WHOLE)
            cr_expect_eq(all - before, READS);
        else
            joined += all - before;
    }
    size_t tasks = TASKS - (WHOLE + READS - 1) / READS;
    cr_expect(joined >= tasks && joined <= 25 * tasks, "%zu rows of %zu tasks", joined, tasks);
    cr_expect_gt(cup_log_header()->health[CUP_H_EVENTS_THINNED], 0);
}

Test(stack_uses, more_tasks_than_tables_share_that_of_no_task)
{
    enum { TASKS = 400 };
    size_t records;
    uint64_t bytes = 0;
    for (uint32_t task = 1000; task < 1000 + TASKS; task++) {
        cup_running_add(task);
        cup_stack_use(task, task, CUP_U_READ, 1, 10, 1);
    }
    cup_stack_uses_process_ends();
    size_t all = rows(&records), nobodys = 0;
    for (size_t i = 0; i < all; i++) {
        bytes += found[i].bytes;
        nobodys += found[i].task == 0;
        cr_expect(!found[i].task || found[i].task == found[i].node);
    }
    cr_expect_eq(all, TASKS);
    cr_expect_eq(bytes, 10 * TASKS);
    cr_expect_gt(nobodys, 0);
}

Test(stack_uses, places_are_used_again)
{
    size_t records;
    for (uint32_t task = 1000; task < 3000; task++) {
        cup_running_add(task);
        cup_stack_use(task, 1, CUP_U_READ, 1, 10, 1);
        cup_running_remove(task);
        cup_stack_uses_task_ended(task);
    }
    cr_assert_eq(rows(&records), 2000);
    for (uint32_t i = 0; i < 2000; i++)
        cr_expect_eq(found[i].task, 1000 + i);
}

/* The log is full: lost rows are counted. */
Test(stack_uses_lost, a_full_log_is_told, .fini = test_log_close)
{
    size_t records;
    test_log_open(1 << 20);
    cup_stack_uses_want_all();
    cup_running_add(TASK);
    for (uint32_t i = 1; i <= 200000; i++)
        cup_stack_use(TASK, i * 7919, CUP_U_READ, 1, UINT64_C(1) << 40, UINT64_C(1) << 40);
    cup_stack_uses_task_ended(TASK);
    uint64_t lost = cup_log_header()->health[CUP_H_STACKS_DROPPED];
    cr_expect_gt(lost, 0);
    cr_expect_eq(rows(&records) + lost, 200000);
}

static void *add_some(void *node)
{
    for (int i = 0; i < 20000; i++)
        cup_stack_use(TASK, (uint32_t)(uintptr_t)node + i % 100, CUP_U_RECV, 1, 2, 3);
    return NULL;
}

Test(stack_uses, helpers_of_a_task_add_at_the_same_time)
{
    size_t records;
    uint64_t count = 0, ns = 0;
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, add_some, (void *)(1 + i / 2 * 50));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cup_stack_uses_task_ended(TASK);
    size_t all = rows(&records);
    cr_expect_eq(all, 150);
    for (size_t i = 0; i < all; i++) {
        count += found[i].count;
        ns += found[i].ns;
    }
    cr_expect_eq(count, 80000);
    cr_expect_eq(ns, 240000);
}

/* A forked child has none of its parent's sums and can add its own. */
Test(stack_uses, a_forked_child_starts_anew)
{
    size_t records;
    int status = 1;
    for (uint32_t i = 1; i <= 1000; i++)
        cup_stack_use(TASK, i, CUP_U_READ, 1, 1, 1);
    pid_t child = fork();
    if (child == 0) {
        cup_stack_uses_reset();
        cup_stack_uses_process_ends();
        bool none = rows(&records) == 0;
        cup_stack_use(TASK, 4, CUP_U_READ, 1, 1, 1);
        cup_stack_uses_process_ends();
        _exit(none && rows(&records) == 1 && found[0].node == 4 ? 0 : 3);
    }
    waitpid(child, &status, 0);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
}
