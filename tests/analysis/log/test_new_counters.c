/* Helpers' CPU time, mapped files and sockets: columns, sums and tables; and async tasks. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/profile/files.h"
#include "analysis/tasks/task_columns.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"

TestSuite(new_counters, .init = start_golden_fixture, .fini = end_fixture);

enum { SERVER = 50, SMALL_SERVER, SERVER_FILE = 10, SMALL_SERVER_FILE };

/* To what the golden run did: helpers, pages and sockets for task 1; the same for no task. */
static void add_counters(void)
{
    const uint64_t of_task[CUP_COUNTER_COUNT] = {
        [CUP_C_HELPER_CPU_NS] = 2000000000, [CUP_C_MAPPED_BYTES] = 4096,
        [CUP_C_RECV_BYTES] = 70000,         [CUP_C_SEND_BYTES] = 600,
        [CUP_C_NET_NS] = 500000000,         [CUP_C_READ_HANDOFF_BYTES] = 30,
    };
    const uint64_t of_none[CUP_COUNTER_COUNT] = {
        [CUP_C_MAPPED_BYTES] = 8192,          [CUP_C_RECV_BYTES] = 1000,
        [CUP_C_TRANSFER_RECV_BYTES] = 123456, [CUP_C_TRANSFER_SEND_BYTES] = 654321,
        [CUP_C_DASK_READ_BYTES] = 777,        [CUP_C_SPILL_READ_BYTES] = 88,
    };
    struct cup_r_counters helper = {.task = 1, .tid = 200, .block = 1, .sequence = 1};
    struct cup_r_counters none = {.tid = 201, .block = 1, .sequence = 2};
    builder_counters(&builder, &helper, of_task);
    builder_counters(&builder, &none, of_none);
}

static void add_peer(uint32_t id, uint32_t name, const char *address, uint64_t bytes)
{
    const uint64_t values[CUP_FILE_COUNTER_COUNT] = {
        [CUP_F_READ_BYTES] = bytes, [CUP_F_READ_CALLS] = 7,       [CUP_F_READ_NS] = 300000000,
        [CUP_F_WRITE_BYTES] = 600,  [CUP_F_WRITE_CALLS] = 5,      [CUP_F_WRITE_NS] = 200000000,
        [CUP_F_OPENS] = 2,          [CUP_F_SEQUENTIAL_CALLS] = 7,
    };
    struct cup_r_file peer = {.id = id, .path = name, .class = CUP_FILE_SOCKET};
    struct cup_r_file_use use = {.task = 1, .tid = 200, .file = id, .block = 1, .file_sequence = 1};
    builder_string(&builder, name, address);
    BUILDER_ADD(&builder, CUP_R_FILE, peer);
    builder_file_use(&builder, &use, values);
}

static void finish(uint64_t features)
{
    builder_header(&builder)->features |= features;
    save_fixture("a.cup");
}

static void load(uint64_t features)
{
    const struct cup_load_options options = {.counters = true};
    finish(features);
    load_fixture(&options);
}

static struct cup_value column(size_t task, const char *name)
{
    const struct cup_task_row row = {.profile = &profile, .task = &profile.tasks[task]};
    return cup_task_value(&row, name);
}

static void expect(const char *section, const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, section, name));
    cr_expect_float_eq(value, expected, 1e-9, "%s is %.17g, not %.17g", name, value, expected);
}

static void expect_null(const char *section, const char *name)
{
    cr_expect_eq(named_metric(&totals, section, name).kind, CUP_VALUE_NULL, "%s", name);
}

static const uint64_t all = CUP_FEATURE_HANDOFF | CUP_FEATURE_MAPPED;

Test(new_counters, a_task_has_its_own)
{
    add_counters();
    load(all);
    cr_expect_eq(cup_number(column(0, "helper_cpu_s")), 2);
    cr_expect_eq(cup_number(column(0, "mapped_bytes")), 4096);
    cr_expect_eq(cup_number(column(0, "recv_bytes")), 70000);
    cr_expect_eq(cup_number(column(0, "send_bytes")), 600);
    cr_expect_eq(cup_number(column(0, "net_s")), 0.5);
    cr_expect_eq(cup_number(column(0, "read_handoff_bytes")), 30);
    cr_expect_eq(cup_number(column(0, "read_bytes")), 430);
    cr_expect_eq(cup_number(column(0, "cpu_s")), 2);
    cr_expect_eq(cup_number(column(1, "helper_cpu_s")), 0);
    cr_expect_eq(cup_number(column(1, "read_inherited_bytes")), 0);
}

Test(new_counters, what_was_not_measured_is_null)
{
    static const char *const names[] = {"helper_cpu_s", "mapped_bytes", "read_handoff_bytes",
                                        "read_inherited_bytes"};
    add_counters();
    load(0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_eq(column(0, names[i]).kind, CUP_VALUE_NULL, "%s", names[i]);
    cr_expect_eq(cup_number(column(0, "recv_bytes")), 70000);
    cr_expect_eq(cup_number(column(0, "read_descriptor_bytes")), 0);
    expect_null("attribution", "mapped_bytes");
    expect_null("workflow", "total_helper_cpu_time");
}

Test(new_counters, sums_have_helpers_mapped_files_and_sockets)
{
    add_counters();
    load(all);
    expect("workflow", "total_thread_cpu_time", 10 + 2);
    expect("workflow", "total_helper_cpu_time", 2);
    expect("time_budget", "task_cpu_s", 10);
    expect("efficiency", "thread_cpu_efficiency", 12.0 / 24);
    expect("workflow", "total_bytes_read", 1157 + 30 + 4096 + 70000);
    expect("workflow", "wire_bytes", 71000);
    expect("attribution", "bytes_total", 1157 + 57 + 30 + 4096 + 8192 + 71000);
    expect("attribution", "bytes_attributed", 1157 + 30 + 4096 + 70000);
    expect("attribution", "read_bytes", 1157 + 57 + 30);
    expect("attribution", "mapped_bytes", 4096 + 8192);
    expect("attribution", "mapped_none_bytes", 8192);
    expect("attribution", "recv_none_bytes", 1000);
    expect("attribution", "send_bytes", 600);
    expect("attribution", "dask_transfer_recv_bytes", 123456);
    expect("attribution", "dask_transfer_send_bytes", 654321);
    expect("attribution", "dask_read_bytes", 777);
    expect("attribution", "spill_read_bytes", 88);
}

/* An async task: CPU time not known. */
static void add_async_task(void)
{
    struct cup_r_task_begin begin = {.task = 7,
                                     .origin = CUP_ORIGIN_ASYNC,
                                     .start_ns = at_second(12),
                                     .rss = CUP_UNKNOWN64,
                                     .run_id = -1};
    struct cup_r_task_end end = {.task = 7,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(15),
                                 .cpu_ns = CUP_UNKNOWN64,
                                 .rss = CUP_UNKNOWN64,
                                 .result_bytes = CUP_UNKNOWN64};
    begin.prefix = SERVER;
    builder_string(&builder, SERVER, "wait");
    builder_begin(&builder, &begin, "wait-1");
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

Test(new_counters, an_async_task_has_no_cpu_time)
{
    add_async_task();
    load(all);
    cr_expect_eq(column(6, "cpu_s").kind, CUP_VALUE_NULL);
    cr_expect_eq(column(6, "noncpu_s").kind, CUP_VALUE_NULL);
    cr_expect_eq(cup_number(column(6, "wall_s")), 3);
    expect("workflow", "total_thread_cpu_time", 10);
    expect("workflow", "total_task_time", 16 + 3);
    expect("fine", "overhead_noncpu_time_seconds", 0.5); /* of the reductions alone */
    expect("health", "tasks_without_cpu", 1);
}

Test(new_counters, attempts_at_an_async_task_are_told_by_their_key)
{
    add_async_task();
    struct cup_r_task_begin again = {
        .task = 8, .origin = CUP_ORIGIN_ASYNC, .start_ns = at_second(14), .rss = CUP_UNKNOWN64};
    struct cup_r_task_begin call = {
        .task = 9, .origin = CUP_ORIGIN_ACTOR, .start_ns = at_second(17), .rss = CUP_UNKNOWN64};
    builder_begin(&builder, &again, "wait-1");
    builder_begin(&builder, &call, "Counter.add");
    call.task = 10;
    builder_begin(&builder, &call, "Counter.add");
    load(all);
    uint32_t *attempts = cup_task_attempts(&profile);
    cr_expect_eq(attempts[6], 1);
    cr_expect_eq(attempts[7], 2);
    cr_expect_eq(attempts[8], 1);
    cr_expect_eq(attempts[9], 1);
    free(attempts);
}

Test(new_counters, peers_are_no_files)
{
    size_t count;
    add_peer(SMALL_SERVER_FILE, SMALL_SERVER, "unix:/run/x", 10);
    add_peer(SERVER_FILE, SERVER, "tcp://10.0.0.9:1094", 70000);
    load(all);
    uint32_t *files = cup_files_by_bytes(&profile, 0, &count);
    cr_expect_eq(count, 2);
    free(files);
    files = cup_files_by_bytes(&profile, CUP_FILE_SOCKET, &count);
    cr_expect_eq(count, 2);
    cr_expect_eq(files[0], 3); /* the larger one first */
    free(files);
}

static json_t *rows(json_t *root, const char *section)
{
    return json_object_get(json_object_get(root, section), "rows");
}

static json_int_t number(json_t *row, const char *name)
{
    json_t *value = json_object_get(row, name);
    cr_expect(json_is_integer(value), "%s", name);
    return json_integer_value(value);
}

Test(new_counters, servers_in_json)
{
    add_counters();
    add_peer(SMALL_SERVER_FILE, SMALL_SERVER, "unix:/run/x", 10);
    add_peer(SERVER_FILE, SERVER, "tcp://10.0.0.9:1094", 70000);
    finish(all);
    json_t *root = report_json(scratch, outside), *first = json_array_get(rows(root, "servers"), 0);
    cr_expect_eq(json_array_size(rows(root, "servers")), 2);
    cr_expect_eq(json_array_size(rows(root, "files")), 2);
    cr_expect_str_eq(json_string_value(json_object_get(first, "server")), "tcp://10.0.0.9:1094");
    cr_expect_str_eq(json_string_value(json_object_get(first, "protocol")), "tcp");
    cr_expect_eq(number(first, "recv_bytes"), 70000);
    cr_expect_eq(number(first, "send_bytes"), 600);
    cr_expect_eq(number(first, "requests"), 5);
    cr_expect_eq(number(first, "recv_calls"), 7);
    cr_expect_eq(number(first, "connections"), 2);
    cr_expect_eq(number(first, "tasks"), 1);
    cr_expect_eq(number(first, "processes"), 1);
    cr_expect_eq(json_real_value(json_object_get(first, "net_s")), 0.5);
    json_t *second = json_array_get(rows(root, "servers"), 1);
    cr_expect_str_eq(json_string_value(json_object_get(second, "protocol")), "unix");
    json_t *worker =
        json_array_get(json_object_get(json_object_get(root, "attribution"), "by_worker"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(worker, "worker")), "tcp://10.0.0.1:40000");
    cr_expect_eq(number(worker, "dask_transfer_recv_bytes"), 123456);
    cr_expect_eq(number(worker, "recv_bytes"), 71000);
    json_decref(root);
}

Test(new_counters, mapped_bytes_of_a_file)
{
    const uint64_t values[CUP_FILE_COUNTER_COUNT] = {[CUP_F_MAPPED_BYTES] = 12288};
    struct cup_r_file_use use = {.task = 1, .file = 1, .block = 1, .file_sequence = 1};
    builder_file_use(&builder, &use, values);
    finish(0);
    json_t *root = report_json(scratch, outside);
    cr_expect(
        json_is_null(json_object_get(json_array_get(rows(root, "files"), 0), "mapped_bytes")));
    json_decref(root);
    finish(all);
    root = report_json(scratch, outside);
    json_t *row = json_array_get(rows(root, "files"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(row, "file")), "/data/a.root");
    cr_expect_eq(number(row, "mapped_bytes"), 12288);
    cr_expect_eq(number(row, "size_1g_up"), 0);
    json_decref(root);
}

Test(new_counters, tables_and_dump_show_them)
{
    static const char *const needed[] = {"helpers' CPU",  "received",          "Servers",
                                         "10.0.0.9:1094", "by helper threads", "received);"};
    static const char *const dumped[] = {"PARENT pid=77 task=3", "CHILD pid=78 task=4",
                                         "origin=async",         "handoff=on mapped=off",
                                         "class=socket",         "helper_cpu_ns=2000000000"};
    struct cup_r_parent parent = {.pid = 77, .task = 3};
    struct cup_r_child child = {.pid = 78, .task = 4, .time_ns = at_second(1)};
    char path[2 * SUPPORT_PATH];
    add_counters();
    add_peer(SERVER_FILE, SERVER, "tcp://10.0.0.9:1094", 70000);
    finish(all);
    setenv("COLUMNS", "200", 1);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--full", NULL}),
                 0);
    snprintf(path, sizeof path, "%s/out", outside);
    char *text = read_text(path);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        cr_expect_not_null(strstr(text, needed[i]), "%s is not in\n%s", needed[i], text);
    free(text);
    BUILDER_ADD(&builder, CUP_R_PARENT, parent);
    BUILDER_ADD(&builder, CUP_R_CHILD, child);
    add_async_task();
    builder_header(&builder)->features &= ~(uint64_t)CUP_FEATURE_MAPPED;
    finish(0);
    snprintf(path, sizeof path, "%s/a.cup", scratch);
    cr_assert_eq(run_verb(outside, cup_verb_dump, (const char *const[]){"dump", path, NULL}), 0);
    snprintf(path, sizeof path, "%s/out", outside);
    text = read_text(path);
    for (size_t i = 0; i < sizeof dumped / sizeof *dumped; i++)
        cr_expect_not_null(strstr(text, dumped[i]), "%s is not in\n%s", dumped[i], text);
    free(text);
}
