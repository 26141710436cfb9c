/* The settings of runs, which must be equal for their figures to be comparable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/compare/compare.h"
#include "analysis/compare/inputs.h"

static const char *keep(struct cup_comparison *comparison, const char *text)
{
    uint32_t id = cup_intern_add(&comparison->texts, text, strlen(text) + 1);
    return id ? cup_intern_text(&comparison->texts, id).bytes : NULL;
}

/* The text of one run for the setting `what`; NULL: not known. */
typedef const char *run_text(struct cup_comparison *comparison, const struct cup_figures *run,
                             const char *what);

/* ---- numbers ---------------------------------------------------------------------------- */

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

static const char *show_number(struct cup_comparison *comparison, double number)
{
    bool whole = number == floor(number);
    return isnan(number)
               ? NULL
               : keep(comparison, CUP_SHOW_VALUE(whole ? cup_whole(number) : cup_real(number),
                                                 whole ? CUP_UNIT_COUNT : CUP_UNIT_RATIO));
}

static const char *number_text(struct cup_comparison *comparison, const struct cup_figures *run,
                               const char *what)
{
    size_t i = 0;
    while (strcmp(numbers[i].what, what) != 0)
        i++;
    double number = cup_figures_number(run, numbers[i].metric);
    if (isnan(number) && numbers[i].metric == CUP_METRIC_peak_workers && run->workers)
        number = (double)run->workers;
    return show_number(comparison, number);
}

/* Coffea makes chunks of at most this many events, so the largest shows the chunk size. */
static const char *chunk_size_text(struct cup_comparison *comparison, const struct cup_figures *run,
                                   const char *what)
{
    (void)what;
    const struct cup_run_figure *most = cup_figures_find_named(run, "chunks", "events_max");
    return most ? show_number(comparison, cup_number(most->value)) : NULL;
}

/* ---- datasets --------------------------------------------------------------------------- */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Names in alphabetical order; NULL when there are none. */
static const char *dataset_names(struct cup_comparison *comparison, const struct cup_figures *run,
                                 const char *what)
{
    (void)what;
    const char **names = calloc(run->count + 1, sizeof *names), *kept = NULL;
    char *joined = NULL;
    size_t count = 0, size = 0;
    FILE *out = names ? open_memstream(&joined, &size) : NULL;
    for (size_t i = 0; out && i < run->count; i++)
        if (strcmp(run->rows[i].section, "datasets") == 0 &&
            strcmp(run->rows[i].name, cup_dataset_figures[0].name) == 0)
            names[count++] = run->rows[i].row;
    if (count)
        qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? ", " : "", names[i]);
    if (out && fclose(out) == 0 && count)
        kept = keep(comparison, joined);
    free(names);
    free(joined);
    return kept;
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

/* The first run of the baseline. */
static const struct cup_figures *first_run(const struct cup_comparison *comparison)
{
    const struct cup_figures *input = &comparison->inputs[comparison->baseline];
    return input->run_count ? &input->runs[0] : input;
}

static const char *files_text(struct cup_comparison *comparison, const struct cup_figures *run,
                              const char *what)
{
    (void)what;
    const struct cup_figures *from = first_run(comparison);
    char text[300];
    if (from->file_count == 0 || run->file_count == 0)
        return NULL;
    struct file_changes changes = file_changes(from, run);
    int length = snprintf(text, sizeof text, "%zu", run->file_count);
    if (changes.missing + changes.other + changes.resized)
        snprintf(text + length, sizeof text - (size_t)length,
                 " (%zu missing, %zu added, %zu of another size; for example "
                 "%s)",
                 changes.missing, changes.other, changes.resized, basename(changes.example));
    return keep(comparison, text);
}

/* ---- versions and the like -------------------------------------------------------------- */

/* The logs have these only if they are set. */
static bool is_recorded_if_set(const char *name)
{
    return strcmp(name, "MALLOC_TRIM_THRESHOLD_") == 0 || strcmp(name, "CUPPING_INTERVAL") == 0;
}

static const char *fact_text(struct cup_comparison *comparison, const struct cup_figures *run,
                             const char *name)
{
    (void)comparison;
    const char *text = cup_figures_fact(run, name);
    return !text && run->fact_count && is_recorded_if_set(name) ? "not set" : text;
}

/* ---- sides ------------------------------------------------------------------------------ */

/* The text of a side whose runs are not alike: "4 (A1, A2), 8 (A3)". */
static const char *join_texts(struct cup_comparison *comparison, size_t input,
                              const char *const *texts, size_t count)
{
    char *joined = NULL, name[CUP_RUN_NAME];
    const char *kept = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&joined, &size);
    for (size_t i = 0; out && i < count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(texts[k], texts[i]) == 0;
        if (seen)
            continue;
        fprintf(out, "%s%s (%s", i ? ", " : "", texts[i],
                cup_input_run_name(name, comparison, input, i));
        for (size_t k = i + 1; k < count; k++)
            if (strcmp(texts[k], texts[i]) == 0)
                fprintf(out, ", %s", cup_input_run_name(name, comparison, input, k));
        putc(')', out);
    }
    if (out && fclose(out) == 0)
        kept = keep(comparison, joined);
    free(joined);
    return kept;
}

/* The text of an input. *differs becomes true if its own runs are not alike. NULL: one of its runs
 * does not know it. */
static const char *input_text(struct cup_comparison *comparison, size_t input, const char *what,
                              run_text *text_of, bool *differs)
{
    const struct cup_figures *figures = &comparison->inputs[input];
    const char *texts[CUP_COMPARE_MOST];
    bool mixed = false;
    if (!figures->run_count)
        return text_of(comparison, figures, what);
    for (size_t i = 0; i < figures->run_count; i++) {
        texts[i] = text_of(comparison, &figures->runs[i], what);
        if (!texts[i])
            return NULL;
        mixed |= strcmp(texts[i], texts[0]) != 0;
    }
    *differs |= mixed;
    return mixed ? join_texts(comparison, input, texts, figures->run_count) : texts[0];
}

/* ---- all of them ------------------------------------------------------------------------ */

/* Texts that differ in any two inputs differ, whatever the others are. */
static int add_setting(struct cup_comparison *comparison, const char *what, run_text *text_of)
{
    struct cup_setting setting = {.what = what};
    const char *first = NULL;
    for (size_t i = 0; i < comparison->input_count; i++) {
        const char *text = input_text(comparison, i, what, text_of, &setting.differs);
        setting.differs |= text && first && strcmp(text, first) != 0;
        setting.unknown |= !text;
        first = first ? first : text;
        setting.texts[i] = text;
    }
    comparison->difference_count += setting.differs;
    if (cup_array_grow(&comparison->settings, &comparison->setting_room, comparison->setting_count,
                       sizeof *comparison->settings) != 0)
        return -1;
    comparison->settings[comparison->setting_count++] = setting;
    return 0;
}

const struct cup_setting *cup_setting_find(const struct cup_comparison *comparison,
                                           const char *what)
{
    for (size_t i = 0; i < comparison->setting_count; i++)
        if (strcmp(comparison->settings[i].what, what) == 0)
            return &comparison->settings[i];
    return NULL;
}

static int add_facts(struct cup_comparison *comparison, const struct cup_figures *input)
{
    for (size_t i = 0; i < input->run_count; i++)
        if (add_facts(comparison, &input->runs[i]) != 0)
            return -1;
    for (size_t i = 0; i < input->fact_count; i++)
        if (!cup_setting_find(comparison, input->facts[i].name) &&
            add_setting(comparison, input->facts[i].name, fact_text) != 0)
            return -1;
    return 0;
}

/* Facts that are settings also if no input has them: then they are not known. Runs without Dask
 * have no version of it. */
static const char *const wanted_facts[] = {
    CUP_FACT_MEMORY_LIMIT, CUP_FACT_HOSTS, "python", "coffea", "uproot", "awkward", "numpy"};

int cup_settings_make(struct cup_comparison *comparison)
{
    int result = 0;
    for (size_t i = 0; i < NUMBERS && result == 0; i++)
        result = add_setting(comparison, numbers[i].what, number_text);
    if (result != 0 || add_setting(comparison, "events of the largest chunk", chunk_size_text) ||
        add_setting(comparison, "datasets", dataset_names) ||
        add_setting(comparison, "files", files_text))
        return -1;
    for (size_t i = 0; i < sizeof wanted_facts / sizeof *wanted_facts && result == 0; i++)
        result = add_setting(comparison, wanted_facts[i], fact_text);
    for (size_t i = 0; i < comparison->input_count && result == 0; i++)
        result = add_facts(comparison, &comparison->inputs[i]);
    return result;
}
