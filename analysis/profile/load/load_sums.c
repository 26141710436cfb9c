/* Sums of tasks that a merge summed up. */
#include "analysis/profile/load/loader.h"

#include <string.h>

#include "analysis/profile/sum_fields.h"

/* ---- by process --------------------------------------------------------------------------- */

/* All summed tasks of a log are wanted, or none: their sums cannot be divided. */
static bool is_unwanted(struct cup_loader *loader, const struct cup_process_sum *sum)
{
    const struct cup_load_options *options = loader->options;
    int64_t first_ns = time_of(loader, sum->first_ns),
            last_ns = time_of(loader, sum->last_start_ns);
    bool by_time = options->from_ns != options->to_ns;
    if (by_time && (last_ns < options->from_ns || first_ns >= options->to_ns)) {
        profile_of(loader)->tasks_skipped += sum->tasks;
        return true;
    }
    bool is_part =
        loader->span || (by_time && (first_ns < options->from_ns || last_ns >= options->to_ns));
    profile_of(loader)->sums_apart += is_part;
    return is_part;
}

static void load_process(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_process *process = process_of(loader);
    struct cup_process_sum sum = {.first_key = (uint32_t)profile_of(loader)->summed_key_count};
    cup_sum_read(CUP_SUM_PROCESS, record, &sum);
    loader->sums_unwanted = is_unwanted(loader, &sum);
    cup_counters_add(process->with_task, sum.with_task);
    if (loader->sums_unwanted)
        return;
    process->summed = sum;
    process->task_threads = (uint32_t)sum.threads;
    cup_process_add_reads(process, sum.with_task);
    for (int place = 0; place < CUP_PLACE_COUNT; place++)
        cup_wait_sums_add(&process->waits[place], &sum.waits[place]);
    cup_measured_waits_add(&process->helper_waits, &sum.helper_waits);
    profile_of(loader)->tasks_summed += sum.tasks;
}

static void load_keys(struct cup_loader *loader, const struct cup_record *record)
{
    size_t count = cup_record_tail_bytes(record) / sizeof(uint64_t);
    for (size_t i = 0; i < count; i++) {
        uint64_t *key = CUP_APPEND(loader->builder, summed_keys, summed_key);
        if (!key)
            return;
        memcpy(key, cup_record_tail(record) + i * sizeof *key, sizeof *key);
        process_of(loader)->summed.keys++;
    }
}

/* ---- tasks -------------------------------------------------------------------------------- */

static uint32_t prefix_of(struct cup_loader *loader, uint32_t string)
{
    return cup_builder_prefix(loader->builder, string_of(loader, string));
}

static void load_prefix(struct cup_loader *loader, const struct cup_record *record,
                        const uint32_t *ids)
{
    struct cup_prefix sum = {0};
    cup_sum_read(CUP_SUM_PREFIX, record, &sum);
    cup_prefix_add(&profile_of(loader)->prefixes[prefix_of(loader, ids[0])], &sum);
}

void cup_finish_task_sum(struct cup_loader *loader, struct cup_task_sum *sum)
{
    static const int times[] = {CUP_T_FIRST_NS, CUP_T_LAST_START_NS, CUP_T_LAST_NS};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        sum->values[times[i]] = (uint64_t)time_of(loader, (int64_t)sum->values[times[i]]);
    note_last_time(loader, (int64_t)sum->values[CUP_T_LAST_NS]);
    note_worker_time(loader, (int64_t)sum->values[CUP_T_LAST_NS]);
    if (sum->server) {
        struct cup_server *server = &profile_of(loader)->servers[sum->server - 1];
        server->tasks += sum->values[CUP_T_TASKS];
        server->all_tasks += sum->values[CUP_T_TASKS];
    }
}

static void load_tasks(struct cup_loader *loader, const struct cup_record *record,
                       const uint32_t *ids)
{
    uint32_t prefix = prefix_of(loader, ids[0]);
    struct cup_task_sum *sum = CUP_APPEND(loader->builder, task_sums, task_sum);
    if (!sum)
        return;
    cup_sum_read(CUP_SUM_TASKS, record, sum);
    sum->process = loader->process;
    sum->prefix = prefix;
    sum->span = string_of(loader, ids[1]);
    sum->span_id = string_of(loader, ids[2]);
    sum->dataset = string_of(loader, ids[3]);
    sum->server = cup_id_map_get(&loader->servers, ids[4]);
    sum->what = ids[5];
    sum->number = ids[6];
    cup_finish_task_sum(loader, sum);
}

/* They are excluded, but their server ran them. */
static void count_unwanted(struct cup_loader *loader, const struct cup_record *record,
                           const uint32_t *ids)
{
    struct cup_task_sum sum = {0};
    uint32_t server = cup_id_map_get(&loader->servers, ids[4]);
    cup_sum_read(CUP_SUM_TASKS, record, &sum);
    if (server)
        profile_of(loader)->servers[server - 1].all_tasks += sum.values[CUP_T_TASKS];
}

/* ---- files, servers, branches --------------------------------------------------------------- */

static void load_file(struct cup_loader *loader, const struct cup_record *record,
                      const uint32_t *ids)
{
    struct cup_file_sum more = {0};
    cup_sum_read(CUP_SUM_FILE, record, &more);
    uint32_t file = cup_builder_file(loader->builder, string_of(loader, ids[0]));
    struct cup_file_sum *sum =
        file ? cup_builder_file_sum(loader->builder, file - 1, prefix_of(loader, ids[1])) : NULL;
    if (!sum)
        return;
    cup_note_named_file(loader, file);
    sum->tasks += more.tasks;
    cup_add_all(sum->counters, more.counters, CUP_FILE_COUNTER_COUNT);
}

static void load_opens(struct cup_loader *loader, const struct cup_record *record,
                       const uint32_t *ids)
{
    struct cup_open_sum more = {0};
    if (!cup_open_kind_is_known(ids[1]))
        return;
    cup_sum_read(CUP_SUM_OPENS, record, &more);
    struct cup_open_sum *sum = cup_builder_open(loader->builder, string_of(loader, ids[0]), ids[1]);
    if (sum)
        cup_open_sum_add(sum, &more);
}

static void load_request_sum(struct cup_loader *loader, const struct cup_record *record,
                             const uint32_t *ids)
{
    struct cup_request_sum more = {0};
    const char *name = loader->log->header.host;
    struct cup_text text = {name, strnlen(name, sizeof loader->log->header.host)};
    uint32_t host = cup_builder_string(loader->builder, text);
    cup_sum_read(CUP_SUM_REQUESTS, record, &more);
    struct cup_request_sum *sum =
        cup_builder_request_sum(loader->builder, string_of(loader, ids[0]), host);
    if (sum)
        cup_request_sum_add(sum, &more);
}

/* The tasks of the requests are not known any more. */
static void load_request(struct cup_loader *loader, const struct cup_record *record,
                         const uint32_t *ids)
{
    struct cup_request_row *row = CUP_APPEND(loader->builder, requests, request);
    if (!row)
        return;
    cup_sum_read(CUP_SUM_REQUEST, record, row);
    row->start_ns = time_of(loader, row->start_ns);
    row->stop_ns = time_of(loader, row->stop_ns);
    row->server = string_of(loader, ids[0]);
    row->file = ids[1] ? cup_builder_file(loader->builder, string_of(loader, ids[1])) : 0;
    row->error = ids[2];
    row->process = loader->process;
}

static void load_branch_sum(struct cup_loader *loader, const struct cup_record *record,
                            const uint32_t *ids)
{
    struct cup_branch more = {0};
    cup_sum_read(CUP_SUM_BRANCH, record, &more);
    uint32_t index =
        cup_builder_branch(loader->builder, string_of(loader, ids[0]), string_of(loader, ids[1]));
    if (index == 0)
        return;
    struct cup_branch *branch = &profile_of(loader)->branches[index - 1];
    branch->tasks += more.tasks;
    branch->chunks += more.chunks;
    cup_basket_sums_add(&branch->sums, &more.sums);
}

/* The places of these baskets are not known any more, so those of the others say too little. */
static void load_root_file_sum(struct cup_loader *loader, const struct cup_record *record,
                               const uint32_t *ids)
{
    struct cup_root_file more = {0};
    cup_sum_read(CUP_SUM_ROOT_FILE, record, &more);
    uint32_t index = cup_builder_root_file(loader->builder, string_of(loader, ids[0]));
    if (index == 0)
        return;
    struct cup_root_file *file = &profile_of(loader)->root_files[index - 1];
    file->records += more.records;
    file->rows += more.rows;
    cup_basket_sums_add(&file->sums, &more.sums);
    profile_of(loader)->basket_rows += more.rows;
    cup_builder_drop_places(loader->builder);
}

/* ---- sections and values ------------------------------------------------------------------ */

static void load_section_sum(struct cup_loader *loader, const struct cup_record *record,
                             const uint32_t *ids)
{
    struct cup_section more = {0};
    cup_sum_read(CUP_SUM_SECTION, record, &more);
    uint32_t index = cup_builder_section_of(loader->builder, string_of(loader, ids[0]),
                                            string_of(loader, ids[1]), prefix_of(loader, ids[2]));
    if (index == 0)
        return;
    profile_of(loader)->sections[index - 1].tasks += more.tasks;
    profile_of(loader)->section_rows_left_out += more.tasks;
    cup_section_add(profile_of(loader)->sections[index - 1].values, more.values);
}

static void load_value_sum(struct cup_loader *loader, const struct cup_record *record,
                           const uint32_t *ids)
{
    struct cup_named_value more = {0};
    cup_sum_read(CUP_SUM_VALUE, record, &more);
    uint32_t index =
        cup_builder_value_of(loader->builder, string_of(loader, ids[0]), prefix_of(loader, ids[1]));
    if (index == 0)
        return;
    profile_of(loader)->section_rows_left_out += more.tasks;
    cup_named_value_add(&profile_of(loader)->named_values[index - 1], &more);
}

/* Sums of kind PROCESS come first. */
void cup_load_sum(struct cup_loader *loader, const struct cup_record *record)
{
    static void (*const loaders[CUP_SUM_KIND_COUNT])(struct cup_loader *, const struct cup_record *,
                                                     const uint32_t *) = {
        [CUP_SUM_PREFIX] = load_prefix,
        [CUP_SUM_TASKS] = load_tasks,
        [CUP_SUM_FILE] = load_file,
        [CUP_SUM_OPENS] = load_opens,
        [CUP_SUM_REQUESTS] = load_request_sum,
        [CUP_SUM_REQUEST] = load_request,
        [CUP_SUM_BRANCH] = load_branch_sum,
        [CUP_SUM_ROOT_FILE] = load_root_file_sum,
        [CUP_SUM_SECTION] = load_section_sum,
        [CUP_SUM_VALUE] = load_value_sum,
    };
    const struct cup_r_sum sum = cup_read_sum(record);
    if (sum.of == CUP_SUM_PROCESS)
        load_process(loader, record);
    if (loader->sums_unwanted) {
        if (sum.of == CUP_SUM_TASKS)
            count_unwanted(loader, record, sum.ids);
        return;
    }
    if (sum.of == CUP_SUM_KEYS)
        load_keys(loader, record);
    else if (sum.of < CUP_SUM_KIND_COUNT && loaders[sum.of])
        loaders[sum.of](loader, record, sum.ids);
}
