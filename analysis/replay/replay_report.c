#include "analysis/replay/replay_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/statistics.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/table.h"

/* ---- sums --------------------------------------------------------------------------------- */

/* A file, a server, or everything. Requests that failed are not in the times. */
struct group {
    struct cup_text name;
    uint64_t requests, bytes, failed, cut; /* cut: shorter than recorded */
    size_t first;                          /* of a file: where its requests are in `by_file` */
    double recorded_s, replayed_s;         /* sums */
};

struct summary {
    struct group all, *files, *servers; /* owned; by file of the table, and by server */
    size_t server_count;
    uint32_t *server_of;         /* owned; by file: index in servers */
    size_t *by_file;             /* owned; requests, file by file */
    double *recorded, *replayed; /* owned; seconds of the requests of one group at a time */
    size_t time_count;
    uint64_t late;
    int64_t longest_late_ns;
};

static bool has_failed(const struct cup_replay_result *result)
{
    return result->error != 0;
}

/* True if it ended before the end of what was recorded: the file is shorter now. */
static bool is_cut(const struct cup_replay_request *request, const struct cup_replay_result *result)
{
    return !has_failed(result) && result->bytes < request->bytes;
}

/* "root://host:port" of a URL; of a path "local files". */
static struct cup_text server_name(const char *target)
{
    const char *host = strstr(target, "://");
    if (!host)
        return (struct cup_text){"local files", strlen("local files")};
    return (struct cup_text){target, (size_t)(host + 3 - target) + strcspn(host + 3, "/")};
}

static uint32_t find_server(struct summary *summary, struct cup_text name)
{
    for (size_t i = 0; i < summary->server_count; i++)
        if (cup_text_compare(summary->servers[i].name, name) == 0)
            return (uint32_t)i;
    summary->servers[summary->server_count].name = name;
    return (uint32_t)summary->server_count++;
}

static void add_request(struct group *group, const struct cup_replay_request *request,
                        const struct cup_replay_result *result)
{
    group->requests++;
    group->bytes += result->bytes;
    group->failed += has_failed(result);
    group->cut += is_cut(request, result);
    if (has_failed(result) || is_cut(request, result))
        return;
    group->recorded_s += (double)request->ns / 1e9;
    group->replayed_s += (double)result->ns / 1e9;
}

/* A request counts as late from 1 ms on: starts are no more exact than that. */
static void add_all(struct summary *summary, const struct cup_replay_table *table,
                    const struct cup_replay_outcome *outcome)
{
    enum { LATE_NS = 1000000 };
    for (size_t i = 0; i < table->request_count; i++) {
        const struct cup_replay_request *request = &table->requests[i];
        const struct cup_replay_result *result = &outcome->results[i];
        add_request(&summary->all, request, result);
        add_request(&summary->files[request->file], request, result);
        add_request(&summary->servers[summary->server_of[request->file]], request, result);
        summary->late += result->late_ns > LATE_NS;
        if (result->late_ns > summary->longest_late_ns)
            summary->longest_late_ns = result->late_ns;
    }
}

/* The requests are counted already. */
static void sort_by_file(struct summary *summary, const struct cup_replay_table *table)
{
    size_t first = 0;
    for (size_t file = 1; file < table->files.count; file++) {
        first += summary->files[file].requests;
        summary->files[file].first = first;
    }
    for (size_t i = table->request_count; i-- > 0;)
        summary->by_file[--summary->files[table->requests[i].file].first] = i;
}

static int start_summary(struct summary *summary, const struct cup_replay_table *table,
                         const struct cup_replay_options *options)
{
    size_t files = table->files.count;
    *summary = (struct summary){
        .files = calloc(files, sizeof *summary->files),
        .servers = calloc(files, sizeof *summary->servers),
        .server_of = calloc(files, sizeof *summary->server_of),
        .by_file = calloc(table->request_count, sizeof *summary->by_file),
        .recorded = calloc(table->request_count, sizeof *summary->recorded),
        .replayed = calloc(table->request_count, sizeof *summary->replayed),
    };
    if (!summary->files || !summary->servers || !summary->server_of || !summary->by_file ||
        !summary->recorded || !summary->replayed)
        return -1;
    for (size_t i = 1; i < files; i++) {
        const char *target = options->targets[i];
        summary->files[i].name = (struct cup_text){target, strlen(target)};
        summary->server_of[i] = find_server(summary, server_name(target));
    }
    return 0;
}

static void free_summary(struct summary *summary)
{
    free(summary->files);
    free(summary->servers);
    free(summary->server_of);
    free(summary->by_file);
    free(summary->recorded);
    free(summary->replayed);
}

/* ---- quantiles ---------------------------------------------------------------------------- */

static const double shares[] = {0.5, 0.9, 0.99};
enum { QUANTILES = sizeof shares / sizeof *shares };

struct quantiles {
    double recorded[QUANTILES], replayed[QUANTILES]; /* NAN: all requests failed */
};

struct report {
    struct summary summary;
    const struct cup_replay_table *table;
    const struct cup_replay_options *options;
    const struct cup_replay_outcome *outcome;
};

static void collect_times(struct report *report, size_t request)
{
    struct summary *summary = &report->summary;
    const struct cup_replay_request *recorded = &report->table->requests[request];
    const struct cup_replay_result *result = &report->outcome->results[request];
    if (has_failed(result) || is_cut(recorded, result))
        return;
    summary->recorded[summary->time_count] = (double)recorded->ns / 1e9;
    summary->replayed[summary->time_count++] = (double)result->ns / 1e9;
}

static bool is_of_server(const struct report *report, const struct group *group, size_t request)
{
    uint32_t server = report->summary.server_of[report->table->requests[request].file];
    return group == &report->summary.all || group == &report->summary.servers[server];
}

static struct quantiles find_quantiles(struct report *report, const struct group *group)
{
    struct quantiles found;
    struct summary *summary = &report->summary;
    bool is_file = group >= summary->files && group < summary->files + report->table->files.count;
    summary->time_count = 0;
    for (size_t i = 0; is_file && i < group->requests; i++)
        collect_times(report, summary->by_file[group->first + i]);
    for (size_t i = 0; !is_file && i < report->table->request_count; i++)
        if (is_of_server(report, group, i))
            collect_times(report, i);
    for (int i = 0; i < QUANTILES; i++) {
        found.recorded[i] = cup_quantile(summary->recorded, summary->time_count, shares[i]);
        found.replayed[i] = cup_quantile(summary->replayed, summary->time_count, shares[i]);
    }
    return found;
}

static int start_report(struct report *report, const struct cup_replay_table *table,
                        const struct cup_replay_options *options,
                        const struct cup_replay_outcome *outcome)
{
    *report = (struct report){.table = table, .options = options, .outcome = outcome};
    if (start_summary(&report->summary, table, options) != 0) {
        free_summary(&report->summary);
        return -1;
    }
    add_all(&report->summary, table, outcome);
    sort_by_file(&report->summary, table);
    return 0;
}

static int64_t recorded_ns(const struct cup_replay_table *table)
{
    int64_t stop = 0;
    for (size_t i = 0; i < table->stream_count; i++)
        stop = table->streams[i].stop_ns > stop ? table->streams[i].stop_ns : stop;
    return stop - table->requests[0].start_ns;
}

static uint64_t count_processes(const struct cup_replay_table *table)
{
    size_t named = table->processes.count ? table->processes.count - 1 : 0;
    return named ? named : 1;
}

/* ---- text --------------------------------------------------------------------------------- */

static void print_groups(struct report *report, const struct cup_terminal *terminal,
                         const char *heading, struct group *const *groups, size_t count)
{
    struct cup_table table;
    const struct cup_column columns[] = {
        {heading, CUP_FIT_LEFT, 0},         {"reads", CUP_FIT_RIGHT, 0},
        {"bytes", CUP_FIT_RIGHT, 1},        {"recorded p50", CUP_FIT_RIGHT, 0},
        {"p90", CUP_FIT_RIGHT, 2},          {"p99", CUP_FIT_RIGHT, 0},
        {"replayed p50", CUP_FIT_RIGHT, 0}, {"p90", CUP_FIT_RIGHT, 2},
        {"p99", CUP_FIT_RIGHT, 0},
    };
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        struct quantiles found = find_quantiles(report, groups[i]);
        cup_table_add(&table, groups[i]->name);
        cup_table_add_value(&table, cup_count(groups[i]->requests), CUP_UNIT_COUNT);
        cup_table_add_value(&table, cup_count(groups[i]->bytes), CUP_UNIT_BYTES);
        for (int k = 0; k < QUANTILES; k++)
            cup_table_add_value(&table, cup_real(found.recorded[k]), CUP_UNIT_SECONDS);
        for (int k = 0; k < QUANTILES; k++)
            cup_table_add_value(&table, cup_real(found.replayed[k]), CUP_UNIT_SECONDS);
    }
    cup_table_finish(&table, terminal);
}

static int compare_time(const void *a, const void *b)
{
    const struct group *one = *(struct group *const *)a, *other = *(struct group *const *)b;
    return (one->replayed_s < other->replayed_s) - (one->replayed_s > other->replayed_s);
}

static struct group **sort_groups(struct group *groups, size_t count)
{
    struct group **sorted = malloc(count * sizeof(*sorted) + 1);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &groups[i];
    if (sorted)
        qsort(sorted, count, sizeof(*sorted), compare_time);
    return sorted;
}

static void print_head(const struct report *report, FILE *out)
{
    const struct summary *summary = &report->summary;
    const struct cup_replay_table *table = report->table;
    fprintf(out, "%s of %s, %s, in %s of %s\n", CUP_SHOW_COUNTED(summary->all.requests, "read"),
            CUP_SHOW_COUNTED(table->files.count - 1, "file"), CUP_SHOW_BYTES(summary->all.bytes),
            CUP_SHOW_COUNTED(table->stream_count, "stream"),
            CUP_SHOW_COUNTED(count_processes(table), "process"));
    fprintf(out, "recorded: %s, of which in reads %s (sum over streams)\n",
            CUP_SHOW_NS(recorded_ns(table)), CUP_SHOW_S(summary->all.recorded_s));
    fprintf(out, "replayed: %s, of which in reads %s; planned at speed %g\n",
            CUP_SHOW_NS(report->outcome->ns), CUP_SHOW_S(summary->all.replayed_s),
            report->options->speed);
    if (summary->late)
        fprintf(out,
                "%s began over 1 ms late, by up to %s: opening their files, or the reads before "
                "them, took longer\n",
                CUP_SHOW_COUNTED(summary->late, "read"), CUP_SHOW_NS(summary->longest_late_ns));
    putc('\n', out);
}

int cup_replay_print(const struct cup_replay_table *table, const struct cup_replay_options *options,
                     const struct cup_replay_outcome *outcome, const struct cup_output *output)
{
    enum { MOST_FILES = 20 };
    struct report report;
    struct cup_terminal terminal;
    size_t files = table->files.count - 1;
    if (start_report(&report, table, options, outcome) != 0)
        return -1;
    struct group **servers = sort_groups(report.summary.servers, report.summary.server_count),
                 **sorted = sort_groups(report.summary.files + 1, files);
    if (servers && sorted) {
        cup_terminal_open(&terminal, output);
        print_head(&report, output->file);
        print_groups(&report, &terminal, "server", servers, report.summary.server_count);
        putc('\n', output->file);
        print_groups(&report, &terminal, "file", sorted, files < MOST_FILES ? files : MOST_FILES);
        if (files > MOST_FILES)
            fprintf(output->file, "  and %s: see --json\n",
                    CUP_SHOW_COUNTED(files - MOST_FILES, "more file"));
    }
    int result = servers && sorted ? 0 : -1;
    free(servers);
    free(sorted);
    free_summary(&report.summary);
    return result;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void write_group(struct report *report, struct cup_json *json, const struct group *group)
{
    static const char *const names[2][QUANTILES] = {
        {"recorded_p50_s", "recorded_p90_s", "recorded_p99_s"},
        {"replayed_p50_s", "replayed_p90_s", "replayed_p99_s"}};
    struct quantiles found = find_quantiles(report, group);
    if (group->name.bytes)
        cup_json_value(json,
                       group >= report->summary.files &&
                               group < report->summary.files + report->table->files.count
                           ? "file"
                           : "server",
                       cup_text(group->name));
    cup_json_value(json, "reads", cup_count(group->requests));
    cup_json_value(json, "bytes", cup_count(group->bytes));
    cup_json_value(json, "failed", cup_count(group->failed));
    cup_json_value(json, "beyond_end", cup_count(group->cut));
    cup_json_value(json, "recorded_s", cup_real(group->recorded_s));
    cup_json_value(json, "replayed_s", cup_real(group->replayed_s));
    for (int i = 0; i < QUANTILES; i++)
        cup_json_value(json, names[0][i], cup_real(found.recorded[i]));
    for (int i = 0; i < QUANTILES; i++)
        cup_json_value(json, names[1][i], cup_real(found.replayed[i]));
}

static void write_groups(struct report *report, struct cup_json *json, const char *name,
                         const struct group *groups, size_t count)
{
    cup_json_array(json, name);
    for (size_t i = 0; i < count; i++) {
        cup_json_row(json, NULL);
        write_group(report, json, &groups[i]);
        cup_json_end_object(json);
    }
    cup_json_end_array(json);
}

int cup_replay_write_json(const struct cup_replay_table *table,
                          const struct cup_replay_options *options,
                          const struct cup_replay_outcome *outcome, const struct cup_output *output)
{
    struct report report;
    struct cup_json json;
    if (start_report(&report, table, options, outcome) != 0)
        return -1;
    cup_json_start(&json, output->file);
    cup_json_object(&json, NULL);
    cup_json_value(&json, "speed", cup_real(options->speed));
    cup_json_value(&json, "processes", cup_count(count_processes(table)));
    cup_json_value(&json, "streams", cup_count(table->stream_count));
    cup_json_value(&json, "recorded_wall_s", cup_seconds(recorded_ns(table)));
    cup_json_value(&json, "replayed_wall_s", cup_seconds(outcome->ns));
    cup_json_value(&json, "late", cup_count(report.summary.late));
    cup_json_value(&json, "latest_s", cup_seconds(report.summary.longest_late_ns));
    write_group(&report, &json, &report.summary.all);
    write_groups(&report, &json, "servers", report.summary.servers, report.summary.server_count);
    write_groups(&report, &json, "files", report.summary.files + 1, table->files.count - 1);
    cup_json_end_object(&json);
    free_summary(&report.summary);
    return 0;
}

/* ---- failures ----------------------------------------------------------------------------- */

/* The first failed request of a file; else its first one that was cut; SIZE_MAX: all are fine. */
static size_t find_worst(const struct report *report, const struct group *file)
{
    size_t worst = SIZE_MAX;
    for (uint64_t i = 0; i < file->requests; i++) {
        size_t request = report->summary.by_file[file->first + i];
        const struct cup_replay_result *result = &report->outcome->results[request];
        if (has_failed(result))
            return request;
        if (worst == SIZE_MAX && is_cut(&report->table->requests[request], result))
            worst = request;
    }
    return worst;
}

static void print_failure(const struct report *report, const struct group *file, size_t worst)
{
    const struct cup_replay_result *result = &report->outcome->results[worst];
    struct cup_error error;
    if (result->is_open_error)
        cup_error_set(&error, file->name.bytes, CUP_NO_OFFSET, "cannot open it: %s; left out: %s",
                      strerror(result->error), CUP_SHOW_COUNTED(file->failed, "read"));
    else if (result->error)
        cup_error_set(&error, file->name.bytes, CUP_NO_OFFSET, "%s failed: %s",
                      CUP_SHOW_COUNTED(file->failed, "read"), strerror(result->error));
    else
        cup_error_set(&error, file->name.bytes, CUP_NO_OFFSET,
                      "%s beyond its end: the file is shorter than the one that was recorded",
                      CUP_SHOW_COUNTED(file->cut, "read"));
    cup_error_print(stderr, &error);
}

size_t cup_replay_print_failures(const struct cup_replay_table *table,
                                 const struct cup_replay_options *options,
                                 const struct cup_replay_outcome *outcome)
{
    enum { MOST_LINES = 10 };
    struct report report;
    size_t count = 0;
    if (start_report(&report, table, options, outcome) != 0)
        return 1;
    for (size_t i = 1; i < table->files.count; i++) {
        size_t worst = find_worst(&report, &report.summary.files[i]);
        if (worst != SIZE_MAX && count++ < MOST_LINES)
            print_failure(&report, &report.summary.files[i], worst);
    }
    if (count > MOST_LINES)
        fprintf(stderr, "cupping: and %s\n",
                CUP_SHOW_COUNTED(count - MOST_LINES, "more such file"));
    free_summary(&report.summary);
    return count;
}
