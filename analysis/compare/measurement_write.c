/* Writes a measurement of roastcoffea in the form of a cupping report. */
#include <stdio.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/write/table.h"

static const char nothing[] = "roastcoffea's measurement holds nothing of the kind";

static bool is_known(const struct cup_run_figure *figure)
{
    return figure->value.kind != CUP_VALUE_NULL;
}

static bool has_known(const struct cup_figures *figures, const char *section)
{
    for (size_t i = 0; i < figures->count; i++)
        if (is_known(&figures->rows[i]) && strcmp(figures->rows[i].section, section) == 0)
            return true;
    return false;
}

/* ---- for people ------------------------------------------------------------------------- */

static void add_figure(struct cup_table *table, const struct cup_run_figure *figure,
                       struct cup_footnotes *footnotes)
{
    char label[200];
    snprintf(label, sizeof label, "%s%s%s", figure->row, *figure->row ? ": " : "",
             figure->label ? figure->label : figure->name);
    cup_table_add_string(table, label);
    if (is_known(figure))
        cup_table_add_value(table, figure->value, figure->unit);
    else
        cup_table_add_missing(table, footnotes, figure->source);
    cup_table_add_string(table, figure->name);
}

/* Also figures that our own tables do not show: all that the measurement holds. */
static void print_section(const struct cup_terminal *terminal, const struct cup_figures *figures,
                          const char *section)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0}, {"", CUP_FIT_RIGHT, 0}, {"name in --json", CUP_FIT_NONE, 1}};
    struct cup_footnotes footnotes = {.count = 0};
    struct cup_table table;
    cup_print(terminal, CUP_HEADING, "\n%s\n", section);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < figures->count; i++)
        if (strcmp(figures->rows[i].section, section) == 0 &&
            (figures->rows[i].label || is_known(&figures->rows[i])))
            add_figure(&table, &figures->rows[i], &footnotes);
    cup_table_finish(&table, terminal);
    cup_footnotes_print(&footnotes, terminal);
}

static void print_sections(const struct cup_terminal *terminal, const struct cup_figures *figures,
                           const char *only)
{
    bool printed = false;
    for (const struct cup_compare_section *section = cup_compare_sections; section->name; section++)
        if (has_known(figures, section->name) && (!only || strcmp(only, section->name) == 0)) {
            print_section(terminal, figures, section->name);
            printed = true;
        }
    if (!printed)
        cup_compare_line(terminal, CUP_PLAIN, 2, "%s is n/a: %s.", only ? only : "Everything",
                         nothing);
}

void cup_measurement_text(const struct cup_figures *figures, const char *only,
                          const struct cup_target *target, const struct cup_output *output)
{
    struct cup_terminal terminal;
    bool scaling = only && strcmp(only, "scaling") == 0;
    cup_terminal_open(&terminal, output);
    cup_print(&terminal, CUP_BOLD, "cupping report of %s\n", figures->path);
    cup_print_wrapped(&terminal, CUP_DIM, 0,
                      "roastcoffea's measurement: its figures under our names. What it did not "
                      "measure is n/a; --json says where each figure comes from.");
    if (!scaling)
        print_sections(&terminal, figures, only);
    if (scaling || (target->rate > 0 && !only)) {
        cup_print(&terminal, CUP_HEADING, "\nScaling\n");
        cup_ramp_text(&terminal, &figures->ramp);
        cup_target_text(&terminal, &figures->ramp, target);
    }
}

/* ---- for programs ----------------------------------------------------------------------- */

static void put_figures(struct cup_json *json, const struct cup_figures *figures,
                        const char *section)
{
    cup_json_object(json, section);
    for (size_t i = 0; i < figures->count; i++)
        if (strcmp(figures->rows[i].section, section) == 0)
            cup_json_value(json, figures->rows[i].name, figures->rows[i].value);
    if (strcmp(section, "branches") == 0)
        cup_json_value(json, "rows", cup_null());
    cup_json_end_object(json);
}

/* "process_s_mean" of the figures is "mean" of the object "process_s". */
static void put_statistics(struct cup_json *json, const struct cup_figures *figures)
{
    cup_json_object(json, "chunks");
    cup_json_value(json, "count", cup_figures_value(figures, CUP_METRIC_num_chunks));
    cup_json_value(json, "failed", cup_figures_value(figures, CUP_METRIC_num_failed_chunks));
    cup_json_object(json, "statistics");
    for (int i = 0; i < CUP_STAT_COUNT; i++) {
        cup_json_row(json, cup_statistic_rows[i].name);
        for (int k = 0; k < CUP_CHUNK_FIGURES; k++) {
            char name[80];
            snprintf(name, sizeof name, "%s_%s", cup_statistic_rows[i].name,
                     cup_chunk_figure_names[k]);
            const struct cup_run_figure *figure = cup_figures_find_named(figures, "chunks", name);
            cup_json_value(json, cup_chunk_figure_names[k], figure ? figure->value : cup_null());
        }
        cup_json_end_object(json);
    }
    cup_json_end_object(json);
    cup_json_value(json, "rows", cup_null());
    cup_json_end_object(json);
}

/* The figures of a dataset stand in a row, in the order of cup_dataset_figures. */
static void put_datasets(struct cup_json *json, const struct cup_figures *figures)
{
    size_t put = 0;
    cup_json_object(json, "datasets");
    cup_json_array(json, "rows");
    for (size_t i = 0; i < figures->count; i++) {
        const struct cup_run_figure *figure = &figures->rows[i];
        if (strcmp(figure->section, "datasets") != 0)
            continue;
        if (put++ % cup_dataset_figure_count == 0) {
            cup_json_row(json, NULL);
            cup_json_value(json, "dataset", cup_string(figure->row));
        }
        cup_json_value(json, figure->name, figure->value);
        if (put % cup_dataset_figure_count == 0)
            cup_json_end_object(json);
    }
    cup_json_end_array(json);
    cup_json_end_object(json);
}

static const char *const missing[] = {"tasks_by_prefix", "files",     "servers", "losses",
                                      "sections",        "functions", "hosts",   "merge"};
enum { MISSING_COUNT = sizeof missing / sizeof *missing };

static void put_source(struct cup_json *json, const char *name, const char *source, bool known)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s", known ? "" : "n/a: ", source);
    cup_json_value(json, name, cup_string(text));
}

static void put_sources(struct cup_json *json, const struct cup_figures *figures)
{
    cup_json_object(json, "sources");
    for (size_t s = 0; s < cup_metric_section_count; s++) {
        const char *section = cup_metric_sections[s]->name;
        cup_json_object(json, section);
        for (size_t i = 0; i < figures->count; i++)
            if (strcmp(figures->rows[i].section, section) == 0)
                put_source(json, figures->rows[i].name, figures->rows[i].source,
                           is_known(&figures->rows[i]));
        cup_json_end_object(json);
    }
    put_source(json, "chunks", "roastcoffea's measurement: decorated chunks", true);
    put_source(json, "datasets", "roastcoffea's measurement: per_dataset, decorated chunks", true);
    for (int i = 0; i < MISSING_COUNT; i++)
        put_source(json, missing[i], nothing, false);
    cup_json_end_object(json);
}

static void put_run(struct cup_json *json, const struct cup_figures *figures)
{
    cup_json_value(json, "run", cup_string("all"));
    cup_json_array(json, "runs");
    cup_json_row(json, NULL);
    cup_json_value(json, "run", cup_count(1));
    cup_json_value(json, "t_start", cup_figures_value(figures, CUP_METRIC_t_start));
    cup_json_value(json, "t_stop", cup_figures_value(figures, CUP_METRIC_t_stop));
    cup_json_value(json, "wall_time", cup_figures_value(figures, CUP_METRIC_wall_time));
    cup_json_value(json, "chunks", cup_figures_value(figures, CUP_METRIC_num_chunks));
    cup_json_value(json, "tasks", cup_null());
    cup_json_end_object(json);
    cup_json_end_array(json);
}

void cup_measurement_json(const struct cup_figures *figures, const struct cup_target *target,
                          const struct cup_output *output)
{
    struct cup_json json;
    cup_json_start(&json, output->file);
    cup_json_object(&json, NULL);
    cup_json_value(&json, "format", cup_string("cupping-report"));
    cup_json_value(&json, "version", cup_count(1));
    cup_json_value(&json, "cupping_version", cup_string(CUP_VERSION));
    cup_json_value(&json, "profile", cup_string(figures->path));
    cup_json_value(&json, "measurement", cup_string("roastcoffea_measurement_v1"));
    put_run(&json, figures);
    for (size_t i = 0; i < cup_metric_section_count; i++)
        put_figures(&json, figures, cup_metric_sections[i]->name);
    put_statistics(&json, figures);
    put_datasets(&json, figures);
    for (int i = 0; i < MISSING_COUNT; i++)
        cup_json_value(&json, missing[i], cup_null());
    cup_ramp_json(&json, "scaling", &figures->ramp, target);
    put_sources(&json, figures);
    cup_json_end_object(&json);
}
