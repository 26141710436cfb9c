#include "analysis/live/live_log.h"

#include <stdlib.h>

#include "analysis/profile/runs.h"

void *cup_live_append(struct cup_live *live, void *items, size_t *room, size_t *count, size_t size)
{
    if (cup_array_grow(items, room, *count, size) != 0) {
        live->out_of_memory = true;
        return NULL;
    }
    return memset(*(char **)items + (*count)++ * size, 0, size);
}

static void note_last_time(struct cup_live *live, const struct cup_live_log *log, int64_t time_ns)
{
    struct cup_process *process = &live->known.processes[log->process];
    if (cup_sane_time(time_ns) > process->last_ns)
        process->last_ns = time_ns;
}

static void add_string(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_r_string fixed = cup_read_string(r);
    struct cup_text text = cup_record_text(r, fixed.bytes);
    uint32_t id = cup_intern_add(&live->known.strings, text.bytes, text.length);
    live->out_of_memory |= id == 0;
    cup_live_map(live, &log->strings, fixed.id, id);
}

/* Notes of the library say why the plan of the run is not known. */
static void add_note(struct cup_live *live, const struct cup_live_log *log,
                     const struct cup_record *r)
{
    struct cup_note *note = CUP_LIVE_APPEND(live, &live->known, notes, note);
    if (note)
        *note = (struct cup_note){log->process, cup_live_string(log, cup_read_note(r).text)};
}

static void add_run(struct cup_live *live, struct cup_live_log *log, uint64_t offset)
{
    uint64_t *run = CUP_LIVE_APPEND(live, log, runs, run);
    if (run)
        *run = offset;
    live->known.processes[log->process].roles |= 1u << CUP_ROLE_CLIENT;
}

static void take_record(struct cup_live *live, struct cup_live_log *log, const struct cup_log *from,
                        const struct cup_record *r)
{
    switch (r->type) {
    case CUP_R_STRING:
        add_string(live, log, r);
        break;
    case CUP_R_NOTE:
        add_note(live, log, r);
        break;
    case CUP_R_SERVER:
        note_last_time(live, log, cup_read_server(r).stop_ns);
        cup_live_server(live, log, r);
        break;
    case CUP_R_TASK_BEGIN:
        note_last_time(live, log, cup_read_task_begin(r).start_ns);
        cup_live_task_begin(live, log, &from->header, r);
        break;
    case CUP_R_TASK_END:
        note_last_time(live, log, cup_read_task_end(r).stop_ns);
        cup_live_task_end(live, log, r);
        break;
    case CUP_R_ITEM:
        cup_live_item(live, log, r);
        break;
    case CUP_R_CHUNK:
        cup_live_chunk(live, log, r);
        break;
    case CUP_R_VOID:
        cup_live_void(live, log, r);
        break;
    case CUP_R_COUNTERS:
        cup_live_counters(live, log, r);
        break;
    case CUP_R_CODE:
        cup_live_code(live, log, r);
        break;
    case CUP_R_STACKS:
    case CUP_R_NODES:
        cup_live_stacks(live, log, r);
        break;
    case CUP_R_STACK_USE:
        cup_live_stack_use(live, log, r);
        break;
    case CUP_R_RUN:
        add_run(live, log, from->record_offset);
        break;
    case CUP_R_SAMPLE:
        note_last_time(live, log, cup_read_sample(r).time_ns);
        break;
    case CUP_R_WORKER:
        cup_live_worker(live, log, r);
        break;
    case CUP_R_ROWS:
        cup_live_rows(live, log, r);
        break;
    }
}

/* The record of the log FROM at OFFSET, if it is complete by now. */
static const struct cup_record *record_at(struct cup_log *from, uint64_t offset)
{
    from->given_up = 0;
    cup_log_seek(from, offset);
    const struct cup_record *record = cup_log_next(from);
    return record && from->record_offset == offset ? record : NULL;
}

static void try_skipped(struct cup_live *live, struct cup_live_log *log, struct cup_log *from)
{
    size_t kept = 0;
    for (size_t i = 0; i < log->skipped_count; i++) {
        const struct cup_record *record = record_at(from, log->skipped[i]);
        if (record)
            take_record(live, log, from, record);
        else
            log->skipped[kept++] = log->skipped[i];
    }
    live->skipped_places -= log->skipped_count - kept;
    log->skipped_count = kept;
}

static void note_skipped(struct cup_live *live, struct cup_live_log *log)
{
    if (log->given_up == 0 || log->skipped_count == CUP_LIVE_SKIPPED)
        return;
    log->skipped[log->skipped_count++] = log->given_up;
    live->skipped_places++;
}

static void read_records(struct cup_live *live, struct cup_live_log *log, struct cup_log *from)
{
    const struct cup_record *record;
    from->growing = true;
    try_skipped(live, log, from);
    from->given_up = log->given_up;
    cup_log_seek(from, log->offset ? log->offset : from->header.records_offset);
    while (!live->out_of_memory && (record = cup_log_next(from)) != NULL) {
        if (from->record_offset > log->given_up)
            note_skipped(live, log);
        log->given_up = 0;
        take_record(live, log, from, record);
    }
    log->offset = from->offset;
    if (from->offset > log->given_up)
        note_skipped(live, log);
    log->given_up = from->offset < from->end ? from->offset : 0;
}

/* A block whose record was read at an earlier look is ignored: its process was killed, or has not
 * raised its sequence number yet. */
static bool is_written(const struct cup_live_log *log, const struct cup_open_block *open)
{
    return open->written ||
           (open->index < log->written_room && log->written[open->index] == open->block.sequence);
}

static void update_process(struct cup_live *live, struct cup_live_log *log,
                           const struct cup_log *from)
{
    struct cup_process *process = &live->known.processes[log->process];
    process->header = from->header;
    note_last_time(live, log, from->header.log_start_ns);
    live->known.features |= from->header.features;
    if (cup_log_lacks_voids(from))
        cup_live_void_all(live, log);
}

void cup_live_log_read(struct cup_live *live, struct cup_live_log *log)
{
    struct cup_log from;
    struct cup_error error;
    if (cup_log_open(&from, live->known.processes[log->process].log_path, &error) != 0) {
        live->logs_unreadable++;
        return;
    }
    if (cup_log_is_summed(&from.header)) {
        live->tasks_summed = true;
        cup_log_close(&from);
        return;
    }
    update_process(live, log, &from);
    read_records(live, log, &from);
    /* The first look reads the whole log, and does not end at what a killed process left. */
    for (int i = 0; live->looks == 0 && log->given_up && i < CUP_LIVE_SKIPPED; i++)
        read_records(live, log, &from);
    cup_live_totals(live, log, from.totals);
    const uint64_t *health = from.header.health;
    uint64_t ended = health[CUP_H_TASKS_ENDED] + log->open_count;
    bool more = from.totals && health[CUP_H_TASKS_BEGUN] > ended;
    log->running = more ? health[CUP_H_TASKS_BEGUN] - ended : 0;
    log->open_bytes = 0;
    log->open_waits = (struct cup_measured_waits){0};
    for (size_t i = 0; i < from.block_count; i++)
        if (!is_written(log, &from.blocks[i]))
            cup_live_open_block(live, log, &from.blocks[i].block);
    cup_log_close(&from);
}

void cup_live_log_runs(struct cup_live *live, const struct cup_live_log *log)
{
    static const struct cup_clock no_shift = {.compared = true};
    struct cup_log from;
    struct cup_error error;
    if (log->run_count == 0 ||
        cup_log_open(&from, live->known.processes[log->process].log_path, &error) != 0)
        return;
    from.growing = true;
    for (size_t i = 0; i < log->run_count; i++) {
        const struct cup_record *record = record_at(&from, log->runs[i]);
        if (record && record->type == CUP_R_RUN &&
            cup_runs_add(&live->known, &from.header, record, &no_shift) != 0)
            live->out_of_memory = true;
    }
    cup_log_close(&from);
}

void cup_live_log_free(struct cup_live_log *log)
{
    free(log->totals);
    free(log->runs);
    free(log->tasks);
    free(log->open_tasks);
    free(log->codes);
    free(log->seen);
    free(log->written);
    cup_id_map_clear(&log->strings);
    cup_id_map_clear(&log->workers);
    cup_id_map_clear(&log->codes_at);
    cup_id_map_clear(&log->nodes);
    cup_id_map_clear(&log->tasks_at);
    cup_id_map_clear(&log->attempts);
    cup_id_map_clear(&log->seen_at);
    cup_id_map_clear(&log->last_rows);
    cup_id_map_clear(&log->threads);
    *log = (struct cup_live_log){0};
}
