/* What the hooks saw against what the kernel counted, process by process. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/report/page/warnings.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_totals totals;
static unsigned logs;
static uint32_t parent; /* of the next process; 0: none that left a log */
static uint64_t reaped; /* what children read that the next process waits for */

static void set_up(void)
{
    make_scratch(scratch);
    logs = 0;
    parent = 0;
    reaped = 3;
}

static void tear_down(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
}

TestSuite(kernel_check, .init = set_up, .fini = tear_down);

/* A process that saw these counters, and for which the kernel counted `kernel` bytes. */
static void add_process(const uint64_t *values, uint64_t kernel, int64_t stop)
{
    char name[32];
    struct log_builder builder;
    struct cup_r_counters block = {.block = 2, .sequence = 1};
    builder_start(&builder);
    struct cup_log_header *header = builder_header(&builder);
    header->pid = 100 + logs;
    header->ppid = parent;
    header->log_stop_ns = stop;
    header->health[CUP_H_KERNEL_READ_START] = 1;
    header->health[CUP_H_KERNEL_READ_STOP] = stop ? kernel + 1 : 0;
    header->health[CUP_H_OWN_READ_BYTES] = 7;
    header->health[CUP_H_REAPED_READ_BYTES] = reaped;
    builder_counters(&builder, &block, values);
    builder_finish(&builder);
    snprintf(name, sizeof name, "%02u.cup", logs++);
    save_log(&builder, scratch, name);
    builder_free(&builder);
}

static const int64_t ended = INT64_C(1700000100000000000);

static const struct cup_kernel_check *load(void)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = false};
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    return totals.kernel;
}

/* The only warning there may be; "" for none. */
static const char *warning(void)
{
    static struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t count = cup_warnings_make(&totals, warnings);
    cr_assert_leq(count, 1);
    return count ? warnings[0].text : "";
}

Test(kernel_check, all_that_the_kernel_counts_adds_up)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {
        [CUP_C_READ_OWN_BYTES] = 1000000,
        [CUP_C_READ_CONTEXT_BYTES] = 200000,
        [CUP_C_READ_NONE_BYTES] = 30000,
        [CUP_C_IMPORT_BYTES] = 4000,
        [CUP_C_PIPE_BYTES] = 500,
        [CUP_C_SPILL_READ_BYTES] = 60,
        [CUP_C_DASK_READ_BYTES] = 5000,
        [CUP_C_SOCKET_READ_BYTES] = 600,
        [CUP_C_OTHER_READ_BYTES] = 70,
        [CUP_C_RECV_BYTES] = 999,
        [CUP_C_TRANSFER_RECV_BYTES] = 99999,
        [CUP_C_MAPPED_BYTES] = 88888,
    };
    const uint64_t seen = 1230000 + 4560 + 5670 + 10;
    add_process(values, seen, ended);
    const struct cup_kernel_check *check = load();
    cr_assert_eq(check->processes, 1);
    cr_assert_eq(check->kernel_bytes, seen);
    cr_assert_eq(check->seen_bytes, seen);
    cr_assert_eq(check->classes[CUP_KERNEL_DATA], 1230000);
    cr_assert_eq(check->classes[CUP_KERNEL_SOCKET], 600);
    cr_assert_eq(check->classes[CUP_KERNEL_REAPED], 3);
    cr_assert_eq(check->unexplained_bytes, 0);
    cr_assert_str_eq(warning(), "");
    cr_assert_eq(cup_number(named_metric(&totals, "attribution", "kernel_read_bytes")), seen);
}

Test(kernel_check, what_a_child_with_a_log_read_counts_once)
{
    const uint64_t client[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 500};
    const uint64_t reader[CUP_COUNTER_COUNT] = {[CUP_C_READ_NONE_BYTES] = 990};
    reaped = 1001 + 990 + 11 + 999; /* one that ended, one that was killed, one without a log */
    add_process(client, reaped + 507, ended);
    reaped = 3;
    parent = 100;
    add_process(reader, 1000, ended);
    add_process(reader, 0, 0);
    const struct cup_kernel_check *check = load();
    cr_assert_eq(check->classes[CUP_KERNEL_REAPED], 999 + 3);
    cr_assert_eq(check->classes[CUP_KERNEL_DATA], 500 + 990);
    cr_assert_eq(check->kernel_bytes, 999 + 507 + 1000);
    cr_assert_eq(check->unexplained_bytes, 0);
}

Test(kernel_check, a_child_of_another_process_is_not_its)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_NONE_BYTES] = 990};
    reaped = 2000;
    add_process(values, 2997, ended);
    parent = 99;
    reaped = 3;
    add_process(values, 1000, ended);
    cr_assert_eq(load()->classes[CUP_KERNEL_REAPED], 2003);
}

Test(kernel_check, one_percent_is_the_threshold)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 99000 - 10};
    add_process(values, 100000, ended);
    cr_assert_eq(load()->unexplained_bytes, 1000);
    cr_assert_str_eq(warning(), "");
}

Test(kernel_check, over_one_percent_is_told_with_the_process)
{
    const uint64_t good[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 99990};
    const uint64_t bad[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 96990};
    add_process(good, 100000, ended);
    add_process(bad, 100000, ended);
    cr_assert_eq(load()->unexplained_bytes, 3000);
    cr_assert_not_null(strstr(warning(), "3.00 kB, 1.5 % of 200 kB"), "%s", warning());
    cr_assert_not_null(strstr(warning(), "process 101 on node1"), "%s", warning());
}

/* One that missed reads does not hide behind one that counted twice. */
Test(kernel_check, differences_do_not_cancel)
{
    const uint64_t less[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 89990};
    const uint64_t more[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 109990};
    add_process(less, 100000, ended);
    add_process(more, 100000, ended);
    const struct cup_kernel_check *check = load();
    cr_assert_eq(check->kernel_bytes, check->seen_bytes);
    cr_assert_eq(check->unexplained_bytes, 20000);
    cr_assert_neq(warning()[0], '\0');
}

/* Two opened files: two blocks more than was handed out, and as much again after seeks. */
Test(kernel_check, stdio_reads_in_blocks)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {
        [CUP_C_READ_OWN_BYTES] = 990, [CUP_C_STDIO_READ_BYTES] = 500, [CUP_C_OPEN_CALLS] = 2};
    add_process(values, 1000 + 2 * 4096 + 500, ended);
    add_process(values, 1000 + 2 * 4096 + 500 + 200, ended);
    add_process(values, 500, ended);
    const struct cup_kernel_check *check = load();
    cr_assert_eq(check->explained_bytes, 2 * 8692 + 500);
    cr_assert_eq(check->unexplained_bytes, 200);
    cr_assert_eq(check->worst, 1);
}

Test(kernel_check, opened_files_explain_nothing_without_stdio)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {
        [CUP_C_READ_OWN_BYTES] = 990, [CUP_C_OPEN_CALLS] = 2};
    add_process(values, 9000, ended);
    cr_assert_eq(load()->unexplained_bytes, 8000);
}

Test(kernel_check, splice_is_not_counted_by_the_kernel)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {
        [CUP_C_READ_OWN_BYTES] = 5990, [CUP_C_COPIED_BYTES] = 5000};
    add_process(values, 1000, ended);
    cr_assert_eq(load()->unexplained_bytes, 0);
}

Test(kernel_check, who_was_killed_is_not_checked)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 5990};
    add_process(values, 0, 0);
    const struct cup_kernel_check *check = load();
    cr_assert_eq(check->processes, 0);
    cr_assert_eq(check->killed, 1);
    cr_assert_eq(check->unreadable, 0);
    cr_assert_eq(named_metric(&totals, "attribution", "kernel_read_bytes").kind, CUP_VALUE_NULL);
    cr_assert_str_eq(warning(), "");
}

Test(kernel_check, an_old_log_is_not_checked)
{
    struct log_builder builder;
    build_golden_log(&builder);
    save_log(&builder, scratch, "golden.cup");
    builder_free(&builder);
    const struct cup_kernel_check *check = load();
    cr_assert_eq(check->processes, 0);
    cr_assert_eq(check->unreadable, 1);
}

Test(kernel_check, a_counter_that_went_back_is_not_believed)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 5990};
    add_process(values, UINT64_MAX, ended); /* its sum wraps to 0: not asked */
    cr_assert_eq(load()->processes, 0);
}

Test(kernel_check, limits_are_told_in_words)
{
    struct log_builder builder;
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    build_golden_log(&builder);
    builder_header(&builder)->health[CUP_H_MAPPINGS_DROPPED] = 11;
    builder_header(&builder)->health[CUP_H_LOCKS_DROPPED] = 12;
    builder_header(&builder)->health[CUP_H_THREADS_VOIDED] = 1;
    save_log(&builder, scratch, "golden.cup");
    builder_free(&builder);
    load();
    cr_assert_eq(cup_warnings_make(&totals, warnings), 3);
    cr_assert_str_eq(warnings[0].text, "The figure mapped_bytes lacks 11 mapped files, because the "
                                       "table was full.");
    cr_assert_str_eq(warnings[1].text, "Work handed over with 12 locks may be unattributed, "
                                       "because the table was full.");
    cr_assert_str_eq(warnings[2].text,
                     "The CPU time of 1 thread that several tasks used is in no task's CPU time. "
                     "Their reads count only where another attribution method finds the task.");
}

static size_t warn_of_delays(uint64_t features)
{
    struct log_builder builder;
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    build_golden_log(&builder);
    builder_header(&builder)->health[CUP_H_DELAYS_UNKNOWN] = 14;
    builder_header(&builder)->features |= features;
    save_log(&builder, scratch, "golden.cup");
    builder_free(&builder);
    load();
    size_t count = cup_warnings_make(&totals, warnings);
    cr_assert(count == 0 || strstr(warnings[0].text, "run_delay_s lacks 14 threads whose"));
    return count;
}

Test(kernel_check, run_delay_that_is_unknown_in_some_threads_is_reported)
{
    cr_expect_eq(warn_of_delays(CUP_FEATURE_RUN_DELAY), 1);
}

Test(kernel_check, run_delay_that_is_unknown_in_all_threads_is_a_feature_that_was_off)
{
    cr_expect_eq(warn_of_delays(0), 0);
}
