/* What the tables of functions share. */
#ifndef CUPPING_ANALYSIS_REPORT_SECTIONS_FUNCTIONS_FUNCTIONS_H
#define CUPPING_ANALYSIS_REPORT_SECTIONS_FUNCTIONS_FUNCTIONS_H

#include "analysis/metrics/functions/functions.h"
#include "analysis/report/page/rows.h"

/* What tables have columns of, where anything of it was seen. */
struct cup_shown_weight {
    enum cup_weight weight;
    const char *heading, *hot;
    unsigned rank;
};
enum { CUP_SHOWN_WEIGHTS = 4 };
extern const struct cup_shown_weight cup_shown_weights[CUP_SHOWN_WEIGHTS];

/* How many rows a table has on this page, where it has SCREEN on a terminal. */
size_t cup_shown_rows(const struct cup_page *page, size_t screen);

/* A paragraph. */
void cup_print_line(const struct cup_page *page, enum cup_style style, const char *line);

/* The functions with the most of a weight (index) of their own; puts them in that order. PLACE:
 * heading of the column with the file or library. */
void cup_print_hot(const struct cup_page *page, const struct cup_functions *functions,
                   struct cup_function_rows *rows, int which, const char *place);

/* Native functions, where there are such. */
void cup_print_natives(const struct cup_page *page, struct cup_functions *functions);

/* The section in the JSON; null without stacks. Returns 0, or -1 without memory. */
int cup_put_functions(struct report *report);

#endif
