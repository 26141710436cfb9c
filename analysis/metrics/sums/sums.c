#include "analysis/metrics/sums/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/id_map.h"
#include "analysis/base/parallel.h"
#include "analysis/profile/run_life.h"

/* ---- small sums ------------------------------------------------------------------------- */

static void stretch_add(struct cup_stretch *stretch, const struct cup_task *task)
{
    if (!stretch->start_ns || task->start_ns < stretch->start_ns)
        stretch->start_ns = task->start_ns;
    if (task->status && task->stop_ns > stretch->stop_ns)
        stretch->stop_ns = task->stop_ns;
}

static uint64_t known(uint64_t value)
{
    return value == CUP_UNKNOWN64 ? 0 : value;
}

void cup_task_sums_add(struct cup_task_sums *sums, const struct cup_profile *profile,
                       const struct cup_task *task)
{
    bool runs = cup_task_runs(profile, task);
    sums->tasks++;
    sums->finished += task->status == CUP_STATUS_FINISHED;
    sums->erred += task->status == CUP_STATUS_ERRED;
    sums->unknown +=
        task->status == CUP_STATUS_UNKNOWN || (!runs && cup_task_end_is_lost(profile, task));
    sums->unfinished += cup_task_was_killed(profile, task);
    sums->running += runs;
    sums->wall_ns += known(cup_task_wall_ns(task));
    sums->cpu_ns += known(task->cpu_ns);
    if (task->cpu_ns != CUP_UNKNOWN64) {
        sums->with_cpu_ns += known(cup_task_wall_ns(task));
        sums->noncpu_ns += cup_noncpu_ns(known(cup_task_wall_ns(task)), task->cpu_ns);
    } else {
        sums->without_cpu += task->status != 0;
    }
    sums->read_bytes += task->read_bytes;
    sums->partly += cup_task_is_partly_attributed(profile, task);
    sums->child_read_bytes += cup_rare_of(profile, task)->child_read_bytes;
    sums->result_bytes += known(task->result_bytes);
}

void cup_task_sums_add_sum(struct cup_task_sums *sums, const struct cup_task_sum *more)
{
    const uint64_t *values = more->values;
    unsigned status = cup_task_sum_status(more);
    sums->tasks += values[CUP_T_TASKS];
    sums->finished += status == CUP_STATUS_FINISHED ? values[CUP_T_TASKS] : 0;
    sums->erred += status == CUP_STATUS_ERRED ? values[CUP_T_TASKS] : 0;
    sums->unknown += status == CUP_STATUS_UNKNOWN ? values[CUP_T_TASKS] : 0;
    sums->wall_ns += values[CUP_T_WALL_NS];
    sums->cpu_ns += values[CUP_T_CPU_NS];
    sums->with_cpu_ns += values[CUP_T_WITH_CPU_NS];
    sums->without_cpu += values[CUP_T_WITHOUT_CPU];
    sums->noncpu_ns += values[CUP_T_NONCPU_NS] /* older logs do not have it */
                           ? values[CUP_T_NONCPU_NS]
                           : cup_noncpu_ns(values[CUP_T_WITH_CPU_NS], values[CUP_T_CPU_NS]);
    sums->read_bytes += values[CUP_T_READ_BYTES];
    sums->partly += values[CUP_T_PARTLY];
    sums->partly_unknown += more->in_full_log ? values[CUP_T_TASKS] : 0;
    sums->result_bytes += values[CUP_T_RESULT_BYTES];
}

static void stretch_add_sum(struct cup_stretch *stretch, const struct cup_task_sum *sum)
{
    int64_t first_ns = (int64_t)sum->values[CUP_T_FIRST_NS];
    int64_t last_ns = (int64_t)sum->values[CUP_T_LAST_NS];
    if (!sum->values[CUP_T_TASKS])
        return;
    if (!stretch->start_ns || first_ns < stretch->start_ns)
        stretch->start_ns = first_ns;
    if (last_ns > stretch->stop_ns)
        stretch->stop_ns = last_ns;
}

/* ---- chunks ----------------------------------------------------------------------------- */

static struct cup_dataset *dataset_of(struct cup_totals *totals, struct cup_id_map *map,
                                      uint32_t name)
{
    uint32_t index = cup_id_map_get(map, name);
    if (index)
        return &totals->datasets[index - 1];
    if (cup_array_grow(&totals->datasets, &totals->dataset_room, totals->dataset_count,
                       sizeof *totals->datasets) != 0 ||
        cup_id_map_set(map, name, (uint32_t)totals->dataset_count + 1) != 0)
        return NULL;
    struct cup_dataset *dataset = &totals->datasets[totals->dataset_count++];
    *dataset = (struct cup_dataset){.name = name};
    return dataset;
}

static void add_clock_calls(struct cup_totals *totals, struct cup_dataset *dataset,
                            const struct cup_task *task, const struct cup_item *item)
{
    if (item->tic_ns == 0 || item->toc_ns < item->tic_ns)
        return;
    uint64_t inside = (uint64_t)(item->toc_ns - item->tic_ns);
    totals->timed_chunks++;
    totals->process_ns += inside;
    totals->process_cpu_ns += known(item->cpu_ns);
    dataset->timed++;
    dataset->process_ns += inside;
    if (item->tic_ns > task->start_ns)
        totals->open_ns += (uint64_t)(item->tic_ns - task->start_ns);
}

/* Adds Coffea's report of a chunk. As in Coffea's own sums, figures that a chunk does not have are
 * left out. */
static void add_report(struct cup_coffea_sums *sums, const struct cup_profile *profile,
                       const struct cup_task *task, const struct cup_item *item)
{
    if (!item->reported)
        return;
    sums->chunks++;
    if (item->toc_ns > item->tic_ns)
        sums->process_ns += (uint64_t)(item->toc_ns - item->tic_ns);
    if (item->requested_bytes != CUP_UNKNOWN64) {
        sums->with_bytes++;
        sums->bytes += item->requested_bytes;
        sums->read_bytes += task->read_bytes;
    }
    sums->with_entries += item->reported_entries != CUP_NO_ENTRIES;
    sums->entries += known(cup_item_reported_entries(item));
    sums->with_columns += cup_source_of(profile, item)->columns != 0;
}

static void add_used_chunk(struct cup_totals *totals, struct cup_dataset *dataset,
                           const struct cup_task *task, const struct cup_item *item)
{
    uint64_t events = cup_item_events(item), wall_ns = cup_task_wall_ns(task);
    totals->used_chunks++;
    totals->chunks_without_events += events == CUP_UNKNOWN64;
    totals->events += known(events);
    totals->chunk_wall_ns += wall_ns;
    totals->chunk_cpu_ns += known(task->cpu_ns);
    dataset->chunks++;
    dataset->events += known(events);
    dataset->without_events += events == CUP_UNKNOWN64;
    dataset->wall_ns += wall_ns;
    dataset->cpu_ns += known(task->cpu_ns);
    dataset->with_cpu += task->cpu_ns != CUP_UNKNOWN64;
    dataset->read_bytes += task->read_bytes;
    add_clock_calls(totals, dataset, task, item);
    add_report(&totals->coffea, totals->profile, task, item);
    add_report(&dataset->coffea, totals->profile, task, item);
    if (totals->profile->baskets)
        cup_task_baskets_add(&dataset->baskets,
                             &totals->profile->baskets[task - totals->profile->tasks]);
}

static void add_chunk(struct cup_totals *totals, struct cup_dataset *dataset, uint32_t index)
{
    const struct cup_task *task = cup_task_of_item(totals->profile, index);
    stretch_add(&totals->chunks, task);
    totals->prefix_chunks[cup_task_prefix(totals->profile, task)]++;
    dataset->attempt_bytes += task->read_bytes;
    switch (totals->outcomes[index]) {
    case CUP_OUTCOME_USED:
        add_used_chunk(totals, dataset, task, &totals->profile->items[index]);
        break;
    case CUP_OUTCOME_REPEATED:
        totals->repeated_chunks++;
        dataset->repeated++;
        break;
    case CUP_OUTCOME_SKIPPED:
        totals->skipped_chunks++;
        dataset->skipped++;
        totals->coffea.skipped++;
        dataset->coffea.skipped++;
        break;
    case CUP_OUTCOME_FAILED:
        totals->failed_chunks++;
        dataset->failed++;
        break;
    case CUP_OUTCOME_UNKNOWN:
        totals->unknown_chunks++;
        break;
    case CUP_OUTCOME_RUNNING:
        totals->running_chunks++;
        dataset->running++;
        break;
    default:
        totals->unfinished_chunks++;
        dataset->unfinished++;
    }
}

/* Of what Coffea reported of a chunk, a full log holds only the time inside process(). */
static void add_summed_reports(struct cup_coffea_sums *sums, const struct cup_task_sum *sum)
{
    const uint64_t *values = sum->values;
    if (sum->in_full_log && cup_task_sum_kind(sum) == CUP_ITEM_WORK) {
        sums->unknown += values[CUP_T_TASKS];
        sums->process_ns += values[CUP_T_PROCESS_NS];
        return;
    }
    sums->chunks += values[CUP_T_REPORTS];
    sums->process_ns += values[CUP_T_REPORT_PROCESS_NS];
    sums->with_bytes += values[CUP_T_WITH_BYTES];
    sums->bytes += values[CUP_T_REQUESTED_BYTES];
    sums->read_bytes += values[CUP_T_REPORT_READ_BYTES];
    sums->with_entries += values[CUP_T_WITH_ENTRIES];
    sums->entries += values[CUP_T_ENTRIES];
    sums->with_columns += values[CUP_T_WITH_COLUMNS];
}

/* Merges sum up only chunks whose result was used, as far as one process can know. Full logs sum up
 * all. */
static void add_summed_chunks(struct cup_totals *totals, struct cup_dataset *dataset,
                              const struct cup_task_sum *sum)
{
    const uint64_t *values = sum->values;
    stretch_add_sum(&totals->chunks, sum);
    totals->prefix_chunks[sum->prefix] += values[CUP_T_TASKS];
    dataset->attempt_bytes += values[CUP_T_READ_BYTES];
    if (sum->what & CUP_SUM_WAS_SKIPPED) {
        totals->skipped_chunks += values[CUP_T_TASKS];
        dataset->skipped += values[CUP_T_TASKS];
        totals->coffea.skipped += values[CUP_T_TASKS];
        dataset->coffea.skipped += values[CUP_T_TASKS];
        return;
    }
    if (cup_task_sum_status(sum) == CUP_STATUS_ERRED) {
        totals->failed_chunks += values[CUP_T_TASKS];
        dataset->failed += values[CUP_T_TASKS];
        return;
    }
    if (cup_task_sum_status(sum) != CUP_STATUS_FINISHED) {
        totals->unknown_chunks += values[CUP_T_TASKS];
        return;
    }
    totals->used_chunks += values[CUP_T_TASKS];
    totals->chunks_without_events += sum->what & CUP_SUM_HAS_EVENTS ? 0 : values[CUP_T_TASKS];
    totals->events += values[CUP_T_EVENTS];
    totals->chunk_wall_ns += values[CUP_T_WALL_NS];
    totals->chunk_cpu_ns += values[CUP_T_CPU_NS];
    totals->timed_chunks += values[CUP_T_TIMED];
    totals->process_ns += values[CUP_T_PROCESS_NS];
    totals->process_cpu_ns += values[CUP_T_PROCESS_CPU_NS];
    totals->open_ns += values[CUP_T_OPEN_NS];
    dataset->chunks += values[CUP_T_TASKS];
    dataset->events += values[CUP_T_EVENTS];
    dataset->without_events += sum->what & CUP_SUM_HAS_EVENTS ? 0 : values[CUP_T_TASKS];
    dataset->wall_ns += values[CUP_T_WALL_NS];
    dataset->cpu_ns += values[CUP_T_CPU_NS];
    dataset->with_cpu += values[CUP_T_TASKS] - values[CUP_T_WITHOUT_CPU];
    dataset->timed += values[CUP_T_TIMED];
    dataset->bytes_unknown += sum->bytes_mixed;
    dataset->read_bytes += sum->bytes_mixed ? 0 : values[CUP_T_READ_BYTES];
    dataset->process_ns += values[CUP_T_PROCESS_NS];
    add_summed_reports(&totals->coffea, sum);
    add_summed_reports(&dataset->coffea, sum);
}

static int add_summed_items(struct cup_totals *totals, struct cup_id_map *map)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        if (!cup_task_sum_is_chunk(profile, sum)) {
            if (cup_task_sum_kind(sum) == CUP_ITEM_METADATA)
                stretch_add_sum(&totals->metadata, sum);
            continue;
        }
        struct cup_dataset *dataset = dataset_of(totals, map, sum->dataset);
        if (!dataset)
            return -1;
        add_summed_chunks(totals, dataset, sum);
    }
    return 0;
}

static int add_items(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    struct cup_id_map map = {0};
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < profile->item_count; i++) {
        const struct cup_item *item = &profile->items[i];
        if (!cup_item_is_chunk(item)) {
            if (item->kind == CUP_ITEM_METADATA)
                stretch_add(&totals->metadata, cup_task_of_item(profile, i));
            continue;
        }
        struct cup_dataset *dataset =
            dataset_of(totals, &map, cup_source_of(profile, item)->dataset);
        if (dataset)
            add_chunk(totals, dataset, i);
        else
            result = -1;
    }
    if (result == 0)
        result = add_summed_items(totals, &map);
    cup_id_map_clear(&map);
    return result;
}

/* Time after 90 % of the chunks had ended. */
static void find_tail(struct cup_totals *totals, double *numbers)
{
    const struct cup_profile *profile = totals->profile;
    size_t count = 0;
    totals->tail_ns = -1;
    for (uint32_t i = 0; i < profile->item_count && !profile->chunks_summed; i++)
        if (totals->outcomes[i] && cup_task_of_item(profile, i)->status)
            numbers[count++] =
                (double)(cup_task_of_item(profile, i)->stop_ns - totals->chunks.start_ns);
    if (count < CUP_TAIL_LEAST || cup_chosen_run_goes_on(profile))
        return;
    size_t nine_tenths = (count * 9 + 9) / 10;
    double reached = cup_select(numbers, count, nine_tenths - 1);
    totals->tail_ns = cup_stretch_ns(totals->chunks) - (int64_t)reached;
}

static int make_tail(struct cup_totals *totals)
{
    double *numbers = malloc((totals->profile->item_count + 1) * sizeof *numbers);
    if (!numbers)
        return -1;
    find_tail(totals, numbers);
    free(numbers);
    return 0;
}

/* ---- tasks, threads, files -------------------------------------------------------------- */

static void raise_rss(struct cup_totals *totals, const struct cup_server *server, uint32_t packed)
{
    uint64_t bytes = known(cup_rss_bytes(packed));
    uint64_t limit = server && server->memory_limit != CUP_UNKNOWN64 ? server->memory_limit : 0;
    totals->task_rss_bytes = bytes > totals->task_rss_bytes ? bytes : totals->task_rss_bytes;
    if (limit)
        totals->task_memory_percent =
            fmax(totals->task_memory_percent, 100 * (double)bytes / (double)limit);
}

static int add_tasks(void *context)
{
    struct cup_totals *totals = context;
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        cup_task_sums_add(&totals->all, profile, task);
        cup_task_sums_add(&totals->prefixes[cup_task_prefix(profile, task)], profile, task);
        stretch_add(&totals->tasks, task);
        const struct cup_server *worker = cup_task_server(profile, task);
        raise_rss(totals, worker, task->rss_start);
        raise_rss(totals, worker, task->status ? task->rss_stop : CUP_RSS_UNKNOWN);
        if (cup_task_place(task) != CUP_PLACE_POOL) {
            totals->elsewhere_tasks++;
            totals->elsewhere_ns += known(cup_task_wall_ns(task));
        }
        uint32_t server = cup_scope_of(profile, task)->server;
        cup_task_sums_add(&totals->servers[server ? server - 1 : profile->server_count], profile,
                          task);
    }
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        cup_task_sums_add_sum(&totals->all, sum);
        cup_task_sums_add_sum(&totals->prefixes[sum->prefix], sum);
        stretch_add_sum(&totals->tasks, sum);
        if (cup_task_sum_place(sum) != CUP_PLACE_POOL) {
            totals->elsewhere_tasks += sum->values[CUP_T_TASKS];
            totals->elsewhere_ns += sum->values[CUP_T_WALL_NS];
        }
        cup_task_sums_add_sum(
            &totals->servers[sum->server ? sum->server - 1 : profile->server_count], sum);
    }
    for (size_t i = 0; i < profile->process_count; i++)
        totals->tasks_lost += cup_tasks_lost(profile, &profile->processes[i]);
    return 0;
}

/* A process without Dask that ran tasks is a worker, too. */
uint64_t cup_process_workers(const struct cup_totals *totals, size_t process)
{
    const struct cup_profile *profile = totals->profile;
    uint64_t servers = 0;
    for (size_t s = 0; s < profile->server_count; s++)
        servers +=
            profile->servers[s].process == process && cup_server_is_worker(&profile->servers[s]);
    return servers ? servers : profile->processes[process].tasks > 0;
}

/* Extends the run by the Runner call, which begins before its first task and ends after its last.
 * Few clock calls of the client may have been seen, so that the call seems shorter than its tasks:
 * then only the tasks count. A call whose host's clock could not be compared with the scheduler's
 * is ignored in that case. */
static void add_call(struct cup_totals *totals)
{
    const struct cup_run *call = cup_run_call(totals);
    if (call && !call->compared &&
        (call->start_ns > totals->tasks.start_ns || call->stop_ns < totals->tasks.stop_ns)) {
        totals->call_left_out = true;
        return;
    }
    if (call && call->start_ns < totals->run.start_ns)
        totals->run.start_ns = call->start_ns;
    if (call && call->stop_ns > totals->run.stop_ns)
        totals->run.stop_ns = call->stop_ns;
}

static int find_run(struct cup_totals *totals)
{
    int64_t end_ns;
    if (cup_run_end_of_unfinished(totals->profile, &end_ns) != 0)
        return -1;
    totals->run = totals->tasks;
    if (end_ns > totals->run.stop_ns)
        totals->run.stop_ns = end_ns;
    add_call(totals);
    return 0;
}

const char *cup_budget_part_text(const struct cup_totals *totals, int part)
{
    if (part == CUP_BUDGET_BETWEEN && cup_profile_is_without_dask(totals->profile))
        return "executor between tasks";
    if (part == CUP_BUDGET_IDLE && totals->budget.gaps_unknown)
        return totals->tasks_lost ? "in no known task" : "outside of tasks";
    if (part != CUP_BUDGET_UNFINISHED || totals->all.running == 0)
        return cup_budget_texts[part].text;
    return totals->all.unfinished ? "running and unfinished tasks" : "running tasks";
}

static int add_budgets(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    if (cup_budgets_make(totals->budgets, profile, totals->run) != 0)
        return -1;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        cup_budget_add(&totals->budget, &totals->budgets[i]);
        totals->pool_tasks_measured += process->waits[CUP_PLACE_POOL].tasks;
        for (int place = 0; place < CUP_PLACE_COUNT; place++)
            cup_wait_sums_add(&totals->waits, &process->waits[place]);
        cup_measured_waits_add(&totals->helper_waits, &process->helper_waits);
    }
    return 0;
}

/* A child process of a task is no worker: what it read outside of tasks counts in `children`, not
 * as read by workers. */
static void add_child(struct cup_totals *totals, const struct cup_process *process,
                      uint64_t *without_task)
{
    struct cup_child_sums *sums = &totals->children[process->ancestry];
    sums->processes++;
    sums->bytes += cup_process_child_bytes(process);
    memset(&without_task[CUP_C_READ_OWN_BYTES], 0, CUP_METHOD_COUNT * sizeof *without_task);
    without_task[CUP_C_RECV_BYTES] -= without_task[CUP_C_SERVER_READ_BYTES];
    without_task[CUP_C_SERVER_READ_BYTES] = 0;
}

static void add_process(struct cup_totals *totals, const struct cup_process *process)
{
    uint64_t without_task[CUP_COUNTER_COUNT];
    memcpy(without_task, process->without_task, sizeof without_task);
    if (process->ancestry)
        add_child(totals, process, without_task);
    cup_counters_add(cup_process_is_worker(process) ? totals->without_task : totals->elsewhere,
                     without_task);
}

static void add_processes(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->prefix_count; i++)
        cup_counters_add(totals->counters, profile->prefixes[i].counters);
    for (size_t i = 0; i < profile->process_count; i++)
        add_process(totals, &profile->processes[i]);
}

/* Adds what the processor's tasks read from .root files, and the size of these files. The size is 0
 * if that of a remote file is not known. */
static void add_files(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    bool unknown = false;
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct cup_file *file = &profile->files[i];
        uint64_t bytes = 0;
        for (uint32_t at = file->first_sum; at; at = profile->file_sums[at - 1].next) {
            const struct cup_file_sum *sum = &profile->file_sums[at - 1];
            if (sum->prefix != CUP_NO_PREFIX && cup_prefix_is_processor(totals, sum->prefix))
                bytes += sum->counters[CUP_F_READ_BYTES];
        }
        if (bytes > 0 && (file->flags & CUP_FILE_IS_ROOT)) {
            totals->chunk_file_bytes += bytes;
            totals->chunk_file_size += file->size;
            unknown |= !file->size && file->flags & CUP_FILE_IS_REMOTE;
        }
    }
    if (unknown)
        totals->chunk_file_size = 0;
}

static int make_items(void *context)
{
    struct cup_totals *totals = context;
    return cup_attempts_settle(totals) == 0 && add_items(totals) == 0 && make_tail(totals) == 0
               ? cup_task_quantiles_make(totals)
               : -1;
}

static int make_rss_growth(void *context)
{
    return cup_rss_growth_make(context);
}

int cup_sums_make(struct cup_totals *totals, const struct cup_profile *profile)
{
    /* Each goes through all tasks or chunks, and none needs what another one makes. The arrays of
     * the first part are large, so that it fills one after the other. */
    static int (*const parts[])(void *) = {make_items, make_rss_growth, add_tasks};
    *totals = (struct cup_totals){.profile = profile};
    totals->prefixes = calloc(profile->prefix_count + 1, sizeof *totals->prefixes);
    totals->servers = calloc(profile->server_count + 1, sizeof *totals->servers);
    totals->prefix_chunks = calloc(profile->prefix_count + 1, sizeof *totals->prefix_chunks);
    totals->outcomes = calloc(profile->item_count + 1, 1);
    totals->budgets = calloc(profile->process_count + 1, sizeof *totals->budgets);
    if (!totals->prefixes || !totals->servers || !totals->prefix_chunks || !totals->outcomes ||
        !totals->budgets || cup_parallel_parts(parts, sizeof parts / sizeof *parts, totals) != 0)
        return -1;
    if (find_run(totals) != 0 || add_budgets(totals) != 0 || cup_workers_count(totals) != 0)
        return -1;
    add_processes(totals);
    add_files(totals);
    return 0;
}

void cup_sums_free(struct cup_totals *totals)
{
    free(totals->prefixes);
    free(totals->servers);
    free(totals->task_quantiles);
    free(totals->prefix_chunks);
    free(totals->outcomes);
    free(totals->rss_growth);
    free(totals->budgets);
    free(totals->datasets);
    *totals = (struct cup_totals){0};
}

/* ---- order ------------------------------------------------------------------------------ */

static int more_time_first(const void *left, const void *right, void *sums)
{
    const struct cup_task_sums *prefixes = sums;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (prefixes[a].wall_ns != prefixes[b].wall_ns)
        return prefixes[a].wall_ns > prefixes[b].wall_ns ? -1 : 1;
    return (a > b) - (a < b);
}

uint32_t *cup_prefixes_by_time(const struct cup_totals *totals, size_t *count)
{
    uint32_t *order = calloc(totals->profile->prefix_count + 1, sizeof *order);
    *count = 0;
    for (uint32_t i = 0; order && i < totals->profile->prefix_count; i++)
        if (totals->prefixes[i].tasks)
            order[(*count)++] = i;
    if (order)
        qsort_r(order, *count, sizeof *order, more_time_first, totals->prefixes);
    return order;
}

size_t cup_prefixes_alone(const struct cup_totals *totals, const uint32_t *order, size_t count)
{
    size_t alone = count;
    while (alone > 0) {
        const struct cup_task_sums *sums = &totals->prefixes[order[alone - 1]];
        if (sums->erred + sums->unfinished > 0 || sums->wall_ns >= totals->all.wall_ns / 100)
            break;
        alone--;
    }
    return count - alone < 2 ? count : alone;
}

/* ---- attribution methods
 * ---------------------------------------------------------------------------- */

const char *const cup_method_names[CUP_METHOD_COUNT] = {CUP_METHODS(CUP_NAME_OF)};

uint64_t cup_method_bytes(const struct cup_totals *totals, int method)
{
    return method == CUP_METHOD_NONE ? totals->without_task[CUP_C_READ_NONE_BYTES]
                                     : totals->counters[CUP_C_READ_OWN_BYTES + method];
}

uint64_t cup_all_method_bytes(const struct cup_totals *totals)
{
    uint64_t sum = 0;
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        sum += cup_method_bytes(totals, method);
    return sum;
}
