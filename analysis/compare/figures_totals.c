/* Figures of a profile. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/figures.h"

static const char *keep(struct cup_figures *figures, struct cup_text text)
{
    return cup_figures_keep(figures, text.bytes, text.length);
}

static void add_metrics(struct cup_figures *figures, const struct cup_totals *totals,
                        const struct cup_metric_section *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct cup_metric *metric = &section->metrics[i];
        struct cup_value value = cup_metric_value(metric->id, totals);
        if (value.kind == CUP_VALUE_TEXT)
            value = cup_string(keep(figures, value.text));
        const char *source =
            value.kind == CUP_VALUE_NULL ? cup_metric_missing(metric, totals) : metric->source;
        struct cup_run_figure figure = cup_figure_of_metric(metric);
        figure.value = value;
        figure.source = cup_figures_keep_string(figures, source);
        cup_figures_add(figures, figure);
    }
}

static void add_statistics(struct cup_figures *figures, const struct cup_totals *totals)
{
    struct cup_statistics statistics[CUP_STAT_COUNT];
    cup_chunk_statistics(totals, statistics);
    for (int i = 0; i < CUP_STAT_COUNT; i++) {
        const double numbers[CUP_CHUNK_FIGURES] = {statistics[i].min, statistics[i].mean,
                                                   statistics[i].median, statistics[i].max,
                                                   statistics[i].stdev};
        for (int k = 0; k < CUP_CHUNK_FIGURES; k++)
            cup_figures_add_statistic(figures, (enum cup_chunk_statistic)i, k, cup_real(numbers[k]),
                                      NULL);
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

static struct cup_value seconds(uint64_t ns)
{
    return cup_seconds((int64_t)ns);
}

static struct cup_value waited(const struct cup_totals *totals, const struct cup_prefix *prefix,
                               enum cup_waited part)
{
    bool known = prefix->waits.tasks > 0 &&
                 cup_profile_measured(totals->profile, cup_wait_parts[part].needs);
    return known ? seconds(prefix->waits.ns[part]) : cup_null();
}

static void add_prefix(struct cup_figures *figures, const struct cup_totals *totals, uint32_t index)
{
    const struct cup_task_sums *sums = &totals->prefixes[index];
    const struct cup_prefix *prefix = &totals->profile->prefixes[index];
    struct cup_value cpu = cup_sums_have_cpu(sums) ? seconds(sums->cpu_ns) : cup_null();
    const struct cup_value values[] = {
        cup_count(sums->tasks),
        seconds(sums->wall_ns),
        cup_ratio((double)sums->wall_ns / 1e9, (double)(sums->finished + sums->erred)),
        cpu,
        cup_value_if(cup_profile_measured(totals->profile, CUP_FEATURE_FILES),
                     cup_count(sums->read_bytes)),
        cup_profile_measured(totals->profile, cup_counter_needs(CUP_C_ALLOC_BYTES))
            ? cup_count(prefix->counters[CUP_C_ALLOC_BYTES])
            : cup_null(),
        cup_count(sums->result_bytes),
        waited(totals, prefix, CUP_WAITED_IO),
        waited(totals, prefix, CUP_WAITED_GIL),
        waited(totals, prefix, CUP_WAITED_LOCK),
        waited(totals, prefix, CUP_WAITED_RUN_DELAY),
    };
    const char *row = keep(figures, cup_profile_text(totals->profile, prefix->name));
    for (size_t i = 0; i < cup_prefix_figure_count; i++)
        cup_figures_add_of_row(figures, "tasks_by_prefix", row, &cup_prefix_figures[i], values[i],
                               NULL);
}

static void add_prefixes(struct cup_figures *figures, const struct cup_totals *totals)
{
    size_t count;
    uint32_t *order = cup_prefixes_by_time(totals, &count);
    figures->short_of_memory |= !order;
    for (size_t i = 0; order && i < count; i++)
        add_prefix(figures, totals, order[i]);
    free(order);
}

static void add_dataset(struct cup_figures *figures, const struct cup_totals *totals,
                        const struct cup_dataset *dataset)
{
    const struct cup_value values[] = {
        cup_count(dataset->chunks),
        dataset->without_events ? cup_null() : cup_count(dataset->events),
        dataset->process_ns ? seconds(dataset->process_ns) : cup_null(),
        cup_value_if(cup_profile_measured(totals->profile, CUP_FEATURE_FILES) &&
                         !dataset->bytes_unknown,
                     cup_count(dataset->read_bytes)),
        seconds(dataset->wall_ns),
        dataset->with_cpu ? seconds(dataset->cpu_ns) : cup_null(),
    };
    const char *row = keep(figures, cup_profile_text(totals->profile, dataset->name));
    for (size_t i = 0; i < cup_dataset_figure_count; i++)
        cup_figures_add_of_row(figures, "datasets", row, &cup_dataset_figures[i], values[i], NULL);
}

/* ---- facts ------------------------------------------------------------------------------ */

static void add_input_files(struct cup_figures *figures, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct cup_file *file = &profile->files[i];
        bool read = false;
        for (uint32_t at = file->first_sum; at; at = profile->file_sums[at - 1].next) {
            const struct cup_file_sum *sum = &profile->file_sums[at - 1];
            read |= sum->prefix != CUP_NO_PREFIX && cup_prefix_is_processor(totals, sum->prefix) &&
                    sum->counters[CUP_F_READ_BYTES] > 0;
        }
        if (read && file->class == CUP_FILE_DATA)
            cup_figures_add_file(figures, keep(figures, cup_profile_text(profile, file->path)),
                                 cup_file_is_sized(file) ? file->size : CUP_UNKNOWN64);
    }
    cup_figures_sort_files(figures);
}

static void add_infos(struct cup_fact_list *list, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        cup_fact_list_add(list, cup_process_is_worker(&profile->processes[i]), "cupping",
                          cup_string(profile->processes[i].header.library_version).text);
    for (size_t i = 0; i < profile->info_count; i++) {
        const struct cup_info *info = &profile->infos[i];
        struct cup_text name = cup_profile_text(profile, info->name);
        char copy[64];
        snprintf(copy, sizeof copy, "%.*s", (int)name.length, name.bytes ? name.bytes : "");
        cup_fact_list_add(list, cup_process_is_worker(&profile->processes[info->process]), copy,
                          cup_profile_text(profile, info->value));
    }
}

static void add_workers(struct cup_fact_list *list, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (cup_process_is_worker(&profile->processes[i]))
            cup_fact_list_add(list, true, CUP_FACT_HOSTS,
                              cup_string(profile->processes[i].header.host).text);
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        if (server->role == CUP_ROLE_WORKER && server->memory_limit != CUP_UNKNOWN64)
            cup_fact_list_add_limit(list, (double)server->memory_limit);
    }
    cup_fact_list_add_no_limit(list);
}

static void add_spreads(struct cup_figures *figures, const struct cup_totals *totals)
{
    struct cup_numbers times[CUP_CHUNK_TIMES] = {{0}};
    const struct cup_profile *profile = totals->profile;
    for (uint32_t i = 0; i < profile->item_count; i++) {
        if (totals->outcomes[i] != CUP_OUTCOME_USED)
            continue;
        cup_numbers_add(&times[CUP_CHUNK_TASK], cup_chunk_number(totals, i, CUP_STAT_WALL));
        cup_numbers_add(&times[CUP_CHUNK_PROCESS], cup_chunk_number(totals, i, CUP_STAT_PROCESS));
    }
    cup_figures_set_chunks(figures, times);
}

/* Whether the run did what it was to do. */
static void set_completeness(struct cup_figures *figures, const struct cup_totals *totals)
{
    figures->state = totals->completeness->state;
    figures->completeness = cup_figures_keep_string(figures, totals->completeness->sentence);
    figures->losses = cup_losses_chunks(&totals->losses->sums);
}

void cup_figures_from_totals(struct cup_figures *figures, const struct cup_totals *totals)
{
    struct cup_fact_list list = {.figures = figures};
    figures->kind = CUP_INPUT_PROFILE;
    figures->workers = totals->workers;
    set_completeness(figures, totals);
    for (size_t i = 0; i < cup_metric_section_count; i++)
        add_metrics(figures, totals, cup_metric_sections[i]);
    add_statistics(figures, totals);
    add_prefixes(figures, totals);
    for (size_t i = 0; i < totals->dataset_count; i++)
        add_dataset(figures, totals, &totals->datasets[i]);
    add_input_files(figures, totals);
    add_infos(&list, totals->profile);
    add_workers(&list, totals->profile);
    cup_fact_list_finish(&list);
    figures->ramp = cup_ramp_make(totals);
    if (figures->ask.chunks)
        add_spreads(figures, totals);
}
