/* Compares runs: their figures side by side, differences of their inputs, and how they scale. */
#pragma once

#include "analysis/compare/figures.h"

enum { CUP_COMPARE_MOST = 26 }; /* each has a letter, A to Z */

/* How throughput grows with workers and with cores, from two or more runs:
 *     efficiency(n) = throughput(n) / (throughput(n0) * n / n0)
 * n0 is the number of the baseline; if it is not known, the smallest. */
enum cup_scaling_size { CUP_BY_WORKERS, CUP_BY_CORES, CUP_SCALING_SIZES };
enum cup_scaling_rate { CUP_OF_EVENTS, CUP_OF_BYTES, CUP_SCALING_RATES };

/* NAN: not known. */
struct cup_scaling_row {
    double size[CUP_SCALING_SIZES];
    double rate[CUP_SCALING_RATES]; /* events per second and Gbit/s, over wall time */
    double efficiency[CUP_SCALING_RATES][CUP_SCALING_SIZES];
};

struct cup_scaling {
    struct cup_scaling_row rows[CUP_COMPARE_MOST];
    size_t count;
    const char *sizes_are[CUP_SCALING_SIZES], *bytes_are; /* what the columns contain */
    int reference[CUP_SCALING_SIZES];                     /* the reference runs; -1: none */
    const char *missing; /* why there is no efficiency; NULL: there is one */
};

struct cup_scaling cup_scaling_make(const struct cup_figures *inputs, size_t count,
                                    size_t baseline);

/* The efficiency of a run: by cores rather than workers, of events rather than bytes, as far as
 * known; otherwise NAN. */
double cup_scaling_efficiency(const struct cup_scaling *scaling, size_t input);

/* One figure of all inputs. */
struct cup_compared {
    const char *section, *row, *name, *label;
    enum cup_unit unit;
    struct cup_direction direction;
    const struct cup_run_figure *figures[CUP_COMPARE_MOST]; /* NULL: this input does not have it */
};

/* A property of the inputs that should be equal: their work, workers, versions and so on. */
struct cup_setting {
    const char *what;
    const char *texts[CUP_COMPARE_MOST]; /* NULL: not known */
    bool differs;                        /* two runs are known not to be alike */
    bool unknown;                        /* some input does not know it */
};

struct cup_comparison {
    struct cup_figures *inputs; /* not owned */
    size_t input_count, baseline;
    struct cup_compared *rows; /* owned; by section, in the order of the report */
    size_t count, room;
    struct cup_setting *settings; /* owned */
    size_t setting_count, setting_room, difference_count;
    struct cup_intern texts; /* of the settings */
    struct cup_scaling scaling;
    bool same_work; /* all inputs have the same number of events */
};

/* Also sets efficiency.scaling_efficiency of the inputs, which must outlive the comparison. At
 * least one input. Returns 0, or -1 without memory (then there is nothing to free). */
int cup_comparison_make(struct cup_comparison *comparison, struct cup_figures *inputs, size_t count,
                        size_t baseline);
void cup_comparison_free(struct cup_comparison *comparison);

/* The setting of that name; NULL: no input has it. */
const struct cup_setting *cup_setting_find(const struct cup_comparison *comparison,
                                           const char *what);

/* Finds the settings of all inputs. Returns 0, or -1 without memory. Called by
 * cup_comparison_make(). */
int cup_settings_make(struct cup_comparison *comparison);

enum cup_verdict { CUP_VERDICT_NONE, CUP_VERDICT_BETTER, CUP_VERDICT_WORSE };
extern const char *const cup_verdict_names[]; /* NULL, "better", "worse" */

/* Changes below this share of the baseline are no changes: half of the 0.1 % that a table can show.
 */
#define CUP_LEAST_CHANGE 0.0005

/* How far a figure of a run lies at least from that of another run of the same job, as a share of
 * it: two standard errors of the mean over the run's chunks, for figures made from their times; 0
 * for what is counted; NAN for everything else, which one run does not show. What changes for all
 * chunks alike, such as the load of the machine, is not in it. */
double cup_figure_noise(const struct cup_figures *figures, const struct cup_run_figure *figure);

/* Fewer chunks than this show no noise. */
enum { CUP_NOISE_CHUNKS = 8 };

/* True if the input and the baseline stand for two or more runs each: they show how far runs of the
 * same job differ. */
bool cup_has_several_runs(const struct cup_comparison *comparison, size_t input);

/* The noise of the change of a figure that both have, in the unit of the figure. Of several runs a
 * side: their spread, which is Welch's t times the standard error of the difference, at 95 %. Else
 * the noise of the chunks, at least. NAN: not known. */
double cup_change_noise(const struct cup_comparison *comparison, const struct cup_compared *row,
                        size_t input);

/* What changed against the baseline. */
struct cup_change {
    struct cup_value by;       /* null if either value is null or not a number */
    struct cup_value relative; /* by / baseline; null also where the baseline is 0 */
    double noise;              /* cup_change_noise() as a share of the baseline; NAN: not known */
    /* None if the change is not known to be more than runs of the same job differ: with one run on
     * a side, only what is counted is judged. */
    enum cup_verdict verdict;
};
struct cup_change cup_change_of(const struct cup_comparison *comparison,
                                const struct cup_compared *row, size_t input);

/* The change of what the verdict is about: the wall time, or events per second if the inputs did
 * not do the same work. Null and NAN if it is not known. */
struct cup_change cup_compare_speed(const struct cup_comparison *comparison, size_t input);

/* Whether an input is faster than the baseline, as one sentence. Returns `to`. */
enum { CUP_VERDICT_TEXT = 1200 };
char *cup_compare_verdict(char to[CUP_VERDICT_TEXT], const struct cup_comparison *comparison,
                          size_t input);

/* "-12.3 %", "x 14.2", "=", "<0.1 %", or nothing. Returns `to`. */
enum { CUP_CHANGE_TEXT = 48 };
char *cup_change_text(char to[CUP_CHANGE_TEXT], const struct cup_change *change);

struct cup_value cup_compared_value(const struct cup_compared *row, size_t input);

/* Where the value comes from, or why it is null. */
const char *cup_compared_source(const struct cup_compared *row, size_t input);

/* All sections, in order; name NULL at the end. The last three have no table of figures. */
struct cup_compare_section {
    const char *name, *heading;
    bool on_request; /* printed only with --only */
    bool rows;       /* has rows: prefixes or datasets */
};
extern const struct cup_compare_section cup_compare_sections[];
