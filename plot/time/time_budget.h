#ifndef CUPPING_PLOT_TIME_TIME_BUDGET_H
#define CUPPING_PLOT_TIME_TIME_BUDGET_H

#include "analysis/metrics/sums/budget.h"
#include "plot/shared/plot.h"

/* Each part begins where the one before it ends; together they are the whole time of the threads.
 */
struct cup_time_budget {
    struct {
        enum cup_budget_part part; /* unused in the first row, which is the whole time */
        double from, to;           /* percent */
        double seconds;
    } rows[CUP_BUDGET_COUNT + 1];
    struct cup_text names[CUP_BUDGET_COUNT + 1];
    size_t count;
};

#endif
