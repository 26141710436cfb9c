/* Sums of tasks that began when their log was full. */
#include "analysis/profile/load/loader.h"

#include <string.h>

static uint64_t count_tasks(const struct cup_total *total)
{
    uint64_t tasks = 0;
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++)
        tasks += total->values[status][CUP_T_TASKS];
    return tasks;
}

/* ---- one entry ------------------------------------------------------------------------------ */

static uint32_t what_of(const struct cup_total *total, int status)
{
    uint32_t item = total->key.item & 0xff;
    uint32_t what = (uint32_t)(status + 1) << 8 | (total->key.origin & 7) << 16 | item;
    bool is_chunk = item == CUP_ITEM_WORK || item == CUP_ITEM_READ;
    return what | (item ? CUP_SUM_HAS_ITEM : 0) | (is_chunk ? CUP_SUM_IS_CHUNK : 0) |
           (total->values[status][CUP_T_EVENTS] ? CUP_SUM_HAS_EVENTS : 0) |
           (total->key.skipped ? CUP_SUM_WAS_SKIPPED : 0);
}

static uint64_t count_read_bytes(const struct cup_total *total)
{
    uint64_t bytes = 0;
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_SOLE_BYTES; method++)
        bytes += total->counters[0][method] + total->counters[1][method];
    return bytes;
}

/* In how many ways the tasks ended whose bytes an entry has. Chunks and files that Coffea skipped
 * are counted in an entry of their own, but their bytes are in that of the others. */
static int count_outcomes(const struct cup_task_totals *totals, const struct cup_total *total)
{
    struct cup_total_key skipped = total->key;
    int outcomes = 0;
    skipped.skipped = 1;
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++)
        outcomes += total->values[status][CUP_T_TASKS] != 0;
    for (int i = CUP_TOTAL_OTHERS + 1; i < CUP_TOTALS; i++)
        outcomes += !total->key.skipped && totals->entries[i].used &&
                    memcmp(&totals->entries[i].key, &skipped, sizeof skipped) == 0;
    return outcomes;
}

/* READ_BYTES: of all tasks of the entry, however they ended. */
static void add_task_sum(struct cup_loader *loader, const struct cup_total *total, uint32_t prefix,
                         int status, uint64_t read_bytes)
{
    struct cup_task_sum *sum = CUP_APPEND(loader->builder, task_sums, task_sum);
    if (!sum)
        return;
    *sum = (struct cup_task_sum){.process = loader->process,
                                 .prefix = prefix,
                                 .server = cup_id_map_get(&loader->servers, total->key.server),
                                 .dataset = string_of(loader, total->key.dataset),
                                 .what = what_of(total, status),
                                 .in_full_log = true,
                                 .bytes_mixed = !total->values[status][CUP_T_TASKS] ||
                                                count_outcomes(loader->log->totals, total) > 1};
    memcpy(sum->values, total->values[status], sizeof sum->values);
    sum->values[CUP_T_READ_BYTES] = read_bytes;
    cup_finish_task_sum(loader, sum);
}

/* The waits of single tasks are not known, so those of all are compared with the time of all. */
static void add_waits(struct cup_loader *loader, const struct cup_total *total,
                      struct cup_prefix *prefix)
{
    struct cup_wait_sums sums = {0};
    uint64_t wall_ns = 0, cpu_ns = 0, tasks = 0;
    const struct cup_measured_waits own = cup_measured_waits_of(total->counters[1]),
                                    helped = cup_measured_waits_of(total->counters[0]);
    bool measured = (process_of(loader)->header.features & CUP_FEATURE_WAITS) != 0;
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++) {
        const uint64_t *values = total->values[status];
        wall_ns += values[CUP_T_WITH_CPU_NS];
        cpu_ns += values[CUP_T_CPU_NS];
        tasks += values[CUP_T_TASKS] - values[CUP_T_WITHOUT_CPU];
    }
    cup_measured_waits_add(&prefix->helper_waits, &helped);
    cup_measured_waits_add(&process_of(loader)->helper_waits, &helped);
    if (!tasks)
        return;
    cup_wait_sums_add_task(&sums, wall_ns, cpu_ns, measured ? &own : NULL, 0);
    *(measured ? &sums.tasks : &sums.unmeasured_tasks) = tasks;
    cup_wait_sums_add(&prefix->waits, &sums);
    cup_wait_sums_add(&process_of(loader)->waits[cup_origin_place(total->key.origin & 7)], &sums);
}

static void add_counters(struct cup_loader *loader, const struct cup_total *total,
                         struct cup_prefix *prefix)
{
    for (int kind = 0; kind < 2; kind++) {
        cup_counters_add(prefix->counters, total->counters[kind]);
        cup_process_add_reads(process_of(loader), total->counters[kind]);
    }
    for (int histogram = 0; histogram < CUP_HISTOGRAM_COUNT; histogram++)
        cup_add_all(prefix->durations[histogram], total->histograms[histogram], CUP_BUCKETS);
    cup_add_all(prefix->durations[CUP_DURATION_TASK], total->durations, CUP_BUCKETS);
    if (total->longest_ns > prefix->longest_task_ns)
        prefix->longest_task_ns = total->longest_ns;
}

static void load_entry(struct cup_loader *loader, const struct cup_total *total)
{
    uint32_t name = string_of(loader, total->key.prefix);
    uint32_t index = cup_builder_prefix(loader->builder, name);
    struct cup_prefix *prefix = &profile_of(loader)->prefixes[index];
    uint64_t read_bytes = count_read_bytes(total);
    prefix->tasks += count_tasks(total);
    add_counters(loader, total, prefix);
    add_waits(loader, total, prefix);
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++)
        if (total->values[status][CUP_T_TASKS]) {
            add_task_sum(loader, total, index, status, read_bytes);
            read_bytes = 0;
        }
    if (read_bytes) /* by tasks whose times are in another entry, or that still run */
        add_task_sum(loader, total, index, CUP_STATUS_FINISHED - 1, read_bytes);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void note_time(struct cup_process_sum *sum, const uint64_t *values)
{
    int64_t first_ns = cup_sane_time((int64_t)values[CUP_T_FIRST_NS]);
    int64_t last_ns = cup_sane_time((int64_t)values[CUP_T_LAST_START_NS]);
    if (!values[CUP_T_TASKS])
        return;
    if (!sum->tasks || first_ns < sum->first_ns)
        sum->first_ns = first_ns;
    if (!sum->tasks || last_ns > sum->last_start_ns)
        sum->last_start_ns = last_ns;
    sum->tasks += values[CUP_T_TASKS];
}

static struct cup_process_sum sum_up(struct cup_loader *loader)
{
    const struct cup_process *process = process_of(loader);
    struct cup_process_sum sum = {
        .kept = process->tasks, .threads = process->task_threads, .in_full_log = true};
    for (int i = 0; i < CUP_TOTALS; i++)
        for (int status = 0; status < CUP_TOTAL_STATUSES; status++)
            note_time(&sum, loader->log->totals->entries[i].values[status]);
    return sum;
}

/* A part of summed tasks cannot be selected: then they are in no figure, and the report says so. */
static bool is_unwanted(struct cup_loader *loader, const struct cup_process_sum *sum)
{
    const struct cup_load_options *options = loader->options;
    int64_t first_ns = time_of(loader, sum->first_ns),
            last_ns = time_of(loader, sum->last_start_ns);
    bool by_time = options->from_ns != options->to_ns;
    bool outside = by_time && (last_ns < options->from_ns || first_ns >= options->to_ns);
    bool part =
        loader->span || (by_time && (first_ns < options->from_ns || last_ns >= options->to_ns));
    if (outside)
        profile_of(loader)->tasks_skipped += sum->tasks;
    else if (part)
        profile_of(loader)->full_log_tasks_apart += sum->tasks;
    return outside || part;
}

void cup_load_totals(struct cup_loader *loader)
{
    const struct cup_task_totals *totals = loader->log->totals;
    struct cup_profile *profile = profile_of(loader);
    if (!totals)
        return;
    const struct cup_total *none = &totals->entries[CUP_TOTAL_NONE];
    for (int kind = 0; kind < 2; kind++)
        cup_counters_add(process_of(loader)->without_task, none->counters[kind]);
    /* The kernel counts what the whole process read, whatever the options exclude. */
    for (int i = CUP_TOTAL_OTHERS; i < CUP_TOTALS; i++)
        for (int kind = 0; totals->entries[i].used && kind < 2; kind++)
            cup_counters_add(process_of(loader)->with_task, totals->entries[i].counters[kind]);
    const struct cup_process_sum sum = sum_up(loader);
    if (is_unwanted(loader, &sum))
        return;
    process_of(loader)->summed = sum;
    profile->tasks_summed += sum.tasks;
    profile->full_log_tasks += sum.tasks;
    int64_t first_ns = time_of(loader, sum.first_ns);
    if (sum.tasks && (!profile->full_log_ns || first_ns < profile->full_log_ns))
        profile->full_log_ns = first_ns;
    for (int i = CUP_TOTAL_OTHERS; i < CUP_TOTALS; i++)
        if (totals->entries[i].used)
            load_entry(loader, &totals->entries[i]);
}
