#include "analysis/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/array.h"

const struct cup_compare_section cup_compare_sections[] = {
    {"workflow", "Workflow", false, false},
    {"workers", "Workers", false, false},
    {"efficiency", "Efficiency", false, false},
    {"time_budget", "Time budget", false, false},
    {"fine", "Fine metrics", false, false},
    {"branches", "Branches", false, false},
    {"chunks", "Chunks, on average", false, false},
    {"tasks_by_prefix", "Tasks by prefix", false, true},
    {"datasets", "Datasets", true, true},
    {"attribution", "Attribution", true, false},
    {"health", "Health", true, false},
    {"functions", "functions", true, false},
    {"inputs", NULL, true, false},
    {"scaling", "Scaling", true, false},
    {NULL, NULL, false, false},
};

/* ---- rows ------------------------------------------------------------------------------- */

/* `keys` numbers each "section, name, row" from 1 on; rows[id - 1] is its row. */
static int add_figure(struct cup_comparison *comparison, struct cup_intern *keys, size_t input,
                      const struct cup_run_figure *figure)
{
    char key[600];
    snprintf(key, sizeof key, "%s%c%s%c%s", figure->section, 1, figure->name, 1, figure->row);
    uint32_t id = cup_intern_add(keys, key, strlen(key));
    if (id == 0)
        return -1;
    if (id > comparison->count) {
        if (cup_array_grow(&comparison->rows, &comparison->room, comparison->count,
                           sizeof *comparison->rows) != 0)
            return -1;
        comparison->rows[comparison->count++] =
            (struct cup_compared){.section = figure->section,
                                  .row = figure->row,
                                  .name = figure->name,
                                  .direction = figure->direction};
    }
    struct cup_compared *row = &comparison->rows[id - 1];
    if (!row->label)
        row->label = figure->label;
    if (row->unit == CUP_UNIT_NONE)
        row->unit = figure->unit;
    if (!row->figures[input])
        row->figures[input] = figure;
    return 0;
}

/* Sorts by section: figures that only a later input has would otherwise stand at the end. */
static int sort_rows(struct cup_comparison *comparison)
{
    struct cup_compared *sorted = calloc(comparison->count + 1, sizeof *sorted);
    const struct cup_compare_section *section = cup_compare_sections;
    size_t count = 0;
    if (!sorted)
        return -1;
    for (; section->name; section++)
        for (size_t i = 0; i < comparison->count; i++)
            if (strcmp(comparison->rows[i].section, section->name) == 0)
                sorted[count++] = comparison->rows[i];
    free(comparison->rows);
    comparison->rows = sorted;
    comparison->count = count;
    return 0;
}

static int add_rows(struct cup_comparison *comparison)
{
    struct cup_intern keys = {0};
    int result = 0;
    for (size_t i = 0; i < comparison->input_count; i++)
        for (size_t k = 0; k < comparison->inputs[i].count && result == 0; k++)
            result = add_figure(comparison, &keys, i, &comparison->inputs[i].rows[k]);
    cup_intern_clear(&keys);
    return result == 0 && comparison->count ? sort_rows(comparison) : result;
}

struct cup_value cup_compared_value(const struct cup_compared *row, size_t input)
{
    return row->figures[input] ? row->figures[input]->value : cup_null();
}

const char *cup_compared_source(const struct cup_compared *row, size_t input)
{
    if (row->figures[input])
        return row->figures[input]->source;
    return strcmp(row->section, "tasks_by_prefix") == 0 ? "this run has no task with this prefix"
           : strcmp(row->section, "datasets") == 0      ? "this run has no such dataset"
           : strcmp(row->section, "functions") == 0     ? "this run has no stack with this function"
                                                        : "this input has no such figure";
}

/* ---- changes ---------------------------------------------------------------------------- */

static bool is_amount(struct cup_value value)
{
    return value.kind == CUP_VALUE_COUNT || value.kind == CUP_VALUE_SIGNED ||
           value.kind == CUP_VALUE_SECONDS || value.kind == CUP_VALUE_REAL;
}

const char *const cup_verdict_names[] = {
    [CUP_VERDICT_NONE] = NULL, [CUP_VERDICT_BETTER] = "better", [CUP_VERDICT_WORSE] = "worse"};

static enum cup_verdict judge(const struct cup_comparison *comparison,
                              const struct cup_direction *direction, double by, double from,
                              double noise)
{
    if (direction->better == CUP_BETTER_UNKNOWN || by == 0 ||
        fabs(by) < CUP_LEAST_CHANGE * fabs(from) || !(fabs(by) > noise) ||
        (direction->same_work && !comparison->same_work))
        return CUP_VERDICT_NONE;
    return (by > 0) == (direction->better == CUP_BETTER_HIGHER) ? CUP_VERDICT_BETTER
                                                                : CUP_VERDICT_WORSE;
}

struct cup_change cup_change_of(const struct cup_comparison *comparison,
                                const struct cup_compared *row, size_t input)
{
    struct cup_value from = cup_compared_value(row, comparison->baseline);
    struct cup_value to = cup_compared_value(row, input);
    if (input == comparison->baseline || !is_amount(from) || !is_amount(to))
        return (struct cup_change){.by = cup_null(), .relative = cup_null(), .noise = NAN};
    double by = cup_number(to) - cup_number(from);
    double noise =
        hypot(cup_number(from) * cup_figure_noise(&comparison->inputs[comparison->baseline],
                                                  row->figures[comparison->baseline]),
              cup_number(to) * cup_figure_noise(&comparison->inputs[input], row->figures[input]));
    return (struct cup_change){
        .by = cup_real(by),
        .relative = cup_ratio(by, fabs(cup_number(from))),
        .noise = cup_number(cup_ratio(noise, fabs(cup_number(from)))),
        .verdict = judge(comparison, &row->direction, by, cup_number(from), noise),
    };
}

char *cup_change_text(char to[CUP_CHANGE_TEXT], const struct cup_change *change)
{
    enum { FACTOR = 10 }; /* from here on a factor is easier to read than a percentage */
    double relative = cup_number(change->relative);
    to[0] = '\0';
    if (isnan(relative))
        snprintf(to, CUP_CHANGE_TEXT, "%s", cup_number(change->by) == 0 ? "=" : "");
    else if (relative == 0)
        snprintf(to, CUP_CHANGE_TEXT, "=");
    else if (fabs(relative) < CUP_LEAST_CHANGE)
        snprintf(to, CUP_CHANGE_TEXT, "<0.1 %%");
    else if (relative >= FACTOR - 1)
        snprintf(to, CUP_CHANGE_TEXT, relative >= 999 ? "x %.3g" : "x %.1f", relative + 1);
    else
        snprintf(to, CUP_CHANGE_TEXT, "%+.1f %%", relative * 100);
    return to;
}

/* ---- what differs ----------------------------------------------------------------------- */

static const char *keep(struct cup_comparison *comparison, const char *text)
{
    uint32_t id = cup_intern_add(&comparison->texts, text, strlen(text) + 1);
    return id ? cup_intern_text(&comparison->texts, id).bytes : NULL;
}

/* The text of an input that `what` compares; NULL: not known. */
typedef const char *input_text(struct cup_comparison *comparison, const struct cup_figures *input,
                               const char *what);

/* Adds a difference if two known texts differ. Unknown ones are not compared. */
static int compare_texts(struct cup_comparison *comparison, const char *what, input_text *text_of)
{
    struct cup_difference difference = {.what = what};
    const char *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < comparison->input_count; i++) {
        const char *text = text_of(comparison, &comparison->inputs[i], what);
        differ |= text && first && strcmp(text, first) != 0;
        first = first ? first : text;
        difference.texts[i] = text;
    }
    if (!differ)
        return 0;
    if (cup_array_grow(&comparison->differences, &comparison->difference_room,
                       comparison->difference_count, sizeof *comparison->differences) != 0)
        return -1;
    comparison->differences[comparison->difference_count++] = difference;
    return 0;
}

/* Numbers that must be equal in all inputs. */
static const struct {
    const char *what;
    enum cup_metric_id metric;
} numbers[] = {
    {"events", CUP_METRIC_total_events},
    {"chunks", CUP_METRIC_num_chunks},
    {"workers", CUP_METRIC_peak_workers},
    {"threads of a worker", CUP_METRIC_cores_per_worker},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const char *number_text(struct cup_comparison *comparison, const struct cup_figures *input,
                               const char *what)
{
    size_t i = 0;
    while (strcmp(numbers[i].what, what) != 0)
        i++;
    double number = cup_figures_number(input, numbers[i].metric);
    if (isnan(number) && numbers[i].metric == CUP_METRIC_peak_workers && input->workers)
        number = (double)input->workers;
    if (isnan(number))
        return NULL;
    bool whole = number == floor(number);
    return keep(comparison, CUP_SHOW_VALUE(whole ? cup_whole(number) : cup_real(number),
                                           whole ? CUP_UNIT_COUNT : CUP_UNIT_RATIO));
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Names in alphabetical order, however many there are; NULL when there are none. */
static const char *dataset_names(struct cup_comparison *comparison,
                                 const struct cup_figures *figures, const char *what)
{
    (void)what;
    enum { MOST = 64 };
    const char *names[MOST];
    char joined[400] = "";
    size_t count = 0, length = 0;
    for (size_t i = 0; i < figures->count && count < MOST; i++)
        if (strcmp(figures->rows[i].section, "datasets") == 0 &&
            strcmp(figures->rows[i].name, cup_dataset_figures[0].name) == 0)
            names[count++] = figures->rows[i].row;
    if (count == 0)
        return NULL;
    qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; i < count && length < sizeof joined; i++)
        length += (size_t)snprintf(joined + length, sizeof joined - length, "%s%s", i ? ", " : "",
                                   names[i]);
    return keep(comparison, joined);
}

/* ---- files: names, and sizes where both know them ---- */

static int by_path(const void *left, const void *right)
{
    return strcmp(((const struct cup_input_file *)left)->path,
                  ((const struct cup_input_file *)right)->path);
}

static const struct cup_input_file *find_file(const struct cup_figures *figures, const char *path)
{
    const struct cup_input_file wanted = {.path = path};
    return figures->file_count
               ? bsearch(&wanted, figures->files, figures->file_count, sizeof wanted, by_path)
               : NULL;
}

struct file_changes {
    size_t missing, other, resized; /* against the baseline */
    const char *example;
};

static struct file_changes file_changes(const struct cup_figures *from,
                                        const struct cup_figures *to)
{
    struct file_changes changes = {0};
    for (size_t i = 0; i < from->file_count; i++) {
        const struct cup_input_file *file = find_file(to, from->files[i].path);
        bool resized = file && file->size != from->files[i].size && file->size != CUP_UNKNOWN64 &&
                       from->files[i].size != CUP_UNKNOWN64;
        changes.missing += !file;
        changes.resized += resized;
        if ((!file || resized) && !changes.example)
            changes.example = from->files[i].path;
    }
    for (size_t i = 0; i < to->file_count; i++)
        if (!find_file(from, to->files[i].path)) {
            changes.other++;
            changes.example = changes.example ? changes.example : to->files[i].path;
        }
    return changes;
}

static const char *files_text(struct cup_comparison *comparison, const struct cup_figures *to,
                              const char *what)
{
    (void)what;
    const struct cup_figures *from = &comparison->inputs[comparison->baseline];
    char text[300];
    if (from->file_count == 0 || to->file_count == 0)
        return NULL;
    struct file_changes changes = file_changes(from, to);
    int length = snprintf(text, sizeof text, "%zu", to->file_count);
    if (changes.missing + changes.other + changes.resized)
        snprintf(text + length, sizeof text - (size_t)length,
                 " (%zu missing, %zu others, %zu with another size; for example %s)",
                 changes.missing, changes.other, changes.resized, basename(changes.example));
    return keep(comparison, text);
}

/* ---- versions and the like ---- */

static const char *fact_text(struct cup_comparison *comparison, const struct cup_figures *input,
                             const char *name)
{
    (void)comparison;
    return cup_figures_fact(input, name);
}

static bool is_compared(const struct cup_comparison *comparison, const char *what)
{
    for (size_t i = 0; i < comparison->difference_count; i++)
        if (strcmp(comparison->differences[i].what, what) == 0)
            return true;
    return false;
}

static int compare_facts(struct cup_comparison *comparison)
{
    for (size_t i = 0; i < comparison->input_count; i++)
        for (size_t k = 0; k < comparison->inputs[i].fact_count; k++) {
            const char *name = comparison->inputs[i].facts[k].name;
            if (!is_compared(comparison, name) && compare_texts(comparison, name, fact_text) != 0)
                return -1;
        }
    return 0;
}

static int find_differences(struct cup_comparison *comparison)
{
    for (size_t i = 0; i < NUMBERS; i++)
        if (compare_texts(comparison, numbers[i].what, number_text) != 0)
            return -1;
    return compare_texts(comparison, "datasets", dataset_names) ||
                   compare_texts(comparison, "files", files_text) || compare_facts(comparison)
               ? -1
               : 0;
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool do_same_work(const struct cup_figures *inputs, size_t count)
{
    double events = cup_figures_number(&inputs[0], CUP_METRIC_total_events);
    for (size_t i = 0; i < count; i++)
        if (!(cup_figures_number(&inputs[i], CUP_METRIC_total_events) == events))
            return false;
    return events > 0;
}

static void set_scaling(struct cup_comparison *comparison)
{
    static const char formula[] = "throughput(n) / (throughput(n0) * n / n0), events per second "
                                  "by cores where both are known";
    comparison->scaling =
        cup_scaling_make(comparison->inputs, comparison->input_count, comparison->baseline);
    for (size_t i = 0; i < comparison->input_count; i++) {
        struct cup_value value = cup_real(cup_scaling_efficiency(&comparison->scaling, i));
        const char *why = comparison->scaling.missing ? comparison->scaling.missing
                                                      : "its throughput or its size is not known";
        struct cup_run_figure *figure =
            cup_figures_set(&comparison->inputs[i], CUP_METRIC_scaling_efficiency, value,
                            value.kind == CUP_VALUE_NULL ? why : formula);
        if (figure) {
            figure->label = "scaling efficiency";
            figure->unit = CUP_UNIT_SHARE;
        }
    }
}

int cup_comparison_make(struct cup_comparison *comparison, struct cup_figures *inputs, size_t count,
                        size_t baseline)
{
    *comparison =
        (struct cup_comparison){.inputs = inputs, .input_count = count, .baseline = baseline};
    comparison->same_work = do_same_work(inputs, count);
    set_scaling(comparison);
    if (add_rows(comparison) == 0 && find_differences(comparison) == 0)
        return 0;
    cup_comparison_free(comparison);
    return -1;
}

void cup_comparison_free(struct cup_comparison *comparison)
{
    free(comparison->rows);
    free(comparison->differences);
    cup_intern_clear(&comparison->texts);
    *comparison = (struct cup_comparison){0};
}
