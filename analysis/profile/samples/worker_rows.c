#include "analysis/profile/samples/worker_rows.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/log/log_pairs.h"
#include "include/log_pairs.h"

#define NO_LIST UINT32_MAX

static void set_unknown(uint64_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = CUP_UNKNOWN64;
}

static void set_entry(struct cup_worker_rows *rows, struct cup_id_map *map, uint32_t id,
                      uint32_t value)
{
    if (cup_id_map_set(map, id, value) != 0)
        rows->out_of_memory = true;
}

/* ---- the log of a process --------------------------------------------------------------- */

static void hold_worker(struct cup_worker_rows *rows, uint32_t index)
{
    const struct cup_sampled_worker *worker = &rows->profile->sampled_workers[index];
    if (cup_array_grow(&rows->held, &rows->held_room, rows->held_count, sizeof *rows->held) != 0) {
        rows->out_of_memory = true;
        return;
    }
    rows->held[rows->held_count++] = (struct cup_held_row){
        .row = {.worker = index, .address = worker->address, .name = worker->name}};
    set_entry(rows, &rows->numbers, worker->number, (uint32_t)rows->held_count);
}

static void hold_workers(struct cup_worker_rows *rows, uint32_t process)
{
    const struct cup_profile *profile = rows->profile;
    rows->held_count = 0;
    while (rows->next_worker < profile->sampled_worker_count &&
           profile->sampled_workers[rows->next_worker].process < process)
        rows->next_worker++;
    for (; rows->next_worker < profile->sampled_worker_count &&
           profile->sampled_workers[rows->next_worker].process == process;
         rows->next_worker++)
        hold_worker(rows, (uint32_t)rows->next_worker);
    for (size_t i = 0; i < profile->status_count; i++)
        if (profile->statuses[i].process == process)
            set_entry(rows, &rows->statuses, profile->statuses[i].number,
                      profile->statuses[i].name);
}

static void close_process(struct cup_worker_rows *rows)
{
    rows->open = false;
    cup_id_map_clear(&rows->numbers);
    cup_id_map_clear(&rows->statuses);
    cup_id_map_clear(&rows->last_rows);
}

static void open_process(struct cup_worker_rows *rows, uint32_t process)
{
    close_process(rows);
    rows->process = process + 1;
    rows->listed_server = NO_LIST;
    rows->first_new_heartbeat = 0;
    struct cup_kept_records *records = rows->given ? rows->given : &rows->records;
    rows->open = cup_kept_rewind(records, rows->profile->processes[process].log_path) == 0;
    hold_workers(rows, process);
}

/* ---- rows -------------------------------------------------------------------------------- */

static void set_value(struct cup_worker_row *row, unsigned kind, uint64_t index, uint64_t written)
{
    uint64_t *value = index < CUP_WV_COUNT ? &row->values[index]
                      : index >= CUP_PAIR_HEARTBEAT && index < CUP_ROW_VALUES
                          ? &row->heartbeat[index - CUP_PAIR_HEARTBEAT]
                          : NULL;
    if (value)
        *value = kind == CUP_ROW_WHOLE ? written : cup_pairs_undo(written, *value);
}

static void set_values(struct cup_held_row *held, const struct cup_row *row)
{
    const unsigned char *at = row->pairs;
    uint64_t index, value;
    if (row->kind == CUP_ROW_WHOLE) {
        set_unknown(held->row.values, CUP_WV_COUNT);
        set_unknown(held->row.heartbeat, CUP_HV_COUNT);
    }
    while (cup_pairs_next(&at, row->pairs + row->bytes, &index, &value))
        set_value(&held->row, row->kind, index, value);
}

static void list_new_heartbeat(struct cup_worker_rows *rows, struct cup_held_row *held)
{
    if (held->row.new_heartbeat)
        return;
    held->row.new_heartbeat = true;
    held->next = rows->first_new_heartbeat;
    rows->first_new_heartbeat = (uint32_t)(held - rows->held) + 1;
}

static void clear_new_heartbeats(struct cup_worker_rows *rows)
{
    for (; rows->first_new_heartbeat;
         rows->first_new_heartbeat = rows->held[rows->first_new_heartbeat - 1].next)
        rows->held[rows->first_new_heartbeat - 1].row.new_heartbeat = false;
}

static void take_row(struct cup_worker_rows *rows, const struct cup_row *row)
{
    uint32_t index =
        row->worker <= UINT32_MAX ? cup_id_map_get(&rows->numbers, (uint32_t)row->worker) : 0;
    struct cup_held_row *held = index ? &rows->held[index - 1] : NULL;
    bool is_whole = row->kind == CUP_ROW_WHOLE, is_gone = row->kind == CUP_ROW_GONE;
    if (!held || !(is_whole || is_gone || (row->kind == CUP_ROW_CHANGED && held->known)))
        return;
    if (is_gone || !held->present || !held->known)
        rows->listed_server = NO_LIST;
    held->present = held->known = !is_gone;
    if (is_gone)
        return;
    uint64_t last_beat = held->row.heartbeat[CUP_HV_TIME_NS];
    set_values(held, row);
    held->row.status = cup_id_map_get(&rows->statuses, (uint32_t)held->row.values[CUP_WV_STATUS]);
    uint64_t this_beat = held->row.heartbeat[CUP_HV_TIME_NS];
    if (this_beat != last_beat && this_beat != CUP_UNKNOWN64)
        list_new_heartbeat(rows, held);
}

static uint32_t server_of(const struct cup_worker_rows *rows, const struct cup_held_row *held)
{
    return rows->profile->sampled_workers[held->row.worker].server;
}

/* Call it if ROWS records are missing: the values of the workers of this server may be outdated,
 * so they are not shown until a record has all their values again. */
static void mark_workers_unknown(struct cup_worker_rows *rows, uint32_t server)
{
    for (size_t i = 0; i < rows->held_count; i++)
        if (server_of(rows, &rows->held[i]) == server)
            rows->held[i].known = false;
    rows->listed_server = NO_LIST;
}

static void take_rows(struct cup_worker_rows *rows, const struct cup_record *record)
{
    struct cup_row row;
    uint32_t server = rows->sample.server;
    struct cup_r_rows fixed = cup_read_rows(record);
    if (fixed.rows != cup_id_map_get(&rows->last_rows, server) + 1)
        mark_workers_unknown(rows, server);
    set_entry(rows, &rows->last_rows, server, fixed.rows);
    const unsigned char *at = cup_record_tail(record);
    const unsigned char *end = at + cup_record_tail_bytes(record);
    while (cup_row_next(&at, end, &row))
        take_row(rows, &row);
}

/* ---- samples ------------------------------------------------------------------------------ */

static void list_workers(struct cup_worker_rows *rows)
{
    rows->count = 0;
    for (size_t i = 0; i < rows->held_count; i++) {
        const struct cup_held_row *held = &rows->held[i];
        if (!held->present || !held->known || server_of(rows, held) != rows->sample.server)
            continue;
        if (cup_array_grow(&rows->list, &rows->list_room, rows->count, sizeof *rows->list) != 0) {
            rows->out_of_memory = true;
            return;
        }
        rows->list[rows->count++] = &held->row;
    }
    rows->rows = rows->list;
    rows->listed_server = rows->sample.server;
}

static void take_sample(struct cup_worker_rows *rows, const struct cup_record *record)
{
    struct cup_r_sample fixed = cup_read_sample(record);
    set_unknown(rows->sample.values, CUP_SV_COUNT);
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), rows->sample.values,
                  CUP_SV_COUNT);
    if (fixed.rows != cup_id_map_get(&rows->last_rows, rows->sample.server)) {
        mark_workers_unknown(rows, rows->sample.server);
        set_entry(rows, &rows->last_rows, rows->sample.server, fixed.rows);
    }
    if (rows->listed_server != rows->sample.server)
        list_workers(rows);
}

/* Returns the number of the sample that a record belongs to; 0 if it belongs to none. */
static uint32_t sample_of(const struct cup_record *record)
{
    if (record->type == CUP_R_SAMPLE) {
        struct cup_r_sample sample = cup_read_sample(record);
        return sample.sample;
    }
    if (record->type != CUP_R_ROWS)
        return 0;
    struct cup_r_rows fixed = cup_read_rows(record);
    return fixed.sample;
}

static const struct cup_server *server_at(const struct cup_worker_rows *rows,
                                          const struct cup_sample_place *place)
{
    return &rows->profile->servers[place->server];
}

/* Reads the records of one sample. Returns false if some are missing. */
static bool read_sample(struct cup_worker_rows *rows, const struct cup_sample_place *place)
{
    struct cup_kept_records *records = rows->given ? rows->given : &rows->records;
    const struct cup_record *record;
    uint32_t number = 0;
    rows->sample = (struct cup_sample){.time_ns = place->time_ns,
                                       .process = server_at(rows, place)->process,
                                       .server = place->server + 1};
    clear_new_heartbeats(rows);
    cup_kept_seek(records, (uint64_t)place->at * 8);
    while ((record = cup_kept_next(records)) != NULL) {
        uint32_t of = sample_of(record);
        if (!number && records->offset == (uint64_t)place->at * 8)
            number = of;
        if (!number)
            return false;
        if (of != number)
            continue;
        if (record->type == CUP_R_SAMPLE) {
            take_sample(rows, record);
            return true;
        }
        take_rows(rows, record);
    }
    return false;
}

void cup_worker_rows_start(struct cup_worker_rows *rows, const struct cup_profile *profile,
                           enum cup_role role)
{
    *rows = (struct cup_worker_rows){
        .profile = profile, .role = role, .records = {.types = CUP_SAMPLE_TYPES, .too_many = true}};
}

void cup_worker_rows_of_log(struct cup_worker_rows *rows, const struct cup_profile *profile,
                            size_t first, struct cup_kept_records *records)
{
    *rows = (struct cup_worker_rows){
        .profile = profile, .role = CUP_ROLE_WORKER, .next = first, .given = records};
}

bool cup_worker_rows_next(struct cup_worker_rows *rows)
{
    while (rows->next < rows->profile->sample_count && !rows->out_of_memory) {
        const struct cup_sample_place *place = &rows->profile->samples[rows->next++];
        const struct cup_server *server = server_at(rows, place);
        if (server->role != (uint32_t)rows->role)
            continue;
        if (rows->process != server->process + 1)
            open_process(rows, server->process);
        if (rows->open && read_sample(rows, place) && !rows->out_of_memory)
            return true;
        rows->lost++;
    }
    return false;
}

int cup_worker_rows_finish(struct cup_worker_rows *rows)
{
    int result = rows->out_of_memory ? -1 : 0;
    close_process(rows);
    cup_kept_free(&rows->records);
    free(rows->held);
    free(rows->list);
    *rows = (struct cup_worker_rows){0};
    return result;
}
