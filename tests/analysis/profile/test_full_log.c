/* Tasks that began when their log was full: sums in a region of the log. */
#include <criterion/criterion.h>

#include <string.h>

#include "analysis/live/live.h"
#include "analysis/metrics/metrics.h"
#include "analysis/profile/summed_text.h"
#include "analysis/report/page/warnings.h"
#include "tests/analysis/fixture.h"

enum { LATE = 70, EARLY_TASKS = 2, LATE_TASKS = 5, FAILED = 1, SECOND = 1000000000 };

TestSuite(full_log, .init = start_fixture, .fini = end_fixture);

static struct cup_task_totals sums;
static int64_t start_ns;

static void set_values(uint64_t *values, uint64_t tasks, uint64_t wall_ns)
{
    values[CUP_T_TASKS] = tasks;
    values[CUP_T_WALL_NS] = values[CUP_T_WITH_CPU_NS] = wall_ns;
    values[CUP_T_CPU_NS] = wall_ns / 4;
    values[CUP_T_FIRST_NS] = (uint64_t)start_ns + SECOND;
    values[CUP_T_LAST_START_NS] = (uint64_t)start_ns + 2 * SECOND;
    values[CUP_T_LAST_NS] = (uint64_t)start_ns + 3 * (uint64_t)SECOND;
}

/* A task with records, and the sums of further ones. */
static void build(void)
{
    start_ns = builder_header(&builder)->log_start_ns;
    builder_header(&builder)->features |= CUP_FEATURE_WAITS;
    const uint64_t read[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 100};
    builder_string(&builder, LATE, "late");
    builder_begin(
        &builder,
        &(struct cup_r_task_begin){.task = 1, .tid = 9, .prefix = LATE, .start_ns = start_ns},
        "late-1");
    builder_counters(&builder,
                     &(struct cup_r_counters){.task = 1, .tid = 9, .sequence = 1, .own = 1}, read);
    const struct cup_r_task_end end = {
        .task = 1, .status = CUP_STATUS_FINISHED, .stop_ns = start_ns + 1000, .cpu_ns = 10};
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1];
    sums.entries[CUP_TOTAL_NONE].used = sums.entries[CUP_TOTAL_OTHERS].used = total->used = 1;
    total->key.prefix = LATE;
    set_values(total->values[CUP_STATUS_FINISHED - 1], LATE_TASKS - FAILED, 4000);
    set_values(total->values[CUP_STATUS_ERRED - 1], FAILED, 1000);
    total->counters[1][CUP_C_READ_OWN_BYTES] = 700;
    total->counters[1][CUP_C_IO_WAIT_NS] = 600;
    total->counters[0][CUP_C_READ_HANDOFF_BYTES] = 50;
    total->histograms[0][4] = 7;
    total->longest_ns = 2500;
    total->block = 2;
    total->sequence = 6;
    sums.entries[CUP_TOTAL_NONE].counters[0][CUP_C_READ_NONE_BYTES] = 3;
}

static void save(void)
{
    builder_totals(&builder, &sums);
    save_fixture("a.cup");
    load_fixture(&(struct cup_load_options){.counters = true});
}

static const struct cup_prefix *late_prefix(void)
{
    for (size_t i = 0; i < profile.prefix_count; i++)
        if (cup_profile_text(&profile, profile.prefixes[i].name).length == strlen("late"))
            return &profile.prefixes[i];
    cr_assert_fail("no prefix");
    return NULL;
}

Test(full_log, its_sums_count_like_tasks)
{
    build();
    save();
    const struct cup_prefix *late = late_prefix();
    cr_expect_eq(late->tasks, 1 + LATE_TASKS);
    cr_expect_eq(late->counters[CUP_C_READ_OWN_BYTES], 800);
    cr_expect_eq(late->counters[CUP_C_READ_HANDOFF_BYTES], 50);
    cr_expect_eq(late->waits.ns[CUP_WAITED_IO], 600);
    cr_expect_eq(late->longest_task_ns, 2500);
    cr_expect_eq(late->durations[0][4], 7);
    cr_expect_eq(totals.all.tasks, 1 + LATE_TASKS);
    cr_expect_eq(totals.all.wall_ns, 6000);
    cr_expect_eq(profile.processes[0].with_task[CUP_C_READ_OWN_BYTES], 800);
    cr_expect_eq(profile.processes[0].without_task[CUP_C_READ_NONE_BYTES], 3);
    cr_expect_eq(profile.full_log_ns, start_ns + SECOND);
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t count = cup_warnings_make(&totals, warnings);
    bool warned = false;
    for (size_t i = 0; i < count; i++)
        warned |= strncmp(warnings[i].text, "5 of 6 tasks, the first at ", 27) == 0;
    cr_expect(warned);
}

/* A chunk that Coffea skipped has times of its own. What it read is in the entry of the others. */
Test(full_log, chunks_and_files_that_coffea_skipped_are_not_used)
{
    enum { SKIPPED = 3 };
    const uint64_t read = 750;
    build();
    struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1];
    total->key.item = CUP_ITEM_WORK;
    memset(total->values, 0, sizeof total->values);
    for (uint32_t i = 1; i <= 2; i++) {
        total[i] = (struct cup_total){.used = 1, .key = total->key};
        total[i].key.item = i == 1 ? CUP_ITEM_WORK : CUP_ITEM_METADATA;
        total[i].key.skipped = 1;
        set_values(total[i].values[CUP_STATUS_FINISHED - 1], SKIPPED, 4000);
        total[i].values[CUP_STATUS_FINISHED - 1][CUP_T_EVENTS] = i == 1 ? 60 : 0;
    }
    save();
    cr_expect_eq(totals.used_chunks, 0);
    cr_expect_eq(totals.skipped_chunks, SKIPPED);
    cr_expect_eq(totals.events, 0);
    cr_expect_eq(totals.completeness->skipped_chunks, SKIPPED);
    cr_expect_eq(totals.completeness->skipped_files, SKIPPED);
    cr_expect_eq(totals.all.read_bytes, 100 + read, "%llu", (long long)totals.all.read_bytes);
    cr_expect_eq(totals.tasks.start_ns, start_ns);
}

/* ---- Coffea's report ------------------------------------------------------------------------ */

/* The task with records and the summed ones are Coffea's chunks. Of the first one, Coffea's report
 * is in the log, too. */
static void build_chunks(void)
{
    build();
    const struct cup_r_item item = {.task = 1, .kind = CUP_ITEM_WORK, .entry_stop = 10};
    const struct cup_r_chunk chunk = {
        .task = 1, .tic_ns = start_ns + 100, .toc_ns = start_ns + 900};
    const struct cup_r_chunk_report report = {.task = 1, .requested_bytes = 50, .entries = 10};
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_CHUNK, chunk);
    BUILDER_ADD(&builder, CUP_R_CHUNK_REPORT, report);
    struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1];
    uint64_t *finished = total->values[CUP_STATUS_FINISHED - 1];
    total->key.item = CUP_ITEM_WORK;
    finished[CUP_T_EVENTS] = 40;
    finished[CUP_T_TIMED] = LATE_TASKS - FAILED;
    finished[CUP_T_PROCESS_NS] = 3000;
}

Test(full_log, sums_of_coffeas_reports_are_not_known)
{
    static const char *const unknown[] = {"num_chunks_coffea",  "total_events_coffea",
                                          "num_columns",        "total_bytes_read_coffea",
                                          "read_amplification", "requested_rate_gbps"};
    build_chunks();
    save();
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        cr_expect_eq(named_metric(&totals, "workflow", unknown[i]).kind, CUP_VALUE_NULL, "%s",
                     unknown[i]);
    cr_expect_eq(named_metric(&totals, "workflow", "total_events").count, 50);
    cr_expect_eq(named_metric(&totals, "workflow", "total_cpu_time").integer, 3800);
    cr_expect(strstr(cup_metric_missing(cup_metric(CUP_METRIC_total_bytes_read_coffea), &totals),
                     CUP_SUMMED));
    json_t *report = report_json(scratch, outside), *coffea = json_object_get(report, "coffea");
    json_t *datasets = json_object_get(json_object_get(report, "datasets"), "rows");
    json_t *dataset = json_array_get(datasets, 0), *own = json_object_get(dataset, "coffea");
    cr_expect_float_eq(json_number_value(json_object_get(coffea, "processtime")), 3800e-9, 1e-12);
    cr_expect(json_is_null(json_object_get(coffea, "bytesread")));
    cr_expect(json_is_null(json_object_get(coffea, "columns")));
    cr_expect(json_is_null(json_object_get(own, "chunks")));
    cr_expect(json_is_null(json_object_get(dataset, "read_amplification")));
    json_decref(report);
}

/* The report that the user saved has all chunks. */
Test(full_log, a_saved_report_comes_before_the_part_that_the_log_has)
{
    struct cup_coffea_row rows[CUP_COFFEA_FIELDS];
    const struct cup_coffea_file given = {.report = {.of = {250, 50, 3800, LATE_TASKS}}};
    build_chunks();
    save();
    totals.given = &given;
    cr_expect_eq(named_metric(&totals, "workflow", "total_bytes_read_coffea").count, 250);
    cr_expect_eq(named_metric(&totals, "workflow", "num_chunks_coffea").count, LATE_TASKS);
    cup_coffea_compare(&totals, rows);
    cr_expect_not(rows[CUP_COFFEA_BYTES].differs);
    cr_expect_not(rows[CUP_COFFEA_CHUNKS].differs);
}

/* Partitions of uproot.dask have no report, so they leave the sums of Coffea's chunks known. */
Test(full_log, chunks_without_a_report_hide_none_of_the_reports)
{
    build_chunks();
    sums.entries[CUP_TOTAL_OTHERS + 1].key.item = CUP_ITEM_READ;
    save();
    cr_expect_eq(named_metric(&totals, "workflow", "total_bytes_read_coffea").count, 50);
    cr_expect_eq(named_metric(&totals, "workflow", "num_chunks_coffea").count, 1);
}

/* ---- bytes by outcome ----------------------------------------------------------------------- */

static struct cup_value bytes_of_dataset(const char *name)
{
    json_t *report = report_json(scratch, outside);
    json_t *datasets = json_object_get(json_object_get(report, "datasets"), "rows");
    json_t *bytes = json_object_get(json_array_get(datasets, 0), name);
    struct cup_value value =
        cup_value_if(json_is_integer(bytes), cup_count((uint64_t)json_integer_value(bytes)));
    json_decref(report);
    return value;
}

/* The log has one sum of bytes for the chunks that succeeded and the one that failed. */
Test(full_log, bytes_of_failed_and_used_chunks_are_not_known_apart)
{
    build_chunks();
    builder_header(&builder)->features |= CUP_FEATURE_FILES;
    save();
    cr_expect_eq(named_metric(&totals, "efficiency", "wasted_bytes").kind, CUP_VALUE_NULL);
    cr_expect_eq(bytes_of_dataset("read_bytes").kind, CUP_VALUE_NULL);
    cr_expect_eq(bytes_of_dataset("bytes_per_event").kind, CUP_VALUE_NULL);
    cr_expect_eq(bytes_of_dataset("all_attempts_read_bytes").count, 850);
}

Test(full_log, bytes_are_known_if_all_of_its_chunks_succeeded)
{
    build_chunks();
    builder_header(&builder)->features |= CUP_FEATURE_FILES;
    memset(sums.entries[CUP_TOTAL_OTHERS + 1].values[CUP_STATUS_ERRED - 1], 0,
           sizeof sums.entries[0].values[0]);
    save();
    cr_expect_eq(named_metric(&totals, "efficiency", "wasted_bytes").count, 0);
    cr_expect_eq(bytes_of_dataset("read_bytes").count, 850);
}

/* The bytes of chunks that Coffea skipped are among those of the chunks that it used. */
Test(full_log, bytes_of_skipped_and_used_chunks_are_not_known_apart)
{
    build_chunks();
    struct cup_total *used = &sums.entries[CUP_TOTAL_OTHERS + 1], *skipped = used + 1;
    memset(used->values[CUP_STATUS_ERRED - 1], 0, sizeof used->values[0]);
    *skipped = (struct cup_total){.used = 1, .key = used->key};
    skipped->key.skipped = 1;
    set_values(skipped->values[CUP_STATUS_FINISHED - 1], 1, 4000);
    save();
    cr_expect_eq(bytes_of_dataset("read_bytes").kind, CUP_VALUE_NULL);
    cr_expect_eq(bytes_of_dataset("all_attempts_read_bytes").count, 850);
}

/* ---- gaps between tasks --------------------------------------------------------------------- */

/* The threads may have been idle, or tasks may have followed each other: no finding. */
Test(full_log, gaps_between_its_tasks_are_not_known)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    build();
    save();
    cr_expect_eq(named_metric(&totals, "time_budget", "idle_s").kind, CUP_VALUE_NULL);
    cr_expect_eq(named_metric(&totals, "time_budget", "dask_between_tasks_s").kind, CUP_VALUE_NULL);
    cr_expect_eq(named_metric(&totals, "time_budget", "outside_tasks_s").integer,
                 3 * (int64_t)SECOND - 6000);
    cr_expect_str_eq(cup_budget_part_text(&totals, CUP_BUDGET_IDLE), "outside of tasks");
    cr_expect_null(advice_text(advice, cup_advice_make(&totals, advice), "starved"));
}

/* ---- what is excluded ----------------------------------------------------------------------- */

/* The kernel counts what the whole process read. */
Test(full_log, a_filter_does_not_change_what_the_process_read)
{
    build();
    save();
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    load_fixture(&(struct cup_load_options){.counters = true, .span = "a span"});
    cr_expect_eq(profile.full_log_tasks_apart, LATE_TASKS);
    cr_expect_eq(profile.processes[0].with_task[CUP_C_READ_OWN_BYTES], 800);
    cr_expect_eq(profile.processes[0].with_task[CUP_C_READ_HANDOFF_BYTES], 50);
}

/* If the disk has room again, records of tasks without a TASK_BEGIN record follow. */
Test(full_log, later_records_of_its_tasks_are_no_orphans)
{
    build();
    const struct cup_r_unattributed unattributed = {.task = 77, .bytes = {1000}};
    const struct cup_r_value value = {.task = 77, .name = LATE, .count = 2, .sum = 3};
    const struct cup_r_section section = {.task = 77, .name = LATE};
    const struct cup_r_requests requests = {.task = 77};
    BUILDER_ADD(&builder, CUP_R_UNATTRIBUTED, unattributed);
    BUILDER_ADD(&builder, CUP_R_VALUE, value);
    BUILDER_ADD(&builder, CUP_R_SECTION, section);
    BUILDER_ADD(&builder, CUP_R_REQUESTS, requests);
    save();
    cr_expect_eq(profile.orphan_records, 0, "%llu", (unsigned long long)profile.orphan_records);
    cr_assert_eq(profile.section_count, 1);
    cr_expect_eq(profile.sections[0].prefix, 0);
    cr_assert_eq(profile.named_value_count, 1);
    cr_expect_eq(profile.named_values[0].count, 2);
}

/* When the task ended is not known, and so whether the child read for it. */
Test(full_log, children_of_its_tasks_are_unattributed)
{
    struct log_builder child;
    build();
    builder_header(&builder)->pid = 1000;
    builder_start(&child);
    builder_header(&child)->pid = 1001;
    builder_header(&child)->process_start_ns = start_ns + SECOND;
    const struct cup_r_parent parent = {.pid = 1000, .task = 77, .last_read_ns = start_ns + SECOND};
    const uint64_t read[CUP_COUNTER_COUNT] = {[CUP_C_READ_NONE_BYTES] = 30};
    BUILDER_ADD(&child, CUP_R_PARENT, parent);
    builder_counters(&child, &(struct cup_r_counters){.block = 1, .sequence = 1}, read);
    builder_finish(&child);
    save_log(&child, scratch, "b.cup");
    builder_free(&child);
    save();
    cr_assert_eq(profile.process_count, 2);
    cr_expect_eq(profile.processes[1].ancestry, CUP_ANCESTRY_SUMMED);
    cr_expect_eq(named_metric(&totals, "attribution", "child_read_none_bytes").count, 30);
}

/* The log does not say what was read for no task while they ran. */
Test(full_log, whether_its_tasks_are_partly_attributed_is_not_known)
{
    build();
    save();
    cr_expect_eq(totals.all.partly_unknown, LATE_TASKS);
}

/* The process was killed while it changed the entry: what it was before counts. */
Test(full_log, an_unfinished_change_does_not_count)
{
    build();
    sums.before = sums.entries[CUP_TOTAL_OTHERS + 1];
    sums.unfinished = CUP_TOTAL_OTHERS + 2;
    sums.entries[CUP_TOTAL_OTHERS + 1].counters[1][CUP_C_READ_OWN_BYTES] = 99999;
    save();
    cr_expect_eq(late_prefix()->counters[CUP_C_READ_OWN_BYTES], 800);
}

/* A thread that a task with records started read 40 bytes. */
static void build_inherited(void)
{
    const uint64_t read[CUP_COUNTER_COUNT] = {[CUP_C_READ_INHERITED_BYTES] = 40};
    build();
    builder_counters(
        &builder,
        &(struct cup_r_counters){.task = 1, .tid = 10, .sequence = 1, .own = CUP_BLOCK_INHERITS},
        read);
}

/* A thread of some task served others. The library keeps room for VOID records, and counts those
 * that it drops all the same. */
static uint64_t inherited_bytes(uint64_t voids_dropped)
{
    build_inherited();
    uint64_t *health = builder_header(&builder)->health;
    health[CUP_H_THREADS_VOIDED] = health[CUP_H_RECORDS_DROPPED] = 1000;
    health[CUP_H_VOIDS_DROPPED] = voids_dropped;
    save();
    return late_prefix()->counters[CUP_C_READ_INHERITED_BYTES];
}

Test(full_log, threads_of_tasks_with_records_count_for_them)
{
    cr_expect_eq(inherited_bytes(0), 40);
}

Test(full_log, threads_of_tasks_count_for_none_if_a_void_was_dropped)
{
    cr_expect_eq(inherited_bytes(1), 0);
}

/* A process that runs no task has no sums. Its library counts VOID records that it drops apart. */
static uint64_t inherited_bytes_without_sums(uint64_t features)
{
    build_inherited();
    struct cup_log_header *header = builder_header(&builder);
    header->features = (header->features & ~(uint64_t)CUP_FEATURE_VOIDS) | features;
    header->health[CUP_H_THREADS_VOIDED] = header->health[CUP_H_RECORDS_DROPPED] = 1;
    save_fixture("a.cup");
    load_fixture(&(struct cup_load_options){.counters = true});
    return late_prefix()->counters[CUP_C_READ_INHERITED_BYTES];
}

Test(full_log, a_lost_record_of_another_kind_leaves_threads_to_their_tasks)
{
    cr_expect_eq(inherited_bytes_without_sums(CUP_FEATURE_VOIDS), 40);
}

/* An older library did not say of which kind the lost records were. */
Test(full_log, in_older_logs_any_lost_record_may_have_been_a_void)
{
    cr_expect_eq(inherited_bytes_without_sums(0), 0);
}

/* The block is in the entry already, and was not freed yet. */
Test(full_log, a_block_that_was_added_does_not_count_twice)
{
    build();
    for (unsigned i = 2; i < 4; i++) {
        struct cup_block *block = builder_block(&builder, i);
        *block = (struct cup_block){.used = 1, .task = 77, .tid = 9, .sequence = 6, .own = 1};
        block->counters[CUP_C_READ_OWN_BYTES] = 11;
    }
    save();
    cr_expect_eq(profile.processes[0].with_task[CUP_C_READ_OWN_BYTES], 811);
    cr_expect_eq(profile.orphan_records, 0);
}

/* The process was killed before the block was closed: it counts for its task's prefix. */
Test(full_log, an_open_block_counts_for_the_entry_that_it_names)
{
    build();
    *builder_block(&builder, 2) = (struct cup_block){
        .used = 1, .task = 77, .tid = 9, .sequence = 1, .total = CUP_TOTAL_OTHERS + 2};
    builder_block(&builder, 2)->counters[CUP_C_READ_HANDOFF_BYTES] = 11;
    builder_block(&builder, 2)->histograms[0][4] = 2;
    *builder_block(&builder, 3) = (struct cup_block){.used = 1,
                                                     .task = 77,
                                                     .tid = 9,
                                                     .sequence = 1,
                                                     .own = CUP_BLOCK_INHERITS,
                                                     .total = CUP_TOTAL_NONE + 1};
    builder_block(&builder, 3)->counters[CUP_C_READ_INHERITED_BYTES] = 40;
    save();
    cr_expect_eq(late_prefix()->counters[CUP_C_READ_HANDOFF_BYTES], 61);
    cr_expect_eq(late_prefix()->durations[0][4], 9);
    cr_expect_eq(profile.processes[0].with_task[CUP_C_READ_HANDOFF_BYTES], 61);
    cr_expect_eq(profile.processes[0].without_task[CUP_C_READ_NONE_BYTES], 43);
}

/* How a chunk ended is known, but not which one it was. */
Test(full_log, its_failed_chunks_are_counted_everywhere)
{
    struct cup_live live;
    struct cup_error error;
    build_chunks();
    save();
    cr_expect_eq(named_metric(&totals, "workflow", "num_failed_chunks").count, FAILED);
    cr_expect_eq(named_metric(&totals, "workflow", "num_retried_chunks").kind, CUP_VALUE_NULL);
    cr_expect_eq(totals.unknown_chunks, 0);
    cr_assert_eq(totals.dataset_count, 1);
    cr_expect_eq(totals.datasets[0].failed, FAILED);
    cr_assert_eq(totals.hosts->count, 1);
    cr_expect_eq(totals.hosts->rows[0].failed, FAILED);
    cr_expect_eq(totals.hosts->rows[0].failed_chunks, FAILED);
    cr_assert_eq(cup_live_open(&live, scratch, &error), 0);
    cr_assert_eq(cup_live_look(&live, start_ns + 60 * (int64_t)SECOND, &error), 0);
    cr_expect_eq(live.failed_chunks, FAILED);
    cup_live_free(&live);
}

/* Partitions of uproot.dask(open_files=False) have no entry range. */
Test(full_log, top_knows_no_more_events_than_the_report)
{
    struct cup_live live;
    struct cup_error error;
    build_chunks();
    struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1];
    total->values[CUP_STATUS_FINISHED - 1][CUP_T_EVENTS] = 0;
    total[1] = (struct cup_total){.used = 1, .key = {.prefix = LATE, .item = CUP_ITEM_READ}};
    set_values(total[1].values[CUP_STATUS_FINISHED - 1], 3, 3000);
    save();
    cr_expect_eq(totals.chunks_without_events, LATE_TASKS - FAILED + 3);
    cr_assert_eq(cup_live_open(&live, scratch, &error), 0);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(cup_live_look(&live, start_ns + 60 * (int64_t)SECOND, &error), 0);
        cr_expect_eq(live.real.without_events, totals.chunks_without_events);
        cr_expect_eq(live.planned.without_events, LATE_TASKS - FAILED);
    }
    total->values[CUP_STATUS_FINISHED - 1][CUP_T_EVENTS] = 40;
    memcpy(builder.bytes + builder.size - sizeof sums, &sums, sizeof sums);
    save_fixture("a.cup");
    cr_assert_eq(cup_live_look(&live, start_ns + 60 * (int64_t)SECOND, &error), 0);
    cr_expect_eq(live.real.without_events, 3);
    cr_expect_eq(live.planned.without_events, 0);
    cup_live_free(&live);
}

/* Each look adds what the sums gained, and so gives what the report of that moment gives. */
Test(full_log, top_counts_its_sums)
{
    struct cup_live live;
    struct cup_error error;
    build();
    save();
    cr_assert_eq(cup_live_open(&live, scratch, &error), 0);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(cup_live_look(&live, start_ns + 60 * (int64_t)SECOND, &error), 0);
        cr_expect_eq(live.tasks, totals.all.tasks);
        cr_expect_eq(live.finished, totals.all.finished);
        cr_expect_eq(live.erred, totals.all.erred);
        cr_expect_eq(live.summed, profile.full_log_tasks);
        cr_expect_eq(live.sums[(live.looks - 1) % CUP_LIVE_LOOKS].read_bytes,
                     named_metric(&totals, "workflow", "total_bytes_read").count);
        struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1];
        set_values(total->values[CUP_STATUS_ERRED - 1], FAILED + 1 + (uint64_t)i, 1500);
        total->counters[0][CUP_C_READ_HANDOFF_BYTES] += 1000;
        memcpy(builder.bytes + builder.size - sizeof sums, &sums, sizeof sums);
        cup_totals_free(&totals);
        cup_profile_free(&profile);
        save_fixture("a.cup");
        load_fixture(&(struct cup_load_options){.counters = true});
    }
    cr_expect_eq(live.tasks, 1 + LATE_TASKS + 2);
    cup_live_free(&live);
}

/* Numbers of a damaged region lead nowhere. */
Test(full_log, impossible_numbers_are_harmless)
{
    build();
    memset(&sums.entries[CUP_TOTAL_OTHERS + 1], 0xff, sizeof *sums.entries);
    sums.unfinished = 1000;
    *builder_block(&builder, 2) =
        (struct cup_block){.used = 1, .task = 77, .sequence = 1, .total = CUP_TOTALS + 1};
    save();
    cr_expect_geq(profile.prefix_count, 1);
}
