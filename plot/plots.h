/* The plots: what each answers, what it is made of, and how it is drawn. To add one, write
 * data_NAME.c (what is shown, without cairo), chart_NAME.c (how) and a line in plots.c: see
 * docs/contributing/add-a-plot.md. */
#ifndef CUPPING_PLOT_PLOTS_H
#define CUPPING_PLOT_PLOTS_H

#include <stdio.h>

#include "analysis/metrics/totals.h"
#include "plot/figure/arena.h"
#include "plot/figure/canvas.h"
#include "plot/figure/figure.h"

/* What a plot's data are made from, and what the making says of them. */
struct cup_plot_input {
    const struct cup_totals *totals;  /* of the run; NULL where there are several */
    const struct cup_plot_runs *runs; /* those, see runs.h; NULL where there is one */
    struct cup_arena *arena;          /* what is made lives here */
    char reason[240];  /* why there is nothing to draw: filled by whoever returns NULL */
    char caption[560]; /* what was counted, over what, and who says so */
};

struct cup_plot {
    const char *name; /* a contract: letters, digits and '-' */
    const char *title;
    const char *answers; /* one line */
    /* The data, or NULL: input->reason then says why, or is empty for want of memory. */
    const void *(*make)(struct cup_plot_input *input);
    void (*draw)(struct cup_figure *figure, const void *data);
};

/* Those of one run, and those of several. */
extern const struct cup_plot cup_plots[];
extern const size_t cup_plot_count;
extern const struct cup_plot cup_run_plots[];
extern const size_t cup_run_plot_count;

/* Those that people ask for and that no log holds the data of. */
struct cup_plot_missing {
    const char *name, *answers, *reason;
};
extern const struct cup_plot_missing cup_plots_missing[];
extern const size_t cup_plots_missing_count;

/* NULL if there is none of that name; of one run, and of several. */
const struct cup_plot *cup_find_plot(const char *name);
const struct cup_plot *cup_find_run_plot(const char *name);
const struct cup_plot_missing *cup_find_missing_plot(const char *name);

/* How it is drawn. */
struct cup_plot_style {
    enum cup_format format;
    double width, height; /* inches */
    double pixels;        /* per inch, of a PNG */
    bool dark;
};
extern const char
    *const cup_format_names[]; /* "png", "svg", "pdf": also the end of a file's name */

/* Makes the data, for cup_plot_draw(). Returns 0; 1 if it cannot be drawn from this profile, and
 * input->reason says why; -1 and *error. Clear the arena when done. */
int cup_plot_make(const struct cup_plot *plot, struct cup_plot_input *input, const void **data,
                  struct cup_error *error);

/* Draws. The canvas is open after it, also for looking at what was written where: close it. On -1
 * there is nothing to close. */
int cup_plot_draw(const struct cup_plot *plot, const struct cup_plot_input *input, const void *data,
                  const struct cup_plot_style *style, struct cup_canvas *canvas,
                  const struct cup_bytes **bytes, struct cup_error *error);

/* Likewise, for a page of HTML: as SVG without texts and legend's names, which are in
 * canvas->written and in the legend. */
struct cup_legend {
    struct cup_key keys[CUP_KEYS];
    size_t count;
    char caption[840];
};
int cup_plot_draw_for_page(const struct cup_plot *plot, const struct cup_plot_input *input,
                           const void *data, const struct cup_plot_style *style,
                           struct cup_legend *legend, struct cup_canvas *canvas,
                           const struct cup_bytes **bytes, struct cup_error *error);

/* What the run is called: its directory's own name. */
void cup_plot_run_name(char *to, size_t room, const struct cup_profile *profile);

/* ---- for data_*.c ------------------------------------------------------------------------- */

/* Says why there is nothing to draw; returns NULL. */
__attribute__((format(printf, 2, 3))) const void *cup_plot_none(struct cup_plot_input *input,
                                                                const char *format, ...);

/* "100,000 chunks", "1 chunk". Returns `to`. */
char *cup_plot_counted(char to[64], uint64_t count, const char *what);

/* Sets input->caption. */
__attribute__((format(printf, 2, 3))) void cup_plot_say(struct cup_plot_input *input,
                                                        const char *format, ...);

#endif
