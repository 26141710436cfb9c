/* The metrics of the whole run, and how efficient it was. */
#include <math.h>

#include "analysis/report/page/section.h"

const struct cup_report_section cup_workflow_section = {
    .name = "workflow",
    .shown = CUP_SHOWN_IN_PAGE,
    .needs = CUP_NEEDS_BASKETS,
    .heading = "Workflow",
    .note = "",
    .metrics = &cup_workflow_metrics,
};

/* ---- efficiency --------------------------------------------------------------------------- */

/* The two ways to count threads give different shares where workers of different sizes come and go.
 */
static void print_other_cores(const struct cup_page *page)
{
    double average = cup_metric_number(CUP_METRIC_avg_cores, page->totals);
    double total = cup_metric_number(CUP_METRIC_total_cores, page->totals);
    if (cup_tasks_known(page->totals) && fabs(average - total) > 0.01 * average)
        cup_page_line(
            page, CUP_DIM,
            "The first is relative to avg_cores (%.2f threads), the second to total_cores (%.2f). "
            "Exchanged, they are %s and %s.",
            average, total, CUP_SHOW_METRIC(page, CUP_METRIC_thread_cpu_efficiency_total_cores),
            CUP_SHOW_METRIC(page, CUP_METRIC_core_efficiency_avg_cores));
}

static int print_efficiency(const struct cup_page *page)
{
    cup_page_heading(page, "Efficiency", "");
    cup_page_metrics(page, &cup_efficiency_metrics);
    print_other_cores(page);
    return 0;
}

static void put_waste(struct report *report, const char *reason, const struct cup_waste *waste,
                      bool ended)
{
    cup_json_row(&report->json, reason);
    put(report, "tasks", cup_count(waste->tasks));
    put_ns(report, "wall_s", waste->wall_ns);
    put(report, "cpu_s", ended ? cup_ns(waste->cpu_ns) : cup_null());
    bool files = cup_profile_measured(report->totals->profile, CUP_FEATURE_FILES);
    put(report, "read_bytes",
        cup_value_if(files && !waste->bytes_unknown, cup_count(waste->read_bytes)));
    cup_json_end_object(&report->json);
}

static void put_waste_by_reason(struct report *report)
{
    const struct cup_waste_reasons *waste = report->totals->waste;
    const struct cup_waste none = {0};
    cup_json_object(&report->json, "wasted_by_reason");
    put_waste(report, "failed", &waste->failed, true);
    put_waste(report, "retried", &waste->retried, true);
    put_waste(report, "stolen", &none, true);
    put_waste(report, "lost_with_worker", &waste->lost, true);
    put_waste(report, "killed", &waste->killed, waste->killed.tasks == 0);
    cup_json_end_object(&report->json);
}

const struct cup_report_section cup_efficiency_section = {
    .name = "efficiency",
    .metrics = &cup_efficiency_metrics,
    .print = print_efficiency,
    .put_keys = put_waste_by_reason,
};
