/* Reads one log, which may be in a merged log (log_bytes.h): checks it, returns its records one
 * after the other, and copies the counter blocks that the process had not closed. No length, offset
 * or id in the file is trusted.
 *
 * The log is read through a small window, not mapped: it may be larger than memory, and mapped
 * pages would count as memory of this process.
 *
 * The process may still be writing. Blocks are copied before the records are read: if the process
 * closes a block in between, its record is found, and the copy is ignored. So no block is missed or
 * counted twice. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/error.h"
#include "analysis/base/intern.h"
#include "analysis/log/log_bytes.h"
#include "include/log_format.h"
#include "include/packed_fixed.h"

/* A longer record must be damaged: the texts that the library stores are far shorter. */
enum { CUP_RECORD_MAX = 1 << 20 };

/* A block that was in use when the reader opened the log. */
struct cup_open_block {
    uint32_t index;
    bool written; /* the log also has its COUNTERS record: ignore all that is here */
    bool
        /* The log also has the FILE_USE record of this entry: ignore the entry here. */
        file_written[CUP_BLOCK_FILES];
    struct cup_block block;
};

struct cup_log {
    char *path; /* owned */
    struct cup_log_bytes bytes;
    uint64_t size;                 /* of the file when the reader opened it */
    struct cup_log_header header;  /* fields that an older writer does not have are 0 */
    uint64_t end;                  /* end of the records that are really in the file */
    uint64_t offset;               /* of the next record */
    uint64_t record_offset;        /* of the record returned last */
    struct cup_open_block *blocks; /* owned; the blocks in use */
    size_t block_count;            /* of blocks */
    uint32_t *block_at;  /* owned; by index of the block in the log: index in `blocks` + 1 */
    uint32_t block_room; /* length of block_at */
    struct cup_task_totals
        *totals; /* owned; NULL: no tasks were summed up. No entry is unfinished */
    /* Set it after opening: cup_log_next() returns NULL at the first place that holds no complete
     * record, because the process may be writing it; then `offset` is below `end`. */
    bool growing;
    bool unopened; /* the file has no header yet: its process was killed, or is about to write it */
    uint64_t given_up; /* a place where a growing log has no record, and that is skipped */
    uint64_t unfinished_records; /* reserved by the writer, never completed */
    uint64_t skipped_bytes;      /* lost to damage */
    struct cup_error damage;     /* the first damage found; its text is empty for a sound log */
    unsigned char *window;       /* owned */
    uint64_t window_offset;      /* of the window in the file */
    size_t window_bytes;         /* valid bytes in the window */
};

/* Refuses the log PATH if its HEADER says that it needs a newer reader. */
int cup_log_check_reader(const struct cup_log_header *header, const char *path,
                         struct cup_error *error);

/* Opens and checks a log. On -1 *error says why it cannot be read at all, log->unopened is set if
 * it has no header, and nothing needs closing. A log that can be read in part is opened, with
 * log->damage filled. */
int cup_log_open(struct cup_log *log, const char *path, struct cup_error *error);

/* True if this user has no permission to read the file. */
bool cup_log_is_forbidden(const char *path);

/* Returns the next complete record, or NULL at the end. The record stays valid until the next
 * call. After damage, the reader searches for a place where several sound records follow each
 * other, and goes on there. */
const struct cup_record *cup_log_next(struct cup_log *log);

/* Continues at OFFSET, where a record began when the log was read before. */
void cup_log_seek(struct cup_log *log, uint64_t offset);

/* Reads the time series. Returns 0, or -1 if there is none or it is unusable. */
int cup_log_series(struct cup_log *log, struct cup_series *series);

/* True if VOID records may be missing: then what threads did for the task that merely started them
 * counts for none. Older libraries did not count the VOID records that they dropped: there, any
 * dropped record could have been one. */
static inline bool cup_log_lacks_voids(const struct cup_log *log)
{
    const uint64_t *health = log->header.health;
    return health[CUP_H_VOIDS_DROPPED] ||
           (!(log->header.features & CUP_FEATURE_VOIDS) && !log->totals &&
            health[CUP_H_THREADS_VOIDED] && health[CUP_H_RECORDS_DROPPED]);
}

void cup_log_close(struct cup_log *log);

/* A time from the file, limited to the years 1970 to 2116 so that differences do not overflow; 0
 * for any other value, which is damage. */
static inline int64_t cup_sane_time(int64_t ns)
{
    return ns < 0 || ns > INT64_MAX / 2 ? 0 : ns;
}

/* Bytes of the fixed part as it is in the log: the tail follows. */
static inline size_t cup_record_fixed_bytes(const struct cup_record *record)
{
    return record->fixed & ~(unsigned)CUP_FIXED_PACKED;
}

/* The head and what follows it are such that the other functions here may be called. */
static inline bool cup_record_is_sound(const struct cup_record *record)
{
    size_t bytes = cup_record_fixed_bytes(record);
    return bytes >= sizeof *record && bytes <= record->length;
}

/* Copies the fixed part of a record into a struct of KNOWN bytes. Fields that an older writer did
 * not have become 0; fields that only a newer writer has are cut off. */
static inline void cup_record_fixed(const struct cup_record *record, void *fixed, size_t known)
{
    if (record->fixed & CUP_FIXED_PACKED) {
        memcpy(fixed, record, sizeof *record);
        cup_fixed_unpack((const unsigned char *)(record + 1),
                         cup_record_fixed_bytes(record) - sizeof *record,
                         record->length - sizeof *record, (struct cup_record *)fixed + 1,
                         (known - sizeof *record) / sizeof(uint32_t));
        return;
    }
    if (record->fixed >= known) { /* nearly always; a copy of constant size is fast */
        memcpy(fixed, record, known);
        return;
    }
    memcpy(fixed, record, record->fixed);
    memset((char *)fixed + record->fixed, 0, known - record->fixed);
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
    return (const unsigned char *)record + cup_record_fixed_bytes(record);
}

static inline size_t cup_record_tail_bytes(const struct cup_record *record)
{
    return record->length - cup_record_fixed_bytes(record);
}

/* The first BYTES bytes of the tail, or all of it if it is shorter. */
static inline struct cup_text cup_record_text(const struct cup_record *record, size_t bytes)
{
    size_t held = cup_record_tail_bytes(record);
    return (struct cup_text){(const char *)cup_record_tail(record), bytes < held ? bytes : held};
}
