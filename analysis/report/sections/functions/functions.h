/* What the tables of functions share. */
#pragma once

#include "analysis/metrics/functions/functions.h"
#include "analysis/report/page/rows.h"

/* The weights that have a column and a table, if the run has any of them. */
struct cup_shown_weight {
    enum cup_weight weight;
    const char *heading, *hot;
    unsigned rank;
};
enum { CUP_SHOWN_WEIGHTS = 4 };
extern const struct cup_shown_weight cup_shown_weights[CUP_SHOWN_WEIGHTS];

/* Prints the packages of all frames or of native ones, those with the most of `weight` first. */
void cup_print_packages(const struct cup_page *page, struct cup_functions *functions, bool native,
                        enum cup_weight weight);

/* Sorts the functions by their own amount of cup_shown_weights[which] and prints the first. PLACE:
 * heading of the column with the file or library. */
void cup_print_hot(const struct cup_page *page, const struct cup_functions *functions,
                   struct cup_function_rows *rows, int which, const char *place);

/* The amount of cup_shown_weights[which]. */
static inline uint64_t cup_shown_amount(const struct cup_weights *weights, int which)
{
    return weights->of[cup_shown_weights[which].weight];
}

/* Prints the tables of native functions, if there are any. */
void cup_print_natives(const struct cup_page *page, struct cup_functions *functions);

/* Writes the section as JSON: null without stacks. Returns 0, or -1 without memory. */
int cup_put_functions(struct report *report);
