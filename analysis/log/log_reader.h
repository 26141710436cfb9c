/* Reads one log: checks it, hands out its records one after the other through a small window (a
 * log may be larger than memory, and its pages must not count as ours), and tells which counter
 * blocks its process had still open. Never trusts a length, offset or id of the file.
 *
 * The process may be alive and writing: open blocks are copied before the records are read, so a
 * block that is closed meanwhile is met as a record, never missed and never counted twice. */
#ifndef CUPPING_ANALYSIS_LOG_LOG_READER_H
#define CUPPING_ANALYSIS_LOG_LOG_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/error.h"
#include "analysis/base/intern.h"
#include "include/log_format.h"

/* A record longer than this is taken for damage: no text that the library stores comes near. */
enum { CUP_RECORD_MAX = 1 << 20 };

/* A block that was in use when the log was opened. */
struct cup_open_block {
    uint32_t index;
    bool written;                       /* its COUNTERS record was met: ignore the counters */
    bool file_written[CUP_BLOCK_FILES]; /* likewise its FILE_USE records */
    struct cup_block block;
};

struct cup_log {
    char *path; /* owned */
    int fd;
    uint64_t size;                 /* of the file when it was opened */
    struct cup_log_header header;  /* fields that the writer's header lacks are 0 */
    uint64_t end;                  /* where the records that the file really holds end */
    uint64_t offset;               /* of the next record */
    uint64_t record_offset;        /* of the record handed out last */
    struct cup_open_block *blocks; /* owned; those in use */
    size_t block_count;            /* of them */
    uint32_t *block_at;            /* owned; by index in the region: position in blocks + 1 */
    uint32_t block_room;           /* entries of block_at */
    uint64_t unfinished_records;   /* reserved by their writer, never completed */
    uint64_t skipped_bytes;        /* lost to damage */
    struct cup_error damage;       /* the first one met; its text is empty for a sound log */
    unsigned char *window;         /* owned */
    uint64_t window_offset;        /* in the file */
    size_t window_bytes;           /* valid */
};

/* Opens and checks a log. On -1 *error says why it cannot be read at all, and nothing needs
 * closing. A log that can be read in part is opened, with log->damage filled. */
int cup_log_open(struct cup_log *log, const char *path, struct cup_error *error);

/* Hands out the next record that is whole, or NULL at the end. It stays valid until the next
 * call. After damage, goes on at the next place where sound records follow each other. */
const struct cup_record *cup_log_next(struct cup_log *log);

/* Goes on with the record at an offset, where one began when it was last read. */
void cup_log_seek(struct cup_log *log, uint64_t offset);

/* The time series of the process; 0, or -1 when it has none or it is unusable. */
int cup_log_series(const struct cup_log *log, struct cup_series *series);

void cup_log_close(struct cup_log *log);

/* A time of the file as something to calculate with: from 1970 to 2116, so that differences do not
 * overflow; 0 for one that is damaged. */
static inline int64_t cup_sane_time(int64_t ns)
{
    return ns < 0 || ns > INT64_MAX / 2 ? 0 : ns;
}

/* The fixed part, as this version knows it: what the record lacks is 0. */
static inline void cup_record_fixed(const struct cup_record *record, void *fixed, size_t known)
{
    size_t bytes = record->fixed < known ? record->fixed : known;
    memcpy(fixed, record, bytes);
    if (bytes < known)
        memset((char *)fixed + bytes, 0, known - bytes);
}

/* struct cup_r_string cup_read_string(record), and so on: the fixed part of each type. */
#define X(NAME, name, number, bytes, least, tail)                                                  \
    static inline struct cup_r_##name cup_read_##name(const struct cup_record *record)             \
    {                                                                                              \
        struct cup_r_##name fixed;                                                                 \
        cup_record_fixed(record, &fixed, sizeof fixed);                                            \
        return fixed;                                                                              \
    }
CUP_RECORDS(X)
#undef X

static inline const unsigned char *cup_record_tail(const struct cup_record *record)
{
    return (const unsigned char *)record + record->fixed;
}

static inline size_t cup_record_tail_bytes(const struct cup_record *record)
{
    return record->length - record->fixed;
}

/* The first BYTES bytes of the tail, or all of it where it is shorter. */
static inline struct cup_text cup_record_text(const struct cup_record *record, size_t bytes)
{
    size_t held = cup_record_tail_bytes(record);
    return (struct cup_text){(const char *)cup_record_tail(record), bytes < held ? bytes : held};
}

#endif
