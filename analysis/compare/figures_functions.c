/* What functions cost, for each event, or, where events are not known, for each task. A function is
 * the same in two runs by its name and file: lines move as files are edited, so its first line is
 * no part of it, and several of one name (lambdas) are one. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/compare/figures.h"
#include "analysis/compare/json_file.h"
#include "analysis/compare/run_stacks.h"
#include "analysis/metrics/formulas.h"
#include "analysis/metrics/functions/functions.h"

const struct cup_function_figure cup_function_figures[] = {
    {"self_cpu_per_event_s", "self_cpu_per_task_s", "CPU time, self", CUP_UNIT_SECONDS, CUP_W_CPU,
     false, false},
    {"total_cpu_per_event_s", "total_cpu_per_task_s", "CPU time, with all it calls",
     CUP_UNIT_SECONDS, CUP_W_CPU, true, false},
    {"self_wait_per_event_s", "self_wait_per_task_s", "waits, self", CUP_UNIT_SECONDS, CUP_W_WAIT,
     false, false},
    {"total_read_per_event_bytes", "total_read_per_task_bytes", "bytes read, with all it calls",
     CUP_UNIT_BYTES, CUP_W_READ, true, false},
    {"self_alloc_per_event_bytes", "self_alloc_per_task_bytes", "bytes allocated, self",
     CUP_UNIT_BYTES, CUP_W_ALLOC, false, false},
    {"native_self_wait_per_event_s", "native_self_wait_per_task_s", "waits, self, native",
     CUP_UNIT_SECONDS, CUP_W_WAIT, false, true},
    {"native_total_read_per_event_bytes", "native_total_read_per_task_bytes",
     "bytes read, with all it calls, native", CUP_UNIT_BYTES, CUP_W_READ, true, true},
    {"native_self_alloc_per_event_bytes", "native_self_alloc_per_task_bytes",
     "bytes allocated, self, native", CUP_UNIT_BYTES, CUP_W_ALLOC, false, true},
};
const size_t cup_function_figure_count = sizeof cup_function_figures / sizeof *cup_function_figures;
enum { FIGURES = sizeof cup_function_figures / sizeof *cup_function_figures };

/* ---- sums by name and file ---------------------------------------------------------------- */

struct sums {
    bool native;
    double amounts[FIGURES]; /* in seconds and bytes */
};

struct adding {
    struct cup_figures *figures;
    struct cup_intern names; /* id - 1 is the index in sums */
    struct sums *sums;       /* owned */
    size_t room;
};

static struct sums *sums_of(struct adding *adding, const char *name, bool native)
{
    size_t before = adding->names.count;
    uint32_t id = cup_intern_add(&adding->names, name, strlen(name));
    if (id == 0 || (adding->names.count > before &&
                    cup_array_grow(&adding->sums, &adding->room, id - 1, sizeof *adding->sums))) {
        adding->figures->short_of_memory = true;
        return NULL;
    }
    if (adding->names.count > before)
        adding->sums[id - 1] = (struct sums){.native = native};
    return &adding->sums[id - 1];
}

static void add_figure(struct adding *adding, const char *row, bool by_event, int which,
                       double amount)
{
    const struct cup_function_figure *kind = &cup_function_figures[which];
    cup_figures_add(adding->figures,
                    (struct cup_run_figure){.section = "functions",
                                            .row = row,
                                            .name = by_event ? kind->by_event : kind->by_task,
                                            .label = kind->label,
                                            .unit = kind->unit,
                                            .value = cup_real(amount),
                                            .source = "P: stacks at events, and samples"});
}

/* Divides the sums by COUNT events or tasks and adds them as figures. */
static void finish(struct adding *adding, bool by_event, double count)
{
    for (uint32_t id = 1; id < adding->names.count && count > 0; id++) {
        const struct cup_text name = cup_intern_text(&adding->names, id);
        const char *row = cup_figures_keep(adding->figures, name.bytes, name.length);
        const struct sums *sums = &adding->sums[id - 1];
        for (int i = 0; i < FIGURES; i++)
            if (cup_function_figures[i].native == sums->native)
                add_figure(adding, row, by_event, i, sums->amounts[i] / count);
    }
    cup_intern_clear(&adding->names);
    free(adding->sums);
}

/* "select (mine.py)", the user's files by their names alone. */
static char *name_of(char to[CUP_FRAME_ROOM], struct cup_text name, struct cup_text file, bool user)
{
    struct cup_text shown = user ? cup_same_file(file) : file;
    snprintf(to, CUP_FRAME_ROOM, shown.length ? "%.*s (%.*s)" : "%.*s",
             name.length < 200 ? (int)name.length : 200, name.length ? name.bytes : "",
             shown.length < 280 ? (int)shown.length : 280, shown.length ? shown.bytes : "");
    return to;
}

/* ---- of a profile ------------------------------------------------------------------------- */

static void add_function(struct adding *adding, const struct cup_call_tree *tree,
                         const struct cup_function_row *row)
{
    const struct cup_function *function = &tree->functions[row->of];
    char name[CUP_FRAME_ROOM];
    name_of(name, cup_call_text(tree, function->name), cup_call_text(tree, function->file),
            function->user);
    struct sums *sums = sums_of(adding, name, function->kind == CUP_FRAME_NATIVE);
    for (int i = 0; sums && i < FIGURES; i++) {
        const struct cup_function_figure *kind = &cup_function_figures[i];
        const struct cup_weights *weights = kind->total ? &row->total : &row->self;
        sums->amounts[i] += cup_number(cup_weight_value(kind->weight, weights->of[kind->weight]));
    }
}

void cup_figures_add_functions(struct cup_figures *figures, const struct cup_totals *totals)
{
    struct adding adding = {.figures = figures};
    struct cup_functions functions;
    bool by_event = totals->events > 0 && cup_events_known(totals);
    if (cup_functions_make(&functions, totals->calls, CUP_ALL_PREFIXES) != 0) {
        figures->short_of_memory = true;
        return;
    }
    for (size_t i = 0; i < functions.functions.count; i++)
        add_function(&adding, totals->calls, &functions.functions.rows[i]);
    for (size_t i = 0; i < functions.natives.count; i++)
        add_function(&adding, totals->calls, &functions.natives.rows[i]);
    finish(&adding, by_event, (double)(by_event ? totals->events : totals->calls->tasks));
    cup_functions_free(&functions);
}

/* ---- of a report that was saved ----------------------------------------------------------- */

static double amount_of(const json_t *row, const struct cup_function_figure *kind)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", kind->total ? "total_" : "",
             cup_weight_names[kind->weight]);
    double amount = cup_number(cup_json_number(json_object_get(row, name)));
    return isfinite(amount) ? amount : 0;
}

static void read_row(struct adding *adding, const json_t *row, bool native)
{
    char name[CUP_FRAME_ROOM];
    name_of(name, cup_json_text(json_object_get(row, "function")),
            cup_json_text(json_object_get(row, "file")),
            json_is_true(json_object_get(row, "user")));
    struct sums *sums = sums_of(adding, name, native);
    for (int k = 0; sums && k < FIGURES; k++)
        sums->amounts[k] += amount_of(row, &cup_function_figures[k]);
}

void cup_figures_read_functions(struct cup_figures *figures, const json_t *root)
{
    const json_t *section = json_object_get(root, "functions");
    const json_t *rows = json_object_get(section, "rows");
    const json_t *natives = json_object_get(section, "native");
    double events = cup_number(
        cup_json_number(json_object_get(json_object_get(root, "workflow"), "total_events")));
    double tasks = cup_number(cup_json_number(json_object_get(section, "tasks")));
    struct adding adding = {.figures = figures};
    for (size_t i = 0; i < json_array_size(rows); i++)
        read_row(&adding, json_array_get(rows, i), false);
    for (size_t i = 0; i < json_array_size(natives); i++)
        if (json_is_null(json_object_get(json_array_get(natives, i), "prefix"))) /* all tasks */
            read_row(&adding, json_array_get(natives, i), true);
    finish(&adding, events > 0, events > 0 ? events : tasks);
}
