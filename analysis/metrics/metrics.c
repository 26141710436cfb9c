#include "analysis/metrics/metrics.h"

#include <stdio.h>
#include <string.h>

#include "analysis/metrics/dask/coffea_compare.h"

const struct cup_metric_section *const cup_metric_sections[] = {
    &cup_workflow_metrics,    &cup_workers_metrics, &cup_efficiency_metrics,
    &cup_time_budget_metrics, &cup_fine_metrics,    &cup_branches_metrics,
    &cup_attribution_metrics, &cup_health_metrics,
};
const size_t cup_metric_section_count = sizeof cup_metric_sections / sizeof *cup_metric_sections;

const struct cup_metric_section *cup_find_metrics(const char *section)
{
    for (size_t i = 0; i < cup_metric_section_count; i++)
        if (strcmp(cup_metric_sections[i]->name, section) == 0)
            return cup_metric_sections[i];
    return NULL;
}

static bool is_measured(const struct cup_metric *metric, const struct cup_totals *totals)
{
    return cup_profile_measured(totals->profile, metric->needs);
}

struct cup_value cup_metric_value(const struct cup_metric *metric, const struct cup_totals *totals)
{
    return metric->compute && is_measured(metric, totals) ? metric->compute(totals) : cup_null();
}

/* The threads of the run: see formulas.h. */
static const char *source_of_cores(const struct cup_totals *totals)
{
    return isnan(cup_observed_threads(&totals->observed))
               ? "P: estimated from the thread counts of the workers, each for the time of the run "
                 "that its log was open"
               : totals->observed.source;
}

char *cup_metric_source(const struct cup_metric *metric, const struct cup_totals *totals, char *to)
{
    const char *given = cup_coffea_source(totals, metric->name);
    size_t length = 0;
    *to = '\0';
    for (const char *at = given ? given : metric->source; *at && length < CUP_SOURCE_ROOM - 1;) {
        size_t plain = strcspn(at, "@#");
        const char *part = at[0] == '#'   ? source_of_cores(totals)
                           : at[0] == '@' ? totals->observed.source
                           : plain        ? at
                                          : "";
        if (at[0] == '@' && !*part)
            part = "D: samples";
        length += (size_t)snprintf(to + length, CUP_SOURCE_ROOM - length, "%.*s",
                                   plain ? (int)plain : (int)strlen(part), part);
        at += plain ? plain : 1;
    }
    return to;
}

const char *cup_metric_missing(const struct cup_metric *metric, const struct cup_totals *totals)
{
    if (!metric->compute)
        return metric->source;
    if (!is_measured(metric, totals))
        return "the library could not measure it: health says which feature is off";
    if (strchr(metric->source, '@') && *totals->observed.reason)
        return totals->observed.reason;
    if (metric->missing)
        return metric->missing;
    if (strchr(metric->source, '@'))
        return "the samples do not tell it";
    return metric->needs & CUP_FEATURE_WAITS
               ? "no task ended that has a CPU clock of its own: async ones have none"
               : "nothing of the kind was seen";
}

struct cup_value cup_metric_named(const struct cup_totals *totals, const char *section,
                                  const char *name)
{
    const struct cup_metric_section *metrics = cup_find_metrics(section);
    for (size_t i = 0; metrics && i < metrics->count; i++)
        if (strcmp(metrics->metrics[i].name, name) == 0)
            return cup_metric_value(&metrics->metrics[i], totals);
    return cup_null();
}
