/* The one-value figures of the report as series of Prometheus: which, and under what names. */
#ifndef CUPPING_ANALYSIS_EXPORT_PROMETHEUS_FIGURES_H
#define CUPPING_ANALYSIS_EXPORT_PROMETHEUS_FIGURES_H

#include "analysis/metrics/metrics.h"
#include "analysis/write/exposition.h"

struct cup_prometheus_figure {
    enum cup_metric_id metric;
    const char *family; /* without "cupping_" */
    const char *label,
        *value;    /* that distinguish it from others of its family; NULL: it is the only one */
    double factor; /* to base units */
    const char *help;
};

/* Those of a family stand in a row. */
extern const struct cup_prometheus_figure cup_prometheus_figures[];
extern const size_t cup_prometheus_figure_count;

/* A family is a counter if its name ends in `_total`. */
static inline enum cup_series_type cup_prometheus_type(const char *family)
{
    size_t length = strlen(family);
    bool total = length > 6 && strcmp(family + length - 6, "_total") == 0;
    return total ? CUP_SERIES_COUNTER : CUP_SERIES_GAUGE;
}

#endif
