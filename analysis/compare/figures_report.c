/* Figures of a report that was saved as JSON. */
#include <string.h>

#include "analysis/base/iso_time.h"
#include "analysis/compare/figures.h"
#include "analysis/compare/json_file.h"
#include "analysis/metrics/losses/losses.h"

/* Rows of single chunks and the like are many, and not compared. The first: take_chunk(). */
static const struct cup_json_unwanted unwanted[] = {
    {"chunks", "rows"},     {"losses", "rows"},           {"fine", "by_worker"},
    {"fine", "by_prefix"},  {"fine", "by_span"},          {"workers", "tracking_data"},
    {"branches", "rows"},   {"functions", "by_prefix"},   {"sections", "rows"},
    {NULL, "servers"},      {"time_budget", "by_worker"}, {"attribution", "by_worker"},
    {"functions", "lines"}, {"functions", "rows"}, /* the last one: they are compared on request */
};

static const char *keep_text(struct cup_figures *figures, const json_t *json)
{
    const char *text = json_string_value(json);
    return cup_figures_keep_string(figures, text ? text : "(not known)");
}

/* ---- one value each --------------------------------------------------------------------- */

static struct cup_value value_of(struct cup_figures *figures, const json_t *json)
{
    int64_t time_ns;
    bool zoned;
    if (!json_is_string(json))
        return cup_json_number(json);
    return cup_iso_time(json_string_value(json), &time_ns, &zoned) == 0 && zoned
               ? cup_time(time_ns)
               : cup_string(keep_text(figures, json));
}

static const char *source_of(struct cup_figures *figures, const json_t *sources, const char *name)
{
    const char *text = json_string_value(json_object_get(sources, name));
    if (!text)
        return "the report does not say";
    return cup_figures_keep_string(figures, strncmp(text, "n/a: ", 5) == 0 ? text + 5 : text);
}

/* What a section holds, and tells the source of, besides its figures. */
static bool is_figure(const char *name)
{
    static const char *const others[] = {"tracking_data", "rows", "algorithms"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return true;
}

static void read_section(struct cup_figures *figures, const json_t *root, const char *section)
{
    const json_t *sources = json_object_get(json_object_get(root, "sources"), section);
    const char *name;
    json_t *member;
    json_object_foreach(json_object_get(root, section), name, member)
    {
        if (json_is_array(member) || json_is_object(member) || json_is_boolean(member))
            continue;
        if (json_object_get(sources, name) && is_figure(name))
            cup_figures_set_named(figures, section, name, value_of(figures, member),
                                  source_of(figures, sources, name));
    }
}

static void read_statistics(struct cup_figures *figures, const json_t *root)
{
    const json_t *all = json_object_get(json_object_get(root, "chunks"), "statistics");
    for (int i = 0; i < CUP_STAT_COUNT; i++) {
        const json_t *numbers = json_object_get(all, cup_statistic_rows[i].name);
        for (int k = 0; k < CUP_CHUNK_FIGURES; k++)
            cup_figures_add_statistic(
                figures, (enum cup_chunk_statistic)i, k,
                cup_json_number(json_object_get(numbers, cup_chunk_figure_names[k])), NULL);
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

static struct cup_value row_value(const json_t *row, const char *name)
{
    if (strcmp(name, "mean_s") != 0)
        return cup_json_number(json_object_get(row, name));
    return cup_ratio(cup_number(cup_json_number(json_object_get(row, "wall_s"))),
                     cup_number(cup_json_number(json_object_get(row, "finished"))) +
                         cup_number(cup_json_number(json_object_get(row, "erred"))));
}

static void read_rows(struct cup_figures *figures, const json_t *root, const char *section,
                      const char *key, const struct cup_row_figure *kinds, size_t count)
{
    const json_t *rows = json_object_get(json_object_get(root, section), "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *name = keep_text(figures, json_object_get(row, key));
        for (size_t k = 0; k < count; k++)
            cup_figures_add_of_row(figures, section, name, &kinds[k], row_value(row, kinds[k].name),
                                   NULL);
    }
}

/* ---- facts ------------------------------------------------------------------------------ */

static bool is_processor(const json_t *root, const json_t *prefix)
{
    const json_t *rows = json_object_get(json_object_get(root, "tasks_by_prefix"), "rows");
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (json_equal(json_object_get(json_array_get(rows, i), "prefix"), (json_t *)prefix))
            return json_is_true(json_object_get(json_array_get(rows, i), "processor"));
    return false;
}

static bool is_read_by_chunks(const json_t *root, const json_t *file)
{
    const json_t *sums = json_object_get(file, "by_prefix");
    for (size_t i = 0; i < json_array_size(sums); i++) {
        const json_t *sum = json_array_get(sums, i);
        if (json_integer_value(json_object_get(sum, "read_bytes")) > 0 &&
            is_processor(root, json_object_get(sum, "prefix")))
            return true;
    }
    return false;
}

static void read_files(struct cup_figures *figures, const json_t *root)
{
    const json_t *rows = json_object_get(json_object_get(root, "files"), "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *class = json_string_value(json_object_get(row, "class"));
        const json_t *size = json_object_get(row, "size_bytes");
        if (class && strcmp(class, "data") == 0 && is_read_by_chunks(root, row))
            cup_figures_add_file(figures, keep_text(figures, json_object_get(row, "file")),
                                 json_is_integer(size) ? (uint64_t)json_integer_value(size)
                                                       : CUP_UNKNOWN64);
    }
    cup_figures_sort_files(figures);
}

static bool is_worker(const json_t *processes, const json_t *pid)
{
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        const char *role = json_string_value(json_object_get(process, "role"));
        if (role && strcmp(role, "worker") == 0 &&
            json_equal(json_object_get(process, "pid"), (json_t *)pid))
            return true;
    }
    return false;
}

static void read_facts(struct cup_figures *figures, const json_t *root)
{
    const json_t *health = json_object_get(root, "health");
    const json_t *processes = json_object_get(health, "processes");
    const json_t *facts = json_object_get(health, "facts");
    struct cup_fact_list list = {.figures = figures};
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        cup_fact_list_add(&list, is_worker(processes, json_object_get(process, "pid")), "cupping",
                          cup_json_text(json_object_get(process, "library")));
    }
    for (size_t i = 0; i < json_array_size(facts); i++) {
        const json_t *fact = json_array_get(facts, i);
        const char *name = json_string_value(json_object_get(fact, "name"));
        cup_fact_list_add(&list, is_worker(processes, json_object_get(fact, "pid")),
                          name ? name : "", cup_json_text(json_object_get(fact, "value")));
    }
    const json_t *workers = json_object_get(json_object_get(root, "workers"), "rows");
    for (size_t i = 0; i < json_array_size(workers); i++) {
        const json_t *worker = json_array_get(workers, i);
        cup_fact_list_add(&list, true, CUP_FACT_HOSTS,
                          cup_json_text(json_object_get(worker, "host")));
        cup_fact_list_add_limit(&list,
                                json_number_value(json_object_get(worker, "memory_limit_bytes")));
    }
    cup_fact_list_add_no_limit(&list);
    cup_fact_list_finish(&list);
}

/* As cup_losses_chunks(). Not known if the report lacks one of the counts. */
static uint64_t read_losses(const json_t *losses)
{
    uint64_t sum = 0;
    for (uint8_t i = 0; i < CUP_LOSS_OUTCOMES; i++) {
        const json_t *chunks = json_object_get(losses, CUP_FORMAT("chunks_%s", cup_loss_names[i]));
        if (cup_loss_is_missing(i) && !json_is_integer(chunks))
            return CUP_UNKNOWN64;
        sum += cup_loss_is_missing(i) ? (uint64_t)json_integer_value(chunks) : 0;
    }
    return sum;
}

/* Reports of older versions do not contain it. */
static void read_completeness(struct cup_figures *figures, const json_t *root)
{
    const json_t *completeness = json_object_get(root, "completeness");
    const char *state = json_string_value(json_object_get(completeness, "state"));
    const char *sentence = json_string_value(json_object_get(completeness, "sentence"));
    for (int i = 0; state && i < CUP_RUN_STATE_COUNT; i++)
        if (strcmp(cup_run_state_names[i], state) == 0)
            figures->state = (enum cup_run_state)i;
    figures->completeness = sentence ? cup_figures_keep_string(figures, sentence) : NULL;
    figures->losses = read_losses(json_object_get(root, "losses"));
}

/* ---- the report ------------------------------------------------------------------------- */

static void read_report(struct cup_figures *figures, const json_t *root)
{
    const json_t *workers = json_object_get(root, "workers");
    figures->kind = CUP_INPUT_REPORT;
    figures->workers = (uint64_t)json_integer_value(json_object_get(workers, "logged_workers"));
    read_completeness(figures, root);
    for (size_t i = 0; i < cup_metric_section_count; i++)
        read_section(figures, root, cup_metric_sections[i]->name);
    read_statistics(figures, root);
    read_rows(figures, root, "tasks_by_prefix", "prefix", cup_prefix_figures,
              cup_prefix_figure_count);
    read_rows(figures, root, "datasets", "dataset", cup_dataset_figures, cup_dataset_figure_count);
    read_files(figures, root);
    read_facts(figures, root);
}

static void take_chunk(void *closure, const json_t *row)
{
    struct cup_numbers *times = closure;
    const char *outcome = json_string_value(json_object_get(row, "outcome"));
    if (!outcome || strcmp(outcome, "used") != 0)
        return;
    cup_numbers_add(&times[CUP_CHUNK_TASK], cup_number(row_value(row, "wall_s")));
    cup_numbers_add(&times[CUP_CHUNK_PROCESS], cup_number(row_value(row, "process_s")));
}

int cup_figures_from_report(struct cup_figures *figures, const char *path, struct cup_error *error)
{
    struct cup_numbers times[CUP_CHUNK_TIMES] = {{0}};
    static const char *const members[] = {"outcome", "wall_s", "process_s", NULL};
    const struct cup_json_rows chunks = {members, take_chunk, times};
    size_t left_out = sizeof unwanted / sizeof *unwanted - figures->ask.functions;
    json_t *root =
        cup_json_file_read(path, unwanted, left_out, figures->ask.chunks ? &chunks : NULL, error);
    cup_figures_set_chunks(figures, times);
    if (!root)
        return -1;
    const char *format = json_string_value(json_object_get(root, "format"));
    json_int_t version = json_integer_value(json_object_get(root, "version"));
    int result = 0;
    if (!format || strcmp(format, "cupping-report") != 0)
        result = cup_error_set(error, path, CUP_NO_OFFSET,
                               "is not a report; `cupping report --json FILE` writes one");
    else if (version != 1)
        result = cup_error_set(error, path, CUP_NO_OFFSET,
                               "is a report of version %lld; this program reads version 1",
                               (long long)version);
    else
        read_report(figures, root);
    if (result == 0 && figures->ask.functions)
        cup_figures_read_functions(figures, root);
    json_decref(root);
    return result;
}
