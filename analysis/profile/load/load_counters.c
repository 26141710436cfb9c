/* Counters of tasks and files. */
#include "analysis/profile/load/loader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/log/log_pairs.h"

/* Returns the histograms of the prefix of a task; NULL if the block belongs to no task, or if the
 * options exclude the task. */
static uint64_t *buckets_of(struct cup_loader *loader, uint32_t owner)
{
    struct cup_profile *profile = profile_of(loader);
    uint32_t index = owner ? cup_id_map_get(&loader->tasks, owner) : 0;
    if (owner == 0 || index == CUP_UNWANTED_TASK)
        return NULL;
    uint32_t prefix = index ? cup_task_prefix(profile, &profile->tasks[index - 1]) : 0;
    return profile->prefixes[prefix].durations[0];
}

/* The task may have read BYTES, too, which are attributed to no task. */
static void add_unattributed(struct cup_loader *loader, struct cup_task *task,
                             const uint64_t *bytes)
{
    uint64_t sum = 0;
    uint8_t most = 0;
    for (uint8_t i = 0; i < CUP_UNATTRIBUTED_REASON_COUNT; i++) {
        sum += bytes[i];
        most = bytes[i] > bytes[most] ? i : most;
    }
    struct cup_task_rare *rare = cup_rare_to_fill(profile_of(loader), task);
    if (!rare) {
        loader->builder->out_of_memory = true;
        return;
    }
    if (sum > rare->unattributed_bytes)
        rare->unattributed_reason = most;
    rare->unattributed_bytes += sum;
}

void cup_load_unattributed(struct cup_loader *loader, const struct cup_record *record)
{
    const struct cup_r_unattributed unattributed = cup_read_unattributed(record);
    struct cup_task *task = find_task(loader, unattributed.task);
    if (task)
        add_unattributed(loader, task, unattributed.bytes);
}

void cup_load_voided_bytes(struct cup_loader *loader, struct cup_task *task)
{
    uint64_t bytes[CUP_UNATTRIBUTED_REASON_COUNT] = {0};
    bytes[CUP_UNATTRIBUTED_THREAD] = cup_voided_bytes(loader, task);
    if (bytes[CUP_UNATTRIBUTED_THREAD])
        add_unattributed(loader, task, bytes);
}

void cup_load_voided_bytes_at_log_end(struct cup_loader *loader)
{
    struct cup_profile *profile = profile_of(loader);
    size_t first = process_of(loader)->first_task;
    for (size_t i = first; i < profile->task_count && loader->starters.sums; i++)
        if (profile->tasks[i].status == 0)
            cup_load_voided_bytes(loader, &profile->tasks[i]);
}

/* Other tasks may have read what a thread did that a task started. */
static void disown_inherited(uint64_t counters[CUP_COUNTER_COUNT])
{
    counters[CUP_C_READ_NONE_BYTES] += counters[CUP_C_READ_INHERITED_BYTES];
    counters[CUP_C_READ_INHERITED_BYTES] = 0;
}

static void add_peak(struct cup_item *item, uint32_t kind, uint64_t bytes)
{
    uint64_t room = UINT32_MAX - item->peak_kib, kib = (bytes + 1023) >> 10;
    uint32_t added = (uint32_t)(kib < room ? kib : room);
    item->peak_kib += added;
    item->helpers_kib += kind == CUP_BLOCK_RUNS ? 0 : added;
}

/* Adds a block's counters to those of a task. */
static void add_to_task(struct cup_loader *loader, uint32_t number, uint32_t index, uint32_t kind,
                        const uint64_t counters[CUP_COUNTER_COUNT])
{
    struct cup_profile *profile = profile_of(loader);
    struct cup_task *task = &profile->tasks[index];
    struct cup_prefix *prefix = &profile->prefixes[cup_task_prefix(profile, task)];
    cup_counters_add(prefix->counters, counters);
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_SOLE_BYTES; method++)
        task->read_bytes += counters[method];
    if (task->item)
        add_peak(&profile->items[task->item - 1], kind, counters[CUP_C_PEAK_LIVE_BYTES]);
    if (profile->counters)
        cup_counters_add(profile->counters[index], counters);
    if (kind == CUP_BLOCK_RUNS) {
        cup_load_own_waits(loader, number, index, counters);
        return;
    }
    const struct cup_measured_waits helped = cup_measured_waits_of(counters);
    cup_measured_waits_add(&prefix->helper_waits, &helped);
    cup_measured_waits_add(&process_of(loader)->helper_waits, &helped);
}

/* Adds the counters of a block to its task, or to those without a task if TASK_NUMBER is 0 or a
 * VOID record makes the block unattributed. */
static void add_block(struct cup_loader *loader, uint32_t task_number, uint32_t kind,
                      uint64_t counters[CUP_COUNTER_COUNT])
{
    struct cup_profile *profile = profile_of(loader);
    uint32_t number = cup_owner_of(loader, task_number, kind);
    if (counters[CUP_C_PEAK_LIVE_BYTES] < counters[CUP_C_PEAK_BEFORE_BYTES])
        counters[CUP_C_PEAK_LIVE_BYTES] = counters[CUP_C_PEAK_BEFORE_BYTES];
    if (number != task_number)
        disown_inherited(counters);
    if (number == 0) {
        cup_counters_add(process_of(loader)->without_task, counters);
        return;
    }
    cup_counters_add(process_of(loader)->with_task, counters);
    uint32_t index = cup_id_map_get(&loader->tasks, number);
    if (index == CUP_UNWANTED_TASK)
        return;
    cup_process_add_reads(process_of(loader), counters);
    if (index == 0) {
        profile->orphan_records += !loader->log->totals; /* else it is of a task without records */
        cup_counters_add(profile->prefixes[0].counters, counters);
        return;
    }
    add_to_task(loader, number, index - 1, kind, counters);
}

static int cover_task(struct cup_visits *visits, size_t task)
{
    while (visits->task_count <= task) {
        if (cup_array_grow(&visits->first, &visits->task_room, visits->task_count,
                           sizeof *visits->first) != 0)
            return -1;
        visits->first[visits->task_count++] = 0;
    }
    return 0;
}

/* Returns true if this is the first time for this task and file. Without memory it also returns
 * true: the count of tasks is then too high, but there is no better answer. */
static bool add_visit(struct cup_visits *visits, size_t task, uint32_t file)
{
    if (cover_task(visits, task) != 0)
        return true;
    for (uint32_t at = visits->first[task]; at; at = visits->visits[at - 1].next)
        if (visits->visits[at - 1].file == file)
            return false;
    if (cup_array_grow(&visits->visits, &visits->room, visits->count, sizeof *visits->visits) != 0)
        return true;
    visits->visits[visits->count++] = (struct cup_visit){file, visits->first[task]};
    visits->first[task] = (uint32_t)visits->count;
    return true;
}

void cup_visits_clear(struct cup_visits *visits)
{
    free(visits->first);
    free(visits->visits);
    *visits = (struct cup_visits){0};
}

/* "https://host/": what came from there is of a file whose name was encrypted. */
static bool is_encrypted(const struct cup_file *file, struct cup_text url)
{
    static const char scheme[] = "https://";
    size_t least = sizeof scheme - 1;
    return file->flags & CUP_FILE_IS_REMOTE && url.length > least &&
           memcmp(url.bytes, scheme, least) == 0 &&
           (const char *)memchr(url.bytes + least, '/', url.length - least) ==
               url.bytes + url.length - 1;
}

/* "https://host" of a URL, without the port 443; empty for other URLs and for paths. */
static struct cup_text origin_of(struct cup_text url)
{
    static const char scheme[] = "https://", port[] = ":443";
    size_t least = sizeof scheme - 1, port_bytes = sizeof port - 1;
    if (url.length <= least || memcmp(url.bytes, scheme, least) != 0)
        return (struct cup_text){0};
    const char *slash = memchr(url.bytes + least, '/', url.length - least);
    size_t length = slash ? (size_t)(slash - url.bytes) : 0;
    if (slash && memcmp(slash - port_bytes, port, port_bytes) == 0)
        length -= port_bytes;
    return (struct cup_text){url.bytes, length};
}

/* The string of the URL that the task's work item names, if that is at the same server; else 0. One
 * of several URLs does not say which of them was read. The library names servers as clients do in
 * TLS: in lower case. */
static uint32_t find_url_of_item(const struct cup_profile *profile, const struct cup_task *task,
                                 struct cup_text server)
{
    const struct cup_item *item = cup_task_item(profile, task);
    if (!item || item->kind == CUP_ITEM_PATHS)
        return 0;
    struct cup_text named = origin_of(cup_profile_text(profile, item->file));
    struct cup_text origin = origin_of(server);
    bool same = named.length && named.length == origin.length &&
                strncasecmp(named.bytes, origin.bytes, named.length) == 0;
    return same ? item->file : 0;
}

void cup_note_named_file(struct cup_loader *loader, uint32_t file)
{
    struct cup_file *named = &profile_of(loader)->files[file - 1];
    if (named->last_process == loader->process + 1)
        return;
    named->class = CUP_FILE_DATA;
    named->flags |= CUP_FILE_IS_REMOTE | CUP_FILE_IS_ROOT;
    named->processes++;
    named->last_process = loader->process + 1;
}

uint32_t cup_find_read_file(struct cup_loader *loader, uint32_t file, const struct cup_task *task)
{
    const struct cup_profile *profile = profile_of(loader);
    const struct cup_file *known = &profile->files[file - 1];
    struct cup_text server = cup_profile_text(profile, known->path);
    uint32_t url = is_encrypted(known, server) ? find_url_of_item(profile, task, server) : 0;
    uint32_t index = url ? cup_builder_file(loader->builder, url) : 0;
    if (!index)
        return file;
    cup_note_named_file(loader, index);
    return index;
}

/* Returns the sum of a file for the prefix of a task (NUMBER 0: no task); NULL if the options
 * exclude the task. */
static struct cup_file_sum *file_sum_for(struct cup_loader *loader, uint32_t number,
                                         uint32_t file_id)
{
    uint32_t file = cup_id_map_get(&loader->files, file_id);
    uint32_t task = number ? cup_id_map_get(&loader->tasks, number) : 0;
    if (file == 0) {
        profile_of(loader)->orphan_records++;
        return NULL;
    }
    if (task == CUP_UNWANTED_TASK || (number == 0 && is_selective(loader)))
        return NULL;
    uint32_t prefix = number == 0 ? CUP_NO_PREFIX : 0;
    if (task) {
        const struct cup_task *reader = &profile_of(loader)->tasks[task - 1];
        file = cup_find_read_file(loader, file, reader);
        prefix = cup_task_prefix(profile_of(loader), reader);
    }
    struct cup_file_sum *sum = cup_builder_file_sum(loader->builder, file - 1, prefix);
    if (sum && task && add_visit(&loader->visits, task - 1 - process_of(loader)->first_task, file))
        sum->tasks++;
    return sum;
}

void cup_load_file_use(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_file_use use = cup_read_file_use(record);
    struct cup_file_sum *sum =
        file_sum_for(loader, cup_owner_of(loader, use.task, use.own), use.file);
    if (sum)
        cup_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), sum->counters,
                      CUP_FILE_COUNTER_COUNT);
}

/* The files at AT, which a block of the task OWNER used. */
static void add_files(struct cup_loader *loader, uint32_t owner, const unsigned char *at,
                      const unsigned char *end)
{
    uint64_t file;
    while (cup_file_next(&at, end, &file)) {
        uint64_t ignored[CUP_FILE_COUNTER_COUNT] = {0};
        struct cup_file_sum *sum = file_sum_for(loader, owner, (uint32_t)file);
        at = cup_pairs_add(at, (size_t)(end - at), sum ? sum->counters : ignored,
                           CUP_FILE_COUNTER_COUNT);
    }
}

void cup_load_counters(struct cup_loader *loader, const struct cup_record *record)
{
    uint64_t counters[CUP_COUNTER_COUNT] = {0};
    struct cup_r_counters block = cup_read_counters(record);
    uint32_t owner = cup_owner_of(loader, block.task, block.own);
    const unsigned char *tail = cup_record_tail(record);
    size_t bytes = cup_record_tail_bytes(record);
    const unsigned char *files =
        cup_block_pairs_add(tail, bytes, counters, buckets_of(loader, owner));
    add_block(loader, block.task, block.own, counters);
    add_files(loader, owner, files, tail + bytes);
}

static void add_open_buckets(uint64_t *buckets, const struct cup_block *block)
{
    for (int i = 0; buckets && i < CUP_HISTOGRAM_COUNT * CUP_BUCKETS; i++)
        buckets[i] += block->histograms[i / CUP_BUCKETS][i % CUP_BUCKETS];
}

/* As the library does when it closes the block. */
static void add_to_total(struct cup_total *total, bool of_none, struct cup_block *block)
{
    if (of_none)
        disown_inherited(block->counters);
    cup_counters_add(total->counters[block->own == CUP_BLOCK_RUNS], block->counters);
    add_open_buckets(total->histograms[0], block);
}

void cup_load_open_block(struct cup_loader *loader, struct cup_open_block *open)
{
    uint32_t owner = cup_owner_of(loader, open->block.task, open->block.own);
    struct cup_task_totals *totals = loader->log->totals;
    uint32_t total = open->block.total;
    if (!open->written && totals && total > 0 && total <= CUP_TOTALS) {
        add_to_total(&totals->entries[total - 1], total - 1 == CUP_TOTAL_NONE, &open->block);
    } else if (!open->written) {
        add_open_buckets(buckets_of(loader, owner), &open->block);
        add_block(loader, open->block.task, open->block.own, open->block.counters);
    }
    for (int i = 0; i < CUP_BLOCK_FILES; i++) {
        const struct cup_file_use *use = &open->block.files[i];
        if (open->written || open->file_written[i] || use->file == 0)
            continue;
        struct cup_file_sum *sum = file_sum_for(loader, owner, use->file);
        if (sum)
            cup_add_all(sum->counters, use->counters, CUP_FILE_COUNTER_COUNT);
    }
}
