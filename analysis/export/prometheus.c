/* One file for the node exporter's textfile collector. Its length is bounded: some 110 figures of
 * the run, and at most CUP_PROMETHEUS_MOST + 1 prefixes, workers and datasets with 5 or 6 series
 * each. No series has a time stamp, which that collector does not take. */
#include "analysis/export/export.h"

#include <stdlib.h>

#include "analysis/base/version.h"
#include "analysis/export/export_directory.h"
#include "analysis/export/prometheus_figures.h"
#include "analysis/export/prometheus_rows.h"

/* ---- the run's name ------------------------------------------------------------------------ */

enum { NAME_ROOM = 300 };

/* The last part of the profile's real path (cupping-latest is a link), and the number of the Runner
 * call where there are several. */
static void name_run(const struct cup_profile *profile, char name[NAME_ROOM])
{
    char *path = realpath(profile->path, NULL);
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *base = slash ? slash + 1 : profile->path;
    if (profile->run_count > 1 && profile->run)
        snprintf(name, NAME_ROOM, "%.255s#%u", base, (unsigned)profile->run);
    else
        snprintf(name, NAME_ROOM, "%.255s", base);
    free(path);
}

/* ---- figures of the run -------------------------------------------------------------------- */

static void put_info(struct cup_exposition *exposition)
{
    const struct cup_label version = {"version", {CUP_VERSION, strlen(CUP_VERSION)}};
    cup_exposition_family(exposition, "cupping_run_info", CUP_SERIES_GAUGE,
                          "Always 1; version is that of cupping.");
    cup_exposition_series(exposition, &version, 1, cup_count(1), 1);
}

static void put_figure(const struct cup_totals *totals, struct cup_exposition *exposition,
                       const struct cup_prometheus_figure *figure)
{
    char family[128];
    struct cup_value value = cup_metric_value(figure->metric, totals);
    if (!isfinite(cup_number(value)))
        return;
    struct cup_label label = {figure->label, cup_string(figure->value).text};
    size_t length = label.value.length;
    if (length > 2 && strcmp(figure->value + length - 2, "_s") == 0)
        label.value.length -= 2; /* the name has the unit */
    snprintf(family, sizeof family, "cupping_%s", figure->family);
    cup_exposition_family(exposition, family, cup_prometheus_type(family), figure->help);
    cup_exposition_series(exposition, &label, figure->label ? 1 : 0, value, figure->factor);
}

static int write_exposition(const struct cup_totals *totals, const struct cup_output *output)
{
    struct cup_exposition exposition;
    char name[NAME_ROOM];
    name_run(totals->profile, name);
    cup_exposition_start(&exposition, output->file,
                         (struct cup_label){"run", {name, strlen(name)}});
    put_info(&exposition);
    for (size_t i = 0; i < cup_prometheus_figure_count; i++)
        put_figure(totals, &exposition, &cup_prometheus_figures[i]);
    return cup_prometheus_rows(totals, &exposition);
}

int cup_export_prometheus(const struct cup_totals *totals, const char *path,
                          struct cup_error *error)
{
    return cup_export_file(totals, path, write_exposition, error);
}
