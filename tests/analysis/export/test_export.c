/* Exports, read back as their readers would: CSV by RFC 4180, the exposition format by its grammar,
 * roastcoffea's keys against the table in docs/roastcoffea.md. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/export/roastcoffea.h"
#include "cli/verbs.h"
#include "include/log_pairs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH]; /* the profile */
static char outside[SUPPORT_PATH]; /* what verbs print */
static char target[SUPPORT_PATH];  /* what they export */
static struct log_builder builder;

static void set_up(void)
{
    setenv("TZ", "CET-1", 1);
    make_scratch(scratch);
    make_scratch(outside);
    make_scratch(target);
    build_golden_log(&builder);
}

static void tear_down(void)
{
    builder_free(&builder);
    remove_scratch(scratch);
    remove_scratch(outside);
    remove_scratch(target);
}

TestSuite(export, .init = set_up, .fini = tear_down);

static void save(void)
{
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
}

static char *read_in(const char *directory, const char *name)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return read_text(path);
}

static int export_to(const char *format, const char *out)
{
    return run_verb(outside, cup_verb_export,
                    (const char *const[]){"export", scratch, "--to", format, "-o", out, NULL});
}

/* Exports into the target, without a word. */
static void expect_export(const char *format, const char *out)
{
    int status = export_to(format, out);
    char *said = read_in(outside, "err"), *printed = read_in(outside, "out");
    cr_assert_eq(status, 0, "%s", said);
    cr_assert_str_eq(said, "");
    cr_assert_str_eq(printed, "");
    free(said);
    free(printed);
}

static void expect_refusal(int status, int expected, const char *part)
{
    char *said = read_in(outside, "err"), *end = strchr(said, '\n');
    cr_expect_eq(status, expected, "%d: %s", status, said);
    cr_expect(end && !end[1], "not one line: %s", said);
    cr_expect_not_null(strstr(said, part), "%s", said);
    free(said);
}

/* ---- what the golden log lacks ----------------------------------------------------------- */

enum { ADDRESS = 1, WORKER = 2, DIMUON_NAME = 3, FIRST_FREE = 60, PT, PT_OFFSETS, RUNNING };
enum { EXECUTE = 70, CPU, DISK_READ, SECONDS, BYTES, SPAN_ID, OTHER_ID, OTHER_NAME };

static void add_reports(void)
{
    const uint32_t names[] = {PT, PT_OFFSETS};
    struct cup_r_columns columns = {.id = 1, .count = 2};
    builder_string(&builder, PT, "Muon_pt-data");
    builder_string(&builder, PT_OFFSETS, "Muon_pt-offsets");
    builder_record(&builder, CUP_R_COLUMNS, &columns, sizeof columns, names, sizeof names);
    struct cup_r_chunk_report first = {
        .task = 1, .columns = 1, .requested_bytes = 200, .entries = 1000};
    struct cup_r_chunk_report second = {
        .task = 2, .columns = 1, .requested_bytes = 7500, .entries = 3000};
    BUILDER_ADD(&builder, CUP_R_CHUNK_REPORT, first);
    BUILDER_ADD(&builder, CUP_R_CHUNK_REPORT, second);
}

static void add_sample(uint32_t number, double second, bool with_heartbeat)
{
    uint64_t cluster[CUP_SV_COUNT], values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    builder_unknown(cluster, CUP_SV_COUNT);
    builder_unknown(values, CUP_WV_COUNT);
    builder_unknown(heartbeat, CUP_HV_COUNT);
    cluster[CUP_SV_WORKERS] = 1;
    values[CUP_WV_THREADS] = 2;
    values[CUP_WV_MEMORY_LIMIT] = 4000;
    values[CUP_WV_PROCESSING] = number;
    values[CUP_WV_SEEN_NS] = (uint64_t)at_second(second - 0.25);
    values[CUP_WV_STATUS] = 1;
    heartbeat[CUP_HV_TIME_NS] = (uint64_t)at_second(second);
    heartbeat[CUP_HV_RSS] = 1000;
    heartbeat[CUP_HV_CPU_NS_PER_S] = 1500000000;
    builder_row(&builder, number, 1, values, with_heartbeat ? heartbeat : NULL);
    builder_sample(&builder, number, 2, at_second(second), cluster);
}

/* The run is from 10 to 22: the first sample is before it. */
static void add_samples(void)
{
    struct cup_r_server scheduler = {.id = 2, .role = CUP_ROLE_SCHEDULER, .address = FIRST_FREE};
    struct cup_r_status running = {.status = 1, .name = RUNNING};
    builder_string(&builder, FIRST_FREE, "tcp://10.0.0.9:8786");
    builder_string(&builder, RUNNING, "running");
    BUILDER_ADD(&builder, CUP_R_SERVER, scheduler);
    BUILDER_ADD(&builder, CUP_R_STATUS, running);
    builder_worker(&builder, 1, 2, ADDRESS, WORKER);
    add_sample(1, 5, false);
    add_sample(2, 11, false);
    add_sample(3, 12.5, true);
}

static void add_digest(uint32_t key, uint32_t span, uint32_t activity, uint32_t unit, double value)
{
    struct cup_digest_value values[] = {{.key = key, .value = value}};
    struct cup_r_digest_key told = {.key = key,
                                    .server = 1,
                                    .context = EXECUTE,
                                    .span = span,
                                    .prefix = DIMUON_NAME,
                                    .activity = activity,
                                    .unit = unit};
    struct cup_r_digest digest = {.server = 1, .last = true, .time_ns = at_second(22)};
    BUILDER_ADD(&builder, CUP_R_DIGEST_KEY, told);
    builder_record(&builder, CUP_R_DIGEST, &digest, sizeof digest, values, sizeof values);
}

/* Two spans of one name that tasks have, and one that none has. */
static void add_digests(void)
{
    static const char *const texts[] = {"execute", "thread-cpu", "disk-read", "seconds",
                                        "bytes",   "5f-1",       "5f-2",      "of another run"};
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        builder_string(&builder, EXECUTE + i, texts[i]);
    struct cup_r_span span = {.id = SPAN_ID, .name = 4}; /* "default", in the golden log */
    struct cup_r_span other = {.id = OTHER_ID, .name = OTHER_NAME};
    BUILDER_ADD(&builder, CUP_R_SPAN, span);
    BUILDER_ADD(&builder, CUP_R_SPAN, other);
    add_digest(1, SPAN_ID, CPU, SECONDS, 2.5);
    add_digest(2, SPAN_ID, DISK_READ, BYTES, 4096);
    add_digest(3, OTHER_ID, CPU, SECONDS, 100);
}

/* A chunk of 7 events of a dataset with this name. */
static void add_chunk_of(const char *dataset)
{
    struct cup_r_task_begin begin = {.task = 50,
                                     .tid = 100,
                                     .prefix = DIMUON_NAME,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(20),
                                     .run_id = -1};
    struct cup_r_task_end end = {
        .task = 50, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(21)};
    struct cup_r_item item = {
        .task = 50, .kind = CUP_ITEM_WORK, .dataset = OTHER_NAME, .entry_stop = 7};
    builder_string(&builder, OTHER_NAME, dataset);
    builder_begin(&builder, &begin, "Dimuon-50");
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void save_everything(void)
{
    add_reports();
    add_samples();
    add_digests();
    save();
}

/* ---- CSV ---------------------------------------------------------------------------------- */

/* A field, and what it ended with: ',', '\n' for CR LF, or 0. Fails on anything but RFC 4180. */
static json_t *next_field(const char **at, char *end)
{
    char field[4096];
    size_t length = 0;
    bool quoted = **at == '"';
    *at += quoted;
    while (**at && (quoted || !strchr(",\r\n\"", **at))) {
        if (quoted && **at == '"' && *++*at != '"')
            break;
        field[length++] = *(*at)++;
        cr_assert_lt(length, sizeof field);
    }
    cr_assert(**at == ',' || (**at == '\r' && (*at)[1] == '\n'), "no end of a field: %.40s", *at);
    *end = **at == ',' ? ',' : '\n';
    *at += **at == ',' ? 1 : 2;
    return json_stringn(field, length);
}

/* Rows as objects by the names of the first line; *names are those. */
static json_t *read_csv(const char *name, json_t **names)
{
    char *text = read_in(target, name), end;
    const char *at = text;
    json_t *rows = json_array();
    *names = json_array();
    do
        json_array_append_new(*names, next_field(&at, &end));
    while (end == ',');
    while (*at) {
        json_t *row = json_object();
        size_t i = 0;
        do
            json_object_set_new(row, json_string_value(json_array_get(*names, i++)),
                                next_field(&at, &end));
        while (end == ',');
        cr_assert_eq(i, json_array_size(*names), "%s: %zu fields", name, i);
        json_array_append_new(rows, row);
    }
    free(text);
    return rows;
}

static const char *field(json_t *rows, size_t row, const char *name)
{
    const char *text = json_string_value(json_object_get(json_array_get(rows, row), name));
    cr_assert_not_null(text, "no column %s", name);
    return text;
}

static void expect_names(const char *file, json_t *rows, json_t *report_row, bool nested_too)
{
    json_t *value;
    const char *name;
    size_t expected = 0;
    json_object_foreach(report_row, name, value)
    {
        bool nested = json_is_object(value) || json_is_array(value);
        cr_expect(nested_too || nested || json_object_get(json_array_get(rows, 0), name),
                  "%s: no column %s", file, name);
        expected += !nested;
    }
    cr_expect_eq(json_object_size(json_array_get(rows, 0)), expected, "%s", file);
}

Test(export, csv_has_the_rows_of_the_report)
{
    static const struct {
        const char *file, *section;
        size_t rows;
    } tables[] = {
        {"chunks.csv", "chunks", 4}, {"files.csv", "files", 2}, {"workers.csv", "workers", 1}};
    save_everything();
    expect_export("csv", target);
    json_t *report = report_json(scratch, outside), *names;
    for (size_t i = 0; i < 3; i++) {
        json_t *rows = read_csv(tables[i].file, &names);
        json_t *told = json_object_get(json_object_get(report, tables[i].section), "rows");
        cr_expect_eq(json_array_size(rows), tables[i].rows, "%s", tables[i].file);
        expect_names(tables[i].file, rows, json_array_get(told, 0), false);
        json_decref(rows);
        json_decref(names);
    }
    json_decref(report);
}

Test(export, csv_has_the_values)
{
    json_t *names;
    save_everything();
    expect_export("csv", target);
    json_t *chunks = read_csv("chunks.csv", &names);
    json_decref(names);
    cr_expect_str_eq(field(chunks, 0, "key"), "Dimuon-1");
    cr_expect_str_eq(field(chunks, 0, "requested_bytes"), "200");
    cr_expect_str_eq(field(chunks, 1, "process_s"), "5.0");
    cr_expect_str_eq(field(chunks, 1, "read_bytes"), "600");
    cr_expect_str_eq(field(chunks, 2, "process_s"), "");
    cr_expect_str_eq(field(chunks, 2, "outcome"), "failed");
    cr_expect_str_eq(field(chunks, 3, "branches_read"), "");
    json_decref(chunks);
    json_t *files = read_csv("files.csv", &names);
    json_decref(names);
    cr_expect_str_eq(field(files, 0, "file"), "/data/b.root");
    cr_expect_str_eq(field(files, 0, "size_bytes"), "3000");
    json_decref(files);
}

Test(export, csv_of_samples)
{
    json_t *names;
    save_everything();
    expect_export("csv", target);
    json_t *rows = read_csv("samples.csv", &names);
    cr_assert_eq(json_array_size(rows), 2); /* during the run */
    cr_expect_str_eq(field(rows, 0, "time"), "1700000011.0");
    cr_expect_str_eq(field(rows, 0, "by"), "scheduler");
    cr_expect_str_eq(field(rows, 0, "worker"), "tcp://10.0.0.1:40000");
    cr_expect_str_eq(field(rows, 0, "processing"), "2");
    cr_expect_str_eq(field(rows, 0, "seen_s"), "1700000010.75");
    cr_expect_str_eq(field(rows, 0, "heartbeat_rss"), "");
    cr_expect_str_eq(field(rows, 1, "heartbeat_rss"), "1000");
    cr_expect_str_eq(field(rows, 1, "heartbeat_time_s"), "1700000012.5");
    cr_expect_str_eq(field(rows, 1, "cluster_workers"), "1");
    cr_expect_str_eq(field(rows, 1, "cluster_took_s"), "");
    json_decref(rows);
    json_decref(names);
}

Test(export, csv_of_tasks_is_that_of_the_verb)
{
    save();
    expect_export("csv", target);
    cr_assert_eq(run_verb(outside, cup_verb_tasks,
                          (const char *const[]){"tasks", scratch, "--csv", "-", NULL}),
                 0);
    char *ours = read_in(target, "tasks.csv"), *theirs = read_in(outside, "out");
    cr_expect_str_eq(ours, theirs);
    free(ours);
    free(theirs);
}

static char *first_line(const char *name)
{
    char *text = read_in(target, name), *end = strchr(text, '\n');
    cr_assert_not_null(end, "%s has no line", name);
    end[1] = '\0';
    return text;
}

/* Nothing but a header, which says the same as one over rows. */
Test(export, csv_without_rows_has_names)
{
    static const char *const files[] = {"tasks.csv",    "chunks.csv",  "files.csv",
                                        "branches.csv", "workers.csv", "samples.csv"};
    enum { FILES = sizeof files / sizeof *files };
    char *with_rows[FILES];
    save_everything();
    expect_export("csv", target);
    for (int i = 0; i < FILES; i++)
        with_rows[i] = first_line(files[i]);
    builder_free(&builder);
    builder_start(&builder);
    save();
    expect_export("csv", target);
    for (int i = 0; i < FILES; i++) {
        char *text = read_in(target, files[i]);
        cr_expect_str_eq(text, with_rows[i], "%s", files[i]);
        free(text);
        free(with_rows[i]);
    }
}

Test(export, csv_quotes_what_needs_it)
{
    json_t *names;
    add_chunk_of("a \"b\", c\r\nd");
    save();
    expect_export("csv", target);
    json_t *chunks = read_csv("chunks.csv", &names);
    cr_expect_str_eq(field(chunks, 4, "dataset"), "a \"b\", c\r\nd");
    json_decref(chunks);
    json_decref(names);
}

/* ---- Prometheus --------------------------------------------------------------------------- */

static char *exposition(void)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/cupping.prom", target);
    expect_export("prometheus", path);
    return read_text(path);
}

static bool matches(const char *text, const char *pattern)
{
    regex_t regex;
    cr_assert_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0, "%s", pattern);
    bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

/* The name of the family that the line begins, or NULL. */
static char *family_of(const char *line, const char *kind)
{
    char name[200], pattern[32];
    snprintf(pattern, sizeof pattern, "# %s %%199s", kind);
    return sscanf(line, pattern, name) == 1 ? strdup(name) : NULL;
}

struct grammar {
    json_t *families, *series;
    char *helped, *typed;
};

static void check_series(struct grammar *seen, const char *line)
{
    size_t length = strcspn(line, "{ ");
    char *end, *key = strdup(line), *value = strrchr(key, ' ');
    cr_expect(matches(line, "^[a-z_]+(\\{[a-z_]+=\"([^\"\\\\\n]|\\\\[\\\\\"n])*\""
                            "(,[a-z_]+=\"([^\"\\\\\n]|\\\\[\\\\\"n])*\")*\\})? [^ ]+$"),
              "%s", line);
    cr_assert(seen->typed && strlen(seen->typed) == length &&
                  strncmp(line, seen->typed, length) == 0,
              "%s is not in family %s", line, seen->typed);
    cr_expect(isfinite(strtod(value + 1, &end)) && *end == '\0', "%s", line);
    *value = '\0';
    cr_expect_null(json_object_get(seen->series, key), "twice: %s", line);
    json_object_set_new(seen->series, key, json_real(strtod(value + 1, NULL)));
    free(key);
}

static void check_line(struct grammar *seen, const char *line)
{
    char *helped = family_of(line, "HELP"), *typed = family_of(line, "TYPE");
    if (helped) {
        cr_expect_null(json_object_get(seen->families, helped), "twice: %s", helped);
        json_object_set_new(seen->families, helped, json_true());
        free(seen->helped);
        seen->helped = helped;
    } else if (typed) {
        cr_expect(seen->helped && strcmp(seen->helped, typed) == 0, "no help before %s", line);
        cr_expect(ends(line, ends(typed, "_total") ? " counter" : " gauge"), "%s", line);
        cr_expect(matches(typed, "^cupping_[a-z][a-z_]*[a-z]$"), "%s", line);
        cr_expect_not(matches(typed, "_(s|ms|pct|khz|gbps|mbs|count|sum|bucket)(_total)?$"), "%s",
                      typed);
        free(seen->typed);
        seen->typed = typed;
    } else {
        check_series(seen, line);
    }
}

/* Series by name and labels; fails on what the grammar does not allow. */
static json_t *read_exposition(void)
{
    struct grammar seen = {.families = json_object(), .series = json_object()};
    char *text = exposition(), *rest = text, *line;
    cr_assert(ends(text, "\n"));
    while ((line = strsep(&rest, "\n")) != NULL && *line)
        check_line(&seen, line);
    free(text);
    free(seen.helped);
    free(seen.typed);
    json_decref(seen.families);
    return seen.series;
}

static double series(json_t *all, const char *name, const char *labels)
{
    char key[1024];
    const char *slash = strrchr(scratch, '/');
    snprintf(key, sizeof key, "%s{run=\"%s\"%s%s}", name, slash + 1, *labels ? "," : "", labels);
    json_t *value = json_object_get(all, key);
    return value ? json_real_value(value) : NAN;
}

Test(export, prometheus_has_the_figures_in_base_units)
{
    save_everything();
    json_t *all = read_exposition();
    cr_expect_eq(series(all, "cupping_run_duration_seconds", ""), 12);
    cr_expect_eq(series(all, "cupping_run_start_timestamp_seconds", ""), 1700000010);
    cr_expect_eq(series(all, "cupping_events_total", ""), 5000);
    cr_expect_eq(series(all, "cupping_requested_bytes_total", ""), 7700);
    cr_expect_float_eq(series(all, "cupping_events_per_second", ""), 5000 / 12.0, 1e-9);
    cr_expect_float_eq(series(all, "cupping_throughput_bytes_per_second", "bytes=\"requested\""),
                       7700 / 12.0, 1e-9);
    cr_expect_eq(series(all, "cupping_stage_duration_seconds", "stage=\"process\""), 11);
    cr_expect_eq(series(all, "cupping_prefix_tasks_total", "prefix=\"Dimuon\""), 4);
    cr_expect_eq(series(all, "cupping_dataset_events_total", "dataset=\"TTbar\""), 3000);
    cr_expect_eq(series(all, "cupping_dataset_requested_bytes_total", "dataset=\"ZToMuMu\""), 200);
    cr_expect_eq(series(all, "cupping_worker_threads", "worker=\"tcp://10.0.0.1:40000\""), 2);
    cr_expect_eq(series(all, "cupping_worker_read_bytes_total", "worker=\"tcp://10.0.0.1:40000\""),
                 400 + 600 + 50 + 100 + 7);
    cr_expect(isnan(series(all, "cupping_basket_compression_ratio", "")), "unknown is not there");
    json_decref(all);
}

Test(export, prometheus_escapes_labels)
{
    add_chunk_of("a\"b\\c\nd\xff");
    save();
    json_t *all = read_exposition();
    cr_expect_eq(
        series(all, "cupping_dataset_events_total", "dataset=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD\""), 7);
    json_decref(all);
}

enum { MANY = CUP_PROMETHEUS_MOST + 25 };

/* Task i of prefix i takes i seconds. */
static void add_many_prefixes(void)
{
    for (uint32_t i = 1; i <= MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "many%u", i);
        builder_string(&builder, 100 + i, name);
        struct cup_r_task_begin begin = {.task = 100 + i,
                                         .tid = 200 + i,
                                         .prefix = 100 + i,
                                         .server = 1,
                                         .origin = CUP_ORIGIN_DASK,
                                         .start_ns = at_second(10),
                                         .run_id = -1};
        struct cup_r_task_end end = {
            .task = 100 + i, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(10 + i)};
        builder_begin(&builder, &begin, name);
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
}

Test(export, prometheus_bounds_its_series)
{
    double sum = 0;
    size_t found = 0;
    const char *key;
    json_t *value;
    add_many_prefixes();
    save();
    json_t *all = read_exposition();
    json_object_foreach(all, key, value) if (strstr(key, "cupping_prefix_task_seconds_total"))
    {
        found++;
        sum += json_real_value(value);
    }
    cr_expect_eq(found, CUP_PROMETHEUS_MOST + 1);
    cr_expect_float_eq(sum, 15 + 1 + MANY * (MANY + 1) / 2.0, 1e-6);
    cr_expect_eq(series(all, "cupping_prefix_task_seconds_total", "prefix=\"many75\""), MANY);
    cr_expect(isnan(series(all, "cupping_prefix_task_seconds_total", "prefix=\"many2\"")));
    json_decref(all);
}

Test(export, prometheus_of_nothing)
{
    builder_free(&builder);
    builder_start(&builder);
    save();
    json_t *all = read_exposition();
    cr_expect(isnan(series(all, "cupping_run_duration_seconds", "")));
    cr_expect_eq(series(all, "cupping_chunks_total", ""), 0);
    json_decref(all);
}

Test(export, prometheus_names_the_runner_call)
{
    for (uint32_t i = 1; i <= 2; i++) {
        struct cup_r_run run = {
            .run = i, .start_ns = at_second(i * 9), .stop_ns = at_second(i * 9 + 6)};
        BUILDER_ADD(&builder, CUP_R_RUN, run);
        builder_header(&builder)->health[CUP_H_RUNS]++;
    }
    save();
    char *text = exposition();
    cr_expect_not_null(strstr(text, "#2\""), "%.300s", text);
    free(text);
}

/* ---- roastcoffea -------------------------------------------------------------------------- */

static json_t *load_exported(const char *name)
{
    char *text = read_in(target, name);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s: %s at line %d", name, error.text, error.line);
    free(text);
    return root;
}

static json_t *measurement(void)
{
    expect_export("roastcoffea", target);
    return load_exported("metrics.json");
}

static bool has_type(json_t *value, const char *type)
{
    if (strcmp(type, "integer") == 0)
        return json_is_integer(value);
    if (strcmp(type, "number") == 0)
        return json_is_number(value);
    return strcmp(type, "object") == 0 ? json_is_object(value)
                                       : strcmp(type, "list") == 0 && json_is_array(value);
}

/* A line of the table: | `key` | type | unit | source | null | */
static void check_key(json_t *metrics, char *line, json_t *seen)
{
    char *cells[7] = {0};
    for (int i = 0; i < 7; i++)
        cells[i] = strsep(&line, "|");
    cr_assert_not_null(cells[5]);
    char *key = strtok(cells[1], " `"), *type = strtok(cells[2], " "),
         *null = strtok(cells[5], " ");
    json_t *value = json_object_get(metrics, key);
    json_object_set_new(seen, key, json_true());
    if (!value)
        cr_expect_str_eq(null, "absent", "%s is left out", key);
    else if (json_is_null(value))
        cr_expect_str_eq(null, "null", "%s is null", key);
    else
        cr_expect(has_type(value, type), "%s is no %s", key, type);
}

static void check_keys(json_t *metrics)
{
    char *text = read_text(CUP_TOP "/docs/roastcoffea.md"), *rest = strstr(text, "| key |"), *line;
    json_t *seen = json_object(), *value;
    const char *key;
    cr_assert_not_null(rest);
    while ((line = strsep(&rest, "\n")) != NULL && *line == '|')
        if (strncmp(line, "| `", 3) == 0)
            check_key(metrics, line, seen);
    json_object_foreach(metrics, key, value)
        cr_expect(json_object_get(seen, key), "%s is not in docs/roastcoffea.md", key);
    cr_expect_eq(json_object_size(seen), 59);
    json_decref(seen);
    free(text);
}

static double number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    cr_expect(json_is_number(value), "%s is no number", key);
    return json_number_value(value);
}

Test(export, roastcoffea_has_the_keys_of_the_table)
{
    save_everything();
    json_t *metrics = measurement();
    check_keys(metrics);
    json_decref(metrics);
}

Test(export, roastcoffea_has_the_keys_of_an_empty_run)
{
    builder_free(&builder);
    builder_start(&builder);
    save();
    json_t *metrics = measurement();
    check_keys(metrics);
    cr_expect(json_is_null(json_object_get(metrics, "tracking_data")));
    json_decref(metrics);
    char *text = read_in(target, "start_end_time.txt");
    cr_expect_str_eq(text, "0.000000000,0.000000000\n");
    free(text);
}

/* Chunks of 2, 5 and 1 s inside process(); resident memory grows by 50 bytes in the
 * first two together, and by 50 in the third. */
Test(export, roastcoffea_figures)
{
    save_everything();
    json_t *m = measurement();
    cr_expect_float_eq(number(m, "elapsed_time_seconds"), 12, 1e-12);
    cr_expect_float_eq(number(m, "total_cpu_time"), 8, 1e-12);
    cr_expect_float_eq(number(m, "data_rate_gbps"), 7700 * 8 / 1e9 / 12, 1e-15);
    cr_expect_float_eq(number(m, "event_rate_elapsed_khz"), 5000 / 12.0 / 1e3, 1e-12);
    cr_expect_float_eq(number(m, "event_rate_cpu_total_khz"), 5000 / 8.0 / 1e3, 1e-12);
    cr_expect_float_eq(number(m, "processor_io_wait_time_seconds"), 15 - 9.5, 1e-9);
    cr_expect_float_eq(number(m, "chunk_duration_mean"), 8 / 3.0, 1e-12);
    cr_expect_float_eq(number(m, "chunk_duration_std"), sqrt(13 / 3.0), 1e-12);
    cr_expect_float_eq(number(m, "chunk_mem_delta_mean_mb"), 100 / 3.0 / 1048576.0, 1e-15);
    cr_expect_float_eq(number(m, "chunk_events_max"), 3000, 0);
    cr_expect_eq(number(m, "num_failed_chunks"), 1);
    cr_expect_eq(number(m, "total_branches_read"), 1); /* two columns of it */
    json_t *dataset = json_object_get(json_object_get(m, "per_dataset"), "ZToMuMu");
    cr_expect_eq(number(dataset, "num_chunks"), 2);
    cr_expect_float_eq(number(dataset, "total_duration"), 3, 1e-12);
    cr_expect_float_eq(number(dataset, "mean_events_per_chunk"), 1000, 1e-12);
    json_decref(m);
}

/* A chunk of an async task: without a CPU time, clock calls or known events. */
Test(export, roastcoffea_leaves_out_what_is_not_known_of_a_dataset)
{
    static const char *const keys[] = {"total_duration", "total_events", "mean_duration"};
    enum { OTHER = 60 };
    const struct cup_r_task_begin begin = {.task = 9,
                                           .tid = 9,
                                           .prefix = OTHER,
                                           .server = 1,
                                           .origin = CUP_ORIGIN_DASK,
                                           .start_ns = at_second(11)};
    const struct cup_r_item item = {
        .task = 9, .kind = CUP_ITEM_WORK, .dataset = OTHER, .entry_start = -1, .entry_stop = -1};
    const struct cup_r_task_end end = {.task = 9,
                                       .status = CUP_STATUS_FINISHED,
                                       .stop_ns = at_second(12),
                                       .cpu_ns = CUP_UNKNOWN64,
                                       .result_bytes = 64};
    builder_string(&builder, OTHER, "Other");
    builder_begin(&builder, &begin, "other-1");
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    save();
    json_t *m = measurement(), *report = report_json(scratch, outside);
    json_t *dataset = json_object_get(json_object_get(m, "per_dataset"), "Other");
    cr_assert_not_null(dataset);
    for (int i = 0; i < 3; i++)
        cr_expect_null(json_object_get(dataset, keys[i]), "%s", keys[i]);
    json_t *rows = json_object_get(json_object_get(report, "datasets"), "rows");
    cr_expect(json_is_null(json_object_get(json_row(rows, "dataset", "Other"), "cpu_s")));
    json_decref(report);
    json_decref(m);
}

Test(export, roastcoffea_files_are_read_at_most_whole)
{
    save_everything();
    json_t *m = measurement(), *files = json_object_get(m, "file_read_metrics");
    json_t *a = json_object_get(files, "/data/a.root"), *b = json_object_get(files, "/data/b.root");
    cr_expect_float_eq(number(a, "bytes_read_percent"), 20, 1e-12);
    cr_expect_eq(number(b, "bytes_read"), 3000);
    cr_expect_float_eq(number(m, "avg_bytes_read_percent"), 60, 1e-12);
    json_decref(m);
}

Test(export, roastcoffea_chunks)
{
    save_everything();
    json_t *m = measurement(), *chunks = json_object_get(m, "raw_chunk_metrics");
    cr_assert_eq(json_array_size(chunks), 3);
    json_t *first = json_array_get(chunks, 0), *third = json_array_get(chunks, 2);
    cr_expect_eq(number(first, "t_start"), 1700000011);
    cr_expect_eq(number(first, "duration"), 2);
    cr_expect_eq(number(first, "bytes_read"), 200);
    cr_expect_eq(number(first, "num_branches_accessed"), 1);
    cr_expect_str_eq(
        json_string_value(json_array_get(json_object_get(first, "accessed_branches"), 0)),
        "Muon_pt");
    cr_expect_null(json_object_get(third, "bytes_read"), "not known: not there");
    json_t *info = json_object_get(m, "chunk_info");
    json_t *stretch = json_object_get(info, "('/data/b.root', 0, 3000)");
    cr_expect_eq(json_object_size(info), 3);
    cr_expect_eq(json_number_value(json_array_get(stretch, 1)), 1700000017);
    cr_expect_eq(json_integer_value(json_array_get(stretch, 2)), 7500);
    json_decref(m);
}

Test(export, roastcoffea_tracking_data)
{
    save_everything();
    json_t *m = measurement(), *data = json_object_get(m, "tracking_data");
    json_t *counts = json_object_get(data, "worker_counts");
    cr_expect_eq(json_object_size(counts), 2);
    cr_expect_eq(json_integer_value(json_object_get(counts, "2023-11-14T23:13:32.500000")), 1);
    json_t *memory =
        json_object_get(json_object_get(data, "worker_memory"), "tcp://10.0.0.1:40000");
    cr_assert_eq(json_array_size(memory), 1); /* none before the first heartbeat */
    json_t *point = json_array_get(memory, 0);
    cr_expect_str_eq(json_string_value(json_array_get(point, 0)), "2023-11-14T23:13:32.500000");
    cr_expect_eq(json_integer_value(json_array_get(point, 1)), 1000);
    json_t *cpu = json_object_get(json_object_get(data, "worker_cpu"), "tcp://10.0.0.1:40000");
    cr_expect_eq(json_number_value(json_array_get(json_array_get(cpu, 0), 1)), 150);
    json_t *seen =
        json_object_get(json_object_get(data, "worker_last_seen"), "tcp://10.0.0.1:40000");
    cr_expect_float_eq(json_number_value(json_array_get(json_array_get(seen, 0), 1)), 1700000010.75,
                       1e-6);
    cr_expect_eq(json_object_size(data), 11);
    json_decref(m);
}

/* Dask does not say which part of a span's sums is of which run. */
Test(export, roastcoffea_has_no_sums_of_a_span_that_two_runs_share)
{
    const struct cup_r_run runs[] = {
        {.run = 1, .start_ns = at_second(9), .stop_ns = at_second(18.1)},
        {.run = 2, .start_ns = at_second(18.5), .stop_ns = at_second(30)}};
    BUILDER_ADD(&builder, CUP_R_RUN, runs[0]);
    BUILDER_ADD(&builder, CUP_R_RUN, runs[1]);
    builder_header(&builder)->health[CUP_H_RUNS] = 2;
    save_everything();
    json_t *m = measurement();
    cr_expect_eq(json_object_size(json_object_get(m, "raw_span_metrics")), 0);
    json_decref(m);
}

Test(export, roastcoffea_spans_of_the_run)
{
    save_everything();
    json_t *m = measurement(), *spans = json_object_get(m, "raw_span_metrics");
    cr_expect_eq(json_object_size(spans), 2);
    cr_expect_eq(number(spans, "('execute', 'Dimuon', 'thread-cpu', 'seconds')"), 2.5);
    cr_expect_eq(number(spans, "('execute', 'Dimuon', 'disk-read', 'bytes')"), 4096);
    json_decref(m);
}

Test(export, roastcoffea_metadata)
{
    save();
    expect_export("roastcoffea", target);
    json_t *metadata = load_exported("metadata.json"), *config = load_exported("config.json");
    char *text = read_in(target, "start_end_time.txt");
    cr_expect_str_eq(text, "1700000010.000000000,1700000022.000000000\n");
    cr_expect_str_eq(json_string_value(json_object_get(metadata, "format")),
                     "roastcoffea_measurement_v1");
    cr_expect_eq(number(metadata, "elapsed_time_seconds"), 12);
    cr_expect(
        json_is_string(json_object_get(json_object_get(config, "sources"), "total_cpu_time")));
    json_decref(metadata);
    json_decref(config);
    free(text);
}

static void expect_repr(const char *text, const char *expected)
{
    char *repr = cup_python_repr((struct cup_text){text, strlen(text)});
    cr_expect_str_eq(repr, expected);
    free(repr);
}

Test(export, texts_as_python_writes_them)
{
    expect_repr("", "''");
    expect_repr("a b", "'a b'");
    expect_repr("it's", "\"it's\"");
    expect_repr("\"", "'\"'");
    expect_repr("'\"", "'\\'\"'");
    expect_repr("a\\b\n\t\x01", "'a\\\\b\\n\\t\\x01'");
    expect_repr("µ", "'µ'");
}

/* ---- where to, and whether ---------------------------------------------------------------- */

static void write_file(const char *name, const char *text)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", target, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

Test(export, a_directory_of_others_is_refused)
{
    save();
    write_file("thesis.tex", "five years");
    expect_refusal(export_to("csv", target), 1, "thesis.tex");
    char *text = read_in(target, "thesis.tex");
    cr_expect_str_eq(text, "five years");
    free(text);
}

Test(export, one_kind_does_not_overwrite_another)
{
    save();
    expect_export("csv", target);
    expect_refusal(export_to("roastcoffea", target), 1, "which no such export writes");
    write_file("tasks.csv.a1B2c3", "of an export that was killed");
    expect_export("csv", target);
}

Test(export, a_new_directory_is_made)
{
    char path[2 * SUPPORT_PATH];
    save();
    cr_assert_eq(rmdir(target), 0);
    expect_export("csv", target);
    snprintf(path, sizeof path, "%s/no/such", target);
    expect_refusal(export_to("csv", path), 1, "cannot make the directory");
    snprintf(path, sizeof path, "%s/tasks.csv", target);
    expect_refusal(export_to("csv", path), 1, "cannot write into it");
}

#define EXPORT(...)                                                                                \
    run_verb(outside, cup_verb_export, (const char *const[]){"export", __VA_ARGS__, NULL})

Test(export, wrong_usage)
{
    save();
    expect_refusal(EXPORT(scratch), 2, "name a format");
    expect_refusal(EXPORT(scratch, "--to", "xml", "-o", target), 2, "no such format");
    expect_refusal(EXPORT(scratch, "--to", "csv"), 2, "-o DIRECTORY");
    expect_refusal(EXPORT(scratch, "--to", "prometheus"), 2, "-o FILE");
    expect_refusal(EXPORT(scratch, "--to", "csv", "-o", "-"), 2, "standard output");
    expect_refusal(EXPORT(scratch, "--to", "csv", "-o", target, "--run", "x"), 2, "--run x");
    expect_refusal(EXPORT(scratch, "--to", "csv", "-o", target, "--run", "7"), 2, "--run 7");
    expect_refusal(EXPORT("/no/such", "--to", "csv", "-o", target), 1, "no such profile");
}

Test(export, standard_output)
{
    save();
    cr_assert_eq(export_to("prometheus", "-"), 0);
    char *text = read_in(outside, "out");
    cr_expect_not_null(strstr(text, "\ncupping_run_duration_seconds{"));
    free(text);
}
