/* Sums of tasks that begin when the log is full. */
#include "tests/preload/log_records.h"

#include "preload/counters/block.h"
#include "preload/counters/totals.h"

#include <string.h>

enum { EARLY = 5, SUMMED = 1000, PREFIX = 7, OTHER_PREFIX = 8 };

static void begin(uint32_t task, uint32_t prefix)
{
    const struct cup_r_task_begin record = {
        .task = task, .prefix = prefix, .start_ns = 1000 * task};
    if (!cup_totals_begin(&record))
        cup_log_write(CUP_R_TASK_BEGIN, &record, NULL, 0);
}

static void end(uint32_t task, enum cup_task_status status, uint64_t wall_ns)
{
    const struct cup_r_task_end record = {.task = task,
                                          .status = status,
                                          .stop_ns = (int64_t)(1000 * task + wall_ns),
                                          .cpu_ns = wall_ns / 2,
                                          .result_bytes = 3};
    if (!cup_totals_end(&record))
        cup_log_write(CUP_R_TASK_END, &record, NULL, 0);
}

static void set_up(void)
{
    test_log_open(1 << 20);
    cup_totals_reset();
    cup_block_reset();
    begin(EARLY, PREFIX);
    test_log_fill();
}

TestSuite(totals, .init = set_up, .fini = test_log_close);

/* A block of TASK closes in which BYTES were read. */
static void read_in(uint32_t task, enum cup_block_kind kind, uint64_t bytes)
{
    struct cup_block *block = cup_block_open(task, kind);
    cr_assert_not_null(block);
    block->counters[kind == CUP_BLOCK_RUNS ? CUP_C_READ_OWN_BYTES : CUP_C_READ_INHERITED_BYTES] =
        bytes;
    block->histograms[0][3] = 1;
    cup_block_close(block);
}

static const struct cup_total *entry_of(uint32_t prefix)
{
    for (int i = CUP_TOTAL_OTHERS + 1; i < CUP_TOTALS; i++)
        if (cup_log_totals()->entries[i].used && cup_log_totals()->entries[i].key.prefix == prefix)
            return &cup_log_totals()->entries[i];
    cr_assert_fail("no entry of prefix %u", prefix);
    return NULL;
}

static unsigned count_records(unsigned type)
{
    uint64_t at = 0;
    unsigned count = 0;
    while (test_next(&at, type))
        count++;
    return count;
}

Test(totals, tasks_that_begin_in_a_full_log_are_summed_up)
{
    begin(SUMMED, PREFIX);
    begin(SUMMED + 1, OTHER_PREFIX);
    begin(SUMMED + 2, PREFIX);
    read_in(SUMMED, CUP_BLOCK_RUNS, 100);
    read_in(SUMMED + 2, CUP_BLOCK_RUNS, 20);
    read_in(SUMMED + 1, CUP_BLOCK_RUNS, 3);
    cup_totals_item(&(struct cup_r_item){
        .task = SUMMED + 1, .kind = CUP_ITEM_WORK, .entry_start = 10, .entry_stop = 15});
    end(SUMMED, CUP_STATUS_FINISHED, 600);
    end(SUMMED + 2, CUP_STATUS_ERRED, 40);
    end(SUMMED + 1, CUP_STATUS_FINISHED, 8);
    const struct cup_total *total = entry_of(PREFIX);
    const uint64_t *finished = total->values[CUP_STATUS_FINISHED - 1];
    const uint64_t *erred = total->values[CUP_STATUS_ERRED - 1];
    cr_expect_eq(finished[CUP_T_TASKS], 1);
    cr_expect_eq(finished[CUP_T_WALL_NS], 600);
    cr_expect_eq(finished[CUP_T_CPU_NS], 300);
    cr_expect_eq(finished[CUP_T_FIRST_NS], 1000 * SUMMED);
    cr_expect_eq(erred[CUP_T_TASKS], 1);
    cr_expect_eq(erred[CUP_T_WALL_NS], 40);
    cr_expect_eq(total->longest_ns, 600);
    cr_expect_eq(total->durations[cup_bucket(600)], 1);
    cr_expect_eq(total->counters[1][CUP_C_READ_OWN_BYTES], 120);
    cr_expect_eq(total->histograms[0][3], 2);
    uint64_t events = 0, tasks = 0;
    for (int i = CUP_TOTAL_OTHERS; i < CUP_TOTALS; i++) {
        events += cup_log_totals()->entries[i].values[0][CUP_T_EVENTS];
        tasks += cup_log_totals()->entries[i].values[0][CUP_T_TASKS];
    }
    cr_expect_eq(events, 5);
    cr_expect_eq(tasks, 2);
    cr_expect_eq(cup_log_totals()->unfinished, 0);
    cr_expect_eq(count_records(CUP_R_TASK_BEGIN), 1, "only that of the first task");
}

/* Coffea skipped a chunk, and a file: the tasks returned None. Another chunk's process() returned
 * before, and a task without work item may return None. */
Test(totals, chunks_and_files_that_coffea_skipped_are_apart)
{
    static const uint32_t kinds[] = {CUP_ITEM_WORK, CUP_ITEM_METADATA, CUP_ITEM_WORK, 0};
    uint64_t tasks[2] = {0}, events[2] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        begin(SUMMED + i, PREFIX);
        read_in(SUMMED + i, CUP_BLOCK_RUNS, 100);
        if (kinds[i])
            cup_totals_item(&(struct cup_r_item){
                .task = SUMMED + i, .kind = kinds[i], .entry_start = -(i == 1), .entry_stop = 5});
        if (i == 2)
            cup_totals_chunk(&(struct cup_r_chunk){
                .task = SUMMED + i, .tic_ns = 1000 * SUMMED, .toc_ns = 1000 * SUMMED + 9});
        cup_totals_end(&(struct cup_r_task_end){.task = SUMMED + i,
                                                .status = CUP_STATUS_FINISHED,
                                                .stop_ns = 1000 * (SUMMED + i) + 10,
                                                .result_bytes = 16});
    }
    for (int i = CUP_TOTAL_OTHERS; i < CUP_TOTALS; i++) {
        const struct cup_total *total = &cup_log_totals()->entries[i];
        tasks[total->key.skipped] += total->values[CUP_STATUS_FINISHED - 1][CUP_T_TASKS];
        events[total->key.skipped] += total->values[CUP_STATUS_FINISHED - 1][CUP_T_EVENTS];
    }
    cr_expect_eq(tasks[1], 2);
    cr_expect_eq(tasks[0], 2);
    cr_expect_eq(events[1], 5);
    cr_expect_eq(events[0], 5);
}

/* The clock was set back by an hour inside process(). */
Test(totals, a_clock_that_is_set_back_wraps_no_time)
{
    const int64_t start_ns = 1000 * SUMMED, hour_ns = INT64_C(3600000000000);
    begin(SUMMED, PREFIX);
    cup_totals_chunk(&(struct cup_r_chunk){
        .task = SUMMED, .tic_ns = start_ns + 10, .toc_ns = start_ns - hour_ns, .cpu_ns = 5});
    end(SUMMED, CUP_STATUS_FINISHED, 0);
    const uint64_t *values = entry_of(PREFIX)->values[CUP_STATUS_FINISHED - 1];
    cr_expect_eq(values[CUP_T_TASKS], 1);
    cr_expect_eq(values[CUP_T_TIMED], 0);
    cr_expect_eq(values[CUP_T_PROCESS_NS], 0);
    cr_expect_eq(values[CUP_T_PROCESS_CPU_NS], 0);
    cr_expect_eq(values[CUP_T_OPEN_NS], 0);
}

/* It was set back before process() began. */
Test(totals, a_clock_that_is_set_back_before_process_wraps_no_time)
{
    const int64_t start_ns = 1000 * SUMMED;
    begin(SUMMED, PREFIX);
    cup_totals_chunk(&(struct cup_r_chunk){
        .task = SUMMED, .tic_ns = start_ns - 100, .toc_ns = start_ns - 60, .cpu_ns = 5});
    end(SUMMED, CUP_STATUS_FINISHED, 0);
    const uint64_t *values = entry_of(PREFIX)->values[CUP_STATUS_FINISHED - 1];
    cr_expect_eq(values[CUP_T_TIMED], 1);
    cr_expect_eq(values[CUP_T_PROCESS_NS], 40);
    cr_expect_eq(values[CUP_T_OPEN_NS], 0);
}

/* Up to Dask 2024.2 the size of a result is known a moment after the end of its task. */
Test(totals, a_size_that_is_known_later_counts_once)
{
    begin(SUMMED, PREFIX);
    struct cup_r_task_end record = {
        .task = SUMMED, .status = CUP_STATUS_FINISHED, .result_bytes = CUP_UNKNOWN64};
    cr_assert(cup_totals_end(&record));
    record.result_bytes = 40;
    cr_expect(cup_totals_end_again(&record));
    cr_expect(cup_totals_end_again(&record));
    record.task = EARLY;
    cr_expect(!cup_totals_end_again(&record));
    const uint64_t *values = entry_of(PREFIX)->values[CUP_STATUS_FINISHED - 1];
    cr_expect_eq(values[CUP_T_TASKS], 1);
    cr_expect_eq(values[CUP_T_RESULT_BYTES], 40);
}

/* What the task that began before has still to say finds room in the reserve. */
Test(totals, a_task_that_runs_when_the_log_fills_keeps_its_records)
{
    begin(SUMMED, PREFIX);
    read_in(EARLY, CUP_BLOCK_RUNS, 100);
    end(EARLY, CUP_STATUS_FINISHED, 10);
    cr_expect_eq(count_records(CUP_R_COUNTERS), 1);
    cr_expect_eq(count_records(CUP_R_TASK_END), 1);
    cr_expect_null(cup_log_reserve(sizeof(struct cup_r_note), 0));
}

/* Helpers close their blocks after the end of the task. A task that turns out to share its threads
 * with others loses what they read later. */
Test(totals, helpers_count_for_their_task_unless_it_is_voided)
{
    enum { TASKS = 40 };
    for (uint32_t i = 0; i < TASKS; i++) {
        begin(SUMMED + i, PREFIX);
        end(SUMMED + i, CUP_STATUS_FINISHED, 1);
        if (i == 7)
            cr_expect(cup_totals_void(SUMMED + i));
        read_in(SUMMED + i, CUP_BLOCK_INHERITS, 10);
    }
    for (uint32_t i = 0; i < 16; i++) /* so that all pending blocks are written */
        read_in(EARLY + i, CUP_BLOCK_HELPS, 0);
    cr_expect_eq(entry_of(PREFIX)->counters[0][CUP_C_READ_INHERITED_BYTES], 10 * (TASKS - 1));
    const struct cup_total *none = &cup_log_totals()->entries[CUP_TOTAL_NONE];
    cr_expect_eq(none->counters[0][CUP_C_READ_NONE_BYTES], 10);
}

/* What is open names its entry, for a reader of the log of a killed process. */
Test(totals, an_open_block_names_its_entry)
{
    begin(SUMMED, PREFIX);
    const struct cup_total *entries = cup_log_totals()->entries;
    struct cup_block *own = cup_block_open(SUMMED, CUP_BLOCK_RUNS),
                     *inheriting = cup_block_open(SUMMED, CUP_BLOCK_INHERITS),
                     *early = cup_block_open(EARLY, CUP_BLOCK_RUNS);
    cr_expect_eq(early->total, 0);
    cr_expect_eq(own->total, entry_of(PREFIX) - entries + 1);
    cr_expect_eq(inheriting->total, own->total);
    cup_totals_item(&(struct cup_r_item){.task = SUMMED, .kind = CUP_ITEM_WORK, .dataset = 9});
    cr_expect_eq(entries[own->total - 1].key.dataset, 9);
    cr_expect_eq(inheriting->total, own->total);
    cup_totals_void(SUMMED);
    cr_expect_eq(inheriting->total, CUP_TOTAL_NONE + 1);
    cr_expect_eq(entries[own->total - 1].key.dataset, 9);
    cr_expect_eq(cup_block_open(SUMMED, CUP_BLOCK_INHERITS)->total, CUP_TOTAL_NONE + 1);
}

/* More kinds of tasks than the table has entries; more tasks than there are slots, some of which
 * run all the time. */
Test(totals, no_task_is_missing)
{
    enum { TASKS = 5000, LONG = 100 };
    uint64_t tasks = 0, bytes = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        begin(SUMMED + i, 1 + i % 60);
        read_in(SUMMED + i, CUP_BLOCK_RUNS, 1);
        if (i >= LONG)
            end(SUMMED + i, CUP_STATUS_FINISHED, 1);
    }
    for (uint32_t i = 0; i < LONG; i++)
        end(SUMMED + i, CUP_STATUS_UNKNOWN, 1);
    for (int i = CUP_TOTAL_OTHERS; i < CUP_TOTALS; i++) {
        const struct cup_total *total = &cup_log_totals()->entries[i];
        bytes += total->counters[1][CUP_C_READ_OWN_BYTES];
        for (int status = 0; status < CUP_TOTAL_STATUSES; status++)
            tasks += total->values[status][CUP_T_TASKS];
    }
    cr_expect_eq(tasks, TASKS);
    cr_expect_eq(bytes, TASKS);
}

/* A full log has no room for further blocks. Those outside of it are in the sums when they close,
 * and until then its header says how many are missing. */
Test(totals, blocks_outside_of_the_log_are_summed_up)
{
    enum { TASKS = 3 * CUP_LOG_BLOCK_COUNT };
    struct cup_block *blocks[TASKS];
    const uint64_t *outside = &cup_log_header()->health[CUP_H_BLOCKS_DROPPED];
    uint64_t bytes = 0, of_helpers = 0, dropped = cup_log_header()->health[CUP_H_RECORDS_DROPPED];
    for (uint32_t i = 0; i < TASKS; i++) {
        begin(SUMMED + i, PREFIX);
        blocks[i] = cup_block_open(SUMMED + i, i % 2 ? CUP_BLOCK_RUNS : CUP_BLOCK_HELPS);
        cr_assert_not_null(blocks[i]);
        cr_expect_eq(cup_log_block(cup_log_block_index(blocks[i])), blocks[i]);
        blocks[i]->counters[CUP_C_READ_OWN_BYTES] = i;
        *(i % 2 ? &bytes : &of_helpers) += i;
    }
    cr_expect_eq(*outside, TASKS - CUP_LOG_BLOCK_COUNT);
    cr_expect_eq(cup_log_header()->health[CUP_H_RECORDS_DROPPED], dropped);
    for (uint32_t i = 0; i < TASKS; i++) {
        cr_expect_eq(blocks[i]->task, SUMMED + i, "block %u was given twice", i);
        cup_block_close(blocks[i]);
    }
    cr_expect_eq(*outside, 0);
    cr_expect_eq(entry_of(PREFIX)->counters[1][CUP_C_READ_OWN_BYTES], bytes);
    cr_expect_eq(entry_of(PREFIX)->counters[0][CUP_C_READ_OWN_BYTES], of_helpers);
}

/* A process that runs no task has no reserve. What its threads counted stays in a block in use. */
Test(full_log_without_tasks, counters_stay_in_one_block, .fini = test_log_close)
{
    test_log_open(1 << 20);
    cup_totals_reset();
    cup_block_reset();
    test_log_fill();
    for (int i = 0; i < 300; i++)
        read_in(0, CUP_BLOCK_HELPS, 10);
    uint64_t bytes = 0;
    unsigned in_use = 0;
    for (uint32_t i = 0; i < cup_log_block_count(); i++) {
        const struct cup_block *block = cup_log_block(i);
        in_use += block->used != 0;
        bytes += block->used ? block->counters[CUP_C_READ_INHERITED_BYTES] : 0;
    }
    cr_expect_eq(in_use, 1);
    cr_expect_eq(bytes, 3000);
    cr_expect_null(cup_log_totals());
}

/* If a file system fails to write a page, the mapping may show zeros. */
Test(full_log_without_tasks, lost_pages_of_the_log_are_harmless, .fini = test_log_close)
{
    test_log_open(1 << 20);
    cup_block_reset();
    struct cup_block *block = cup_log_block(1);
    memset(cup_log_header()->regions, 0, sizeof cup_log_header()->regions);
    cup_log_header()->region_count = 0;
    cup_log_header()->records_end = 0;
    cup_log_series()->bin_ns = 0;
    cup_log_series_add(CUP_S_TASKS, cup_log_header()->log_start_ns + 1000000000, 1);
    cr_expect_eq(cup_log_series()->values[CUP_S_TASKS][10], 1);
    cr_expect_eq(cup_log_block(1), block);
    cup_log_note("still a record");
    cr_expect_gt(cup_log_header()->records_end, sizeof(struct cup_log_header));
}
