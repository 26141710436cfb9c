#include "analysis/metrics/metrics.h"

#include <stdio.h>
#include <string.h>

#include "analysis/metrics/formulas.h"

const struct cup_metric_section *const cup_metric_sections[] = {
    &cup_workflow_metrics,    &cup_workers_metrics, &cup_efficiency_metrics,
    &cup_time_budget_metrics, &cup_fine_metrics,    &cup_branches_metrics,
    &cup_attribution_metrics, &cup_health_metrics,
};
const size_t cup_metric_section_count = sizeof cup_metric_sections / sizeof *cup_metric_sections;

/* ---- which ------------------------------------------------------------------------------ */

const struct cup_metric_section *cup_metric_section(enum cup_metric_id id)
{
    size_t section = 0;
    while (id > cup_metric_sections[section]->metrics[cup_metric_sections[section]->count - 1].id)
        section++;
    return cup_metric_sections[section];
}

const struct cup_metric *cup_metric(enum cup_metric_id id)
{
    const struct cup_metric_section *section = cup_metric_section(id);
    return &section->metrics[id - section->metrics[0].id];
}

const struct cup_metric *cup_metric_find(const char *section, const char *name)
{
    for (size_t i = 0; i < cup_metric_section_count; i++)
        for (size_t k = 0; k < cup_metric_sections[i]->count; k++)
            if (strcmp(cup_metric_sections[i]->name, section) == 0 &&
                strcmp(cup_metric_sections[i]->metrics[k].name, name) == 0)
                return &cup_metric_sections[i]->metrics[k];
    return NULL;
}

/* ---- values ----------------------------------------------------------------------------- */

static bool is_measured(const struct cup_metric *metric, const struct cup_totals *totals)
{
    return cup_profile_measured(totals->profile, metric->needs);
}

struct cup_value cup_metric_value(enum cup_metric_id id, const struct cup_totals *totals)
{
    const struct cup_metric *metric = cup_metric(id);
    bool known = !metric->of_all_runs || cup_is_of_run(totals);
    return known && is_measured(metric, totals) ? metric->compute(totals) : cup_null();
}

/* ---- sources ---------------------------------------------------------------------------- */

/* The threads of the run: see formulas.h. */
static const char *source_of_cores(const struct cup_totals *totals)
{
    bool from_logs = cup_logs_have_workers(totals) ||
                     (isnan(cup_observed_threads(totals->observed)) && totals->workers);
    return from_logs ? CUP_CORES_FROM_LOGS : totals->observed->source;
}

/* The row's source, or that of the value in the file of --coffea-report. */
static const char *template_of(const struct cup_metric *metric, const struct cup_totals *totals)
{
    enum cup_coffea_origin origin =
        metric->from_file ? cup_coffea_origin(totals, metric->coffea_field) : CUP_COFFEA_SEEN;
    if (origin == CUP_COFFEA_OF_DATASETS && metric->from_datasets)
        return metric->from_datasets;
    return origin == CUP_COFFEA_GIVEN ? metric->from_file : metric->source;
}

char *cup_metric_source(const struct cup_metric *metric, const struct cup_totals *totals, char *to)
{
    size_t length = 0;
    *to = '\0';
    for (const char *at = template_of(metric, totals); *at && length < CUP_SOURCE_ROOM - 1;) {
        size_t plain = strcspn(at, "@#");
        const char *part = at[0] == '#'   ? source_of_cores(totals)
                           : at[0] == '@' ? totals->observed->source
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
    if (metric->unavailable)
        return metric->source;
    if (!is_measured(metric, totals))
        return "the library could not measure it: health says which feature is off";
    if (metric->of_all_runs && !cup_is_of_run(totals))
        return CUP_OF_ALL_RUNS;
    if (strpbrk(metric->source, "@#") && *totals->observed->reason)
        return totals->observed->reason;
    if (metric->missing)
        return metric->missing;
    if (strpbrk(metric->source, "@#"))
        return "no sample inside the run has it";
    return metric->needs & CUP_FEATURE_WAITS
               ? "no task with a CPU clock of its own ended: async tasks have none"
               : "the logs have no records for it";
}
