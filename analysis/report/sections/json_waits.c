/* Where the time went, in the report's JSON: waits, durations, the time budget. */
#include "analysis/report/page/json_page.h"

/* ---- waits ------------------------------------------------------------------------------ */

static bool measured(const struct report *report, uint64_t features)
{
    return cup_profile_measured(report->profile, features);
}

static void put_helper_waits(struct report *report, const struct cup_measured_waits *helpers)
{
    for (int i = 0; i < CUP_WAITED_COUNT; i++) {
        bool known = i < CUP_WAITED_MEASURED && measured(report, cup_wait_parts[i].needs);
        put(report, cup_wait_parts[i].helper_name,
            known ? cup_seconds((int64_t)helpers->ns[i]) : cup_null());
    }
}

void cup_report_put_waits(struct report *report, const struct cup_wait_sums *sums,
                          const struct cup_measured_waits *helpers)
{
    bool any = sums->tasks > 0, timed = any || sums->untold_tasks > 0;
    for (int i = 0; i < CUP_WAITED_COUNT; i++)
        put(report, cup_wait_parts[i].name,
            any && measured(report, cup_wait_parts[i].needs) ? cup_seconds((int64_t)sums->ns[i])
                                                             : cup_null());
    put(report, "not_told_apart_s", timed ? cup_seconds((int64_t)sums->untold_ns) : cup_null());
    put_helper_waits(report, helpers);
}

/* ---- durations -------------------------------------------------------------------------- */

static void put_buckets(struct report *report, const struct cup_durations *durations)
{
    cup_json_array(&report->json, "buckets");
    for (unsigned i = 0; i < CUP_BUCKETS; i++) {
        if (durations->buckets[i] == 0)
            continue;
        cup_json_array(&report->json, NULL);
        put_ns(report, NULL, cup_bucket_from_ns(i));
        put_ns(report, NULL, cup_bucket_to_ns(durations, i));
        put(report, NULL, cup_count(durations->buckets[i]));
        cup_json_end_array(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_durations(struct report *report, const char *name,
                          const struct cup_durations *durations)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"p50_s", 0.5}, {"p90_s", 0.9}, {"p99_s", 0.99}};
    uint64_t total = cup_durations_total(durations);
    cup_json_object(&report->json, name);
    put(report, "count", cup_count(total));
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        put(report, quantiles[i].name,
            cup_real(cup_durations_quantile_ns(durations, quantiles[i].share) / 1e9));
    put(report, "max_s",
        total ? cup_seconds((int64_t)cup_durations_longest_ns(durations)) : cup_null());
    put_buckets(report, durations);
    cup_json_end_object(&report->json);
}

void cup_report_put_histograms(struct report *report, const struct cup_prefix *prefix)
{
    cup_json_object(&report->json, "histograms");
    for (int i = 0; i < CUP_DURATION_COUNT; i++) {
        const struct cup_durations durations = cup_prefix_durations(prefix, i);
        if (measured(report, cup_duration_kinds[i].needs))
            put_durations(report, cup_duration_kinds[i].name, &durations);
        else
            put(report, cup_duration_kinds[i].name, cup_null());
    }
    cup_json_end_object(&report->json);
}

/* ---- the time budget -------------------------------------------------------------------- */

/* True if some of the budget's time could have this name. */
static bool part_is_measured(const struct report *report, int part)
{
    bool is_wait = part >= CUP_BUDGET_IO && part <= CUP_BUDGET_OTHER;
    return !is_wait || (report->totals->pool_tasks_measured &&
                        measured(report, cup_wait_parts[part - CUP_BUDGET_IO].needs));
}

/* In percent, that add up to 100. */
static void put_shares(struct report *report)
{
    double percent[CUP_BUDGET_COUNT];
    cup_budget_percent(&report->totals->budget, percent);
    cup_json_object(&report->json, "shares_pct");
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        put(report, cup_budget_texts[i].name,
            part_is_measured(report, i) ? cup_real(percent[i]) : cup_null());
    cup_json_end_object(&report->json);
}

void cup_report_put_who(struct report *report, uint32_t process)
{
    put(report, "worker", cup_report_address(report, process));
    put(report, "host", cup_string(report->profile->processes[process].header.host));
    put(report, "pid", cup_count(report->profile->processes[process].header.pid));
}

static void put_worker_budget(struct report *report, uint32_t process)
{
    const struct cup_budget *budget = &report->totals->budgets[process];
    cup_json_row(&report->json, NULL);
    cup_report_put_who(report, process);
    put(report, "threads", cup_count(budget->threads));
    put_ns(report, "threads_s", budget->threads_ns);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_s", cup_budget_texts[i].name);
        put(report, name,
            part_is_measured(report, i) ? cup_seconds((int64_t)budget->ns[i]) : cup_null());
    }
    put_ns(report, "overbooked_s", budget->overbooked_ns);
    cup_json_end_object(&report->json);
}

void cup_report_put_time_budget(struct report *report)
{
    cup_json_object(&report->json, "time_budget");
    put_metrics(report, &cup_time_budget_metrics);
    put_shares(report);
    cup_json_array(&report->json, "by_worker");
    for (uint32_t i = 0; i < report->profile->process_count; i++)
        if (report->totals->budgets[i].threads > 0)
            put_worker_budget(report, i);
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
}
