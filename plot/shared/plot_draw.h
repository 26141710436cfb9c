/* Draws a plot for a file or for a page. */
#ifndef CUPPING_PLOT_SHARED_PLOT_DRAW_H
#define CUPPING_PLOT_SHARED_PLOT_DRAW_H

#include "plot/shared/plot.h"

struct cup_plot_style {
    enum cup_format format; /* of a file */
    double width, height;   /* inches */
    double pixels;          /* of a PNG, per inch */
    bool dark;              /* of a file; a page has both themes */
    bool for_page;          /* see struct cup_sheet */
};

struct cup_drawing {
    struct cup_canvas canvas;
    const struct cup_bytes *bytes; /* the file, or the shapes for a page */
    struct cup_key keys[CUP_KEYS]; /* the legend */
    size_t key_count;
    char caption[840]; /* with the run's name and date */
};

/* Draws the data that cup_plot_make() made of the input. Returns 0; close drawing->canvas when the
 * drawing is no longer needed. Returns -1 and *error if it fails; then there is nothing to close.
 */
int cup_plot_draw(const struct cup_plot *plot, const struct cup_plot_input *input, const void *data,
                  const struct cup_plot_style *style, struct cup_drawing *drawing,
                  struct cup_error *error);

/* Prints the name of a run: that of its directory. */
void cup_plot_run_name(char *to, size_t room, const struct cup_profile *profile);

#endif
