/* How long opens took, by server: buckets, sums over logs, figures, exports, advice, the plot. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/tasks/task_columns.h"
#include "cli/verbs.h"
#include "include/log_pairs.h"
#include "plot/io/io_plots.h"
#include "plot/plots.h"
#include "tests/analysis/fixture.h"

enum { MS = 1000000 };
enum { REMOTE = 60, REMOTE_TOO, PEER, LOCAL, MISSING, HERE, OTHER_SPAN, PLACE };
enum { REMOTE_FILE = 10, REMOTE_FILE_TOO, PEER_FILE, LOCAL_FILE };

static void add_file(uint32_t id, uint32_t path, const char *name, uint32_t class, uint32_t flags)
{
    struct cup_r_file file = {.id = id, .path = path, .class = class, .flags = flags};
    builder_string(&builder, path, name);
    BUILDER_ADD(&builder, CUP_R_FILE, file);
}

static void add_names(void)
{
    add_file(REMOTE_FILE, REMOTE, "root://eos.cern.ch:1094//store/x.root", CUP_FILE_DATA,
             CUP_FILE_IS_REMOTE);
    add_file(REMOTE_FILE_TOO, REMOTE_TOO, "root://eos.cern.ch:1094//store/y.root", CUP_FILE_DATA,
             CUP_FILE_IS_REMOTE);
    add_file(PEER_FILE, PEER, "tcp://10.0.0.9:443", CUP_FILE_SOCKET, 0);
    add_file(LOCAL_FILE, LOCAL, "/eos/cms/a.root", CUP_FILE_DATA, 0);
    builder_string(&builder, MISSING, "root://eos.cern.ch:1094//store/none.root");
    builder_string(&builder, HERE, "none.bin");
    builder_string(&builder, PLACE, "root://eos.cern.ch:1094");
}

static void set_up(void)
{
    start_golden_fixture();
    builder_header(&builder)->features |= CUP_FEATURE_OPENS;
    add_names();
}

TestSuite(opens, .init = set_up, .fini = end_fixture);

static void opened(uint32_t task, uint32_t file, uint32_t kind, uint64_t ns)
{
    struct cup_r_open open = {
        .task = task, .file = file, .kind = kind, .start_ns = at_second(11), .ns = ns};
    BUILDER_ADD(&builder, CUP_R_OPEN, open);
}

static void failed(uint32_t task, uint32_t path, uint32_t kind, uint32_t error, uint64_t ns)
{
    struct cup_r_open open = {.task = task,
                              .path = path,
                              .kind = kind,
                              .error = error,
                              .start_ns = at_second(11),
                              .ns = ns};
    BUILDER_ADD(&builder, CUP_R_OPEN, open);
}

static void save_as(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
}

static void load_with(const struct cup_load_options *options)
{
    load_fixture(options);
}

static void load(void)
{
    save_as("a.cup");
    load_with(&(struct cup_load_options){.counters = true});
}

static const struct cup_open_sum *sum_of(const char *server, enum cup_open_kind kind)
{
    return cup_opens_of(&profile, (struct cup_text){server, strlen(server)}, kind);
}

/* ---- buckets ------------------------------------------------------------------------------ */

Test(opens, each_duration_has_its_bucket)
{
    for (uint64_t ns = 1; ns < UINT64_C(1) << 42; ns += ns / 50 + 1) {
        unsigned bucket = cup_open_bucket(ns);
        double from = cup_open_bucket_from_ns(bucket), to = cup_open_bucket_from_ns(bucket + 1);
        cr_assert(from <= (double)ns && (double)ns < to, "%llu", (unsigned long long)ns);
        cr_assert(bucket == 0 || to <= from * 1.03126, "bucket %u is too wide", bucket);
    }
    cr_expect_eq(cup_open_bucket(UINT64_MAX), CUP_OPEN_BUCKETS - 1);
    cr_expect_eq(cup_open_bucket(0), 0);
}

static void count_one(struct cup_open_sum *sum, uint64_t ns)
{
    const struct cup_opens_alike one = cup_one_open(ns, 0);
    cup_open_sum_count(sum, &one);
}

Test(opens, quantiles_are_good_to_3_percent)
{
    struct cup_open_sum sum = {0};
    cr_expect(isnan(cup_open_quantile_ns(&sum, 0.5)));
    for (uint64_t i = 1; i <= 1000; i++)
        count_one(&sum, i * MS);
    for (unsigned percent = 1; percent <= 100; percent++) {
        double exact = percent * 10.0 * MS, told = cup_open_quantile_ns(&sum, percent / 100.0);
        cr_expect(fabs(told / exact - 1) < 0.0313, "%u %%: %f, not %f", percent, told, exact);
    }
    cr_expect_float_eq(cup_open_quantile_ns(&sum, 1), 1000.0 * MS, 0);
}

Test(opens, a_single_one_is_exact)
{
    struct cup_open_sum sum = {0};
    count_one(&sum, 1234567);
    cr_expect_float_eq(cup_open_quantile_ns(&sum, 0.01), 1234567, 0);
    cr_expect_float_eq(cup_open_quantile_ns(&sum, 0.99), 1234567, 0);
}

/* ---- sums --------------------------------------------------------------------------------- */

Test(opens, by_server_and_kind)
{
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 10 * MS);
    opened(2, REMOTE_FILE_TOO, CUP_OPEN_XROOTD, 30 * MS);
    opened(0, REMOTE_FILE, CUP_OPEN_XROOTD, 20 * MS);
    failed(2, MISSING, CUP_OPEN_XROOTD, 3011, 5 * MS);
    opened(1, PEER_FILE, CUP_OPEN_CONNECT, 2 * MS);
    opened(1, LOCAL_FILE, CUP_OPEN_LOCAL, 1 * MS);
    failed(1, HERE, CUP_OPEN_LOCAL, 2, 1000);
    load();
    const struct cup_open_sum *remote = sum_of("root://eos.cern.ch:1094", CUP_OPEN_XROOTD);
    cr_assert_not_null(remote);
    cr_expect_eq(profile.open_count, 4);
    cr_expect(remote->opened == 3 && remote->failed == 1);
    cr_expect(remote->ns == 60 * MS && remote->failed_ns == 5 * MS);
    cr_expect(remote->shortest_ns == 10 * MS && remote->longest_ns == 30 * MS);
    cr_expect_eq(sum_of("tcp://10.0.0.9:443", CUP_OPEN_CONNECT)->opened, 1);
    cr_expect_eq(sum_of("/eos", CUP_OPEN_LOCAL)->opened, 1);
    cr_expect_eq(sum_of(".", CUP_OPEN_LOCAL)->failed, 1);
    cr_expect_null(sum_of("/eos", CUP_OPEN_XROOTD));
}

static void sum_up(uint32_t task, uint32_t error, const uint64_t *durations, uint64_t count)
{
    uint64_t values[CUP_O_COUNT_OF] = {count, 0, UINT64_MAX, 0, 3};
    unsigned char pairs[1024];
    const struct cup_r_opens opens = {.task = task,
                                      .place = PLACE,
                                      .kind = CUP_OPEN_XROOTD,
                                      .error = error,
                                      .start_ns = at_second(11)};
    for (uint64_t i = 0; i < count; i++) {
        values[CUP_O_NS] += durations[i];
        values[CUP_O_SHORTEST_NS] = fmin(values[CUP_O_SHORTEST_NS], durations[i]);
        values[CUP_O_LONGEST_NS] = fmax(values[CUP_O_LONGEST_NS], durations[i]);
    }
    size_t bytes = cup_pairs_nonzero(pairs, values, CUP_O_COUNT_OF);
    for (uint64_t i = 0; i < count && count > 1; i++) {
        bytes += cup_pairs_number(pairs + bytes, CUP_PAIR_BUCKETS + cup_open_bucket(durations[i]));
        bytes += cup_pairs_number(pairs + bytes, 1);
    }
    bytes = cup_pairs_pad(pairs, bytes);
    builder_record(&builder, CUP_R_OPENS, &opens, sizeof opens, pairs, bytes);
}

/* The same opens, one by one and as sums, make the same figures. */
Test(opens, in_sums_count_as_if_they_were_alone)
{
    static const uint64_t durations[] = {10 * MS, 30 * MS, 2 * MS, 700 * MS, 90000};
    enum { COUNT = sizeof durations / sizeof *durations };
    for (uint64_t i = 0; i < COUNT; i++)
        opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, durations[i]);
    failed(1, MISSING, CUP_OPEN_XROOTD, 3011, 4 * MS);
    failed(1, MISSING, CUP_OPEN_XROOTD, 3011, 5 * MS);
    load();
    struct cup_open_sum alone = *sum_of("root://eos.cern.ch:1094", CUP_OPEN_XROOTD);
    end_fixture();
    set_up();
    sum_up(1, 0, durations, COUNT - 1);
    sum_up(1, 0, durations + COUNT - 1, 1);
    sum_up(1, 3011, (const uint64_t[]){4 * MS, 5 * MS}, 2);
    sum_up(1, 0, durations, 0);
    load();
    struct cup_open_sum sums = *sum_of("root://eos.cern.ch:1094", CUP_OPEN_XROOTD);
    cr_expect_eq(sums.redirects, 9);
    sums.redirects = 0;
    sums.server = alone.server;
    cr_expect_arr_eq(&sums, &alone, sizeof sums);
}

static void expect_server(const char *path, const char *server)
{
    struct cup_text text = cup_open_server((struct cup_text){path, strlen(path)});
    cr_expect(text.length == strlen(server) && memcmp(text.bytes, server, text.length) == 0,
              "%s: %.*s", path, (int)text.length, text.bytes);
}

Test(opens, servers_of_paths)
{
    expect_server("root://host//a/b.root", "root://host");
    expect_server("root://host", "root://host");
    expect_server("tcp://[::1]:80", "tcp://[::1]:80");
    expect_server("/eos/a/b.root", "/eos");
    expect_server("/b.root", "/");
    expect_server("b.root", ".");
    expect_server("a/b.root", ".");
    expect_server("", ".");
}

Test(opens, logs_add_up)
{
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 10 * MS);
    failed(1, MISSING, CUP_OPEN_XROOTD, 3011, MS);
    save_as("a.cup");
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 40 * MS);
    failed(1, MISSING, CUP_OPEN_XROOTD, 103, MS);
    save_as("b.cup"); /* has the first two, too */
    load_with(&(struct cup_load_options){0});
    const struct cup_open_sum *sum = sum_of("root://eos.cern.ch:1094", CUP_OPEN_XROOTD);
    char worst[64];
    cr_expect_eq(profile.open_count, 1);
    cr_expect(sum->opened == 3 && sum->failed == 3 && sum->ns == 60 * MS);
    cr_expect(sum->shortest_ns == 10 * MS && sum->longest_ns == 40 * MS);
    cr_expect_eq(cup_open_worst(sum, worst, sizeof worst), 2);
    cr_expect_str_eq(worst, "not found (XRootD 3011)");
}

Test(opens, of_a_span_alone)
{
    struct cup_r_task_begin other = {.task = 20,
                                     .span = OTHER_SPAN,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(11)};
    builder_string(&builder, OTHER_SPAN, "other");
    builder_begin(&builder, &other, "other-1");
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 10 * MS);
    opened(20, REMOTE_FILE, CUP_OPEN_XROOTD, 20 * MS);
    opened(0, REMOTE_FILE, CUP_OPEN_XROOTD, 30 * MS);
    save_as("a.cup");
    load_with(&(struct cup_load_options){.span = "other"});
    cr_expect_eq(sum_of("root://eos.cern.ch:1094", CUP_OPEN_XROOTD)->ns, 20 * MS);
}

/* Of a kind that a later library may have, or none has; of a file that no record introduced. */
Test(opens, what_is_not_understood)
{
    opened(1, REMOTE_FILE, 0, MS);
    opened(1, REMOTE_FILE, 77, MS);
    opened(1, 999, CUP_OPEN_XROOTD, MS);
    failed(1, 0, CUP_OPEN_LOCAL, UINT32_MAX, UINT64_MAX);
    load();
    char worst[64];
    cr_expect_eq(profile.open_count, 2, "%zu", profile.open_count);
    cr_expect_eq(profile.orphan_records, 1);
    cr_expect_eq(sum_of("", CUP_OPEN_XROOTD)->opened, 1);
    cr_expect_eq(cup_open_worst(sum_of("", CUP_OPEN_LOCAL), worst, sizeof worst), 1);
    cr_expect_str_eq(worst, "unknown");
}

/* ---- report ------------------------------------------------------------------------------- */

static json_t *rows(json_t *root, const char *section)
{
    return json_object_get(json_object_get(root, section), "rows");
}

static double number(json_t *row, const char *name)
{
    json_t *value = json_object_get(row, name);
    cr_expect(json_is_number(value), "%s", name);
    return json_number_value(value);
}

static const char *word(json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

static void add_some(void)
{
    for (int i = 0; i < 3; i++)
        opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 10 * MS);
    failed(1, MISSING, CUP_OPEN_XROOTD, 3011, 5 * MS);
    opened(1, PEER_FILE, CUP_OPEN_CONNECT, 2 * MS);
}

Test(opens, in_json)
{
    const uint64_t read[CUP_FILE_COUNTER_COUNT] = {
        [CUP_F_READ_BYTES] = 6000, [CUP_F_READ_CALLS] = 3};
    struct cup_r_file_use use = {
        .task = 1, .tid = 200, .file = REMOTE_FILE, .block = 1, .file_sequence = 1};
    builder_file_use(&builder, &use, read);
    add_some();
    save_as("a.cup");
    json_t *root = report_json(scratch, outside);
    json_t *open = json_array_get(rows(root, "opens"), 0);
    cr_expect_eq(json_array_size(rows(root, "opens")), 2);
    cr_expect_str_eq(word(open, "server"), "root://eos.cern.ch:1094");
    cr_expect_str_eq(word(open, "kind"), "xrootd");
    cr_expect_str_eq(word(open, "most_frequent_error"), "not found (XRootD 3011)");
    cr_expect(number(open, "opened") == 3 && number(open, "failed") == 1);
    cr_expect(number(open, "p50_s") == 0.01 && number(open, "max_s") == 0.01);
    cr_expect(number(open, "total_s") == 0.03 && number(open, "failed_s") == 0.005);
    json_t *server = json_array_get(rows(root, "servers"), 0);
    json_t *peer = json_array_get(rows(root, "servers"), 1);
    cr_expect_str_eq(word(server, "server"), "root://eos.cern.ch:1094");
    cr_expect_str_eq(word(server, "protocol"), "root");
    cr_expect(number(server, "recv_bytes") == 6000 && number(server, "bytes_per_request") == 2000);
    cr_expect(number(server, "open_latency_p99_s") == 0.01 && number(server, "errors") == 1);
    cr_expect(json_is_null(json_object_get(server, "connect_p50_s")));
    cr_expect(number(peer, "connect_p50_s") == 0.002 && number(peer, "errors") == 0);
    cr_expect(json_is_null(json_object_get(peer, "open_latency_p50_s")));
    json_decref(root);
}

Test(opens, of_an_older_library_are_not_known)
{
    builder_header(&builder)->features &= ~(uint64_t)CUP_FEATURE_OPENS;
    save_as("a.cup");
    json_t *root = report_json(scratch, outside);
    cr_expect(json_is_null(json_object_get(root, "opens")));
    cr_expect(strstr(word(json_object_get(root, "sources"), "opens"), "older library") != NULL);
    load_with(&(struct cup_load_options){.counters = true});
    const struct cup_task_row row = {.profile = &profile, .task = &profile.tasks[0]};
    cr_expect_eq(cup_task_value(&row, "file_open_s").kind, CUP_VALUE_NULL);
    cr_expect_eq(cup_task_value(&row, "failed_opens").kind, CUP_VALUE_NULL);
    json_decref(root);
}

/* Its own head tells how large a file is that no descriptor leads to; of others the kernel does. */
Test(opens, sizes_of_remote_files)
{
    struct cup_r_root_file remote = {.file = REMOTE_FILE, .version = 62400, .end = 48000};
    struct cup_r_root_file local = {.file = LOCAL_FILE, .version = 62400, .end = 48000};
    BUILDER_ADD(&builder, CUP_R_ROOT_FILE, remote);
    BUILDER_ADD(&builder, CUP_R_ROOT_FILE, local);
    load();
    for (size_t i = 0; i < profile.file_count; i++) {
        struct cup_text path = cup_profile_text(&profile, profile.files[i].path);
        if (path.length > 6 && memcmp(path.bytes + path.length - 6, "x.root", 6) == 0)
            cr_expect_eq(profile.files[i].size, 48000);
        if (path.length > 6 && memcmp(path.bytes, "/eos/", 5) == 0)
            cr_expect_eq(profile.files[i].size, 0);
    }
}

Test(opens, in_the_text)
{
    const char *const arguments[] = {"report", scratch, "--only", "opens", NULL};
    add_some();
    save_as("a.cup");
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), 0);
    char *text = read_text_in(outside, "out");
    cr_expect(strstr(text, "Opening files") && strstr(text, "root://eos.cern.ch:1094") &&
                  strstr(text, "10.0 ms"),
              "%s", text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect(strlen(line) <= 80, "%s", line);
    free(text);
}

/* ---- exports ------------------------------------------------------------------------------ */

Test(opens, as_csv)
{
    struct cup_error error;
    char target[2 * SUPPORT_PATH];
    add_some();
    load();
    snprintf(target, sizeof target, "%s", outside);
    cr_assert_eq(cup_export_files(&totals, target, cup_csv_files, NULL, &error), 0, "%s",
                 error.text);
    char *text = read_text_in(outside, "opens.csv");
    cr_expect_eq(lines_of(text), 3, "%s", text);
    cr_expect(strncmp(text, "server,kind,opened,p50_s,", 25) == 0, "%s", text);
    cr_expect(strstr(text, "root://eos.cern.ch:1094,xrootd,3,0.01,") != NULL, "%s", text);
    free(text);
}

Test(opens, for_prometheus)
{
    struct cup_error error;
    char path[2 * SUPPORT_PATH];
    add_some();
    load();
    snprintf(path, sizeof path, "%s/cupping.prom", outside);
    cr_assert_eq(cup_export_file(&totals, path, cup_export_prometheus, &error), 0, "%s",
                 error.text);
    char *text = read_text(path);
    cr_expect(strstr(text, ",server=\"root://eos.cern.ch:1094\"} 3\n") != NULL, "%s", text);
    cr_expect(strstr(text, "\ncupping_server_failed_opens_total{run=") != NULL, "%s", text);
    cr_expect(strstr(text, ",server=\"tcp://10.0.0.9:443\"} 0.002\n") != NULL, "%s", text);
    free(text);
}

/* ---- advice ------------------------------------------------------------------------------- */

/* Of task 1, which is 4 of the 16 s of all: COUNT opens of NS each. */
static void add_opens(int count, uint64_t ns)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_OPEN_NS] = (uint64_t)count * ns};
    struct cup_r_counters block = {.task = 1, .tid = 200, .block = 1, .sequence = 1};
    builder_counters(&builder, &block, counters);
    for (int i = 0; i < count; i++)
        opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, ns);
}

static const char *said(const char *rule)
{
    static struct cup_advice advice[CUP_ADVICE_MOST];
    load();
    return advice_text(advice, cup_advice_make(&totals, advice), rule);
}

Test(opens, that_take_long_are_told)
{
    add_opens(20, 100 * MS); /* 2 of 16 s */
    const char *text = said("slow_opens");
    cr_assert_not_null(text);
    cr_expect(strstr(text, "root://eos.cern.ch:1094: 20 opens, median 100 ms"), "%s", text);
    cr_expect(strstr(text, "threshold 10 %"), "%s", text);
}

Test(opens, that_take_no_time_are_not)
{
    add_opens(20, 50 * MS);
    cr_expect_null(said("slow_opens"));
}

Test(opens, that_are_few_are_not)
{
    add_opens(5, 400 * MS);
    cr_expect_null(said("slow_opens"));
}

static void add_failures(uint32_t path, uint32_t kind, int count)
{
    for (int i = 0; i < 40; i++)
        opened(1, kind == CUP_OPEN_LOCAL ? LOCAL_FILE : REMOTE_FILE, kind, MS);
    for (int i = 0; i < count; i++)
        failed(1, path, kind, kind == CUP_OPEN_LOCAL ? 2 : 3011, MS);
}

Test(opens, that_fail_at_a_server_are_told)
{
    add_failures(MISSING, CUP_OPEN_XROOTD, 5);
    const char *text = said("opens_fail");
    cr_assert_not_null(text);
    cr_expect(strstr(text, "11 % of the opens at root://eos.cern.ch:1094 failed (5, threshold 5 "
                           "%), mostly with: not found (XRootD 3011)"),
              "%s", text);
}

Test(opens, a_few_that_fail_are_not)
{
    add_failures(MISSING, CUP_OPEN_XROOTD, 4);
    cr_expect_null(said("opens_fail"));
}

/* Programs look for local files in vain, and mean it. */
Test(opens, that_fail_locally_are_not)
{
    add_failures(HERE, CUP_OPEN_LOCAL, 400);
    cr_expect_null(said("opens_fail"));
}

/* ---- the plot ----------------------------------------------------------------------------- */

static struct cup_arena arena;
static struct cup_plot_input input;

static const struct cup_open_latency *plot(void)
{
    load();
    input = (struct cup_plot_input){.totals = &totals, .arena = &arena};
    return cup_plot_find(&cup_plots, "open-latency")->make(&input);
}

Test(opens, few_servers_are_curves)
{
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 10 * MS);
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 10 * MS);
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 10 * MS);
    opened(1, REMOTE_FILE, CUP_OPEN_XROOTD, 90 * MS);
    opened(1, PEER_FILE, CUP_OPEN_CONNECT, 2 * MS);
    failed(1, HERE, CUP_OPEN_LOCAL, 2, 1000);
    const struct cup_open_latency *made = plot();
    cr_assert_not_null(made);
    cr_assert_eq(made->count, 2, "at the third all failed");
    const struct cup_open_row *row = &made->rows[0];
    cr_assert_eq(row->points, 3);
    cr_expect_float_eq(row->times[0], 0.01, 1e-12);
    cr_expect_float_eq(row->shares[0], 0, 0);
    cr_expect_float_eq(row->shares[1], 75, 1e-9);
    cr_expect_float_eq(row->shares[2], 100, 1e-9);
    cr_expect_float_eq(row->times[2], 0.09, 1e-12);
    cr_expect_float_eq(made->shortest, 0.002, 1e-12);
    cr_expect_float_eq(made->longest, 0.09, 1e-12);
    cr_expect_not_null(strstr(input.caption, "At 1 server every open failed."), "%s",
                       input.caption);
    cup_arena_clear(&arena);
}

Test(opens, many_servers_are_boxes)
{
    for (uint32_t i = 0; i < 40; i++) {
        char name[64];
        snprintf(name, sizeof name, "root://host%02u//x.root", i);
        add_file(100 + i, 200 + i, name, CUP_FILE_DATA, CUP_FILE_IS_REMOTE);
        opened(1, 100 + i, CUP_OPEN_XROOTD, (i + 1) * MS);
    }
    const struct cup_open_latency *made = plot();
    cr_assert_not_null(made);
    cr_expect_eq(made->count, CUP_OPEN_ROWS);
    cr_expect_null(made->rows[0].times);
    cr_expect_float_eq(made->rows[0].middle, 0.04, 1e-12, "those with most time first");
    cr_expect_not_null(
        strstr(input.caption, "Left out: 10 servers with less time in opens, 10 opens."), "%s",
        input.caption);
    cup_arena_clear(&arena);
}

Test(opens, nothing_to_draw_says_why)
{
    cr_expect_null(plot());
    cr_expect_not_null(strstr(input.reason, "no file was opened"), "%s", input.reason);
    cup_arena_clear(&arena);
}
