#include "analysis/metrics/losses/losses.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/hash_map.h"
#include "analysis/metrics/losses/completeness.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/profile/run_life.h"

const char *const cup_loss_names[CUP_LOSS_OUTCOMES] = {"lost",      "skipped", "unfinished",
                                                       "recovered", "running", "unknown"};

/* ---- one attempt ------------------------------------------------------------------------ */

/* As totals->outcomes, also for metadata tasks. */
static enum cup_outcome attempt_of(const struct cup_totals *totals, uint32_t index)
{
    const struct cup_profile *profile = totals->profile;
    return totals->outcomes[index] != CUP_OUTCOME_NONE
               ? totals->outcomes[index]
               : cup_outcome_of(profile, cup_task_of_item(profile, index), &profile->items[index]);
}

static int64_t end_of(const struct cup_profile *profile, const struct cup_task *task)
{
    int64_t end_ns =
        task->status
            ? task->stop_ns
            : cup_process_last_sign_ns(&profile->processes[cup_task_process(profile, task)]);
    return end_ns > task->start_ns ? end_ns : task->start_ns;
}

static void add_unused_attempt(struct cup_loss *row, const struct cup_profile *profile,
                               uint32_t index, enum cup_outcome attempt)
{
    const struct cup_task *task = cup_task_of_item(profile, index);
    int64_t end_ns = end_of(profile, task);
    row->failed += attempt == CUP_OUTCOME_FAILED;
    row->unfinished += attempt == CUP_OUTCOME_UNFINISHED;
    row->repeated += attempt == CUP_OUTCOME_REPEATED;
    row->skipped += attempt == CUP_OUTCOME_SKIPPED;
    row->wall_ns += (uint64_t)(end_ns - task->start_ns);
    row->read_bytes += task->read_bytes;
    if (row->first_ns == 0 || task->start_ns < row->first_ns)
        row->first_ns = task->start_ns;
    if (end_ns >= row->last_ns) {
        row->last_ns = end_ns;
        row->item = index;
        if (cup_rare_of(profile, task)->error)
            row->error = cup_rare_of(profile, task)->error;
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

/* The result lacks something without a chunk, or without the metadata of a file, and not without
 * another task that happens to have the path of a file. */
static bool is_needed(const struct cup_item *item)
{
    return cup_item_is_chunk(item) || item->kind == CUP_ITEM_METADATA;
}

static size_t count_unused_attempts(const struct cup_totals *totals)
{
    size_t count = 0;
    for (uint32_t i = 0; i < totals->profile->item_count; i++)
        count += attempt_of(totals, i) != CUP_OUTCOME_USED;
    return count;
}

/* Fills in TABLE: for the key of each chunk, and of the metadata of each file, with an unused
 * attempt, index + 1 in rows. */
static void find_rows(struct cup_losses *losses, const struct cup_totals *totals,
                      struct cup_hash_map *table)
{
    for (uint32_t i = 0; i < totals->profile->item_count; i++) {
        enum cup_outcome attempt = attempt_of(totals, i);
        if (attempt == CUP_OUTCOME_USED || attempt == CUP_OUTCOME_RUNNING ||
            attempt == CUP_OUTCOME_UNKNOWN || !is_needed(&totals->profile->items[i]))
            continue;
        uint32_t *row = cup_hash_map_put(table, cup_task_of_item(totals->profile, i)->key_hash);
        if (*row == 0)
            *row = (uint32_t)++losses->count;
        add_unused_attempt(&losses->rows[*row - 1], totals->profile, i, attempt);
    }
}

/* Merges sum up only tasks that have a result. */
static void count_summed_attempts(struct cup_losses *losses, const struct cup_profile *profile,
                                  const struct cup_hash_map *table)
{
    for (size_t i = 0; i < profile->summed_key_count; i++) {
        const uint32_t *row = cup_hash_map_find(table, profile->summed_keys[i]);
        if (!row)
            continue;
        losses->rows[*row - 1].attempts++;
        losses->rows[*row - 1].used = true;
    }
}

static void count_attempts(struct cup_losses *losses, const struct cup_totals *totals,
                           const struct cup_hash_map *table)
{
    for (uint32_t i = 0; i < totals->profile->item_count; i++) {
        const uint32_t *row =
            cup_hash_map_find(table, cup_task_of_item(totals->profile, i)->key_hash);
        if (!row)
            continue;
        enum cup_outcome attempt = attempt_of(totals, i);
        losses->rows[*row - 1].attempts++;
        losses->rows[*row - 1].used |= attempt == CUP_OUTCOME_USED;
        losses->rows[*row - 1].running |= attempt == CUP_OUTCOME_RUNNING;
        losses->rows[*row - 1].unknown |= attempt == CUP_OUTCOME_UNKNOWN;
    }
}

/* GOES_ON: the run does, and Dask will try the chunk again. */
static enum cup_loss_outcome outcome_of(const struct cup_loss *row, bool goes_on)
{
    if (row->used)
        return CUP_LOSS_RECOVERED;
    if (row->running)
        return CUP_LOSS_RUNNING;
    if (row->unknown)
        return CUP_LOSS_UNKNOWN;
    if (row->skipped)
        return CUP_LOSS_SKIPPED;
    return row->failed ? CUP_LOSS_LOST : goes_on ? CUP_LOSS_RUNNING : CUP_LOSS_UNFINISHED;
}

/* ---- sums ------------------------------------------------------------------------------- */

void cup_loss_sums_add(struct cup_loss_sums *sums, const struct cup_loss *row,
                       const struct cup_item *item)
{
    uint64_t events = cup_item_events(item);
    bool missing = cup_loss_is_missing(row->outcome);
    sums->chunks[row->outcome]++;
    if (events != CUP_UNKNOWN64)
        sums->events[row->outcome] += events;
    else
        sums->without_events += missing;
    sums->metadata += missing && item->kind == CUP_ITEM_METADATA;
}

/* Datasets are few. */
static struct cup_dataset_losses *dataset_of(struct cup_losses *losses, uint32_t name)
{
    for (size_t i = 0; i < losses->dataset_count; i++)
        if (losses->datasets[i].name == name)
            return &losses->datasets[i];
    if (cup_array_grow(&losses->datasets, &losses->dataset_room, losses->dataset_count,
                       sizeof *losses->datasets) != 0)
        return NULL;
    struct cup_dataset_losses *dataset = &losses->datasets[losses->dataset_count++];
    *dataset = (struct cup_dataset_losses){.name = name};
    return dataset;
}

static int add_sums(struct cup_losses *losses, const struct cup_profile *profile)
{
    bool goes_on = cup_chosen_run_goes_on(profile);
    for (size_t i = 0; i < losses->count; i++) {
        struct cup_loss *row = &losses->rows[i];
        const struct cup_item *item = &profile->items[row->item];
        struct cup_dataset_losses *dataset =
            dataset_of(losses, cup_source_of(profile, item)->dataset);
        if (!dataset)
            return -1;
        row->outcome = (uint8_t)outcome_of(row, goes_on);
        cup_loss_sums_add(&losses->sums, row, item);
        cup_loss_sums_add(&dataset->sums, row, item);
    }
    return 0;
}

static void add_used_events(struct cup_losses *losses, const struct cup_totals *totals)
{
    for (size_t i = 0; i < losses->dataset_count; i++) {
        struct cup_dataset_losses *dataset = &losses->datasets[i];
        for (size_t d = 0; d < totals->dataset_count; d++)
            if (totals->datasets[d].name == dataset->name)
                dataset->events_used = totals->datasets[d].events;
    }
}

/* ---- how many events there are ---------------------------------------------------------- */

/* True if KEY is not in SEEN yet; adds it. Without memory: true. */
static bool is_new(struct cup_hash_map *seen, uint64_t key)
{
    uint32_t *place = cup_hash_map_put(seen, key);
    return !place || (*place)++ == 0;
}

/* Events of the files whose metadata were read, each file once; CUP_UNKNOWN64: of one of them, or
 * of all, they are not known. DATASET: NULL for all. */
static uint64_t add_events_of_files(const struct cup_totals *totals, const uint32_t *dataset,
                                    struct cup_hash_map *seen)
{
    const struct cup_profile *profile = totals->profile;
    uint64_t events = 0, files = 0;
    for (uint32_t i = 0; i < profile->item_count; i++) {
        const struct cup_item *item = &profile->items[i];
        if (item->kind != CUP_ITEM_METADATA ||
            (dataset && cup_source_of(profile, item)->dataset != *dataset) ||
            attempt_of(totals, i) != CUP_OUTCOME_USED ||
            !is_new(seen, cup_task_of_item(profile, i)->key_hash))
            continue;
        if (item->reported_entries == CUP_NO_ENTRIES)
            return CUP_UNKNOWN64;
        events += item->reported_entries;
        files++;
    }
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        if (cup_task_sum_kind(sum) != CUP_ITEM_METADATA || (dataset && sum->dataset != *dataset))
            continue;
        if (sum->values[CUP_T_WITH_ENTRIES] < sum->values[CUP_T_TASKS])
            return CUP_UNKNOWN64;
        events += sum->values[CUP_T_ENTRIES];
        files += sum->values[CUP_T_TASKS];
    }
    return files ? events : CUP_UNKNOWN64;
}

static uint64_t count_events_of_files(const struct cup_totals *totals, const uint32_t *dataset)
{
    struct cup_hash_map seen = {0};
    uint64_t events = add_events_of_files(totals, dataset, &seen);
    cup_hash_map_clear(&seen);
    return events;
}

/* The plan says it for the whole run. Else the metadata do, unless Coffea was to make only some
 * chunks of them (maxchunks). If they do not (they may have been read before the run), the chunks
 * do: all were tried, unless one failed for good, because Coffea ends the run then. */
static uint64_t count_events(const struct cup_totals *totals, const uint32_t *dataset,
                             const struct cup_loss_sums *sums, uint64_t used)
{
    struct cup_completeness plan = {0};
    cup_completeness_plan(&plan, totals->profile);
    uint64_t of_files = plan.max_chunks ? CUP_UNKNOWN64 : count_events_of_files(totals, dataset);
    uint64_t seen = used + cup_losses_events(sums);
    bool all_tried = sums->chunks[CUP_LOSS_LOST] + sums->chunks[CUP_LOSS_UNFINISHED] +
                         sums->chunks[CUP_LOSS_RUNNING] ==
                     0;
    if (!dataset && !plan.reason && plan.planned_events != CUP_UNKNOWN64)
        of_files = plan.planned_events;
    if (of_files != CUP_UNKNOWN64)
        return of_files > seen ? of_files : seen;
    return all_tried && sums->without_events == 0 ? seen : CUP_UNKNOWN64;
}

static void add_all_events(struct cup_losses *losses, const struct cup_totals *totals)
{
    for (size_t i = 0; i < losses->dataset_count; i++) {
        struct cup_dataset_losses *dataset = &losses->datasets[i];
        dataset->events_all =
            count_events(totals, &dataset->name, &dataset->sums, dataset->events_used);
    }
    losses->events_all = count_events(totals, NULL, &losses->sums, totals->events);
}

int cup_losses_make(struct cup_losses *losses, const struct cup_totals *totals)
{
    struct cup_hash_map table = {0};
    size_t most = count_unused_attempts(totals);
    *losses = (struct cup_losses){.events_all = CUP_UNKNOWN64};
    if (most == 0)
        return 0;
    losses->rows = calloc(most, sizeof *losses->rows);
    if (!losses->rows || cup_hash_map_reserve(&table, most) != 0)
        return -1;
    find_rows(losses, totals, &table);
    count_attempts(losses, totals, &table);
    count_summed_attempts(losses, totals->profile, &table);
    cup_hash_map_clear(&table);
    int result = add_sums(losses, totals->profile);
    add_used_events(losses, totals);
    add_all_events(losses, totals);
    return result;
}

void cup_losses_free(struct cup_losses *losses)
{
    free(losses->rows);
    free(losses->datasets);
    *losses = (struct cup_losses){0};
}

static uint64_t add_missing(const uint64_t counts[CUP_LOSS_OUTCOMES])
{
    uint64_t sum = 0;
    for (int i = 0; i < CUP_LOSS_OUTCOMES; i++)
        sum += cup_loss_is_missing((uint8_t)i) ? counts[i] : 0;
    return sum;
}

uint64_t cup_losses_chunks(const struct cup_loss_sums *sums)
{
    return add_missing(sums->chunks);
}

uint64_t cup_losses_events(const struct cup_loss_sums *sums)
{
    return add_missing(sums->events);
}

/* ---- waste: failed --------------------------------------------------------------------- */

static int64_t last_sign(const struct cup_profile *profile, const struct cup_task *task)
{
    return cup_process_last_sign_ns(&profile->processes[cup_task_process(profile, task)]);
}

static void add_task(struct cup_waste *waste, const struct cup_task *task)
{
    uint64_t wall_ns = cup_task_wall_ns(task);
    waste->tasks++;
    waste->wall_ns += wall_ns == CUP_UNKNOWN64 ? 0 : wall_ns;
    waste->cpu_ns += task->cpu_ns == CUP_UNKNOWN64 ? 0 : task->cpu_ns;
    waste->read_bytes += task->read_bytes;
}

static void add_killed(struct cup_waste *waste, const struct cup_profile *profile,
                       const struct cup_task *task)
{
    int64_t end_ns = last_sign(profile, task);
    add_task(waste, task);
    waste->wall_ns += end_ns > task->start_ns ? (uint64_t)(end_ns - task->start_ns) : 0;
}

void cup_waste_add_failure(struct cup_waste_reasons *reasons, const struct cup_profile *profile,
                           const struct cup_task *task)
{
    if (task->status == CUP_STATUS_ERRED)
        add_task(&reasons->failed, task);
    else if (cup_task_is_bad(profile, task))
        add_killed(&reasons->killed, profile, task);
}

void cup_waste_add_sum(struct cup_waste_reasons *reasons, const struct cup_task_sum *sum)
{
    if (cup_task_sum_status(sum) != CUP_STATUS_ERRED)
        return;
    reasons->failed.tasks += sum->values[CUP_T_TASKS];
    reasons->failed.wall_ns += sum->values[CUP_T_WALL_NS];
    reasons->failed.cpu_ns += sum->values[CUP_T_CPU_NS];
    reasons->failed.read_bytes += sum->values[CUP_T_READ_BYTES];
    reasons->failed.bytes_unknown += sum->bytes_mixed ? sum->values[CUP_T_TASKS] : 0;
}

/* ---- waste: done again -------------------------------------------------------------------------
 */

/* Tasks that succeeded, but whose result may not have been used; and for each of their keys the
 * attempt that started last. */
struct suspects {
    uint32_t *tasks; /* owned; indexes */
    size_t count, room;
    struct cup_hash_map latest; /* by key: index + 1 in profile->tasks of that attempt */
};

static int add_suspect(struct suspects *suspects, uint32_t task)
{
    if (cup_array_grow(&suspects->tasks, &suspects->room, suspects->count,
                       sizeof *suspects->tasks) != 0)
        return -1;
    suspects->tasks[suspects->count++] = task;
    return 0;
}

/* Chunks: totals->outcomes says which results were not used. */
static int suspect_chunks(struct suspects *suspects, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    int result = 0;
    for (size_t i = 0; totals->repeated_chunks && i < profile->item_count && result == 0; i++)
        if (totals->outcomes[i] == CUP_OUTCOME_REPEATED)
            result = add_suspect(suspects, profile->items[i].task);
    return result;
}

/* Other tasks: their result can only have been lost if their process ended before the last task
 * did. */
static int suspect_others(struct suspects *suspects, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    int result = 0;
    for (size_t p = 0; p < profile->process_count; p++) {
        const struct cup_process *process = &profile->processes[p];
        if (cup_process_last_sign_ns(process) >= totals->tasks.stop_ns)
            continue;
        for (uint32_t i = process->first_task; i < process->first_task + process->tasks; i++)
            if (profile->tasks[i].status == CUP_STATUS_FINISHED && !profile->tasks[i].item &&
                result == 0)
                result = add_suspect(suspects, i);
    }
    return result;
}

static int find_successors(struct suspects *suspects, const struct cup_profile *profile)
{
    const struct cup_task *tasks = profile->tasks;
    if (cup_hash_map_reserve(&suspects->latest, suspects->count) != 0)
        return -1;
    for (size_t i = 0; i < suspects->count; i++)
        *cup_hash_map_put(&suspects->latest, tasks[suspects->tasks[i]].key_hash) =
            suspects->tasks[i] + 1;
    for (size_t i = 0; i < profile->task_count; i++) {
        uint32_t *latest = cup_hash_map_find(&suspects->latest, tasks[i].key_hash);
        if (latest && tasks[i].start_ns > tasks[*latest - 1].start_ns)
            *latest = (uint32_t)i + 1;
    }
    return 0;
}

static void classify_task(struct cup_waste_reasons *reasons, const struct cup_totals *totals,
                          const struct cup_task *task, const struct cup_task *latest)
{
    const struct cup_profile *profile = totals->profile;
    bool gone = latest != task &&
                cup_task_process(profile, latest) != cup_task_process(profile, task) &&
                last_sign(profile, task) < latest->start_ns;
    bool is_chunk = task->item && cup_item_is_chunk(&totals->profile->items[task->item - 1]);
    if (gone)
        add_task(&reasons->lost, task);
    else if (is_chunk)
        add_task(&reasons->retried, task);
}

static int classify_tasks(struct cup_waste_reasons *reasons, const struct cup_totals *totals,
                          struct suspects *suspects)
{
    const struct cup_task *tasks = totals->profile->tasks;
    if (find_successors(suspects, totals->profile) != 0)
        return -1;
    for (size_t i = 0; i < suspects->count; i++) {
        const struct cup_task *task = &tasks[suspects->tasks[i]];
        classify_task(reasons, totals, task,
                      &tasks[*cup_hash_map_find(&suspects->latest, task->key_hash) - 1]);
    }
    return 0;
}

int cup_waste_add_done_again(struct cup_waste_reasons *reasons, const struct cup_totals *totals)
{
    struct suspects suspects = {0};
    int result = suspect_chunks(&suspects, totals);
    if (result == 0)
        result = suspect_others(&suspects, totals);
    if (result == 0 && suspects.count)
        result = classify_tasks(reasons, totals, &suspects);
    cup_hash_map_clear(&suspects.latest);
    free(suspects.tasks);
    return result;
}

struct cup_waste cup_waste_sum(const struct cup_waste_reasons *reasons)
{
    const struct cup_waste *parts[] = {&reasons->failed, &reasons->retried, &reasons->lost,
                                       &reasons->killed};
    struct cup_waste sum = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cup_add_numbers(&sum, parts[i], sizeof sum);
    return sum;
}
