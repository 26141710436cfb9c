#define _FILE_OFFSET_BITS 64

#include "analysis/log/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WINDOW_BYTES = 2 * CUP_RECORD_MAX,
    STEP_BYTES =
        1 << 17, /* read at once unless a record is longer; small enough for the CPU's caches */
    HOLE_BYTES = 4096,        /* the longest run of zeros that a killed process leaves */
    MOST_BLOCKS = 65536,      /* the library makes 4,096 at most */
    CHAIN = 4,                /* number of sound records in a row that end a search after damage, */
    CHAIN_RECORD_MAX = 65536, /* each at most so long */
};

/* ---- bytes of the file ------------------------------------------------------------------ */

static void note_damage(struct cup_log *log, uint64_t offset, const char *what)
{
    if (!log->damage.text[0])
        cup_error_set(&log->damage, log->path, offset, "%s; the rest was read", what);
}

/* Reads up to COUNT bytes at OFFSET. Returns the number of bytes read. */
static size_t read_at(struct cup_log *log, void *to, size_t count, uint64_t offset)
{
    size_t got = cup_log_bytes_read(&log->bytes, to, count, offset);
    if (log->bytes.damaged)
        note_damage(log, offset, "damaged: a block of the merged log cannot be unpacked");
    return got;
}

/* Moves the window so that it starts at OFFSET and holds at least BYTES bytes, or all up to the
 * end. */
static void move_window(struct cup_log *log, uint64_t offset, size_t bytes)
{
    size_t keep = 0;
    uint64_t window_end = log->window_offset + log->window_bytes;
    if (offset >= log->window_offset && offset < window_end) {
        keep = (size_t)(window_end - offset);
        memmove(log->window, log->window + (offset - log->window_offset), keep);
    }
    size_t wanted = (bytes > STEP_BYTES ? bytes : STEP_BYTES) - keep;
    size_t whole = cup_log_bytes_whole(&log->bytes, offset + keep, wanted);
    if (keep + whole <= WINDOW_BYTES)
        wanted = whole;
    if (wanted > log->end - offset - keep)
        wanted = (size_t)(log->end - offset - keep);
    log->window_offset = offset;
    log->window_bytes = keep + read_at(log, log->window + keep, wanted, offset + keep);
}

/* BYTES bytes at OFFSET, or NULL if the records end before that. */
static inline const void *bytes_at(struct cup_log *log, uint64_t offset, size_t bytes)
{
    uint64_t place = offset - log->window_offset; /* wraps around if it is before the window */
    if (place <= log->window_bytes && bytes <= log->window_bytes - place)
        return log->window + place;
    if (offset > log->end || bytes > log->end - offset)
        return NULL;
    move_window(log, offset, bytes);
    if (offset + bytes > log->window_offset + log->window_bytes)
        return NULL; /* the file was truncated while it was read */
    return log->window + (offset - log->window_offset);
}

/* ---- records ---------------------------------------------------------------------------- */

/* Returns the smallest size that the fixed part of a sound record of this type can have; 0 if this
 * version does not know the type. */
static size_t least_fixed(unsigned type)
{
    static const uint16_t bytes[] = {
#define X(NAME, name, number, bytes, least, tail) [CUP_R_##NAME] = (least),
        CUP_RECORDS(X)
#undef X
    };
    return type < sizeof bytes / sizeof *bytes ? bytes[type] : 0;
}

/* Returns the record at OFFSET with all its bytes, or NULL if the bytes there cannot be a record.
 */
static inline const struct cup_record *sound_record(struct cup_log *log, uint64_t offset)
{
    const struct cup_record *record = bytes_at(log, offset, sizeof *record);
    if (!record || record->length < sizeof *record || record->length % 8 != 0 ||
        record->length > CUP_RECORD_MAX)
        return NULL;
    if (record->type != 0 && !cup_record_is_sound(record))
        return NULL;
    return bytes_at(log, offset, record->length);
}

/* True if several sound records of known types follow each other at OFFSET. The window is moved for
 * many chains at once: a search moves on by 8 bytes, and reads no byte again. */
static bool starts_chain(struct cup_log *log, uint64_t offset)
{
    enum { LONGEST = CHAIN * CHAIN_RECORD_MAX };
    uint64_t room = log->end - offset, place = offset - log->window_offset;
    size_t bytes = room < LONGEST ? (size_t)room : LONGEST;
    if (place > log->window_bytes || bytes > log->window_bytes - place)
        move_window(log, offset, room < 2 * LONGEST ? (size_t)room : 2 * LONGEST);
    for (int i = 0; i < CHAIN && offset < log->end; i++) {
        const struct cup_record *record = bytes_at(log, offset, sizeof *record);
        if (!record || record->length > CHAIN_RECORD_MAX)
            return false;
        record = sound_record(log, offset);
        size_t least = record ? least_fixed(record->type) : 0;
        bool packed = record && record->fixed & CUP_FIXED_PACKED;
        if (!least || (record->fixed < least && !packed))
            return false;
        offset += record->length;
    }
    return true;
}

/* The offset of the next chain of records after damage at OFFSET, or of the end. */
static uint64_t search_records(struct cup_log *log, uint64_t offset)
{
    uint64_t at = offset + 8;
    while (at < log->end && !starts_chain(log, at))
        at += 8;
    return at < log->end ? at : log->end;
}

static bool is_all_zero(struct cup_log *log, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at + 8 <= to; at += 8) {
        const uint64_t *word = bytes_at(log, at, sizeof *word);
        if (!word || *word != 0)
            return false;
    }
    return true;
}

/* Skips the bytes at log->offset that are not a record. In the log of a process that was killed, a
 * short run of zeros is room that a thread had reserved for a record and not yet filled: this
 * counts as an unfinished record, not as damage. */
static void skip_damage(struct cup_log *log)
{
    uint64_t from = log->offset;
    uint64_t to = search_records(log, from);
    log->offset = to;
    if (log->header.log_stop_ns == 0 && to - from <= HOLE_BYTES && is_all_zero(log, from, to)) {
        log->unfinished_records++;
        return;
    }
    log->skipped_bytes += to - from;
    if (!log->damage.text[0])
        cup_error_set(&log->damage, log->path, from,
                      "damaged: %llu bytes hold no records; the rest was read",
                      (unsigned long long)(to - from));
}

/* ---- open blocks ------------------------------------------------------------------------ */

static struct cup_open_block *open_block(struct cup_log *log, uint32_t index)
{
    if (index >= log->block_room || log->block_at[index] == 0)
        return NULL;
    return &log->blocks[log->block_at[index] - 1];
}

static void note_written_block(struct cup_log *log, const struct cup_record *record)
{
    if (log->block_count == 0)
        return;
    if (record->type == CUP_R_COUNTERS) {
        struct cup_r_counters counters = cup_read_counters(record);
        struct cup_open_block *open = open_block(log, counters.block);
        if (open && open->block.sequence == counters.sequence)
            open->written = true;
    } else if (record->type == CUP_R_FILE_USE) {
        struct cup_r_file_use use = cup_read_file_use(record);
        struct cup_open_block *open = open_block(log, use.block);
        if (open && use.entry < CUP_BLOCK_FILES &&
            open->block.file_sequence[use.entry] == use.file_sequence)
            open->file_written[use.entry] = true;
    }
}

const struct cup_record *cup_log_next(struct cup_log *log)
{
    while (log->offset < log->end) {
        const struct cup_record *record = sound_record(log, log->offset);
        if (log->growing && log->offset != log->given_up && (!record || record->type == 0))
            return NULL;
        if (!record) {
            skip_damage(log);
            continue;
        }
        log->record_offset = log->offset;
        log->offset += record->length;
        if (record->type == 0) {
            log->unfinished_records++;
            continue;
        }
        note_written_block(log, record);
        return record;
    }
    return NULL;
}

void cup_log_seek(struct cup_log *log, uint64_t offset)
{
    log->offset = offset >= log->header.records_offset && offset < log->end ? offset : log->end;
}

/* The process was killed, or is read, between adding the block to the totals and freeing it. */
static bool is_in_totals(const struct cup_log *log, uint32_t index, const struct cup_block *block)
{
    for (int i = 0; log->totals && i < CUP_TOTALS; i++)
        if (log->totals->entries[i].block == index &&
            log->totals->entries[i].sequence == block->sequence)
            return true;
    return false;
}

static int keep_block(struct cup_log *log, uint32_t index, const struct cup_block *block)
{
    struct cup_open_block *blocks =
        realloc(log->blocks, (log->block_count + 1) * sizeof *log->blocks);
    if (!blocks)
        return -1;
    log->blocks = blocks;
    blocks[log->block_count] = (struct cup_open_block){
        .index = index, .written = is_in_totals(log, index, block), .block = *block};
    log->block_at[index] = (uint32_t)++log->block_count;
    return 0;
}

static const struct cup_region *find_region(const struct cup_log *log, uint32_t type)
{
    for (uint32_t i = 0; i < log->header.region_count; i++)
        if (log->header.regions[i].type == type)
            return &log->header.regions[i];
    return NULL;
}

/* Keeps those of COUNT blocks in the window that are in use. */
static int keep_used_blocks(struct cup_log *log, const struct cup_region *region, uint32_t first,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cup_block block = {0};
        size_t bytes = region->entry_size < sizeof block ? region->entry_size : sizeof block;
        memcpy(&block, log->window + i * region->entry_size, bytes);
        if (block.used && block.used != CUP_BLOCK_MOVED &&
            keep_block(log, first + (uint32_t)i, &block) != 0)
            return -1;
    }
    return 0;
}

/* Copies the blocks of one region that are in use. The index of its first block follows the last
 * index of the region before. */
static int read_blocks_of(struct cup_log *log, const struct cup_region *region)
{
    uint32_t first = log->block_room;
    uint32_t *block_at = realloc(log->block_at, (first + region->count) * sizeof *block_at);
    if (!block_at)
        return -1;
    memset(block_at + first, 0, region->count * sizeof *block_at);
    log->block_at = block_at;
    log->block_room = first + region->count;
    uint32_t at_once =
        region->entry_size < WINDOW_BYTES ? (uint32_t)(WINDOW_BYTES / region->entry_size) : 0;
    for (uint32_t i = 0; at_once && i < region->count; i += at_once) {
        uint32_t count = region->count - i < at_once ? region->count - i : at_once;
        size_t held = read_at(log, log->window, count * region->entry_size,
                              region->offset + i * region->entry_size) /
                      region->entry_size;
        if (keep_used_blocks(log, region, first + i, held) != 0)
            return -1;
    }
    return 0;
}

/* Returns 0, or -1 without memory. */
static int read_blocks(struct cup_log *log)
{
    for (uint32_t i = 0; i < log->header.region_count; i++) {
        const struct cup_region *region = &log->header.regions[i];
        if (region->type == CUP_REGION_BLOCKS && region->count > 0 &&
            read_blocks_of(log, region) != 0)
            return -1;
    }
    return 0;
}

/* Returns 0, or -1 without memory. */
static int read_totals(struct cup_log *log)
{
    const struct cup_region *region = find_region(log, CUP_REGION_TOTALS);
    struct cup_task_totals *totals = NULL;
    if (!region || region->count == 0 || region->entry_size != sizeof *totals)
        return 0;
    totals = log->totals = malloc(sizeof *totals);
    if (!totals)
        return -1;
    if (read_at(log, totals, sizeof *totals, region->offset) != sizeof *totals)
        memset(totals, 0, sizeof *totals);
    else if (totals->unfinished > 0 && totals->unfinished <= CUP_TOTALS)
        totals->entries[totals->unfinished - 1] = totals->before;
    return 0;
}

int cup_log_series(struct cup_log *log, struct cup_series *series)
{
    const struct cup_region *region = find_region(log, CUP_REGION_SERIES);
    if (!region || region->count == 0 || region->entry_size < sizeof *series ||
        read_at(log, series, sizeof *series, region->offset) != sizeof *series)
        return -1;
    return series->doubling || series->bin_ns == 0 ? -1 : 0;
}

/* ---- header ----------------------------------------------------------------------------- */

/* A merged log that was opened as if it were one log. */
static int refuse_merged(const char *path, struct cup_error *error)
{
    struct cup_merged *merged = cup_merged_open(path, error);
    if (!merged)
        return -1;
    struct cup_text name = merged->header.log_count ? cup_merged_name(merged, merged->logs)
                                                    : (struct cup_text){"NAME", 4};
    cup_error_set(error, path, CUP_NO_OFFSET,
                  "a merge of %" PRIu32 " logs: name one of them, as in %s/%.*s",
                  merged->header.log_count, path, (int)name.length, name.bytes);
    cup_merged_close(merged);
    return -1;
}

/* True: the process was killed before it could record anything. The writer makes the file, gives it
 * its first size, writes the header, whose magic is last, and then records. A log that has records
 * and no magic is damaged. */
static bool is_unopened(const struct cup_log_header *header)
{
    static const char zeros[sizeof header->magic];
    return memcmp(header->magic, zeros, sizeof zeros) == 0 &&
           (header->records_offset == 0 || header->records_end <= header->records_offset);
}

static int check_magic(struct cup_log *log, size_t bytes, struct cup_error *error)
{
    const struct cup_log_header *header = &log->header;
    if (log->bytes.damaged)
        return cup_error_set(error, log->path, CUP_NO_OFFSET,
                             "damaged: its first block in the merged log cannot be unpacked");
    log->unopened = is_unopened(header);
    if (log->unopened)
        return cup_error_set(error, log->path, CUP_NO_OFFSET,
                             "its process was killed before it recorded anything");
    if (memcmp(header->magic, CUP_MERGED_MAGIC, 8) == 0)
        return refuse_merged(log->path, error);
    if (bytes < sizeof header->magic || memcmp(header->magic, CUP_LOG_MAGIC, 8) != 0)
        return cup_error_set(error, log->path, 0,
                             "not a cupping log (it does not begin with \"CUPPING\"); if it lies "
                             "in a profile directory, remove it");
    if (bytes < sizeof *header)
        return cup_error_set(error, log->path, bytes,
                             "truncated in its header (%zu of %zu bytes); nothing can be read",
                             bytes, sizeof *header);
    return 0;
}

#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)
static const char *const readable_versions =
    CUP_LOG_OLDEST == CUP_LOG_VERSION ? DIGITS(CUP_LOG_VERSION)
                                      : DIGITS(CUP_LOG_OLDEST) " to " DIGITS(CUP_LOG_VERSION);

int cup_log_check_reader(const struct cup_log_header *header, const char *path,
                         struct cup_error *error)
{
    if (header->byte_order != CUP_LOG_BYTE_ORDER || header->min_reader <= CUP_LOG_SUMMED)
        return 0;
    return cup_error_set(error, path, 12,
                         "written in log format %u, which needs a reader of format %u; this "
                         "cupping reads up to %u: use a newer cupping",
                         header->version, header->min_reader, CUP_LOG_SUMMED);
}

static int check_version(const struct cup_log *log, struct cup_error *error)
{
    const struct cup_log_header *header = &log->header;
    if (header->byte_order != CUP_LOG_BYTE_ORDER)
        return cup_error_set(error, log->path, 8,
                             header->byte_order == 0x04030201u
                                 ? "written on a machine of the other byte order; read it there"
                                 : "damaged header: impossible byte order");
    if (cup_log_check_reader(header, log->path, error) != 0)
        return -1;
    if (header->version == 0 || header->min_reader == 0 || header->min_reader > header->version)
        return cup_error_set(error, log->path, 12, "damaged header: log format %u, reader %u",
                             header->version, header->min_reader);
    if (header->version < CUP_LOG_OLDEST)
        return cup_error_set(error, log->path, 12,
                             "written in log format %u, which this cupping does not read any more "
                             "(it reads %s): use the cupping that wrote it",
                             header->version, readable_versions);
    return 0;
}

static int check_layout(const struct cup_log *log, struct cup_error *error)
{
    const struct cup_log_header *header = &log->header;
    if (header->header_size < sizeof *header || header->header_size > log->size)
        return cup_error_set(error, log->path, 16, "damaged header: header size %u",
                             header->header_size);
    if (header->records_offset % 8 != 0 || header->records_offset < header->header_size ||
        header->records_offset > log->size)
        return cup_error_set(
            error, log->path, 24, "damaged or truncated: records should begin at byte %llu of %llu",
            (unsigned long long)header->records_offset, (unsigned long long)log->size);
    return 0;
}

static bool region_fits(const struct cup_log *log, const struct cup_region *region)
{
    uint64_t from = log->header.header_size, to = log->header.records_offset;
    if (region->offset >= to) { /* the library added the region later, inside a ROOM record */
        from = to;
        to = log->size;
    }
    if (region->offset < from || region->offset > to || region->offset % 8 != 0)
        return false;
    return region->count == 0 ||
           (region->entry_size && region->entry_size <= (to - region->offset) / region->count);
}

/* Each block takes memory, so their number must not be that of the bytes of the file. BLOCKS: those
 * of the regions before. */
static bool blocks_fit(const struct cup_region *region, uint32_t *blocks)
{
    if (region->type != CUP_REGION_BLOCKS || region->count == 0)
        return true;
    if (region->entry_size < offsetof(struct cup_block, counters) ||
        region->count > MOST_BLOCKS - *blocks)
        return false;
    *blocks += region->count;
    return true;
}

/* Drops regions at impossible places, or with too many blocks. The records can be read without
 * them. */
static void check_regions(struct cup_log *log)
{
    struct cup_log_header *header = &log->header;
    uint32_t blocks = 0;
    if (header->region_count > CUP_REGION_ROOM) {
        note_damage(log, 20, "damaged header: too many regions");
        header->region_count = 0;
    }
    for (uint32_t i = 0; i < header->region_count; i++) {
        bool fits = region_fits(log, &header->regions[i]);
        if (!fits || !blocks_fit(&header->regions[i], &blocks)) {
            note_damage(log, offsetof(struct cup_log_header, regions) + i * sizeof *header->regions,
                        fits ? "damaged header: a region has impossible blocks"
                             : "damaged header: a region lies outside of its room");
            header->regions[i] = (struct cup_region){0};
        }
    }
}

/* Finds the end of the records. The file is usually larger, because it grows in steps. */
static void check_end(struct cup_log *log)
{
    uint64_t end = log->header.records_end;
    log->end = log->size & ~UINT64_C(7);
    if (end < log->header.records_offset || end % 8 != 0)
        note_damage(log, 32, "damaged header: impossible end of the records");
    else if (end > log->size)
        note_damage(log, log->size, "truncated: its last records are missing");
    else
        log->end = end;
}

static int read_header(struct cup_log *log, struct cup_error *error)
{
    bool regular;
    if (cup_log_bytes_size(&log->bytes, &log->size, &regular) != 0)
        return cup_error_system(error, log->path, "read");
    if (!regular)
        return cup_error_set(error, log->path, CUP_NO_OFFSET, "not a regular file");
    size_t bytes = read_at(log, &log->header, sizeof log->header, 0);
    if (check_magic(log, bytes, error) != 0 || check_version(log, error) != 0 ||
        check_layout(log, error) != 0)
        return -1;
    log->header.process_start_ns = cup_sane_time(log->header.process_start_ns);
    log->header.log_start_ns = cup_sane_time(log->header.log_start_ns);
    log->header.log_stop_ns = cup_sane_time(log->header.log_stop_ns);
    if (log->header.version >= CUP_LOG_SERVERS)
        log->header.features |= CUP_FEATURE_SERVERS;
    log->header.host[sizeof log->header.host - 1] = '\0';
    log->header.library_version[sizeof log->header.library_version - 1] = '\0';
    log->header.library_build[sizeof log->header.library_build - 1] = '\0';
    check_regions(log);
    return 0;
}

/* Reads the end of the records a second time: a living process may have appended records while its
 * blocks were copied. */
static void read_end_again(struct cup_log *log)
{
    uint64_t end;
    bool regular;
    cup_log_bytes_size(&log->bytes, &log->size, &regular);
    if (read_at(log, &end, sizeof end, offsetof(struct cup_log_header, records_end)) == sizeof end)
        log->header.records_end = end;
}

static int prepare_log(struct cup_log *log, struct cup_error *error)
{
    if (read_header(log, error) != 0)
        return -1;
    log->window = malloc(WINDOW_BYTES);
    if (!log->window || read_totals(log) != 0 || read_blocks(log) != 0)
        return cup_error_memory(error, log->path);
    read_end_again(log);
    check_end(log);
    log->offset = log->header.records_offset;
    return 0;
}

bool cup_log_is_forbidden(const char *path)
{
    return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 && errno == EACCES;
}

int cup_log_open(struct cup_log *log, const char *path, struct cup_error *error)
{
    *log = (struct cup_log){0};
    *error = (struct cup_error){0};
    int opened = cup_log_bytes_open(&log->bytes, path, error);
    if (opened != 0 && error->text[0])
        return -1;
    if (opened != 0 && cup_log_is_forbidden(path))
        return cup_error_set(error, path, CUP_NO_OFFSET,
                             "permission denied: read it as the user who wrote it, or ask them for "
                             "`chmod a+r`; what it holds is missing");
    if (opened != 0)
        return cup_error_system(error, path, "open");
    log->path = strdup(path);
    if (log->path && prepare_log(log, error) == 0)
        return 0;
    if (!log->path)
        cup_error_memory(error, path);
    bool unopened = log->unopened;
    cup_log_close(log);
    log->unopened = unopened;
    return -1;
}

void cup_log_close(struct cup_log *log)
{
    cup_log_bytes_close(&log->bytes);
    free(log->path);
    free(log->blocks);
    free(log->block_at);
    free(log->totals);
    free(log->window);
    *log = (struct cup_log){.bytes.fd = -1};
}
