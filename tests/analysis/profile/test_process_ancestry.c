/* Whose are the bytes that children of tasks read? A worker's log and those of its children. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/profile/roles.h"
#include "analysis/report/page/warnings.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/fixture.h"

static unsigned logs;

static void set_up(void)
{
    start_fixture();
    logs = 0;
}

TestSuite(process_ancestry, .init = set_up, .fini = end_fixture);

enum { WORKER = 1000, FORKSERVER = 1500, CHILD = 2000 };

static void start_log(struct log_builder *builder, uint32_t pid, double start)
{
    builder_start(builder);
    builder_header(builder)->pid = pid;
    builder_header(builder)->process_start_ns = at_second(start);
}

static void save(struct log_builder *builder)
{
    char name[32];
    snprintf(name, sizeof name, "%03u.cup", logs++);
    builder_finish(builder);
    save_log(builder, scratch, name);
    builder_free(builder);
}

/* Tasks 1 (second 10 to 20) and 2 (second 20 on, unfinished), each reading 5 bytes itself. */
static void start_worker(struct log_builder *builder, uint32_t pid, double start)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 5};
    start_log(builder, pid, start);
    for (uint32_t task = 1; task <= 2; task++) {
        struct cup_r_task_begin begin = {.task = task,
                                         .origin = CUP_ORIGIN_DASK,
                                         .start_ns = at_second(10 * task),
                                         .rss = CUP_UNKNOWN64,
                                         .run_id = -1};
        struct cup_r_counters block = {.task = task, .block = 1, .sequence = task, .own = 1};
        builder_begin(builder, &begin, task == 1 ? "work-1" : "work-2");
        builder_counters(builder, &block, values);
    }
    struct cup_r_task_end end = {
        .task = 1, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(20)};
    BUILDER_ADD(builder, CUP_R_TASK_END, end);
}

static void add_worker(uint32_t pid, double start)
{
    struct log_builder builder;
    start_worker(&builder, pid, start);
    save(&builder);
}

static void add_child_record(struct log_builder *builder, uint32_t pid, uint32_t task, double time)
{
    struct cup_r_child child = {.pid = pid, .task = task, .time_ns = at_second(time)};
    BUILDER_ADD(builder, CUP_R_CHILD, child);
}

/* `bytes` of data files and as many of everything that is not one, by no task. */
static void add_taskless(struct log_builder *builder, uint64_t bytes)
{
    struct cup_r_counters block = {.block = 2, .sequence = 1};
    const uint64_t values[CUP_COUNTER_COUNT] = {
        [CUP_C_READ_OWN_BYTES] = 1,       [CUP_C_READ_NONE_BYTES] = bytes - 1,
        [CUP_C_IMPORT_BYTES] = bytes,     [CUP_C_PIPE_BYTES] = bytes,
        [CUP_C_RECV_BYTES] = bytes,       [CUP_C_MAPPED_BYTES] = bytes,
        [CUP_C_OTHER_READ_BYTES] = bytes,
    };
    builder_counters(builder, &block, values);
}

static void add_child(uint32_t pid, double start, uint32_t parent, uint32_t task, double last_read,
                      uint64_t bytes)
{
    struct log_builder builder;
    struct cup_r_parent record = {
        .pid = parent, .task = task, .last_read_ns = at_second(last_read)};
    start_log(&builder, pid, start);
    BUILDER_ADD(&builder, CUP_R_PARENT, record);
    add_taskless(&builder, bytes);
    save(&builder);
}

static void load(const char *span)
{
    const struct cup_load_options options = {.counters = true, .span = span};
    load_fixture(&options);
}

static void expect(const char *name, double expected)
{
    cr_expect_eq(cup_number(named_metric(&totals, "attribution", name)), expected, "%s: %g", name,
                 cup_number(named_metric(&totals, "attribution", name)));
}

/* The task's column; the first worker's tasks come first. */
static void expect_task(size_t index, uint64_t bytes)
{
    const struct cup_task_row row = {.profile = &profile, .task = &profile.tasks[index]};
    cr_expect_eq(cup_task_value(&row, "child_read_bytes").count, bytes, "task %zu: %llu", index,
                 (unsigned long long)cup_task_value(&row, "child_read_bytes").count);
    cr_expect_eq(cup_task_value(&row, "read_bytes").count, 5);
}

Test(process_ancestry, a_child_reads_for_its_task)
{
    add_worker(WORKER, 0);
    add_child(CHILD, 11, WORKER, 1, 19, 100);
    add_child(CHILD + 1, 12, WORKER, 1, 18, 10);
    add_child(CHILD + 2, 21, WORKER, 2, 90, 7);
    load(NULL);
    expect_task(0, 110);
    expect_task(1, 7);
    expect("child_read_bytes", 117);
    expect("child_read_none_bytes", 0);
    expect("bytes_total", 10);
    expect("bytes_attributed", 10);
    expect("other_process_bytes", 0);
    cr_assert_eq(totals.all.child_read_bytes, 117);
    cr_assert_eq(totals.workers, 1);
    for (size_t i = 1; i < 4; i++)
        cr_assert_eq(cup_process_role(&profile.processes[i]), CUP_ROLE_CHILD);
}

Test(process_ancestry, tasks_of_a_child_are_its_own)
{
    struct log_builder builder;
    struct cup_r_parent record = {.pid = WORKER, .task = 1, .last_read_ns = at_second(15)};
    add_worker(WORKER, 0);
    start_worker(&builder, CHILD, 11);
    BUILDER_ADD(&builder, CUP_R_PARENT, record);
    add_taskless(&builder, 100);
    save(&builder);
    load(NULL);
    expect_task(0, 100);
    expect_task(2, 0);
    expect("child_read_bytes", 100);
    expect("read_bytes", 20);
    cr_assert_eq(cup_process_role(&profile.processes[1]), CUP_ROLE_WORKER);
}

Test(process_ancestry, a_number_that_is_used_again_means_the_process_of_the_time)
{
    add_worker(WORKER, 0);
    add_worker(WORKER, 50);
    add_child(CHILD, 11, WORKER, 1, 12, 100);
    add_child(CHILD, 60, WORKER, 2, 61, 10);
    load(NULL);
    expect_task(0, 100);
    expect_task(1, 0);
    expect_task(2, 0);
    expect_task(3, 10);
}

Test(process_ancestry, another_host_has_the_same_numbers)
{
    struct log_builder builder;
    start_worker(&builder, WORKER, 5);
    strcpy(builder_header(&builder)->host, "node0");
    save(&builder);
    add_worker(WORKER, 0);
    add_child(CHILD, 11, WORKER, 1, 12, 100);
    load(NULL);
    expect_task(0, 0);
    expect_task(2, 100);
}

Test(process_ancestry, who_read_after_the_end_of_the_task_may_have_served_others)
{
    add_worker(WORKER, 0);
    add_child(CHILD, 11, WORKER, 1, 20, 1000); /* at its end, not after it */
    add_child(CHILD + 1, 11, WORKER, 1, 20.001, 100);
    load(NULL);
    expect_task(0, 1000);
    expect("child_read_bytes", 1000);
    expect("child_read_none_bytes", 100);
    expect("child_read_late_bytes", 100);
    cr_assert_eq(profile.processes[2].ancestry, CUP_ANCESTRY_LATE);
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    cr_assert_eq(cup_warnings_make(&totals, warnings), 1);
    cr_assert_not_null(strstr(warnings[0].text, "had ended: 1. The 100 B"), "%s", warnings[0].text);
}

/* Task 2, of which a thread served others; RECORDS were dropped. */
static void load_voided(bool voided, uint64_t records)
{
    struct log_builder builder;
    struct cup_r_void record = {.task = 2};
    start_worker(&builder, WORKER, 0);
    if (voided)
        BUILDER_ADD(&builder, CUP_R_VOID, record);
    builder_header(&builder)->health[CUP_H_THREADS_VOIDED] = 1;
    builder_header(&builder)->health[CUP_H_RECORDS_DROPPED] = records;
    save(&builder);
    add_child(CHILD, 11, WORKER, 1, 12, 100);
    add_child(CHILD + 1, 21, WORKER, 2, 22, 10);
    load(NULL);
}

Test(process_ancestry, so_are_children_of_a_task_whose_threads_served_others)
{
    load_voided(true, 0);
    expect_task(0, 100);
    expect_task(1, 0);
    expect("child_read_bytes", 100);
    expect("child_read_none_bytes", 10);
    cr_assert_eq(profile.processes[2].ancestry, CUP_ANCESTRY_SHARED);
}

Test(process_ancestry, a_record_that_says_so_may_have_been_dropped)
{
    load_voided(false, 1);
    expect_task(0, 0);
    expect_task(1, 0);
    expect("child_read_none_bytes", 110);
}

Test(process_ancestry, bytes_of_an_unnamed_task_are_unattributed)
{
    add_worker(WORKER, 0);
    add_child(CHILD, 11, 0, 0, 12, 100);
    add_child(CHILD + 1, 11, WORKER + 7, 1, 12, 10);
    add_child(CHILD + 2, 11, WORKER, 9, 12, 1);
    load(NULL);
    expect_task(0, 0);
    expect("child_read_bytes", 0);
    expect("child_read_none_bytes", 111);
    expect("child_read_late_bytes", 0);
    expect("bytes_total", 10);
    cr_assert_eq(profile.processes[1].ancestry, CUP_ANCESTRY_UNNAMED);
    cr_assert_eq(profile.processes[2].ancestry, CUP_ANCESTRY_LOST);
    cr_assert_eq(profile.processes[3].ancestry, CUP_ANCESTRY_LOST);
}

/* The fork server was started by task 1; task 2 had it fork. */
Test(process_ancestry, a_worker_that_names_the_child_knows_better_than_the_child)
{
    struct log_builder builder;
    start_worker(&builder, WORKER, 0);
    add_child_record(&builder, CHILD, 2, 22);
    add_child_record(&builder, CHILD + 1, 2, 22);
    save(&builder);
    add_child(FORKSERVER, 11, WORKER, 1, 12, 4);
    add_child(CHILD, 21.9, WORKER, 1, 30, 100);
    add_child(CHILD + 1, 22.5, 0, 0, 30, 10);
    load(NULL);
    expect_task(0, 4);
    expect_task(1, 110);
}

/* A child that was forked for a task, and does not know for which, starts another one. */
Test(process_ancestry, children_of_a_named_child)
{
    struct log_builder builder;
    start_worker(&builder, WORKER, 0);
    add_child_record(&builder, CHILD, 1, 12);
    add_child_record(&builder, CHILD + 1, 2, 22);
    save(&builder);
    add_child(CHILD + 100, 13, CHILD, 0, 15, 100); /* CHILD has no log: it read nothing */
    add_child(CHILD + 1, 21.9, 0, 0, 25, 10);
    add_child(CHILD + 101, 23, CHILD + 1, 0, 25, 1);
    add_child(CHILD + 102, 23, CHILD + 2, 0, 25, 1000); /* nobody named that one */
    load(NULL);
    expect_task(0, 100);
    expect_task(1, 11);
    expect("child_read_none_bytes", 1000);
    cr_assert_eq(profile.processes[4].ancestry, CUP_ANCESTRY_UNNAMED);
}

Test(process_ancestry, a_name_of_an_earlier_process_is_not_taken)
{
    struct log_builder builder;
    start_worker(&builder, WORKER, 0);
    add_child_record(&builder, CHILD, 1, 12);
    save(&builder);
    add_child(CHILD, 17, 0, 0, 18, 10); /* later, not named, though its number was */
    add_child(CHILD + 100, 17.5, CHILD, 0, 18, 100);
    load(NULL);
    expect_task(0, 0);
    expect("child_read_none_bytes", 110);
}

Test(process_ancestry, a_name_is_for_the_process_that_started_then)
{
    struct log_builder builder;
    start_worker(&builder, WORKER, 0);
    add_child_record(&builder, CHILD, 1, 15);
    add_child_record(&builder, CHILD, 2, 120);
    save(&builder);
    add_child(CHILD, 14, 0, 0, 15, 1);
    add_child(CHILD, 59.9, 0, 0, 61, 10); /* 60.1 s before the second name */
    add_child(CHILD, 119, 0, 0, 121, 100);
    add_child(CHILD, 121.5, 0, 0, 122, 1000); /* 1.5 s after it */
    load(NULL);
    expect_task(0, 1);
    expect_task(1, 100);
    expect("child_read_none_bytes", 1010);
}

Test(process_ancestry, of_two_names_the_nearer_counts)
{
    struct log_builder builder;
    start_worker(&builder, WORKER, 0);
    add_child_record(&builder, CHILD, 2, 12);
    add_child_record(&builder, CHILD, 1, 40);
    save(&builder);
    add_child(CHILD, 11.5, 0, 0, 15, 100);
    load(NULL);
    expect_task(0, 0);
    expect_task(1, 100);
}

/* Without a PARENT record nobody knows when it last read: it must have ended within the task. */
Test(process_ancestry, a_child_that_does_not_know_its_ancestry)
{
    struct log_builder builder;
    start_worker(&builder, WORKER, 0);
    for (uint32_t i = 0; i < 3; i++)
        add_child_record(&builder, CHILD + i, 1, 12);
    save(&builder);
    for (uint32_t i = 0; i < 3; i++) {
        start_log(&builder, CHILD + i, 12);
        builder_header(&builder)->log_stop_ns = i == 2 ? 0 : at_second(i ? 25 : 19);
        add_taskless(&builder, 100);
        save(&builder);
    }
    load(NULL);
    expect_task(0, 100);
    expect("child_read_none_bytes", 200);
}

Test(process_ancestry, children_of_tasks_that_were_not_asked_for)
{
    add_worker(WORKER, 0);
    add_child(CHILD, 11, WORKER, 1, 12, 100);
    load("elsewhere");
    cr_assert_eq(profile.task_count, 0);
    expect("child_read_bytes", 0);
    expect("child_read_none_bytes", 0);
    cr_assert_eq(profile.processes[1].ancestry, CUP_ANCESTRY_EXCLUDED);
}

Test(process_ancestry, a_thousand_children_of_a_thousand_tasks)
{
    struct log_builder builder;
    enum { MANY = 1000 };
    start_log(&builder, WORKER, 0);
    for (uint32_t task = MANY; task > 0; task--) { /* not in the order of their numbers */
        struct cup_r_task_begin begin = {.task = task, .start_ns = at_second(10)};
        builder_begin(&builder, &begin, "work");
    }
    save(&builder);
    for (uint32_t i = 1; i <= MANY; i++)
        add_child(CHILD + i, 11, WORKER, i, 12, i);
    load(NULL);
    for (uint32_t i = 0; i < MANY; i++)
        cr_assert_eq(cup_rare_of(&profile, &profile.tasks[i])->child_read_bytes, MANY - i);
    expect("child_read_bytes", MANY * (MANY + 1) / 2);
}
