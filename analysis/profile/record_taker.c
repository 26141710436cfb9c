#include "analysis/profile/record_taker.h"

#include <stdlib.h>
#include <string.h>

/* For each thread that loads logs. More records are read again. */
enum { MOST_BYTES = 16 << 20, FIRST_BYTES = 1 << 16 };

static void close_log(struct cup_kept_records *kept)
{
    if (kept->open)
        cup_log_close(&kept->log);
    kept->open = false;
}

void cup_kept_start(struct cup_kept_records *kept, uint64_t types)
{
    close_log(kept);
    kept->types = types;
    kept->count = kept->at = 0;
    kept->too_many = false;
}

static bool make_room(struct cup_kept_records *kept, size_t bytes)
{
    size_t room = kept->room ? kept->room : FIRST_BYTES;
    while (room < kept->count + bytes)
        room *= 2;
    if (room == kept->room)
        return true;
    unsigned char *grown = room <= MOST_BYTES ? realloc(kept->bytes, room) : NULL;
    if (!grown)
        return false;
    kept->bytes = grown;
    kept->room = room;
    return true;
}

void cup_kept_add(struct cup_kept_records *kept, const struct cup_record *record, uint64_t offset)
{
    if (kept->too_many || !cup_kept_wants(kept, record->type))
        return;
    kept->too_many = !make_room(kept, sizeof offset + record->length);
    if (kept->too_many)
        return;
    memcpy(kept->bytes + kept->count, &offset, sizeof offset);
    memcpy(kept->bytes + kept->count + sizeof offset, record, record->length);
    kept->count += sizeof offset + record->length;
}

int cup_kept_copy(struct cup_kept_records *kept, const unsigned char *bytes, size_t count)
{
    kept->count = 0;
    if (!make_room(kept, count))
        return -1;
    if (count)
        memcpy(kept->bytes, bytes, count);
    kept->count = count;
    return 0;
}

int cup_kept_rewind(struct cup_kept_records *kept, const char *path)
{
    struct cup_error error;
    close_log(kept);
    kept->at = 0;
    if (kept->too_many)
        kept->open = cup_log_open(&kept->log, path, &error) == 0;
    return kept->too_many && !kept->open ? -1 : 0;
}

static uint64_t offset_at(const struct cup_kept_records *kept)
{
    uint64_t offset;
    memcpy(&offset, kept->bytes + kept->at, sizeof offset);
    return offset;
}

static const struct cup_record *record_at(const struct cup_kept_records *kept)
{
    return (const struct cup_record *)(kept->bytes + kept->at + sizeof(uint64_t));
}

static void move_on(struct cup_kept_records *kept)
{
    kept->at += sizeof(uint64_t) + record_at(kept)->length;
}

void cup_kept_seek(struct cup_kept_records *kept, uint64_t offset)
{
    if (kept->open)
        cup_log_seek(&kept->log, offset);
    while (!kept->too_many && kept->at < kept->count && offset_at(kept) < offset)
        move_on(kept);
}

static const struct cup_record *next_of_log(struct cup_kept_records *kept)
{
    const struct cup_record *record;
    while ((record = cup_log_next(&kept->log)) != NULL)
        if (cup_kept_wants(kept, record->type)) {
            kept->offset = kept->log.record_offset;
            return record;
        }
    return NULL;
}

const struct cup_record *cup_kept_next(struct cup_kept_records *kept)
{
    if (kept->too_many)
        return kept->open ? next_of_log(kept) : NULL;
    if (kept->at >= kept->count)
        return NULL;
    const struct cup_record *record = record_at(kept);
    kept->offset = offset_at(kept);
    move_on(kept);
    return record;
}

void cup_kept_free(struct cup_kept_records *kept)
{
    close_log(kept);
    free(kept->bytes);
    *kept = (struct cup_kept_records){0};
}
