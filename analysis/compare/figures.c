#include "analysis/compare/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/statistics.h"
#include "analysis/compare/run_stacks.h"

/* ---- texts ------------------------------------------------------------------------------ */

const char *cup_figures_keep(struct cup_figures *figures, const char *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    uint32_t id = 0;
    if (copy) {
        if (length)
            memcpy(copy, bytes, length);
        copy[length] = '\0';
        id = cup_intern_add(&figures->texts, copy, length + 1);
        free(copy);
    }
    figures->short_of_memory |= id == 0;
    return id ? cup_intern_text(&figures->texts, id).bytes : "";
}

const char *cup_figures_keep_string(struct cup_figures *figures, const char *string)
{
    return cup_figures_keep(figures, string, strlen(string));
}

/* Makes room for one more item. Returns false, and notes it, without memory. */
static bool make_room(struct cup_figures *figures, void *items, size_t *room, size_t count,
                      size_t size)
{
    bool made = cup_array_grow(items, room, count, size) == 0;
    figures->short_of_memory |= !made;
    return made;
}

/* ---- lists ------------------------------------------------------------------------------ */

struct cup_run_figure *cup_figures_add(struct cup_figures *figures, struct cup_run_figure figure)
{
    if (!make_room(figures, &figures->rows, &figures->room, figures->count, sizeof *figures->rows))
        return NULL;
    if (!figure.row)
        figure.row = "";
    figures->rows[figures->count] = figure;
    return &figures->rows[figures->count++];
}

static void add_fact(struct cup_figures *figures, const char *name, const char *text)
{
    if (make_room(figures, &figures->facts, &figures->fact_room, figures->fact_count,
                  sizeof *figures->facts))
        figures->facts[figures->fact_count++] = (struct cup_fact){
            cup_figures_keep_string(figures, name), cup_figures_keep_string(figures, text)};
}

void cup_figures_add_file(struct cup_figures *figures, const char *path, uint64_t size)
{
    if (make_room(figures, &figures->files, &figures->file_room, figures->file_count,
                  sizeof *figures->files))
        figures->files[figures->file_count++] = (struct cup_input_file){path, size};
}

static int by_path(const void *left, const void *right)
{
    const struct cup_input_file *a = left, *b = right;
    int order = strcmp(a->path, b->path);
    return order ? order : (a->size < b->size) - (a->size > b->size);
}

void cup_figures_sort_files(struct cup_figures *figures)
{
    size_t kept = 0;
    if (figures->file_count)
        qsort(figures->files, figures->file_count, sizeof *figures->files, by_path);
    for (size_t i = 0; i < figures->file_count; i++)
        if (kept == 0 || strcmp(figures->files[kept - 1].path, figures->files[i].path) != 0)
            figures->files[kept++] = figures->files[i];
    figures->file_count = kept;
}

/* ---- looking up ------------------------------------------------------------------------- */

struct cup_run_figure *cup_figures_find_named(const struct cup_figures *figures,
                                              const char *section, const char *name)
{
    for (size_t i = 0; i < figures->count; i++) {
        struct cup_run_figure *figure = &figures->rows[i];
        if (!*figure->row && strcmp(figure->name, name) == 0 &&
            strcmp(figure->section, section) == 0)
            return figure;
    }
    return NULL;
}

struct cup_run_figure *cup_figures_find(const struct cup_figures *figures,
                                        enum cup_metric_id metric)
{
    return cup_figures_find_named(figures, cup_metric_section(metric)->name,
                                  cup_metric(metric)->name);
}

struct cup_value cup_figures_value(const struct cup_figures *figures, enum cup_metric_id metric)
{
    const struct cup_run_figure *figure = cup_figures_find(figures, metric);
    return figure ? figure->value : cup_null();
}

double cup_figures_number(const struct cup_figures *figures, enum cup_metric_id metric)
{
    return cup_number(cup_figures_value(figures, metric));
}

struct cup_value cup_figures_row_value(const struct cup_figures *figures,
                                       const struct cup_run_figure *like)
{
    for (size_t i = 0; like && i < figures->count; i++) {
        const struct cup_run_figure *figure = &figures->rows[i];
        if (strcmp(figure->name, like->name) == 0 && strcmp(figure->row, like->row) == 0 &&
            strcmp(figure->section, like->section) == 0)
            return figure->value;
    }
    return cup_null();
}

const char *cup_figures_fact(const struct cup_figures *figures, const char *name)
{
    for (size_t i = 0; i < figures->fact_count; i++)
        if (strcmp(figures->facts[i].name, name) == 0)
            return figures->facts[i].text;
    return NULL;
}

void cup_figures_free(struct cup_figures *figures)
{
    free(figures->rows);
    free(figures->facts);
    free(figures->files);
    cup_intern_clear(&figures->texts);
    cup_run_stacks_free(figures->stacks);
    for (size_t i = 0; i < figures->run_count; i++)
        cup_figures_free(&figures->runs[i]);
    free(figures->runs);
    *figures = (struct cup_figures){0};
}

/* ---- with the report's tables ----------------------------------------------------------- */

struct cup_run_figure cup_figure_of_metric(const struct cup_metric *metric)
{
    return (struct cup_run_figure){.section = cup_metric_section(metric->id)->name,
                                   .name = metric->name,
                                   .label = metric->label,
                                   .unit = metric->unit,
                                   .direction = metric->direction};
}

void cup_figures_add_unknown(struct cup_figures *figures, const char *reason)
{
    for (int i = 0; i < CUP_METRIC_COUNT; i++) {
        struct cup_run_figure figure = cup_figure_of_metric(cup_metric((enum cup_metric_id)i));
        figure.source = reason;
        cup_figures_add(figures, figure);
    }
}

struct cup_run_figure *cup_figures_set_named(struct cup_figures *figures, const char *section,
                                             const char *name, struct cup_value value,
                                             const char *source)
{
    struct cup_run_figure *figure = cup_figures_find_named(figures, section, name);
    const struct cup_metric *metric = cup_metric_find(section, name);
    if (!figure && metric)
        figure = cup_figures_add(figures, cup_figure_of_metric(metric));
    else if (!figure)
        figure = cup_figures_add(
            figures, (struct cup_run_figure){.section = cup_figures_keep_string(figures, section),
                                             .name = cup_figures_keep_string(figures, name)});
    if (figure) {
        figure->value = value;
        figure->source = source;
    }
    return figure;
}

struct cup_run_figure *cup_figures_set(struct cup_figures *figures, enum cup_metric_id metric,
                                       struct cup_value value, const char *source)
{
    return cup_figures_set_named(figures, cup_metric_section(metric)->name,
                                 cup_metric(metric)->name, value, source);
}

/* ---- facts ------------------------------------------------------------------------------ */

static bool is_recorded(const struct cup_fact_list *list, const struct cup_recorded_fact *one)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->recorded[i].worker == one->worker &&
            strcmp(list->recorded[i].name, one->name) == 0 &&
            strcmp(list->recorded[i].value, one->value) == 0)
            return true;
    return false;
}

void cup_fact_list_add(struct cup_fact_list *list, bool worker, const char *name,
                       struct cup_text value)
{
    /* of each run alone */
    static const char *const no_settings[] = {"command", CUP_INFO_LISTENS, "uncaught_exception",
                                              CUP_INFO_PARSL_WORKER};
    for (size_t i = 0; i < sizeof no_settings / sizeof *no_settings; i++)
        if (strcmp(name, no_settings[i]) == 0)
            return;
    if (!*name || value.length == 0)
        return;
    const struct cup_recorded_fact one = {
        .name = cup_figures_keep_string(list->figures, name),
        .value = cup_figures_keep(list->figures, value.bytes, value.length),
        .worker = worker,
    };
    if (!one.name || !one.value || is_recorded(list, &one))
        return;
    if (make_room(list->figures, &list->recorded, &list->room, list->count, sizeof *list->recorded))
        list->recorded[list->count++] = one;
}

static int facts_in_order(const void *left, const void *right)
{
    const struct cup_recorded_fact *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    if (order == 0)
        order = (int)b->worker - (int)a->worker;
    return order ? order : strcmp(a->value, b->value);
}

void cup_fact_list_add_limit(struct cup_fact_list *list, double bytes)
{
    if (bytes > 0)
        cup_fact_list_add(list, true, CUP_FACT_MEMORY_LIMIT,
                          cup_string(CUP_SHOW(bytes, CUP_UNIT_BYTES)).text);
}

void cup_fact_list_add_no_limit(struct cup_fact_list *list)
{
    if (cup_figures_number(list->figures, CUP_METRIC_workers_without_memory_limit) > 0)
        cup_fact_list_add(list, true, CUP_FACT_MEMORY_LIMIT, cup_string("none").text);
}

/* Adds the fact that begins at `first`, with all its values. Returns where the next one begins. */
static size_t join_fact(struct cup_fact_list *list, size_t first)
{
    const struct cup_recorded_fact *fact = &list->recorded[first];
    char *joined = NULL;
    size_t size = 0, next = first;
    FILE *out = open_memstream(&joined, &size);
    for (; next < list->count && strcmp(list->recorded[next].name, fact->name) == 0; next++)
        if (out && list->recorded[next].worker == fact->worker)
            fprintf(out, "%s%s", next > first ? " + " : "", list->recorded[next].value);
    if (out && fclose(out) == 0)
        add_fact(list->figures, fact->name, joined);
    else
        list->figures->short_of_memory = true;
    free(joined);
    return next;
}

void cup_fact_list_finish(struct cup_fact_list *list)
{
    if (list->count)
        qsort(list->recorded, list->count, sizeof *list->recorded, facts_in_order);
    for (size_t i = 0; i < list->count;)
        i = join_fact(list, i);
    free(list->recorded);
    *list = (struct cup_fact_list){0};
}

/* ---- spreads ---------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct cup_spread cup_spread_of(double *numbers, size_t count)
{
    struct cup_spread spread = {.count = count,
                                .points = count < CUP_SPREAD_POINTS ? count : CUP_SPREAD_POINTS};
    if (count)
        qsort(numbers, count, sizeof *numbers, ascending);
    for (size_t i = 0; i < spread.points; i++)
        spread.at[i] =
            spread.points == count
                ? numbers[i]
                : cup_quantile_sorted(numbers, count, (double)i / (double)(spread.points - 1));
    return spread;
}

double cup_spread_at(const struct cup_spread *spread, double share)
{
    return cup_quantile_sorted(spread->at, spread->points, share);
}

/* A number that stands for `weight` numbers. */
struct weighted {
    double number, weight;
};

static int lighter_first(const void *left, const void *right)
{
    return ascending(&((const struct weighted *)left)->number,
                     &((const struct weighted *)right)->number);
}

struct cup_spread cup_spread_merge(const struct cup_spread *const *spreads, size_t count)
{
    struct cup_spread merged = {.count = 0};
    size_t used = 0;
    double below = 0;
    struct weighted *all = calloc(count * CUP_SPREAD_POINTS + 1, sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        merged.count += spreads[i]->count;
        for (size_t k = 0; k < spreads[i]->points; k++)
            all[used++] = (struct weighted){spreads[i]->at[k],
                                            (double)spreads[i]->count / (double)spreads[i]->points};
    }
    if (used)
        qsort(all, used, sizeof *all, lighter_first);
    merged.points = merged.count < CUP_SPREAD_POINTS ? merged.count : CUP_SPREAD_POINTS;
    double step = merged.points > 1 ? (double)(merged.count - 1) / (double)(merged.points - 1) : 0;
    for (size_t i = 0, at = 0; i < merged.points; i++) {
        double wanted = (double)i * step;
        while (at + 1 < used && below + all[at].weight <= wanted + 1e-6)
            below += all[at++].weight;
        merged.at[i] = all[at].number;
    }
    free(all);
    return merged;
}

void cup_numbers_add(struct cup_numbers *numbers, double number)
{
    if (!isfinite(number))
        return;
    if (cup_array_grow(&numbers->numbers, &numbers->room, numbers->count,
                       sizeof *numbers->numbers) != 0)
        numbers->short_of_memory = 1;
    else
        numbers->numbers[numbers->count++] = number;
}

struct cup_spread cup_numbers_spread(struct cup_numbers *numbers)
{
    struct cup_spread spread = cup_spread_of(numbers->numbers, numbers->count);
    free(numbers->numbers);
    *numbers = (struct cup_numbers){.short_of_memory = numbers->short_of_memory};
    return spread;
}

/* ---- rows and statistics ---------------------------------------------------------------- */

const struct cup_row_figure cup_prefix_figures[] = {
    {"tasks", "tasks", CUP_UNIT_COUNT, {CUP_BETTER_UNKNOWN, false}},
    {"wall_s", "time", CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
    {"mean_s", "time of a task", CUP_UNIT_SECONDS, {CUP_BETTER_UNKNOWN, false}},
    {"cpu_s", "CPU", CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
    {"read_bytes", "read", CUP_UNIT_BYTES, {CUP_BETTER_UNKNOWN, false}},
    {"alloc_bytes", "allocated", CUP_UNIT_BYTES, {CUP_BETTER_UNKNOWN, false}},
    {"result_bytes", NULL, CUP_UNIT_BYTES, {CUP_BETTER_UNKNOWN, false}},
    {"io_wait_s", NULL, CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
    {"gil_wait_s", NULL, CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
    {"lock_wait_s", NULL, CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
    {"run_delay_s", NULL, CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
};
const size_t cup_prefix_figure_count = sizeof cup_prefix_figures / sizeof *cup_prefix_figures;

const struct cup_row_figure cup_dataset_figures[] = {
    {"chunks", "chunks", CUP_UNIT_COUNT, {CUP_BETTER_UNKNOWN, false}},
    {"events", "events", CUP_UNIT_COUNT, {CUP_BETTER_UNKNOWN, false}},
    {"process_s", "inside process()", CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
    {"read_bytes", "read", CUP_UNIT_BYTES, {CUP_BETTER_UNKNOWN, false}},
    {"wall_s", NULL, CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
    {"cpu_s", NULL, CUP_UNIT_SECONDS, {CUP_BETTER_LOWER, true}},
};
const size_t cup_dataset_figure_count = sizeof cup_dataset_figures / sizeof *cup_dataset_figures;

const char *const cup_chunk_figure_names[CUP_CHUNK_FIGURES] = {"min", "mean", "median", "max",
                                                               "stdev"};

void cup_figures_add_of_row(struct cup_figures *figures, const char *section, const char *row,
                            const struct cup_row_figure *kind, struct cup_value value,
                            const char *source)
{
    if (!source)
        source = value.kind == CUP_VALUE_NULL ? "it was not measured" : "P: sums over tasks";
    cup_figures_add(figures, (struct cup_run_figure){.section = section,
                                                     .row = row,
                                                     .name = kind->name,
                                                     .label = kind->label,
                                                     .unit = kind->unit,
                                                     .direction = kind->direction,
                                                     .value = value,
                                                     .source = source});
}

const struct cup_statistic_row cup_statistic_rows[CUP_STAT_COUNT] = {
#define X(id, name, text, unit) {name, text, unit},
    CUP_CHUNK_STATISTICS(X)
#undef X
};

void cup_figures_add_statistic(struct cup_figures *figures, enum cup_chunk_statistic statistic,
                               int which, struct cup_value value, const char *source)
{
    const struct cup_statistic_row *row = &cup_statistic_rows[statistic];
    char name[80];
    bool shown = strcmp(cup_chunk_figure_names[which], "mean") == 0;
    bool judged = shown && statistic == CUP_STAT_TIME_PER_EVENT;
    snprintf(name, sizeof name, "%s_%s", row->name, cup_chunk_figure_names[which]);
    if (!source)
        source = value.kind == CUP_VALUE_NULL ? "no chunk was seen whose result was used"
                                              : "P: over the chunks whose result was used";
    cup_figures_add(figures,
                    (struct cup_run_figure){
                        .section = "chunks",
                        .name = cup_figures_keep_string(figures, name),
                        .label = shown ? row->label : NULL,
                        .unit = row->unit,
                        .value = value,
                        .source = source,
                        .direction = {.better = judged ? CUP_BETTER_LOWER : CUP_BETTER_UNKNOWN}});
}

void cup_figures_set_chunks(struct cup_figures *figures, struct cup_numbers times[CUP_CHUNK_TIMES])
{
    for (int i = 0; i < CUP_CHUNK_TIMES; i++) {
        figures->chunks[i] = cup_numbers_spread(&times[i]);
        figures->short_of_memory |= times[i].short_of_memory;
    }
}
