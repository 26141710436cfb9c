/* All figures of one run, wherever they come from: a profile, a report saved as JSON, or a
 * measurement directory of roastcoffea. What `cupping compare` puts side by side. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "analysis/base/intern.h"
#include "analysis/compare/ramp.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/losses/completeness.h"
#include "analysis/metrics/metrics.h"

enum cup_input_kind {
    CUP_INPUT_PROFILE,
    CUP_INPUT_REPORT,
    CUP_INPUT_ROASTCOFFEA,
    CUP_INPUT_SIDE, /* several runs of one job */
};

/* The two times of a chunk: of its task, and inside process(). Not every kind of input has both. */
enum cup_chunk_time { CUP_CHUNK_TASK, CUP_CHUNK_PROCESS, CUP_CHUNK_TIMES };

/* How many numbers are spread, in a kilobyte: the numbers themselves, if they are few. */
enum { CUP_SPREAD_POINTS = 201 };

struct cup_spread {
    size_t count;                 /* how many numbers; 0: none */
    size_t points;                /* = count: `at` has all numbers; else it has quantiles */
    double at[CUP_SPREAD_POINTS]; /* ascending; [i]: the quantile i / (points - 1) */
};

/* Changes the order of `numbers`, which must all be known. */
struct cup_spread cup_spread_of(double *numbers, size_t count);

/* The spread of the numbers of several spreads together. Empty without memory. */
struct cup_spread cup_spread_merge(const struct cup_spread *const *spreads, size_t count);

/* The quantile for a share of 0 to 1; NAN if there are no numbers. */
double cup_spread_at(const struct cup_spread *spread, double share);

/* Collects numbers one by one. */
struct cup_numbers {
    double *numbers; /* owned */
    size_t count, room;
    int short_of_memory; /* out of memory: some numbers are missing */
};

/* Adds a number; ignores NAN and infinity. */
void cup_numbers_add(struct cup_numbers *numbers, double number);

/* Returns their spread, and frees the numbers. */
struct cup_spread cup_numbers_spread(struct cup_numbers *numbers);

/* One figure. Its texts are constant or owned by the cup_figures. */
struct cup_run_figure {
    const char *section;
    const char *row; /* in sections with rows the prefix or dataset; otherwise "" */
    const char *name;
    const char *label; /* for tables; NULL: in JSON and CSV only */
    enum cup_unit unit;
    struct cup_value value;
    const char *source; /* where the value comes from, or why it is null */
    struct cup_direction direction;
    double deviation; /* the standard deviation of the runs, if it stands for several; else 0 */
};

/* What must be the same in two runs for their figures to be comparable: "events", "python", ... */
struct cup_fact {
    const char *name, *text;
};

struct cup_input_file {
    const char *path;
    uint64_t size;
};

/* What is read only where it is asked for, because it takes longer. */
struct cup_figures_ask {
    bool chunks, functions, stacks;   /* spreads over all chunks, figures of functions, stacks */
    const struct cup_call_ask *tasks; /* the tasks whose stacks are wanted; NULL: all */
};

struct cup_figures {
    const char *path; /* as it was given */
    enum cup_input_kind kind;
    const char *run;             /* "2", "all"; NULL: there is only one */
    struct cup_run_figure *rows; /* owned, as the following */
    size_t count, room;
    struct cup_fact *facts;
    size_t fact_count, fact_room;
    struct cup_input_file *files; /* files that the chunks read, sorted by name */
    size_t file_count, file_room;
    struct cup_intern texts;
    uint64_t workers; /* number of workers; 0: not known */
    struct cup_ramp ramp;
    struct cup_figures_ask ask;                /* set first, by the caller */
    struct cup_run_stacks *stacks;             /* NULL: none, see run_stacks.h */
    const char *stacks_missing;                /* why a profile has none; constant */
    struct cup_spread chunks[CUP_CHUNK_TIMES]; /* chunks whose result was used, seconds */
    enum cup_run_state state;                  /* whether the run is complete */
    const char *completeness;                  /* the same, as a sentence; NULL: not known */
    uint64_t losses; /* chunks and files that are missing in the result; CUP_UNKNOWN64: not known */
    struct cup_figures *runs; /* owned; of CUP_INPUT_SIDE, whose figures are the runs' medians */
    size_t run_count;         /* 0: it is one run itself */
    bool short_of_memory;     /* a figure or text is missing for want of memory */
};

/* A copy, zero-terminated, of `length` bytes; "" without memory. */
const char *cup_figures_keep(struct cup_figures *figures, const char *bytes, size_t length);
const char *cup_figures_keep_string(struct cup_figures *figures, const char *string);

/* Adds a figure; texts in it must live as long as the figures. Returns it, valid until the next is
 * added; NULL without memory. */
struct cup_run_figure *cup_figures_add(struct cup_figures *figures, struct cup_run_figure figure);

void cup_figures_add_file(struct cup_figures *figures, const char *path, uint64_t size);

/* Sorts the files by name and removes duplicates. */
void cup_figures_sort_files(struct cup_figures *figures);

/* Find a figure of a section without rows, by section and name or by metric; NULL if there is none.
 */
struct cup_run_figure *cup_figures_find_named(const struct cup_figures *figures,
                                              const char *section, const char *name);
struct cup_run_figure *cup_figures_find(const struct cup_figures *figures,
                                        enum cup_metric_id metric);

/* The figure, null if it is missing; and as a number, NAN if it is null or missing. */
struct cup_value cup_figures_value(const struct cup_figures *figures, enum cup_metric_id metric);
double cup_figures_number(const struct cup_figures *figures, enum cup_metric_id metric);

/* The value of the figure with the section, row and name of `like`; null if there is none. */
struct cup_value cup_figures_row_value(const struct cup_figures *figures,
                                       const struct cup_run_figure *like);

/* The fact of that name; NULL: not known. */
const char *cup_figures_fact(const struct cup_figures *figures, const char *name);

void cup_figures_free(struct cup_figures *figures);

/* Adds every metric of the report as null, with this reason. */
void cup_figures_add_unknown(struct cup_figures *figures, const char *reason);

/* Set a figure, by metric or by the names in a file that the user gave, and add it if it is
 * missing. Return it; NULL without memory. */
struct cup_run_figure *cup_figures_set(struct cup_figures *figures, enum cup_metric_id metric,
                                       struct cup_value value, const char *source);
struct cup_run_figure *cup_figures_set_named(struct cup_figures *figures, const char *section,
                                             const char *name, struct cup_value value,
                                             const char *source);

/* A figure of this metric, without value and source. */
struct cup_run_figure cup_figure_of_metric(const struct cup_metric *metric);

/* ---- rows and statistics ---------------------------------------------------------------- */

/* The figures of a task prefix, of a dataset, and of the chunks, by name as in the report's JSON.
 */
struct cup_row_figure {
    const char *name, *label;
    enum cup_unit unit;
    struct cup_direction direction;
};
extern const struct cup_row_figure cup_prefix_figures[], cup_dataset_figures[];
extern const size_t cup_prefix_figure_count, cup_dataset_figure_count;

/* Adds a figure of the row that is called `row`. `source` NULL: sums over tasks. */
void cup_figures_add_of_row(struct cup_figures *figures, const char *section, const char *row,
                            const struct cup_row_figure *kind, struct cup_value value,
                            const char *source);

struct cup_statistic_row {
    const char *name, *label;
    enum cup_unit unit;
};
extern const struct cup_statistic_row cup_statistic_rows[CUP_STAT_COUNT];

/* Adds a statistic of the chunks: for example, name "time_s_mean", label "time of the task, mean".
 * `source` NULL: that of a profile. */
enum { CUP_CHUNK_FIGURES = 5 };
extern const char *const cup_chunk_figure_names[CUP_CHUNK_FIGURES]; /* "min", "mean", ... */
void cup_figures_add_statistic(struct cup_figures *figures, enum cup_chunk_statistic statistic,
                               int which, struct cup_value value, const char *source);

/* Stores the spread of the times of chunks, and frees the times. */
void cup_figures_set_chunks(struct cup_figures *figures, struct cup_numbers times[CUP_CHUNK_TIMES]);

/* Gathers facts (such as versions) of many processes. What workers recorded counts; facts of other
 * processes are used only if no worker recorded them. Different values of one fact are joined with
 * " + ". Command lines are left out. */
struct cup_fact_list {
    struct cup_figures *figures;
    struct cup_recorded_fact {
        const char *name, *value;
        bool worker;
    } * recorded; /* owned; without duplicates */
    size_t count, room;
};
/* Facts that are made of the workers: the texts of their limits, and of their hosts. */
#define CUP_FACT_MEMORY_LIMIT "memory limit of a worker"
#define CUP_FACT_HOSTS "hosts"
void cup_fact_list_add_limit(struct cup_fact_list *list, double bytes);

/* Adds "none" as a limit if a worker is known to have none. */
void cup_fact_list_add_no_limit(struct cup_fact_list *list);
void cup_fact_list_add(struct cup_fact_list *list, bool worker, const char *name,
                       struct cup_text value);
void cup_fact_list_finish(
    struct cup_fact_list *list); /* adds them to the figures, and frees the list */

/* ---- functions -------------------------------------------------------------------------- */

/* Figures of functions, in the section "functions": only where they are asked for. What a native
 * function did is that of the Python function, too, that called it: figures apart. */
struct cup_function_figure {
    const char *by_event, *by_task; /* its name: for each event of used chunks, or for each task */
    const char *label;
    enum cup_unit unit;
    enum cup_weight weight;
    bool total;  /* with all that the function calls */
    bool native; /* of native functions; else of all others */
};
extern const struct cup_function_figure cup_function_figures[];
extern const size_t cup_function_figure_count;

/* Of a profile, whose stacks are in totals->calls; of the report that `cupping report --json` made.
 */
void cup_figures_add_functions(struct cup_figures *figures, const struct cup_totals *totals);
void cup_figures_read_functions(struct cup_figures *figures, const json_t *root);

/* ---- sources of figures ----------------------------------------------------------------- */

/* Fills empty figures. Copies the profile's texts, so the profile may be freed. */
void cup_figures_from_totals(struct cup_figures *figures, const struct cup_totals *totals);

/* Fills empty figures from a file that `cupping report --json` wrote, with figures of functions if
 * ask.functions is set. Returns 0, or -1 and *error. */
int cup_figures_from_report(struct cup_figures *figures, const char *path, struct cup_error *error);
