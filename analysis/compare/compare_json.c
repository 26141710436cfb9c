/* The comparison as JSON and CSV. */
#include <stdio.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/write/cell_writer.h"

/* Version of the JSON: raised when the meaning of a key changes, not when keys are added. */
enum { COMPARE_VERSION = 1 };

static struct cup_value row_name(const struct cup_compared *row)
{
    return *row->row ? cup_string(row->row) : cup_null();
}

static bool is_wanted(const struct cup_compared *row, const char *only)
{
    return !only || strcmp(only, row->section) == 0;
}

/* ---- JSON ------------------------------------------------------------------------------- */

/* An input, or one of the runs of a side. */
static void put_run(struct cup_json *json, const struct cup_comparison *comparison, size_t index,
                    const struct cup_figures *input, const char *name)
{
    static const char *const kinds[] = {"profile", "report", "roastcoffea", "runs"};
    char run[CUP_RUN_NAME];
    cup_json_object(json, NULL);
    cup_json_value(json, "name", cup_string(name));
    cup_json_value(json, "path", cup_string(input->path));
    cup_json_value(json, "kind", cup_string(kinds[input->kind]));
    cup_json_value(json, "run", cup_string(input->run));
    cup_json_value(json, "files", input->file_count ? cup_count(input->file_count) : cup_null());
    cup_json_row(json, "facts");
    for (size_t i = 0; i < input->fact_count; i++)
        cup_json_value(json, input->facts[i].name, cup_string(input->facts[i].text));
    cup_json_end_object(json);
    cup_json_value(json, "state", cup_string(cup_run_state_names[input->state]));
    cup_json_value(json, "completeness", cup_string(input->completeness));
    cup_json_value(json, "lost", cup_count_or_null(input->losses));
    cup_json_array(json, "runs");
    for (size_t i = 0; i < input->run_count; i++)
        put_run(json, comparison, index, &input->runs[i],
                cup_input_run_name(run, comparison, index, i));
    cup_json_end_array(json);
    cup_json_end_object(json);
}

/* The settings that differ, or all. */
static void put_settings(struct cup_json *json, const struct cup_comparison *comparison,
                         const char *name, bool all)
{
    cup_json_array(json, name);
    for (size_t i = 0; i < comparison->setting_count; i++) {
        const struct cup_setting *setting = &comparison->settings[i];
        if (!all && !setting->differs)
            continue;
        cup_json_row(json, NULL);
        cup_json_value(json, "what", cup_string(setting->what));
        if (all)
            cup_json_value(json, "alike",
                           setting->unknown && !setting->differs ? cup_null()
                                                                 : cup_bool(!setting->differs));
        cup_json_array(json, "values");
        for (size_t k = 0; k < comparison->input_count; k++)
            cup_json_value(json, NULL, cup_string(setting->texts[k]));
        cup_json_end_array(json);
        cup_json_end_object(json);
    }
    cup_json_end_array(json);
}

/* The value of each run of a side; null for an input that is one run itself. */
static void put_run_values(struct cup_json *json, const struct cup_comparison *comparison,
                           const struct cup_compared *row)
{
    cup_json_array(json, "run_values");
    for (size_t i = 0; i < comparison->input_count; i++) {
        const struct cup_figures *input = &comparison->inputs[i];
        if (!input->run_count) {
            cup_json_value(json, NULL, cup_null());
            continue;
        }
        cup_json_array(json, NULL);
        for (size_t k = 0; k < input->run_count; k++)
            cup_json_value(json, NULL, cup_figures_row_value(&input->runs[k], row->figures[i]));
        cup_json_end_array(json);
    }
    cup_json_end_array(json);
}

/* Null for one run. */
static struct cup_value deviation_of(const struct cup_comparison *comparison,
                                     const struct cup_compared *row, size_t input)
{
    return comparison->inputs[input].run_count &&
                   cup_compared_value(row, input).kind != CUP_VALUE_NULL
               ? cup_real(row->figures[input]->deviation)
               : cup_null();
}

/* Arrays with an element for each input. */
static void put_lists(struct cup_json *json, const struct cup_comparison *comparison,
                      const struct cup_compared *row)
{
    static const char *const names[] = {"values",  "change", "relative_change", "verdict",
                                        "sources", "noise",  "deviations"};
    for (int list = 0; list < (int)(sizeof names / sizeof *names); list++) {
        cup_json_array(json, names[list]);
        for (size_t i = 0; i < comparison->input_count; i++) {
            struct cup_change change = cup_change_of(comparison, row, i);
            const struct cup_value values[] = {
                cup_compared_value(row, i),
                change.by,
                change.relative,
                cup_string(cup_verdict_names[change.verdict]),
                cup_string(cup_compared_source(row, i)),
                cup_real(change.noise),
                deviation_of(comparison, row, i),
            };
            cup_json_value(json, NULL, values[list]);
        }
        cup_json_end_array(json);
    }
}

static void put_row(struct cup_json *json, const struct cup_comparison *comparison,
                    const struct cup_compared *row)
{
    static const char *const betters[] = {
        [CUP_BETTER_UNKNOWN] = NULL, [CUP_BETTER_LOWER] = "lower", [CUP_BETTER_HIGHER] = "higher"};
    cup_json_row(json, NULL);
    cup_json_value(json, "section", cup_string(row->section));
    cup_json_value(json, "row", row_name(row));
    cup_json_value(json, "name", cup_string(row->name));
    cup_json_value(json, "label", cup_string(row->label));
    cup_json_value(json, "better", cup_string(betters[row->direction.better]));
    put_lists(json, comparison, row);
    put_run_values(json, comparison, row);
    cup_json_end_object(json);
}

static void put_scaling_row(struct cup_json *json, const struct cup_scaling_row *row, size_t input)
{
    static const char *const sizes[] = {"workers", "cores"}, *const rates[] = {"events_per_s",
                                                                               "rate_gbps"};
    char key[40];
    cup_json_row(json, NULL);
    cup_json_value(json, "name", cup_string(cup_input_name(input)));
    for (int size = 0; size < CUP_SCALING_SIZES; size++)
        cup_json_value(json, sizes[size], cup_real(row->size[size]));
    for (int rate = 0; rate < CUP_SCALING_RATES; rate++)
        cup_json_value(json, rates[rate], cup_real(row->rate[rate]));
    for (int rate = 0; rate < CUP_SCALING_RATES; rate++)
        for (int size = 0; size < CUP_SCALING_SIZES; size++) {
            snprintf(key, sizeof key, "%sefficiency_by_%s", rate == CUP_OF_BYTES ? "rate_" : "",
                     sizes[size]);
            cup_json_value(json, key, cup_real(row->efficiency[rate][size]));
        }
    cup_json_end_object(json);
}

static struct cup_value reference(int input)
{
    return input < 0 ? cup_null() : cup_string(cup_input_name((size_t)input));
}

static void put_scaling(struct cup_json *json, const struct cup_comparison *comparison,
                        const struct cup_target *target)
{
    const struct cup_scaling *scaling = &comparison->scaling;
    cup_json_object(json, "scaling");
    cup_json_value(json, "missing", cup_string(scaling->missing));
    cup_json_value(json, "workers_are", cup_string(scaling->sizes_are[CUP_BY_WORKERS]));
    cup_json_value(json, "cores_are", cup_string(scaling->sizes_are[CUP_BY_CORES]));
    cup_json_value(json, "bytes_are", cup_string(scaling->bytes_are));
    cup_json_value(json, "reference_by_workers", reference(scaling->reference[CUP_BY_WORKERS]));
    cup_json_value(json, "reference_by_cores", reference(scaling->reference[CUP_BY_CORES]));
    cup_json_array(json, "rows");
    for (size_t i = 0; i < scaling->count; i++)
        put_scaling_row(json, &scaling->rows[i], i);
    cup_json_end_array(json);
    cup_json_array(json, "within");
    for (size_t i = 0; i < comparison->input_count; i++)
        cup_ramp_json(json, NULL, &comparison->inputs[i].ramp, target);
    cup_json_end_array(json);
    cup_json_end_object(json);
}

void cup_compare_json(const struct cup_comparison *comparison, const char *only,
                      const struct cup_target *target, const struct cup_output *output)
{
    struct cup_json json;
    cup_json_start(&json, output->file);
    cup_json_object(&json, NULL);
    cup_json_value(&json, "format", cup_string("cupping-compare"));
    cup_json_value(&json, "version", cup_count(COMPARE_VERSION));
    cup_json_value(&json, "cupping_version", cup_string(CUP_VERSION));
    cup_json_value(&json, "baseline", cup_string(cup_input_name(comparison->baseline)));
    cup_json_value(&json, "same_work", cup_bool(comparison->same_work));
    cup_json_array(&json, "verdicts");
    for (size_t i = 0; i < comparison->input_count; i++) {
        char text[CUP_VERDICT_TEXT];
        cup_json_value(&json, NULL,
                       i == comparison->baseline
                           ? cup_null()
                           : cup_string(cup_compare_verdict(text, comparison, i)));
    }
    cup_json_end_array(&json);
    cup_json_array(&json, "inputs");
    for (size_t i = 0; i < comparison->input_count; i++)
        put_run(&json, comparison, i, &comparison->inputs[i], cup_input_name(i));
    cup_json_end_array(&json);
    put_settings(&json, comparison, "differences", false);
    put_settings(&json, comparison, "settings", true);
    cup_json_array(&json, "figures");
    for (size_t i = 0; i < comparison->count && !cup_output_failed(output); i++)
        if (is_wanted(&comparison->rows[i], only))
            put_row(&json, comparison, &comparison->rows[i]);
    cup_json_end_array(&json);
    put_scaling(&json, comparison, target);
    cup_json_end_object(&json);
}

/* ---- CSV -------------------------------------------------------------------------------- */

static void csv_row(struct cup_cells *cells, const struct cup_comparison *comparison,
                    const struct cup_compared *row, size_t input)
{
    struct cup_change change = cup_change_of(comparison, row, input);
    cup_put_cell(cells, cup_string(row->section));
    cup_put_cell(cells, row_name(row));
    cup_put_cell(cells, cup_string(row->name));
    cup_put_cell(cells, cup_string(cup_input_name(input)));
    cup_put_cell(cells, cup_string(comparison->inputs[input].path));
    cup_put_cell(cells, cup_compared_value(row, input));
    cup_put_cell(cells, change.by);
    cup_put_cell(cells, change.relative);
    cup_put_cell(cells, cup_string(cup_verdict_names[change.verdict]));
    cup_put_cell(cells, cup_string(cup_compared_source(row, input)));
    cup_put_cell(cells, cup_real(change.noise));
    cup_put_cell(cells, deviation_of(comparison, row, input));
    cup_end_row(cells);
}

void cup_compare_csv(const struct cup_comparison *comparison, const char *only,
                     const struct cup_target *target, const struct cup_output *output)
{
    (void)target;
    static const char *const heads[] = {"section", "row",    "name",   "input",
                                        "path",    "value",  "change", "relative_change",
                                        "verdict", "source", "noise",  "deviation"};
    struct cup_cells cells = cup_cells_start(output);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cup_put_cell(&cells, cup_string(heads[i]));
    cup_end_row(&cells);
    for (size_t i = 0; i < comparison->count && !cup_output_failed(output); i++)
        for (size_t k = 0; k < comparison->input_count; k++)
            if (is_wanted(&comparison->rows[i], only))
                csv_row(&cells, comparison, &comparison->rows[i], k);
}
