/* Figures of functions, in the section "functions": only where they are asked for. What a native
 * function did is that of the Python function, too, that called it: figures apart. */
#ifndef CUPPING_ANALYSIS_COMPARE_FIGURES_FUNCTIONS_H
#define CUPPING_ANALYSIS_COMPARE_FIGURES_FUNCTIONS_H

#include <jansson.h>

#include "analysis/compare/figures.h"
#include "analysis/metrics/functions/call_tree.h"

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

#endif
