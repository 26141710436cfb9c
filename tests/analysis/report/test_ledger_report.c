/* What the report says of losses, stages, hosts and merges: as text for sites, as JSON, as advice.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/base/units.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

enum { CHUNK = 1, SET, NEAR, FAR, ERROR, EVENTS, REDUCE, MODEL, A, META };

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct log_builder builder;

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
}

static void tear_down(void)
{
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(ledger_report, .init = set_up, .fini = tear_down);

static void begin_log(const char *host)
{
    static const char *const texts[] = {
        [CHUNK] = "chunk",
        [SET] = "Z\xc3\xbcrich",
        [NEAR] = "/data/near.root",
        [FAR] = "root://user:pw@eos.site:1094//far.root?authz=SECRET",
        [ERROR] = "OSError: \xc3\xbc in 'root://eos.site//far.root?authz=SECRET'\nas seen",
        [EVENTS] = "Events",
        [REDUCE] = "reduce",
        [MODEL] = "cpu_model",
        [A] = "A",
        [META] = "metadata"};
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = 1};
    struct cup_r_info model = {.name = MODEL, .value = A};
    builder_start(&builder);
    strcpy(builder_header(&builder)->host, host);
    builder_header(&builder)->log_start_ns = at_second(0);
    builder_header(&builder)->log_stop_ns = at_second(1000);
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&builder, id, texts[id]);
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    BUILDER_ADD(&builder, CUP_R_INFO, model);
}

static void task(const char *key, uint32_t number, uint32_t prefix, double start, double stop,
                 uint32_t error)
{
    struct cup_r_task_begin begin = {.task = number,
                                     .tid = 1,
                                     .prefix = prefix,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start)};
    struct cup_r_task_end end = {.task = number,
                                 .status = error ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .result_bytes = strcmp(key, "skipped") == 0 ? 16 : 17, /* None */
                                 .error = error};
    builder_begin(&builder, &begin, key);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void chunk(const char *key, uint32_t number, double start, double stop, uint32_t file,
                  uint32_t error)
{
    struct cup_r_item item = {.task = number,
                              .kind = CUP_ITEM_WORK,
                              .dataset = SET,
                              .file = file,
                              .tree = EVENTS,
                              .entry_start = 100 * number,
                              .entry_stop = 100 * number + 100};
    task(key, number, CHUNK, start, stop, error);
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
}

/* Coffea read the number of entries of a file; -1: it skipped the file. */
static void metadata(const char *key, uint32_t number, uint32_t file, int64_t entries)
{
    struct cup_r_item item = {.task = number,
                              .kind = CUP_ITEM_METADATA,
                              .dataset = SET,
                              .file = file,
                              .tree = EVENTS,
                              .entry_start = -1,
                              .entry_stop = -1};
    struct cup_r_chunk_report found = {
        .task = number, .requested_bytes = CUP_UNKNOWN64, .entries = (uint64_t)entries};
    task(entries < 0 ? "skipped" : key, number, META, 0, 0.5, 0);
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    if (entries >= 0)
        BUILDER_ADD(&builder, CUP_R_CHUNK_REPORT, found);
}

static void end_log(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
}

static char *report(const char *only)
{
    char path[SUPPORT_PATH + 8];
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--only", only, NULL}),
                 0);
    snprintf(path, sizeof path, "%s/out", outside);
    return read_text(path);
}

Test(ledger_report, a_few_chunks_have_no_tail)
{
    begin_log("one");
    for (uint32_t i = 1; i <= 19; i++)
        chunk(CUP_FORMAT("chunk-%u", i), i, i, i + 1, NEAR, 0);
    end_log("a.cup");
    char *text = report("stages");
    cr_expect_null(strstr(text, "last 10 %"), "%s", text);
    cr_expect_not_null(strstr(text, "The tail is n/a: fewer than 20 chunks ended."), "%s", text);
    free(text);
}

static void lose_some(void)
{
    begin_log("one");
    metadata("of-far", 7, FAR, 300);
    metadata("of-near", 8, NEAR, 500);
    chunk("lost-1", 1, 1, 2, FAR, ERROR);
    chunk("lost-1", 2, 2, 3, FAR, ERROR);
    chunk("lost-2", 3, 3, 4, FAR, ERROR);
    chunk("good", 4, 4, 5, NEAR, 0);
    chunk("twice", 5, 5, 6, NEAR, ERROR);
    chunk("twice", 6, 6, 7, NEAR, 0);
    end_log("a.cup");
}

/* One task has a record, three began when the log was full. */
static char *report_of_full_log(uint32_t kind)
{
    static struct cup_task_totals sums;
    struct cup_total *total = &sums.entries[CUP_TOTAL_OTHERS + 1];
    *total = (struct cup_total){.used = 1, .key = {.item = kind, .skipped = kind != 0}};
    uint64_t *values = total->values[CUP_STATUS_FINISHED - 1];
    values[CUP_T_TASKS] = 3;
    values[CUP_T_FIRST_NS] = values[CUP_T_LAST_START_NS] = (uint64_t)at_second(4);
    values[CUP_T_LAST_NS] = (uint64_t)at_second(5);
    begin_log("one");
    chunk("good", 1, 1, 2, NEAR, 0);
    builder_totals(&builder, &sums);
    end_log("a.cup");
    return report("losses");
}

/* The log says how many chunks were skipped, and not which. */
Test(ledger_report, what_began_when_the_log_was_full_is_not_listed)
{
    char *text = report_of_full_log(CUP_ITEM_WORK);
    cr_expect_null(strstr(text, ": none"), "%s", text);
    cr_expect_not_null(strstr(text, "Not listed: 3 tasks that began when the log was full. Which "
                                    "chunk or file each had is not known; Coffea skipped 3.\n"),
                       "%s", text);
    free(text);
}

Test(ledger_report, with_a_full_log_it_is_not_known_that_there_was_no_trouble)
{
    free(report_of_full_log(0));
    char *text = report("summary");
    cr_expect_not_null(strstr(text, "n/a   whether chunks ran twice is not known"), "%s", text);
    free(text);
}

Test(ledger_report, why_merges_are_not_known_names_full_logs)
{
    free(report_of_full_log(0));
    char *text = report("merge");
    cr_expect_not_null(strstr(text, "or a full log)."), "%s", text);
    free(text);
}

Test(ledger_report, tasks_without_coffea_in_a_full_log_have_no_chunks)
{
    char *text = report_of_full_log(0);
    cr_expect_not_null(strstr(text, "Not listed: 3 tasks that began when the log was full.\n"),
                       "%s", text);
    free(text);
}

Test(ledger_report, a_text_for_the_site)
{
    lose_some();
    char *text = report("losses");
    for (const char *at = text; *at; at++)
        cr_assert((*at >= ' ' && *at <= '~') || *at == '\n', "byte %d: %s", *at, at);
    cr_expect_null(strstr(text, "SECRET"), "a token is given away");
    cr_expect_null(strstr(text, "pw"), "a password is given away");
    const char *site = strstr(text, "\nServer: root://...@eos.site:1094\n"),
               *local = strstr(text, "\nServer: none in the file's name");
    cr_assert(site && local && site < local, "%s", text);
    cr_expect_not_null(strstr(site, "  1 file: lost 2 chunks (200 events); 0 recovered"), "%s",
                       text);
    cr_expect_not_null(strstr(site, "root://...@eos.site:1094//far.root?...\n"), "%s", text);
    cr_expect_not_null(strstr(site, "LOST, entries 200 to 300 (100 events), dataset Z?rich"));
    cr_expect_not_null(strstr(site, "      2 attempts: 2 failed\n"));
    cr_expect_not_null(strstr(site, "from 2023-11-14 22:13:21 UTC to 2023-11-14 22:13:24 UTC"));
    cr_expect_not_null(
        strstr(site, "error: OSError: ? in 'root://eos.site//far.root?...' as seen\n"), "%s", text);
    cr_expect_not_null(strstr(local, "recovered, entries 500 to 600"), "%s", text);
    cr_expect_not_null(strstr(text, "Dataset Z?rich: lost 2 chunks (200 events): 200 of "
                                    "800 events (25 %); 1 recovered"));
    free(text);
}

Test(ledger_report, nothing_lost)
{
    begin_log("one");
    chunk("good", 1, 1, 2, NEAR, 0);
    end_log("a.cup");
    char *text = report("losses");
    cr_expect_not_null(strstr(text, "UTC: none\n"), "%s", text);
    cr_expect_eq(strchr(text, '\n')[1], '\0', "%s", text);
    free(text);
}

static json_t *section(json_t *root, const char *name, const char *rows)
{
    json_t *found = json_object_get(json_object_get(root, name), rows);
    cr_assert(json_is_array(found), "%s.%s", name, rows);
    return found;
}

static double number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    cr_assert(json_is_number(value), "%s", name);
    return json_number_value(value);
}

Test(ledger_report, losses_as_json)
{
    lose_some();
    json_t *root = report_json(scratch, outside), *losses = json_object_get(root, "losses");
    json_t *rows = section(root, "losses", "rows"), *row = json_array_get(rows, 0);
    cr_assert_eq(json_array_size(rows), 3);
    cr_expect_eq(number(losses, "events_lost"), 200);
    cr_expect_eq(number(losses, "events_lost_share"), 0.25);
    cr_expect_eq(number(losses, "events_all"), 800);
    cr_expect_eq(number(losses, "events_lost_known"), 200);
    cr_expect_eq(number(losses, "chunks_recovered"), 1);
    cr_expect_str_eq(json_string_value(json_object_get(row, "key")), "lost-1");
    cr_expect_str_eq(json_string_value(json_object_get(row, "outcome")), "lost");
    cr_expect_str_eq(json_string_value(json_object_get(row, "server")),
                     "root://user:pw@eos.site:1094");
    cr_expect_str_eq(json_string_value(json_object_get(row, "host")), "one");
    cr_expect_eq(number(row, "attempts"), 2);
    cr_expect_eq(number(row, "wall_s"), 2);
    cr_expect(json_is_null(json_object_get(json_array_get(rows, 2), "server")));
    json_t *dataset = json_array_get(section(root, "datasets", "rows"), 0);
    cr_expect_eq(number(dataset, "events_lost"), 200);
    cr_expect_eq(number(dataset, "event_rate_core_hz"), 100);
    cr_expect_eq(number(dataset, "time_share"), 1);
    json_decref(root);
}

Test(ledger_report, tasks_by_worker_and_waste_as_json)
{
    lose_some();
    json_t *root = report_json(scratch, outside);
    json_t *worker = json_array_get(section(root, "tasks_by_worker", "rows"), 0);
    cr_expect_eq(number(worker, "tasks"), 8);
    cr_expect_eq(number(worker, "erred"), 4);
    cr_expect_eq(number(worker, "wall_s"), 7);
    json_t *waste = json_object_get(json_object_get(root, "efficiency"), "wasted_by_reason");
    cr_expect_eq(number(json_object_get(waste, "failed"), "wall_s"), 4);
    cr_expect_eq(number(json_object_get(waste, "stolen"), "tasks"), 0);
    cr_expect_eq(number(json_object_get(waste, "lost_with_worker"), "tasks"), 0);
    json_decref(root);
}

/* One chunk, one host, and nothing at all: all of the report, twice. */
static void check_all_sections(void)
{
    static const char *const names[] = {"losses", "stages",   "merge",
                                        "hosts",  "datasets", "summary"};
    json_decref(report_json(scratch, outside));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = report(names[i]);
        cr_expect_null(strstr(text, "nan"), "%s", text);
        cr_expect_null(strstr(text, "inf "), "%s", text);
        free(text);
    }
}

Test(ledger_report, one_chunk)
{
    begin_log("one");
    chunk("only", 1, 1, 2, NEAR, 0);
    end_log("a.cup");
    check_all_sections();
}

Test(ledger_report, one_chunk_that_failed)
{
    begin_log("one");
    chunk("only", 1, 1, 2, NEAR, ERROR);
    end_log("a.cup");
    check_all_sections();
}

Test(ledger_report, no_chunk)
{
    begin_log("one");
    task("other", 1, REDUCE, 1, 2, 0);
    end_log("a.cup");
    check_all_sections();
}

Test(ledger_report, no_task)
{
    begin_log("one");
    end_log("a.cup");
    check_all_sections();
}

/* ---- advice ----------------------------------------------------------------------------- */

static void expect_advised(const char *rule, const char *const *parts)
{
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_error error;
    struct cup_advice advice[CUP_ADVICE_MOST];
    const struct cup_load_options options = {.counters = false};
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    size_t count = cup_advice_make(&totals, advice);
    const char *text = advice_text(advice, count, rule);
    cr_expect_eq(text != NULL, parts != NULL, "%s", rule);
    for (; text && parts && *parts; parts++)
        cr_expect_not_null(strstr(text, *parts), "no %s in: %s", *parts, text);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}

#define EXPECT(rule, ...) expect_advised(rule, (const char *const[]){__VA_ARGS__, NULL})

Test(ledger_report, advice_on_a_server_that_loses)
{
    lose_some();
    EXPECT("server_loses", "3 attempts", "eos.site:1094 failed", "threshold 3", "--only losses");
    EXPECT("events_lost", "lacks 2 chunks (threshold: any)", "200 of 800 events (25 %)",
           "2 failed, and no other attempt succeeded");
}

Test(ledger_report, two_failures_of_a_server_are_no_advice)
{
    begin_log("one");
    chunk("lost-1", 1, 1, 2, FAR, ERROR);
    chunk("lost-2", 2, 2, 3, FAR, ERROR);
    chunk("lost-3", 3, 2, 3, NEAR, ERROR);
    end_log("a.cup");
    expect_advised("server_loses", NULL);
}

Test(ledger_report, advice_on_skipped_chunks)
{
    struct cup_r_chunk returned = {.task = 1, .tic_ns = at_second(1), .toc_ns = at_second(2)};
    begin_log("one");
    chunk("good", 1, 1, 2, NEAR, 0);
    BUILDER_ADD(&builder, CUP_R_CHUNK, returned);
    chunk("skipped", 2, 2, 3, FAR, 0);
    end_log("a.cup");
    EXPECT("events_lost", "lacks 1 chunk (threshold: any)", "threshold: any",
           "100 of 200 events (50 %)", "skipped 1 as bad files");
}

/* A file that was never opened: its number of events is not known, so nothing says 0. */
Test(ledger_report, a_file_that_was_never_opened)
{
    begin_log("one");
    metadata("of-near", 1, NEAR, 200);
    metadata("", 2, FAR, -1);
    chunk("good", 3, 1, 2, NEAR, 0);
    end_log("a.cup");
    EXPECT("events_lost", "lacks 1 file (threshold: any)", "the events of 1 lost file",
           "skipped 1 as bad files");
    char *text = report("summary");
    cr_expect_not_null(strstr(text, "1 file (events not known) lost"), "%s", text);
    free(text);
    text = report("losses");
    cr_expect_not_null(strstr(text, "the whole file, events not known"), "%s", text);
    free(text);
    json_t *root = report_json(scratch, outside), *losses = json_object_get(root, "losses");
    cr_expect(json_is_null(json_object_get(losses, "events_lost")));
    cr_expect(json_is_null(json_object_get(losses, "events_lost_share")));
    cr_expect_eq(number(losses, "metadata_lost"), 1);
    cr_expect_eq(number(losses, "events_all"), 200);
    json_decref(root);
}

/* Without metadata, and with a run that ended early, the dataset's number of events is not known.
 */
Test(ledger_report, a_share_of_nobody_knows_what)
{
    begin_log("one");
    chunk("good", 1, 1, 2, NEAR, 0);
    chunk("lost", 2, 2, 3, FAR, ERROR);
    end_log("a.cup");
    EXPECT("events_lost", "100 events; how many there are is not known", "1 failed, and no other");
}

static void add_host(const char *host, double time)
{
    char name[64], key[64];
    begin_log(host);
    for (uint32_t i = 1; i <= 10; i++) {
        snprintf(key, sizeof key, "%s-%u", host, i);
        chunk(key, i, i * time, i * time + time, NEAR, 0);
    }
    snprintf(name, sizeof name, "%s.cup", host);
    end_log(name);
}

Test(ledger_report, advice_on_a_slow_host)
{
    add_host("a", 1);
    add_host("b", 1);
    add_host("c", 1);
    add_host("snail", 4);
    EXPECT("slow_host", "1 host is slower", "snail, processes 25 events/s", "the median is 100",
           "threshold 3.5", "10 %");
}

Test(ledger_report, fast_hosts_have_rates_without_an_exponent)
{
    add_host("a", 0.001);
    add_host("b", 0.001);
    add_host("c", 0.001);
    add_host("snail", 0.004);
    EXPECT("slow_host", "snail, processes 25,000 events/s", "the median is 100,000");
}

/* 3,001 threads are there in the second of two seconds. */
Test(ledger_report, many_threads_have_no_exponent)
{
    const struct cup_r_server large = {.id = 2, .role = CUP_ROLE_WORKER, .threads = 3000};
    begin_log("one");
    chunk("a", 1, 0, 2, NEAR, 0);
    end_log("a.cup");
    begin_log("two");
    builder_header(&builder)->log_start_ns = at_second(1);
    BUILDER_ADD(&builder, CUP_R_SERVER, large);
    chunk("b", 2, 1, 2, NEAR, 0);
    end_log("b.cup");
    cr_assert_eq(run_verb(outside, cup_verb_report, (const char *const[]){"report", scratch, NULL}),
                 0);
    char *text = read_text_in(outside, "out");
    cr_expect_not_null(strstr(text, "each of 1,502 threads"), "%s", text);
    free(text);
}

/* Task 2 merges the result of the task with key INPUT. */
static void merge(const char *input, double start, double stop)
{
    size_t bytes = strlen(input);
    struct cup_r_inputs inputs = {.task = 2, .count = 1, .bytes = 1, .key_bytes = (uint32_t)bytes};
    task("merge", 2, REDUCE, start, stop, 0);
    builder_record(&builder, CUP_R_INPUTS, &inputs, sizeof inputs, input, bytes);
}

Test(ledger_report, advice_on_merging)
{
    begin_log("one");
    chunk("only-1", 1, 0, 80, NEAR, 0);
    merge("only-1", 81, 100);
    end_log("a.cup");
    EXPECT("merge_bound", "20.0 s, 20 % of the run", "threshold 15 %", "longest merge took 19.0 s");
}

/* Results are also merged while chunks still run. That does not keep the end of the run waiting. */
Test(ledger_report, merging_before_the_last_chunk_ends_is_no_advice)
{
    begin_log("one");
    chunk("first-1", 1, 0, 10, NEAR, 0);
    merge("first-1", 11, 82);
    chunk("last-1", 3, 10, 80, NEAR, 0);
    task("other", 4, A, 99, 100, 0);
    end_log("a.cup");
    expect_advised("merge_bound", NULL);
}

Test(ledger_report, quick_merging_is_no_advice)
{
    begin_log("one");
    chunk("only-1", 1, 0, 90, NEAR, 0);
    merge("only-1", 91, 100);
    end_log("a.cup");
    expect_advised("merge_bound", NULL);
}
