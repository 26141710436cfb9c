#include "analysis/merge/samples.h"

#include <string.h>

#include "analysis/log/log_reader.h"

/* Of some logs, from the first to the last name: records that define strings, functions, stacks and
 * branches, which each process writes, and a piece of the other records. */
enum {
    SAMPLED_LOGS = 4,
    PIECE = CUP_DICTIONARY_MOST / SAMPLED_LOGS, /* bytes of one log */
    MOST_SHARED = PIECE / 2,                    /* of records that define something */
    MOST_SKIPPED = 4 << 20, /* the piece of other records begins here, or in the middle */
};

static bool defines(unsigned type)
{
    switch (type) {
    case CUP_R_STRING:
    case CUP_R_FILE:
    case CUP_R_INFO:
    case CUP_R_DIGEST_KEY:
    case CUP_R_COLUMNS:
    case CUP_R_BRANCH:
    case CUP_R_TREE:
    case CUP_R_ROOT_FILE:
    case CUP_R_CODE:
    case CUP_R_MODULE:
    case CUP_R_STACKS:
    case CUP_R_NODES:
        return true;
    default:
        return false;
    }
}

struct piece {
    unsigned char *bytes;
    size_t count, room;
};

static void add_record(struct piece *piece, const struct cup_record *record)
{
    if (record->length > piece->room - piece->count)
        return;
    memcpy(piece->bytes + piece->count, record, record->length);
    piece->count += record->length;
}

/* Returns how many bytes of DICTIONARY are used after it. */
static size_t sample_log(struct cup_log *log, unsigned char *dictionary, size_t used)
{
    unsigned char others[PIECE]; /* what the first piece leaves of it is used */
    struct piece shared = {dictionary + used, 0, MOST_SHARED}, other = {others, 0, PIECE};
    uint64_t middle = (log->end - log->header.records_offset) / 2;
    uint64_t from = log->header.records_offset + (middle < MOST_SKIPPED ? middle : MOST_SKIPPED);
    const struct cup_record *record;
    while ((record = cup_log_next(log)) != NULL &&
           log->record_offset < from + PIECE + MOST_SHARED) {
        if (defines(record->type))
            add_record(&shared, record);
        else if (log->record_offset >= from)
            add_record(&other, record);
    }
    if (other.count > PIECE - shared.count)
        other.count = PIECE - shared.count;
    cup_block_difference(shared.bytes, shared.count, 0);
    cup_block_difference(other.bytes, other.count, 0);
    memcpy(dictionary + used + shared.count, others, other.count);
    return used + shared.count + other.count;
}

size_t cup_merge_samples(const struct cup_merge_sources *sources,
                         const char *(*path_of)(void *context, const struct cup_merge_source *),
                         void *context, unsigned char *dictionary)
{
    size_t used = 0, logs = sources->count < SAMPLED_LOGS ? sources->count : SAMPLED_LOGS;
    for (size_t i = 0; i < logs; i++) {
        size_t index = logs > 1 ? i * (sources->count - 1) / (logs - 1) : 0;
        struct cup_log log = {.bytes.fd = -1};
        struct cup_error error;
        const char *path = path_of(context, &sources->sources[index]);
        if (path && cup_log_open(&log, path, &error) == 0)
            used = sample_log(&log, dictionary, used);
        cup_log_close(&log);
    }
    return used;
}
