/* Runs and efficiency, in the report's JSON. */
#include "analysis/profile/runs.h"
#include "analysis/report/page/json_page.h"

/* How much earlier it may have begun, or later ended: null if nothing says when it had not. */
static struct cup_value uncertainty(int64_t from_ns, int64_t to_ns, int64_t bound_ns)
{
    return bound_ns > 0 && to_ns >= from_ns ? cup_seconds(to_ns - from_ns) : cup_null();
}

/* Tasks are counted where they were asked for. */
static void put_run(struct report *report, uint32_t index)
{
    const struct cup_run *run = &report->profile->runs[index];
    bool given = cup_run_is_given(run);
    bool asked = report->profile->run == index + 1;
    cup_json_row(&report->json, NULL);
    put(report, "run", cup_count(index + 1));
    put(report, "t_start", cup_time(run->start_ns));
    put(report, "t_stop", cup_time(run->stop_ns));
    put(report, "wall_time", cup_seconds(run->stop_ns - run->start_ns));
    put(report, "clock_compared", cup_bool(run->compared));
    put(report, "start_uncertainty_s",
        uncertainty(run->not_before_ns, run->start_ns, run->not_before_ns));
    put(report, "stop_uncertainty_s",
        uncertainty(run->stop_ns, run->not_after_ns, run->not_after_ns));
    put(report, "host", given ? cup_null() : cup_string(run->host));
    put(report, "pid", given ? cup_null() : cup_count(run->pid));
    put(report, "tasks", asked ? cup_count(report->totals->all.tasks) : cup_null());
    put(report, "chunks", asked ? cup_count(report->totals->used_chunks) : cup_null());
    cup_json_end_object(&report->json);
}

/* Without the client's Runner calls, everything from the first task to the last is one run. */
void cup_report_put_runs(struct report *report)
{
    put(report, "run", report->profile->run ? cup_count(report->profile->run) : cup_string("all"));
    cup_json_array(&report->json, "runs");
    for (uint32_t i = 0; i < report->profile->run_count; i++)
        put_run(report, i);
    if (report->profile->run_count == 0 && report->totals->all.tasks) {
        cup_json_row(&report->json, NULL);
        put(report, "run", cup_count(1));
        put(report, "t_start", cup_metric_value(CUP_METRIC_T_START, report->totals));
        put(report, "t_stop", cup_metric_value(CUP_METRIC_T_STOP, report->totals));
        put(report, "wall_time", cup_metric_value(CUP_METRIC_WALL_TIME, report->totals));
        put(report, "tasks", cup_count(report->totals->all.tasks));
        put(report, "chunks", cup_count(report->totals->used_chunks));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

void cup_report_put_efficiency(struct report *report)
{
    cup_json_object(&report->json, "efficiency");
    put_metrics(report, &cup_efficiency_metrics);
    cup_report_put_waste(report);
    cup_json_end_object(&report->json);
}
