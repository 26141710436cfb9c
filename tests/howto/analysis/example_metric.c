/* A metric, for docs/contributing/add-a-metric.md. In the program the row is all: enum, table and
 * section are made in analysis/metrics/metrics.h and at the end of each metrics_SECTION.c. */
#include <criterion/criterion.h>

#include "analysis/metrics/metrics.h"
#include "tests/analysis/support.h"

#define CUP_METRIC_recorded_tasks CUP_METRIC_COUNT

#define METRIC_SECTION example
#define METRIC_ROWS "tests/howto/analysis/rows_example.h"
#include "analysis/metrics/section_table.h"

Test(howto, computes_a_metric)
{
    struct cup_profile profile;
    struct cup_totals totals;
    load_golden(&profile);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    const struct cup_metric *metric = &cup_example_metrics.metrics[0];
    cr_expect_str_eq(metric->name, "recorded_tasks");
    cr_expect_eq(cup_number(metric->compute(&totals)), (double)profile.task_count);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}
