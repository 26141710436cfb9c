/* Stacks and tasks as other programs read them, from logs worked out by hand: see stack_logs.h. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "include/cpu_rows.h"
#include "tests/analysis/stack_logs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], target[2 * SUPPORT_PATH];

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    snprintf(target, sizeof target, "%s/export", outside);
}

static void tear_down(void)
{
    remove_scratch(target);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(stack_exports, .init = set_up, .fini = tear_down);

#define EXPORT(...)                                                                                \
    run_verb(outside, cup_verb_export, (const char *const[]){"export", __VA_ARGS__, NULL})

static json_t *export_json(const char *format, const char *option, const char *value)
{
    char path[3 * SUPPORT_PATH];
    json_error_t error;
    snprintf(path, sizeof path, "%s/out.json", outside);
    cr_assert_eq(option ? EXPORT(scratch, "--to", format, "-o", path, option, value)
                        : EXPORT(scratch, "--to", format, "-o", path),
                 CUP_EXIT_DONE);
    json_t *json = json_load_file(path, 0, &error);
    cr_assert(json, "%s", error.text);
    remove(path);
    return json;
}

/* ---- collapsed ---------------------------------------------------------------------------- */

Test(stack_exports, collapsed_has_a_line_for_each_stack)
{
    save_stack_logs(scratch);
    cr_assert_eq(EXPORT(scratch, "--to", "collapsed", "-o", target), CUP_EXIT_DONE);
    char *cpu = read_text_in(target, "cpu.collapsed");
    cr_assert_eq(lines_of(cpu), 6, "%s", cpu);
    cr_assert(strstr(cpu, "Runner._work_function (coffea/processor/executor.py:1621);"
                          "Processor.process (mine.py:10);select (mine.py:30) 360000\n"),
              "%s", cpu);
    cr_assert(strstr(cpu, "select (mine.py:30);select (mine.py:30) 100000\n"), "%s", cpu);
    cr_assert(strstr(cpu, "\n(not known) 30000\n"), "%s", cpu);
    free(cpu);
    char *read = read_text_in(target, "read.collapsed");
    cr_assert(strstr(read, "TBranch.array (uproot/behaviors/TBranch.py:2231);(helper thread);"
                           "_fetch (fsspec/implementations/local.py:7) 1007\n"),
              "%s", read);
    cr_assert_eq(lines_of(read), 2);
    free(read);
    char *wait = read_text_in(target, "wait.collapsed");
    cr_assert_eq(lines_of(wait), 2, "%s", wait);
    free(wait);
    char *alloc = read_text_in(target, "alloc.collapsed");
    cr_assert(strstr(alloc, "select (mine.py:30) 4096\n"), "%s", alloc);
    free(alloc);
}

Test(stack_exports, a_prefix_can_be_chosen)
{
    save_stack_logs(scratch);
    cr_assert_eq(EXPORT(scratch, "--to", "collapsed", "-o", target, "--prefix", "merge"),
                 CUP_EXIT_DONE);
    char *cpu = read_text_in(target, "cpu.collapsed");
    cr_assert_str_eq(cpu, "Runner._work_function (coffea/processor/executor.py:1621);"
                          "open (uproot/reading.py:27) 40000\n");
    free(cpu);
    cr_assert_eq(EXPORT(scratch, "--to", "csv", "-o", target, "--prefix", "merge"), CUP_EXIT_USAGE);
}

/* What parts frames or lines, and what is no text, is in no name. */
Test(stack_exports, names_cannot_break_the_format)
{
    save_log_of_function(scratch, "a;b\nc\xff d", 5000);
    cr_assert_eq(EXPORT(scratch, "--to", "collapsed", "-o", target), CUP_EXIT_DONE);
    char *cpu = read_text_in(target, "cpu.collapsed");
    cr_assert(strstr(cpu, "\na:b?c? d (mine.py:5) 5\n"), "%s", cpu);
    free(cpu);
}

Test(stack_exports, without_stacks_there_is_nothing_to_write)
{
    struct log_builder b;
    build_golden_log(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    cr_assert_eq(EXPORT(scratch, "--to", "collapsed", "-o", target), CUP_EXIT_FAILED);
    char *error = read_text_in(outside, "err");
    cr_assert(strstr(error, "no process took stacks"), "%s", error);
    free(error);
    cr_assert_eq(EXPORT(scratch, "--to", "speedscope", "-o", "-"), CUP_EXIT_FAILED);
}

/* ---- speedscope --------------------------------------------------------------------------- */

/* As the format's schema has it. Returns the sum of the weights. */
static double check_sampled(const json_t *profile, size_t frames)
{
    const json_t *samples = json_object_get(profile, "samples");
    const json_t *weights = json_object_get(profile, "weights");
    double sum = 0;
    size_t i, j;
    json_t *sample, *frame;
    cr_assert_str_eq(json_string_value(json_object_get(profile, "type")), "sampled");
    cr_assert(json_is_string(json_object_get(profile, "name")));
    cr_assert_eq(json_array_size(samples), json_array_size(weights));
    json_array_foreach(samples, i, sample)
    {
        cr_assert(json_is_array(sample));
        json_array_foreach(sample, j, frame)
            cr_assert_lt(json_integer_value(frame), (json_int_t)frames);
        sum += json_number_value(json_array_get(weights, i));
    }
    cr_assert_eq(json_number_value(json_object_get(profile, "startValue")), 0);
    cr_assert_float_eq(json_number_value(json_object_get(profile, "endValue")), sum, 1e-9);
    return sum;
}

Test(stack_exports, speedscope_has_a_profile_for_each_weight)
{
    static const struct {
        const char *name, *unit;
        double sum;
    } expected[] = {
        {"CPU time", "microseconds", 680000},
        {"waits of over 1 ms", "microseconds", 25000},
        {"bytes read", "bytes", 1507},
        {"bytes allocated", "bytes", 4096},
        {"CPU time, chunk", "microseconds", 640000},
        {"waits of over 1 ms, chunk", "microseconds", 25000},
        {"bytes read, chunk", "bytes", 1500},
        {"bytes allocated, chunk", "bytes", 4096},
        {"CPU time, merge", "microseconds", 40000},
    };
    save_stack_logs(scratch);
    json_t *file = export_json("speedscope", NULL, NULL);
    const json_t *profiles = json_object_get(file, "profiles");
    const json_t *frames = json_object_get(json_object_get(file, "shared"), "frames");
    cr_assert_str_eq(json_string_value(json_object_get(file, "$schema")),
                     "https://www.speedscope.app/file-format-schema.json");
    cr_assert_eq(json_array_size(profiles), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const json_t *profile = json_array_get(profiles, i);
        cr_expect_str_eq(json_string_value(json_object_get(profile, "name")), expected[i].name);
        cr_expect_str_eq(json_string_value(json_object_get(profile, "unit")), expected[i].unit);
        cr_expect_float_eq(check_sampled(profile, json_array_size(frames)), expected[i].sum, 1e-9);
    }
    json_decref(file);
    file = export_json("speedscope", "--worker", "two");
    cr_assert_float_eq(check_sampled(json_array_get(json_object_get(file, "profiles"), 0), 100),
                       60000, 1e-9);
    json_decref(file);
}

/* ---- perfetto ----------------------------------------------------------------------------- */

static bool is_event(const json_t *event, const char *phase, const char *name)
{
    return strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0 &&
           strcmp(json_string_value(json_object_get(event, "name")), name) == 0;
}

static size_t count_events_of(const json_t *events, const char *phase, const char *name)
{
    size_t i, count = 0;
    json_t *event;
    json_array_foreach((json_t *)events, i, event) count += is_event(event, phase, name);
    return count;
}

/* The NTH of them, from 0 on. */
static const json_t *nth_event_of(const json_t *events, const char *phase, const char *name,
                                  size_t nth)
{
    size_t i;
    json_t *event;
    json_array_foreach((json_t *)events, i, event)
    {
        if (is_event(event, phase, name) && nth-- == 0)
            return event;
    }
    cr_assert(false, "no event %s of %s", phase, name);
    return NULL;
}

static const json_t *event_of(const json_t *events, const char *phase, const char *name)
{
    return nth_event_of(events, phase, name, 0);
}

static double number_of(const json_t *event, const char *name)
{
    cr_assert(json_is_number(json_object_get(event, name)), "%s", name);
    return json_number_value(json_object_get(event, name));
}

/* What the trace format asks of events of each phase. */
static void check_event(const json_t *event)
{
    const char *phase = json_string_value(json_object_get(event, "ph"));
    cr_assert(json_is_string(json_object_get(event, "name")));
    cr_assert(json_is_integer(json_object_get(event, "pid")));
    cr_assert(json_is_integer(json_object_get(event, "tid")));
    if (strcmp(phase, "M") == 0)
        cr_assert(json_object_get(json_object_get(event, "args"), "name"));
    else
        cr_assert_geq(number_of(event, "ts"), 0, "viewers drop what is before");
    if (strcmp(phase, "X") == 0)
        cr_assert_geq(number_of(event, "dur"), 0);
    if (strcmp(phase, "b") == 0 || strcmp(phase, "e") == 0)
        cr_assert(json_object_get(event, "id"));
    if (strcmp(phase, "C") == 0)
        cr_assert_eq(json_object_size(json_object_get(event, "args")), 1);
}

Test(stack_exports, perfetto_shows_tasks_on_their_threads)
{
    struct log_builder b;
    size_t i;
    json_t *event;
    build_golden_log(&b);
    save_log(&b, scratch, "golden.cup");
    builder_free(&b);
    json_t *file = export_json("perfetto", NULL, NULL);
    const json_t *events = json_object_get(file, "traceEvents");
    json_array_foreach((json_t *)events, i, event) check_event(event);
    const json_t *task = event_of(events, "X", "Dimuon");
    cr_assert_float_eq(number_of(task, "ts"), 0, 1e-6, "the first one begins the run");
    cr_assert_gt(number_of(task, "dur"), 0);
    const json_t *arguments = json_object_get(task, "args");
    cr_assert_str_eq(json_string_value(json_object_get(arguments, "dataset")), "ZToMuMu");
    cr_assert(json_is_string(json_object_get(arguments, "key")));
    const json_t *inside = event_of(events, "X", "process()");
    cr_assert_eq(number_of(inside, "tid"), number_of(task, "tid"));
    event_of(events, "M", "process_name");
    event_of(events, "i", "erred");
    event_of(events, "C", "memory, RSS");
    json_decref(file);
}

/* Of the log's time series what is of the run, whose three seconds begin 2.5 s after the log. */
Test(stack_exports, perfetto_shows_rates_of_the_run)
{
    static const uint64_t bins[] = {5, 0, 10, 0, 30, 40, 50};
    static const double times[] = {0, 500000, 1500000, 2500000, 3000000};
    static const double values[] = {10, 0, 30, 40, 0};
    enum { COUNT = sizeof times / sizeof *times };
    struct log_builder b;
    build_stack_log(&b);
    struct cup_log_header *header = builder_header(&b);
    struct cup_series *series = (struct cup_series *)(b.bytes + header->regions[1].offset);
    header->log_start_ns -= INT64_C(2000000000);
    *series = (struct cup_series){.bin_ns = 1000000000, .rows = CUP_SERIES_COUNT};
    memcpy(series->values[CUP_S_READ_BYTES], bins, sizeof bins);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    json_t *file = export_json("perfetto", NULL, NULL);
    const json_t *events = json_object_get(file, "traceEvents");
    for (size_t i = 0; i < COUNT; i++) {
        const json_t *event = nth_event_of(events, "C", "files and servers read", i);
        cr_expect_float_eq(number_of(event, "ts"), times[i], 1e-3);
        cr_expect_float_eq(number_of(json_object_get(event, "args"), "(bytes/s)"), values[i], 1e-9);
    }
    cr_expect_eq(count_events_of(events, "C", "files and servers read"), COUNT);
    json_decref(file);
}

/* What the scheduler told during the run; what it did not know is no value. */
Test(stack_exports, perfetto_shows_what_the_scheduler_told)
{
    struct log_builder b;
    build_stack_log(&b);
    struct cup_r_server scheduler = {.id = 2, .role = CUP_ROLE_SCHEDULER};
    int64_t start_ns = builder_header(&b)->process_start_ns;
    uint64_t values[CUP_SV_COUNT];
    BUILDER_ADD(&b, CUP_R_SERVER, scheduler);
    builder_unknown(values, CUP_SV_COUNT);
    values[CUP_SV_LOOP_LONGEST_NS] = 30000000;
    for (uint32_t i = 0; i < 6; i++) { /* the run is from 1 s to 4 s */
        values[CUP_SV_QUEUED] = 10 - i;
        builder_sample(&b, i + 1, 2, start_ns + i * INT64_C(1000000000), values);
    }
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    json_t *file = export_json("perfetto", NULL, NULL);
    const json_t *events = json_object_get(file, "traceEvents");
    const json_t *tick = event_of(events, "C", "event loop's longest tick");
    for (size_t i = 0; i < 4; i++) {
        const json_t *queued = nth_event_of(events, "C", "queued tasks", i);
        cr_expect_float_eq(number_of(queued, "ts"), 1e6 * (double)i, 1e-3);
        cr_expect_eq(number_of(json_object_get(queued, "args"), "(count)"), 9 - (double)i);
    }
    cr_expect_float_eq(number_of(json_object_get(tick, "args"), "(ms)"), 30, 1e-9);
    cr_expect_eq(count_events_of(events, "C", "queued tasks"), 4);
    cr_expect_eq(count_events_of(events, "C", "idle workers"), 0);
    json_decref(file);
}

static void expect_list(const json_t *list, const char *expected)
{
    char *text = json_dumps(list, JSON_COMPACT);
    cr_expect_str_eq(text, expected);
    free(text);
}

static const json_t *data_of(const json_t *event)
{
    return json_object_get(json_object_get(event, "args"), "data");
}

static const json_t *profile_of(const json_t *event)
{
    return json_object_get(data_of(event), "cpuProfile");
}

static const json_t *node_of(const json_t *nodes, json_int_t id)
{
    size_t i;
    json_t *node;
    json_array_foreach((json_t *)nodes, i, node)
    {
        if (json_integer_value(json_object_get(node, "id")) == id)
            return node;
    }
    cr_assert(false, "frame %lld is not introduced", (long long)id);
    return NULL;
}

/* The stack of the NTH sample of an event: its functions, the innermost first. */
static void expect_stack(const json_t *nodes, const json_t *event, size_t nth,
                         const char *const *names)
{
    const json_t *samples = json_object_get(profile_of(event), "samples");
    json_int_t id = json_integer_value(json_array_get(samples, nth));
    for (; id && *names; names++) {
        const json_t *node = node_of(nodes, id);
        const json_t *frame = json_object_get(node, "callFrame");
        cr_expect_str_eq(json_string_value(json_object_get(frame, "functionName")), *names);
        id = json_integer_value(json_object_get(node, "parent"));
    }
    cr_expect(!id && !*names, "the stack ends after %s", names[-1]);
}

/* One log with samples of threads 7 and 8 besides those that it has, from its first task on. */
static void save_samples(const struct cup_cpu_run *one, uint32_t ones,
                         const struct cup_cpu_run *other, uint32_t others)
{
    struct log_builder b;
    build_stack_log(&b);
    int64_t start_ns = builder_header(&b)->process_start_ns + INT64_C(1000000000);
    builder_cpu_samples(&b, 7, start_ns, one, ones);
    builder_cpu_samples(&b, 8, start_ns, other, others);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
}

Test(stack_exports, perfetto_has_stacks_where_samples_found_threads)
{
    static const char *const select[] = {
        "select (mine.py:30)", "Processor.process (mine.py:10)",
        "Runner._work_function (coffea/processor/executor.py:1621)", NULL};
    static const char *const blocked[] = {
        "(blocked)", "TBranch.array (uproot/behaviors/TBranch.py:2231)",
        "Processor.process (mine.py:10)",
        "Runner._work_function (coffea/processor/executor.py:1621)", NULL};
    static const struct cup_cpu_run runs[] = {{1, N_SELECT, true, 0, 0, 1},
                                              {1, N_ARRAY, false, 100, 300, 3}};
    static const struct cup_cpu_run run = {1, N_SELECT, true, 50, 50, 1};
    save_samples(runs, 2, &run, 1);
    json_t *file = export_json("perfetto", NULL, NULL);
    const json_t *events = json_object_get(file, "traceEvents");
    const json_t *first = event_of(events, "P", "ProfileChunk"); /* and those before the run */
    const json_t *one = nth_event_of(events, "P", "ProfileChunk", 1);
    const json_t *other = nth_event_of(events, "P", "ProfileChunk", 2);
    const json_t *nodes = json_object_get(profile_of(first), "nodes");
    cr_assert_eq(number_of(data_of(event_of(events, "P", "Profile")), "startTime"), 0);
    cr_assert_eq(number_of(one, "tid"), 7);
    cr_assert_eq(number_of(other, "tid"), 8);
    cr_assert_eq(json_array_size(json_object_get(profile_of(one), "nodes")), 0, "all are known");
    expect_stack(nodes, one, 0, select);
    for (size_t i = 1; i < 4; i++)
        expect_stack(nodes, one, i, blocked);
    expect_stack(nodes, other, 0, select);
    expect_list(json_object_get(data_of(first), "timeDeltas"), "[0,0,0,0]");
    expect_list(json_object_get(data_of(one), "timeDeltas"), "[0,104857,104858,104857]");
    expect_list(json_object_get(data_of(other), "timeDeltas"), "[-262144]");
    cr_assert_eq(number_of(json_object_get(file, "otherData"), "samples"), 9);
    json_decref(file);
}

/* More samples than time, or from after the end, are damage. */
Test(stack_exports, perfetto_has_no_samples_that_cannot_be)
{
    static const struct cup_cpu_run many = {1, N_SELECT, true, 0, 9, UINT64_C(1) << 50};
    static const struct cup_cpu_run late = {1, N_SELECT, true, 0, 1 << 29, 1 << 29};
    save_samples(&many, 1, &late, 1);
    json_t *file = export_json("perfetto", NULL, NULL);
    const json_t *other = json_object_get(file, "otherData");
    cr_assert_eq(number_of(other, "samples"), 4);
    cr_assert_eq(number_of(other, "damaged_stack_records"), 2);
    json_decref(file);
}

/* Viewers know a process by its pid alone. */
Test(stack_exports, perfetto_tells_processes_of_one_pid_apart)
{
    struct log_builder b;
    for (int i = 0; i < 3; i++) {
        const char *const hosts[] = {"one", "two", "three"};
        build_stack_log(&b);
        memset(builder_header(&b)->host, 0, sizeof builder_header(&b)->host);
        memcpy(builder_header(&b)->host, hosts[i], strlen(hosts[i]));
        builder_finish(&b);
        save_log(&b, scratch, i == 0 ? "1.cup" : i == 1 ? "2.cup" : "3.cup");
        builder_free(&b);
    }
    json_t *file = export_json("perfetto", NULL, NULL);
    const json_t *events = json_object_get(file, "traceEvents");
    double pids[4];
    for (size_t i = 0; i < 4; i++) { /* the run is one */
        pids[i] = number_of(nth_event_of(events, "M", "process_name", i), "pid");
        for (size_t j = 0; j < i; j++)
            cr_expect_neq(pids[i], pids[j]);
    }
    json_decref(file);
}
