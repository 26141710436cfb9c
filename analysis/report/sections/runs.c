/* Calls of Coffea's Runner by the client. */
#include "analysis/profile/runs.h"
#include "analysis/metrics/metrics.h"
#include "analysis/report/page/section.h"

/* How much earlier the call may have begun, or later ended, in seconds; null if no other record
 * limits it. */
static struct cup_value uncertainty(int64_t from_ns, int64_t to_ns, int64_t bound_ns)
{
    return cup_value_if(bound_ns > 0 && to_ns >= from_ns, cup_seconds(to_ns - from_ns));
}

/* Only the reported run has a number of tasks: the others were not loaded. */
#define FIELDS(X)                                                                                  \
    X("run", COUNT, cup_count(number), .heading = "run")                                           \
    X("t_start", TIME, cup_time(run->start_ns), .heading = "start (UTC)")                          \
    X("t_stop", TIME, cup_time(run->stop_ns))                                                      \
    X("wall_time", SECONDS, cup_seconds(run->stop_ns - run->start_ns), .heading = "time")          \
    X("planned_chunks", COUNT, cup_count_if(cup_run_is_planned(run), run->planned_chunks),         \
      .heading = "planned chunks", .rank = 2)                                                      \
    X("planned_events", COUNT, cup_count_if(run->plan == CUP_PLAN_KNOWN, run->planned_events),     \
      .heading = "planned events")                                                                 \
    X("clock_compared", BOOL, cup_bool(run->compared))                                             \
    X("start_uncertainty_s", SECONDS,                                                              \
      uncertainty(run->not_before_ns, run->start_ns, run->not_before_ns))                          \
    X("stop_uncertainty_s", SECONDS,                                                               \
      uncertainty(run->stop_ns, run->not_after_ns, run->not_after_ns))                             \
    X("host", TEXT, cup_value_if(!given, cup_string(run->host)), .heading = "host", .rank = 1)     \
    X("pid", ID, cup_count_if(!given, run->pid), .heading = "pid", .rank = 1)                      \
    X("tasks", COUNT, cup_count_if(reported, rows->totals->all.tasks))                             \
    X("chunks", COUNT, cup_count_if(reported, rows->totals->used_chunks))                          \
    X(NULL, TEXT, cup_string(reported ? "reported" : ""), .heading = "")

static void fill(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_run *run = item;
    uint64_t number = (uint64_t)(run - rows->profile->runs) + 1;
    bool given = cup_run_is_given(run), reported = rows->profile->run == number;
    CUP_FILL(values, FIELDS);
}

CUP_LIST_ARRAY(list, rows->profile->runs, rows->profile->run_count)

static const struct cup_report_table table = {CUP_TABLE_FIELDS(FIELDS, fill), list};

static int print_runs(const struct cup_page *page)
{
    cup_page_heading(page, "Runs",
                     page->profile->run_count ? "calls of Coffea's Runner"
                                              : "no call of Coffea's Runner was seen");
    return cup_print_rows(page, &table, NULL, NULL, NULL);
}

/* Without Runner calls, everything from the first task to the last is one run. */
static void put_whole(struct report *report)
{
    cup_json_row(&report->json, NULL);
    put(report, "run", cup_count(1));
    put(report, "t_start", cup_metric_value(CUP_METRIC_t_start, report->totals));
    put(report, "t_stop", cup_metric_value(CUP_METRIC_t_stop, report->totals));
    put(report, "wall_time", cup_metric_value(CUP_METRIC_wall_time, report->totals));
    put(report, "tasks", cup_count(report->totals->all.tasks));
    put(report, "chunks", cup_count(report->totals->used_chunks));
    cup_json_end_object(&report->json);
}

static int put_runs(struct report *report)
{
    put(report, "run", report->profile->run ? cup_count(report->profile->run) : cup_string("all"));
    cup_json_array(&report->json, "runs");
    int result = cup_put_more_rows(report, &table, NULL);
    if (report->profile->run_count == 0 && report->totals->all.tasks)
        put_whole(report);
    cup_json_end_array(&report->json);
    return result;
}

const struct cup_report_section cup_runs_section = {.name = "runs",
                                                    .shown = CUP_SHOWN_IN_PAGE,
                                                    .table = &table,
                                                    .print = print_runs,
                                                    .put = put_runs};
