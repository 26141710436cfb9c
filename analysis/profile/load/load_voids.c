/* Tasks whose threads served other tasks, too (VOID records). What these threads read for them is
 * unattributed: each task of the process that ran at the same time may have read it. */
#include "analysis/profile/load/loader.h"

#include <stdlib.h>

#include "analysis/log/log_pairs.h"

enum { NOT_BEGUN = 0 };

/* ---- reading ---------------------------------------------------------------------------- */

static void find_voids(struct cup_loader *loader, struct cup_log *log)
{
    const struct cup_record *record;
    while ((record = cup_log_next(log)) != NULL)
        if (record->type == CUP_R_VOID)
            cup_builder_map(loader->builder, &loader->voided, cup_read_void(record).task, 1);
}

/* The entry of a task; NULL if it has no VOID record, or without memory. */
static struct cup_starter *find_starter(struct cup_loader *loader, uint32_t task)
{
    struct cup_starters *starters = &loader->starters;
    if (!is_voided(loader, task))
        return NULL;
    uint32_t known = cup_id_map_get(&starters->by_number, task);
    if (known)
        return &starters->all[known - 1];
    if (cup_array_grow(&starters->all, &starters->room, starters->count, sizeof *starters->all)) {
        loader->builder->out_of_memory = true;
        return NULL;
    }
    starters->all[starters->count++] = (struct cup_starter){NOT_BEGUN, INT64_MAX, 0};
    cup_builder_map(loader->builder, &starters->by_number, task, (uint32_t)starters->count);
    return &starters->all[starters->count - 1];
}

static void add_bytes(struct cup_loader *loader, uint32_t task, uint64_t bytes)
{
    struct cup_starter *starter = bytes ? find_starter(loader, task) : NULL;
    if (starter)
        starter->bytes += bytes;
}

static void note_begin(struct cup_loader *loader, const struct cup_record *record)
{
    const struct cup_r_task_begin begin = cup_read_task_begin(record);
    struct cup_starter *starter = find_starter(loader, begin.task);
    if (starter)
        starter->start_ns = time_of(loader, begin.start_ns);
}

static void note_end(struct cup_loader *loader, const struct cup_record *record)
{
    const struct cup_r_task_end end = cup_read_task_end(record);
    struct cup_starter *starter = find_starter(loader, end.task);
    if (starter)
        starter->stop_ns = time_of(loader, end.stop_ns);
}

static void note_counters(struct cup_loader *loader, const struct cup_record *record)
{
    const struct cup_r_counters block = cup_read_counters(record);
    uint64_t counters[CUP_COUNTER_COUNT] = {0};
    if (block.own != CUP_BLOCK_INHERITS || !is_voided(loader, block.task))
        return;
    cup_block_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), counters, NULL);
    add_bytes(loader, block.task, counters[CUP_C_READ_INHERITED_BYTES]);
}

/* Reads when these tasks ran, and what their threads read. */
static void read_starters(struct cup_loader *loader, struct cup_log *log)
{
    const struct cup_record *record;
    while ((record = cup_log_next(log)) != NULL) {
        if (record->type == CUP_R_TASK_BEGIN)
            note_begin(loader, record);
        else if (record->type == CUP_R_TASK_END)
            note_end(loader, record);
        else if (record->type == CUP_R_COUNTERS)
            note_counters(loader, record);
    }
    for (size_t i = 0; i < log->block_count; i++) {
        const struct cup_block *block = &log->blocks[i].block;
        if (!log->blocks[i].written && block->own == CUP_BLOCK_INHERITS)
            add_bytes(loader, block->task, block->counters[CUP_C_READ_INHERITED_BYTES]);
    }
}

/* ---- what was read until when ------------------------------------------------------------- */

static int by_time(const void *left, const void *right)
{
    const struct cup_bytes_at *a = left, *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static void sum_up(struct cup_bytes_at *list, size_t count)
{
    qsort(list, count, sizeof *list, by_time);
    for (size_t i = 1; i < count; i++)
        list[i].bytes += list[i - 1].bytes;
}

/* The sum of the entries of LIST before TIME. */
static uint64_t sum_before(const struct cup_bytes_at *list, size_t count, int64_t time_ns)
{
    size_t first = 0;
    while (first < count) {
        size_t middle = first + (count - first) / 2;
        if (list[middle].at_ns < time_ns)
            first = middle + 1;
        else
            count = middle;
    }
    return first ? list[first - 1].bytes : 0;
}

/* A task takes at least a nanosecond: it ran at the same time as itself. */
static int64_t end_of(int64_t start_ns, int64_t stop_ns)
{
    return stop_ns > start_ns ? stop_ns : start_ns + 1;
}

static void sort_starters(struct cup_loader *loader)
{
    struct cup_starters *starters = &loader->starters;
    starters->begun = calloc(starters->count + 1, sizeof *starters->begun);
    starters->ended = calloc(starters->count + 1, sizeof *starters->ended);
    if (!starters->begun || !starters->ended) {
        loader->builder->out_of_memory = true;
        return;
    }
    size_t sums = 0;
    for (size_t i = 0; i < starters->count; i++) {
        const struct cup_starter *starter = &starters->all[i];
        if (starter->start_ns == NOT_BEGUN || !starter->bytes)
            continue;
        starters->begun[sums] = (struct cup_bytes_at){starter->start_ns, starter->bytes};
        starters->ended[sums++] =
            (struct cup_bytes_at){end_of(starter->start_ns, starter->stop_ns), starter->bytes};
    }
    sum_up(starters->begun, sums);
    sum_up(starters->ended, sums);
    starters->sums = sums;
}

uint64_t cup_voided_bytes(const struct cup_loader *loader, const struct cup_task *task)
{
    const struct cup_starters *starters = &loader->starters;
    int64_t stop_ns = task->status ? end_of(task->start_ns, task->stop_ns) : INT64_MAX;
    return sum_before(starters->begun, starters->sums, stop_ns) -
           sum_before(starters->ended, starters->sums, task->start_ns + 1);
}

/* ---- all of it -------------------------------------------------------------------------- */

static void read_with(struct cup_loader *loader, const char *path,
                      void (*read)(struct cup_loader *, struct cup_log *))
{
    struct cup_log log;
    struct cup_error error;
    if (cup_log_open(&log, path, &error) == 0)
        read(loader, &log);
    cup_log_close(&log);
}

void cup_load_voids(struct cup_loader *loader, const char *path)
{
    read_with(loader, path, find_voids);
    read_with(loader, path, read_starters);
    sort_starters(loader);
}

void cup_starters_clear(struct cup_starters *starters)
{
    cup_id_map_clear(&starters->by_number);
    free(starters->all);
    free(starters->begun);
    free(starters->ended);
    *starters = (struct cup_starters){0};
}
