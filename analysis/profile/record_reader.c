#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/log/log_reader.h"
#include "analysis/profile/profile.h"

enum {
    USUAL_BYTES = 4096,   /* read at once; most records are shorter */
    MOST_BYTES = 1 << 16, /* read at once where places follow each other in the log */
    NEAR_BYTES = 1 << 14, /* places follow each other if they are no farther apart than this */
};

void cup_record_reader_open(struct cup_record_reader *reader, const struct cup_profile *profile)
{
    *reader = (struct cup_record_reader){.profile = profile};
}

/* The log of a process; NULL if it cannot be opened. */
static struct cup_log_bytes *log_of(struct cup_record_reader *reader, uint32_t process)
{
    struct cup_error error;
    unsigned slot = process % CUP_READER_LOGS;
    struct cup_log_bytes *bytes = &reader->logs[slot].bytes;
    if (reader->logs[slot].open && reader->logs[slot].process == process)
        return bytes;
    if (reader->logs[slot].open)
        cup_log_bytes_close(bytes);
    reader->logs[slot].process = process;
    reader->logs[slot].open =
        cup_log_bytes_open(bytes, reader->profile->processes[process].log_path, &error) == 0;
    return reader->logs[slot].open ? bytes : NULL;
}

/* How much to read at once: twice as much as before, as long as places follow each other. */
static size_t choose_bytes(const struct cup_record_reader *reader, uint32_t process,
                           uint64_t offset)
{
    uint64_t end = reader->offset + reader->count;
    bool is_next = reader->count > 0 && process == reader->process && offset > reader->offset &&
                   offset <= end + NEAR_BYTES;
    size_t bytes = is_next ? 2 * reader->count : USUAL_BYTES;
    bytes = bytes < USUAL_BYTES ? USUAL_BYTES : bytes;
    return bytes < MOST_BYTES ? bytes : MOST_BYTES;
}

static void fill_buffer(struct cup_record_reader *reader, uint32_t process, uint64_t offset,
                        size_t bytes)
{
    size_t wanted = choose_bytes(reader, process, offset);
    wanted = bytes > wanted ? bytes : wanted;
    reader->count = 0;
    if (wanted > reader->room) {
        unsigned char *buffer = realloc(reader->buffer, wanted);
        if (!buffer) {
            reader->out_of_memory = true;
            return;
        }
        reader->buffer = buffer;
        reader->room = wanted;
    }
    struct cup_log_bytes *bytes_of = log_of(reader, process);
    reader->process = process;
    reader->offset = offset;
    reader->count = bytes_of ? cup_log_bytes_read(bytes_of, reader->buffer, wanted, offset) : 0;
}

/* BYTES bytes of a log at OFFSET; NULL if the log ends before, or without memory. */
static const void *bytes_at(struct cup_record_reader *reader, uint32_t process, uint64_t offset,
                            size_t bytes)
{
    if (reader->process != process || offset < reader->offset ||
        offset + bytes > reader->offset + reader->count)
        fill_buffer(reader, process, offset, bytes);
    return bytes <= reader->count ? reader->buffer + (offset - reader->offset) : NULL;
}

static bool is_sound(const struct cup_record *record, uint16_t type)
{
    return record && record->type == type && record->length <= CUP_RECORD_MAX &&
           cup_record_is_sound(record);
}

const struct cup_record *cup_record_at(struct cup_record_reader *reader, uint32_t process,
                                       uint32_t at, uint16_t type)
{
    uint64_t offset = (uint64_t)at * 8;
    const struct cup_record *record = at ? bytes_at(reader, process, offset, sizeof *record) : NULL;
    if (!is_sound(record, type))
        return NULL;
    size_t length = record->length;
    record = bytes_at(reader, process, offset, length);
    return is_sound(record, type) && record->length == length ? record : NULL;
}

int cup_record_reader_close(struct cup_record_reader *reader)
{
    int result = reader->out_of_memory ? -1 : 0;
    for (int i = 0; i < CUP_READER_LOGS; i++)
        if (reader->logs[i].open)
            cup_log_bytes_close(&reader->logs[i].bytes);
    free(reader->buffer);
    *reader = (struct cup_record_reader){0};
    return result;
}

/* ---- keys of tasks ------------------------------------------------------------------------- */

/* A hash for a task without a key. It is different for each task of each process, and does not
 * depend on the order in which logs are read. */
static uint64_t hash_place(const struct cup_log_header *header, uint32_t task)
{
    char place[sizeof header->host + 64];
    int bytes = snprintf(place, sizeof place, "%.*s %" PRIu32 " %" PRId64 " %" PRIu32,
                         (int)sizeof header->host, header->host, header->pid,
                         header->process_start_ns, task);
    return cup_text_hash((struct cup_text){place, (size_t)bytes});
}

/* Without Dask, Coffea tries an item again in the same thread. Returns 0, or -1 without memory. */
static int find_first_attempt(struct cup_id_map *attempts, const struct cup_r_task_begin *begin,
                              uint32_t *first)
{
    bool is_coffea = begin->origin == CUP_ORIGIN_COFFEA;
    uint32_t known = is_coffea && begin->run_id > 0 ? cup_id_map_get(attempts, begin->tid) : 0;
    *first = known ? known : begin->task;
    return !is_coffea || known ? 0 : cup_id_map_set(attempts, begin->tid, begin->task);
}

/* Attempts at one task are recognised by equal keys. Unknown keys, keys that cupping makes up
 * without Dask, and names of actors' methods do not identify a task across processes. */
uint64_t cup_task_hash(const struct cup_log_header *header, const struct cup_record *record,
                       struct cup_id_map *attempts)
{
    struct cup_r_task_begin begin = cup_read_task_begin(record);
    struct cup_text key = cup_record_text(record, begin.key_bytes);
    bool is_key = begin.origin == CUP_ORIGIN_DASK || begin.origin == CUP_ORIGIN_ASYNC;
    if (key.length > 0 && is_key)
        return cup_text_hash(key);
    uint32_t first;
    return find_first_attempt(attempts, &begin, &first) == 0 ? hash_place(header, first) : 0;
}

struct cup_text cup_key_read(struct cup_record_reader *reader, const struct cup_task *task)
{
    const struct cup_record *record = cup_record_at(reader, cup_task_process(reader->profile, task),
                                                    task->key_at, CUP_R_TASK_BEGIN);
    uint32_t bytes = record ? cup_read_task_begin(record).key_bytes : 0;
    return record && bytes <= cup_record_tail_bytes(record) ? cup_record_text(record, bytes)
                                                            : (struct cup_text){0};
}
