/* The heap of a task: what its thread allocates, frees, maps and unmaps. */
#include "preload/counters/block.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/task/heap.h"
#include "tests/preload/log_records.h"

#include <criterion/criterion.h>

enum { PAGE = 4096, MANY = 6000, BYTES = 10 * PAGE };

static volatile uint32_t active = 1;

static void set_up(void)
{
    test_log_open(64 << 20);
    cup_active_word = &active;
    cup_self.tid = 4711;
    cup_self.state = CUP_THREAD_KNOWN;
    cup_self.task = 1;
    cup_self.heap = cup_self.own = cup_block_open(1, CUP_BLOCK_RUNS);
    cup_running_add(1);
}

static void tear_down(void)
{
    cup_self.heap = NULL;
    test_log_close();
}

TestSuite(heap, .init = set_up, .fini = tear_down);

static uint64_t counter(enum cup_counter index)
{
    return cup_self.own->counters[index];
}

/* As the garbage collector does with cycles of the task before. */
Test(heap, memory_that_was_there_does_not_hide_the_peak)
{
    cup_heap_add(cup_self.own, 30);
    cup_heap_remove(cup_self.own, 200);
    cup_heap_add(cup_self.own, 150);
    cup_heap_remove(cup_self.own, 50);
    cup_heap_add(cup_self.own, 40);
    cr_expect_eq(counter(CUP_C_PEAK_LIVE_BYTES), 150);
    cr_expect_eq(counter(CUP_C_ALLOC_BYTES), 220);
    cr_expect_eq(counter(CUP_C_FREED_BYTES), 250);
}

/* mremap() takes a mapping out of the table first, and puts it back if it failed. */
Test(heap, a_mapping_that_stays_is_live)
{
    void *at = (void *)(16 * PAGE);
    cup_heap_mapped(at, BYTES);
    cr_assert(cup_heap_unmapped(at, BYTES));
    cup_heap_still_mapped(at, BYTES);
    cup_heap_add(cup_self.own, PAGE);
    cr_expect_eq(counter(CUP_C_PEAK_LIVE_BYTES), BYTES + PAGE);
    cr_expect_eq(counter(CUP_C_FREED_BYTES), 0);
}

/* The table has no place for all of them: which it leaves out, it counts. */
Test(heap, mappings_that_find_no_place_are_counted)
{
    for (uintptr_t i = 1; i <= MANY; i++)
        cup_heap_mapped((void *)(i * 16 * PAGE), BYTES);
    uint64_t dropped = MANY - counter(CUP_C_ALLOC_CALLS);
    cr_expect_gt(dropped, 0);
    cr_expect_eq(cup_log_header()->health[CUP_H_ARENAS_DROPPED], dropped);
    for (uintptr_t i = 1; i <= MANY; i++)
        cup_heap_unmapped((void *)(i * 16 * PAGE), BYTES);
    cr_expect_eq(counter(CUP_C_FREED_BYTES), counter(CUP_C_ALLOC_BYTES));
}
