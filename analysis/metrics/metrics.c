#include "analysis/metrics/metrics.h"

#include <string.h>

#include "analysis/metrics/coffea_compare.h"

const struct cup_metric_section *const cup_metric_sections[] = {
    &cup_workflow_metrics,    &cup_workers_metrics, &cup_efficiency_metrics,
    &cup_time_budget_metrics, &cup_fine_metrics,    &cup_attribution_metrics,
    &cup_health_metrics,
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

const char *cup_metric_source(const struct cup_metric *metric, const struct cup_totals *totals)
{
    const char *given = cup_coffea_source(totals, metric->name);
    return given ? given : metric->source;
}

const char *cup_metric_missing(const struct cup_metric *metric, const struct cup_totals *totals)
{
    if (!metric->compute)
        return metric->source;
    if (!is_measured(metric, totals))
        return "the library could not measure it: health says which feature is off";
    if (metric->missing)
        return metric->missing;
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
