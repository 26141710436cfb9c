/* Chunks whose time and heap follow a line: what is made of it, and what is said, and when not. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/chunks/chunk_fits.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

enum { PREFIX = 1, DATASET, OTHER_DATASET, TREE, PATH, ADDRESS };

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_totals totals;
static struct cup_advice advice[CUP_ADVICE_MOST];
static size_t advice_count;
static const struct cup_chunk_fits *fits;

/* What a run is made of; 24 chunks, one after the other, unless heartbeat otherwise. */
struct shape {
    double fixed_s, event_s, noise;
    double fixed_bytes, event_bytes;
    double helpers_bytes;  /* peak heap of a helper thread of each chunk */
    uint64_t events, step; /* of the first chunk; from one to the next */
    uint64_t limit;        /* 0: none */
    uint32_t threads;
    unsigned chunks, hosts;
    uint64_t rss, rss_step; /* before the first chunk; from one to the next */
    uint64_t result_bytes;
    uint64_t seen, other_seen; /* memory in samples of the first and the second host; 0: none */
    uint64_t other_limit;      /* of the second host's worker; 0: as that of the first */
    double
        other_event_s; /* of the second host's chunks, which are of another dataset; 0: all alike */
};

static struct shape shape;

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    shape = (struct shape){.fixed_s = 1,
                           .event_s = 1e-3,
                           .fixed_bytes = 10e6,
                           .event_bytes = 2000,
                           .events = 5000,
                           .step = 500,
                           .limit = UINT64_C(4000000000),
                           .threads = 1,
                           .chunks = 24,
                           .hosts = 1,
                           .rss = 200000000};
}

static void tear_down(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(chunk_size, .init = set_up, .fini = tear_down);

static uint64_t events_of(unsigned chunk)
{
    return shape.events + chunk * shape.step;
}

static bool is_other(const char *host)
{
    return shape.other_event_s > 0 && *host == 'b';
}

/* Alternately too long and too short. */
static double wall_of(const char *host, unsigned chunk)
{
    double event_s = is_other(host) ? shape.other_event_s : shape.event_s;
    double noise = chunk % 4 == 0 || chunk % 4 == 3 ? shape.noise : -shape.noise;
    return shape.fixed_s + event_s * (double)events_of(chunk) + noise;
}

static void add_peak(struct log_builder *builder, uint32_t task, unsigned chunk)
{
    double peak = shape.fixed_bytes + shape.event_bytes * (double)events_of(chunk);
    const struct cup_r_counters block = {
        .task = task, .tid = 1, .block = 1, .sequence = task, .own = CUP_BLOCK_RUNS};
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_PEAK_LIVE_BYTES] = (uint64_t)peak};
    if (shape.fixed_bytes > 0)
        builder_counters(builder, &block, values);
    const struct cup_r_counters helper = {
        .task = task, .tid = 2, .block = 2, .sequence = task, .own = CUP_BLOCK_HELPS};
    const uint64_t of_helper[CUP_COUNTER_COUNT] = {[CUP_C_PEAK_LIVE_BYTES] =
                                                       (uint64_t)shape.helpers_bytes};
    if (shape.helpers_bytes > 0)
        builder_counters(builder, &helper, of_helper);
}

/* Returns when it ended. */
static double add_chunk(struct log_builder *builder, const char *host, unsigned chunk, double start,
                        uint64_t entry)
{
    uint32_t task = chunk + 1;
    char key[40];
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 1,
                                     .prefix = PREFIX,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start),
                                     .rss = shape.rss + chunk * shape.rss_step};
    struct cup_r_item item = {.task = task,
                              .kind = CUP_ITEM_WORK,
                              .dataset = is_other(host) ? OTHER_DATASET : DATASET,
                              .file = PATH,
                              .tree = TREE,
                              .entry_start = (int64_t)entry,
                              .entry_stop = (int64_t)(entry + events_of(chunk))};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .result_bytes = shape.result_bytes,
                                 .stop_ns = at_second(start + wall_of(host, chunk)),
                                 .cpu_ns = 1000};
    snprintf(key, sizeof key, "%s-%u", host, chunk);
    builder_begin(builder, &begin, key);
    BUILDER_ADD(builder, CUP_R_ITEM, item);
    add_peak(builder, task, chunk);
    BUILDER_ADD(builder, CUP_R_TASK_END, end);
    return start + wall_of(host, chunk);
}

/* One sample that the worker takes of itself. */
static void add_sample(struct log_builder *builder, uint64_t seen)
{
    uint64_t heartbeat[CUP_HV_COUNT], state[CUP_WV_COUNT], values[CUP_SV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    builder_unknown(state, CUP_WV_COUNT);
    builder_unknown(values, CUP_SV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = 1;
    heartbeat[CUP_HV_RSS] = seen;
    builder_worker(builder, 1, 1, ADDRESS, 0);
    builder_row(builder, 1, 1, state, heartbeat);
    builder_sample(builder, 1, 1, at_second(1), values);
}

static void add_log(const char *name, const char *host)
{
    bool second = *host == 'b';
    uint64_t limit = second && shape.other_limit ? shape.other_limit : shape.limit;
    uint64_t seen = second ? shape.other_seen : shape.seen;
    struct log_builder builder;
    double at = 0;
    uint64_t entry = 0;
    builder_start(&builder);
    snprintf(builder_header(&builder)->host, sizeof builder_header(&builder)->host, "%s", host);
    builder_header(&builder)->log_start_ns = at_second(0);
    builder_header(&builder)->log_stop_ns = at_second(100000);
    builder_string(&builder, PREFIX, "Dimuon");
    builder_string(&builder, DATASET, "TTbar");
    builder_string(&builder, OTHER_DATASET, "DrellYan");
    builder_string(&builder, TREE, "Events");
    builder_string(&builder, PATH, host);
    builder_string(&builder, ADDRESS, second ? "tcp://10.0.0.2:4000" : "tcp://10.0.0.1:4000");
    struct cup_r_server server = {.id = 1,
                                  .role = CUP_ROLE_WORKER,
                                  .address = ADDRESS,
                                  .threads = shape.threads,
                                  .memory_limit = limit ? limit : CUP_UNKNOWN64};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    if (seen)
        add_sample(&builder, seen);
    for (unsigned i = 0; i < shape.chunks; i++) {
        at = add_chunk(&builder, host, i, at, entry);
        entry += events_of(i);
    }
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
}

static void make(void)
{
    const struct cup_load_options options = {.counters = false};
    struct cup_error error;
    add_log("a.cup", "a");
    if (shape.hosts > 1)
        add_log("b.cup", "b");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    advice_count = cup_advice_make(&totals, advice);
    fits = totals.fits;
}

static const char *text_of(const char *rule)
{
    return advice_text(advice, advice_count, rule);
}

static void expect(const char *rule, const char *const *parts)
{
    expect_advice(advice, advice_count, rule, parts);
}

#define EXPECT(rule, ...) expect(rule, (const char *const[]){__VA_ARGS__, NULL})

/* ---- fits -------------------------------------------------------------------------------- */

Test(chunk_size, fits_find_what_chunks_were_made_with)
{
    shape.noise = 0.1;
    make();
    cr_assert_null(fits->all.time.missing);
    cr_expect_eq(fits->all.time.count, 24);
    cr_expect_float_eq(fits->all.time.robust.slope, 1e-3, 2e-5);
    cr_expect_float_eq(cup_line_at(&fits->all.time.robust, 0), 1, 0.2);
    cr_expect_float_eq(fits->all.time.plain.spread, 0.1, 0.01);
    cr_expect_float_eq(fits->all.heap.robust.slope, 2000, 1);
    cr_expect_float_eq(cup_line_at(&fits->all.heap.robust, 0), 10e6, 2000); /* kept in KiB */
    cr_assert_eq(fits->count, 1);
    cr_expect_eq(fits->datasets[0].time.count, 24);
    cr_expect_eq(fits->every, 1);
}

Test(chunk_size, too_few_chunks_say_nothing)
{
    shape.chunks = 7;
    make();
    cr_expect_not_null(strstr(fits->all.time.missing, "fewer than 8"));
    cr_expect_not_null(fits->size.missing);
    cr_expect_not_null(fits->memory.missing);
    cr_expect_null(text_of("chunk_size"));
    cr_expect_null(text_of("memory_request"));
}

Test(chunk_size, chunks_of_one_size_tell_their_memory_and_no_more)
{
    shape.step = 0;
    make();
    cr_expect_not_null(strstr(fits->size.missing, "about the same number of events"));
    cr_assert_null(fits->memory.missing);
    cr_expect_float_eq(fits->memory.bytes, 220e6, 2000);
    cr_expect(isnan(fits->memory.new_bytes));
}

Test(chunk_size, without_heap_no_memory)
{
    shape.fixed_bytes = 0;
    make();
    cr_expect_str_eq(fits->memory.missing, "no chunk's heap was measured");
    cr_expect_null(fits->size.missing);
}

Test(chunk_size, a_cost_per_event_that_is_uncertain_is_no_ground)
{
    shape.noise = 6;
    make();
    cr_expect_null(fits->all.time.missing);
    cr_expect_not_null(strstr(fits->size.missing, "an error of more than"));
    cr_expect_null(text_of("chunk_size"));
}

/* ---- size -------------------------------------------------------------------------------- */

Test(chunk_size, long_enough_chunks_are_left_alone)
{
    make();
    cr_assert_null(fits->size.missing);
    cr_expect_float_eq(fits->size.fixed_share, 1.0 / 11.75, 1e-3);
    cr_expect_eq(fits->size.events, fits->size.present);
    cr_expect_null(text_of("chunk_size"));
}

/* 3 s of 13.75 s: 10 % are reached at 27,000 events. */
Test(chunk_size, small_chunks_are_told_the_size_at_which_the_fixed_part_is_a_tenth)
{
    shape.fixed_s = 3;
    make();
    cr_assert_null(fits->size.missing);
    cr_expect_eq(fits->size.least_by, CUP_BOUND_FIXED_COST);
    cr_expect_float_eq(fits->size.least, 27000, 100);
    cr_expect_float_eq(fits->size.events, 27000, 1);
    EXPECT("chunk_size", "over 24 of them", "3.00 s (error", "22 % of its time at 10,750 events",
           "threshold 10 %", "Use chunks of 27,000 events", "the fixed part is then 10 % of 30.0 s",
           "A worker of 1 thread then needs about 264 MB");
    cr_expect_null(text_of("opening"));
}

/* 12 % become 10 %: another size would suit, but wins little. */
Test(chunk_size, small_gains_are_not_worth_a_word)
{
    shape.fixed_s = 1.5;
    make();
    cr_expect_gt(fits->size.events, 1.25 * fits->size.present);
    cr_expect_null(text_of("chunk_size"));
}

Test(chunk_size, gains_of_a_twentieth_are)
{
    shape.fixed_s = 2;
    make();
    EXPECT("chunk_size", "16 % of its time", "Use chunks of 18,000 events", "then 10 % of");
}

Test(chunk_size, where_datasets_differ_the_longest_one_tells)
{
    shape.fixed_s = 6;
    shape.hosts = 2;
    shape.other_event_s = 5e-3;
    make();
    cr_expect_not_null(cup_time_doubt(&fits->all.time));
    cr_assert_null(fits->size.missing);
    cr_expect_float_eq(fits->size.event_s, 5e-3, 1e-6);
    cr_expect_float_eq(fits->size.least, 10800, 10);
    shape.other_event_s = 3e-3;
    tear_down();
    make_scratch(scratch);
    make_scratch(outside);
    make();
    EXPECT("chunk_size", "Chunks of DrellYan are small", "over 24 of them", "18,000 events");
}

Test(chunk_size, no_larger_than_leaves_each_thread_four)
{
    shape.fixed_s = 3;
    shape.threads = 4;
    make(); /* 258,000 events over 16 */
    cr_expect_eq(fits->size.most_by, CUP_BOUND_THREADS);
    cr_expect_float_eq(fits->size.most, 16125, 1);
    cr_expect_float_eq(fits->size.events, 16000, 1e-6);
}

Test(chunk_size, no_larger_than_the_memory_holds)
{
    shape.fixed_s = 3;
    shape.limit = 350000000; /* 70 % of it: 245 MB, of which the process holds 200 and a chunk 10 */
    make();
    cr_expect_eq(fits->size.most_by, CUP_BOUND_MEMORY);
    cr_expect_float_eq(fits->size.most, 17500, 100);
    cr_expect_float_eq(fits->size.events, 17500, 600);
}

Test(chunk_size, many_threads_need_longer_tasks)
{
    shape.fixed_s = 0.01;
    shape.event_s = 1e-5;
    shape.chunks = 400;
    shape.step = 25;
    shape.threads = 30;
    make();
    cr_expect_eq(fits->size.least_by, CUP_BOUND_SCHEDULER);
    cr_expect_float_eq(fits->size.least, 29000, 100);
    EXPECT("chunk_size", "tasks of less than 10 ms x threads");
}

Test(chunk_size, chunks_of_many_minutes_are_large)
{
    shape.event_s = 0.1;
    make();
    cr_expect_eq(fits->size.most_by, CUP_BOUND_WALL);
    cr_expect_float_eq(fits->size.events, 2900, 1e-6);
    EXPECT("chunk_size", "Chunks are large", "10,750 events they take 17 min 56 s",
           "threshold 300 s", "Use chunks of 2,900 events");
}

/* ---- memory ------------------------------------------------------------------------------ */

/* 200 MB and two threads with 31.5 MB each; 70 % of the limit. */
Test(chunk_size, memory_that_is_too_little)
{
    shape.threads = 2;
    shape.limit = 370000000;
    make();
    cr_assert_null(fits->memory.missing);
    cr_expect_float_eq(fits->memory.bytes, 263e6, 1e4);
    cr_expect_float_eq(fits->memory.request_bytes, 263e6 / 0.7, 1e6);
    EXPECT("memory_request", "Workers of 2 threads need about 263 MB",
           "24 chunks (at most 31.5 MB each)", "Set a limit of 376 MB",
           "They have 370 MB, which is too little", "threshold");
    setenv("COLUMNS", "400", 1);
    const char *const arguments[] = {"report", scratch, "--only", "chunks", NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), 0);
    char *text = read_text_in(outside, "out");
    cr_expect_not_null(strstr(text, "The present limit is 370 MB. Ask for 376 MB: then the worker "
                                    "should stay below 70 % of it, where Dask begins to spill."),
                       "%s", text);
    free(text);
}

Test(chunk_size, memory_that_is_just_enough)
{
    shape.threads = 2;
    shape.limit = 380000000;
    shape.hosts = 2;
    make();
    cr_expect_null(text_of("memory_request"));
}

Test(chunk_size, memory_that_nobody_uses_is_said_of_several_hosts)
{
    shape.hosts = 2;
    make();
    EXPECT("memory_request", "They have 4.00 GB", "more threads, or less memory: a limit of");
}

Test(chunk_size, memory_of_one_host_is_what_there_is)
{
    make();
    cr_expect_null(text_of("memory_request"));
}

Test(chunk_size, without_a_limit_nothing_is_said)
{
    shape.limit = 0;
    shape.hosts = 2;
    make();
    cr_expect(isnan(fits->memory.limit_bytes));
    cr_expect_gt(fits->memory.request_bytes, 0);
    cr_expect_null(text_of("memory_request"));
}

/* The peaks of helper threads may not coincide, so their sum says little: a quarter of a chunk's
 * 31.5 MB and 10 MB is less than 10 MB. */
Test(chunk_size, no_memory_advice_if_helpers_hold_most)
{
    shape.helpers_bytes = 10e6;
    make();
    cr_expect_float_eq(fits->all.helpers_share, 10 / 41.5, 1e-3);
    cr_expect_null(fits->memory.missing);
    cr_expect_float_eq(fits->memory.bytes, 241.5e6, 1e4);
    tear_down();
    make_scratch(scratch);
    make_scratch(outside);
    shape.helpers_bytes = 15e6;
    shape.limit = 220000000;
    make();
    cr_assert_not_null(fits->memory.missing);
    cr_expect_not_null(strstr(fits->memory.missing, "is of helper threads"));
    cr_expect(isnan(fits->memory.request_bytes));
    cr_expect_null(text_of("memory_request"));
}

/* By the estimate, 264 MB are needed with chunks of 27,000 events; samples saw 700 MB at 10,750. */
Test(chunk_size, the_limit_for_larger_chunks_is_not_below_what_samples_saw)
{
    shape.fixed_s = 3;
    shape.seen = 700000000;
    make();
    cr_expect_float_eq(fits->memory.request_bytes, 1e9, 1);
    cr_expect_float_eq(fits->size.events, 27000, 1);
    cr_expect_float_eq(fits->memory.new_request_bytes, 1e9, 1);
    EXPECT("chunk_size", "then needs about 264 MB", "set its limit to 1.00 GB");
}

Test(chunk_size, no_larger_chunks_if_samples_saw_more_than_the_limit_allows)
{
    shape.fixed_s = 3;
    shape.limit = 900000000;
    shape.seen = 700000000;
    make();
    cr_expect_eq(fits->size.most_by, CUP_BOUND_MEMORY);
    cr_expect_eq(fits->size.most, fits->size.present);
    cr_expect_eq(fits->size.events, fits->size.present);
    cr_expect_null(text_of("chunk_size"));
}

/* ---- memory that grows -------------------------------------------------------------------- */

/* The 24 chunks have 8 parts of 3; the medians of the first and the last are those of the second
 * and the 23rd chunk. */
Test(chunk_size, memory_that_grows_with_each_chunk_is_named_and_not_estimated)
{
    shape.rss_step = 16000000;
    shape.limit = UINT64_C(1000000000);
    make();
    cr_assert_not_null(fits->memory.missing);
    cr_expect_not_null(strstr(fits->memory.missing, "grew with each chunk"));
    cr_expect(isnan(fits->memory.request_bytes));
    cr_expect_null(text_of("memory_request"));
    EXPECT("memory_grows", "The memory of a worker grew by 16.0 MB with each chunk",
           "from 216 MB to 552 MB", "24 chunks", "the limit of 1.00 GB after some 50 chunks",
           "what the processor keeps");
}

Test(chunk_size, the_report_says_that_no_limit_is_enough_for_memory_that_grows)
{
    shape.rss_step = 16000000;
    shape.step = 0;
    make();
    const char *const words[] = {"report", scratch, "--only", "chunks", NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, words), 0);
    char *text = read_text_in(outside, "out");
    cr_expect_not_null(strstr(text, "No limit can be suggested"), "%s", text);
    cr_expect_null(strstr(text, "would be enough"), "%s", text);
    free(text);
}

Test(chunk_size, memory_that_grows_by_the_results_of_chunks)
{
    shape.rss_step = 16000000;
    shape.result_bytes = 15000000;
    shape.limit = 0;
    make();
    EXPECT("memory_grows", "The result of a chunk has 15.0 MB", "Make results smaller");
    cr_expect_null(strstr(text_of("memory_grows"), "limit of"), "no limit is known");
}

/* The second host's worker has twice the limit, and more memory in its samples. */
Test(chunk_size, samples_of_workers_with_another_limit_do_not_count)
{
    shape.hosts = 2;
    shape.seen = 300000000;
    shape.other_seen = UINT64_C(5000000000);
    shape.other_limit = UINT64_C(8000000000);
    make();
    cr_expect_float_eq(fits->memory.limit_bytes, 4e9, 1);
    cr_expect_float_eq(fits->memory.seen_bytes, 3e8, 1);
    cr_expect_float_eq(fits->memory.request_bytes, 3e8 / 0.7, 1);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static double number(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    cr_assert(json_is_number(value), "%s", name);
    return json_number_value(value);
}

Test(chunk_size, json_has_the_fits)
{
    shape.fixed_s = 3;
    make();
    json_t *root = report_json(scratch, outside);
    json_t *heartbeat = json_object_get(json_object_get(root, "chunks"), "fits");
    json_t *time = json_object_get(heartbeat, "time_against_events");
    json_t *heap = json_object_get(heartbeat, "peak_heap_against_events");
    cr_expect_eq(number(time, "n"), 24);
    cr_expect_float_eq(number(time, "slope"), 1e-3, 1e-9);
    cr_expect_float_eq(number(time, "intercept"), 3, 1e-6);
    cr_expect_geq(number(time, "slope_error"), 0);
    cr_expect_geq(number(time, "intercept_error"), 0);
    cr_expect_float_eq(number(heap, "slope"), 2000, 1);
    cr_expect(json_is_null(json_object_get(time, "reason")));
    cr_expect_eq(number(json_object_get(heartbeat, "suiting_size"), "suiting_events"), 27000);
    cr_expect_eq(number(json_object_get(heartbeat, "memory_request"), "worker_threads"), 1);
    cr_expect_eq(json_array_size(json_object_get(heartbeat, "by_dataset")), 1);
    json_decref(root);
}

Test(chunk_size, json_has_null_and_a_reason)
{
    shape.chunks = 7;
    make();
    json_t *root = report_json(scratch, outside);
    json_t *heartbeat = json_object_get(json_object_get(root, "chunks"), "fits");
    json_t *time = json_object_get(heartbeat, "time_against_events");
    cr_expect_eq(number(time, "n"), 7);
    cr_expect(json_is_null(json_object_get(time, "slope")));
    cr_expect(json_is_null(json_object_get(time, "intercept_error")));
    cr_expect(json_is_string(json_object_get(time, "reason")));
    cr_expect(json_is_null(
        json_object_get(json_object_get(heartbeat, "suiting_size"), "suiting_events")));
    json_decref(root);
}
