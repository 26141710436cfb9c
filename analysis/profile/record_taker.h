/* Hands out records while logs are loaded, so that code which needs them besides the profile need
 * not read all logs again. The room load/ calls the taker that the load options name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/log/log_reader.h"

/* The records of one log that a taker asked for, in the order of the log. If they are too many to
 * keep in memory, cup_kept_next() reads them from the log. */
struct cup_kept_records {
    uint64_t types;       /* set of bits 1 << enum cup_record_type */
    unsigned char *bytes; /* owned; for each record its offset in the log, and the record */
    size_t count, room;   /* bytes */
    size_t at;            /* of the next record in `bytes` */
    uint64_t offset;      /* in the log, of the record that was returned last */
    bool too_many;        /* none are kept */
    struct cup_log log;
    bool open; /* log is */
};

/* The records that define and use stacks, which the call tree of a report is made of. */
#define CUP_STACK_TYPES                                                                            \
    (UINT64_C(1) << CUP_R_STRING | UINT64_C(1) << CUP_R_CODE | UINT64_C(1) << CUP_R_MODULE |       \
     UINT64_C(1) << CUP_R_STACKS | UINT64_C(1) << CUP_R_NODES | UINT64_C(1) << CUP_R_STACK_USE)

/* Who gets the records. The rooms below know no more of it. */
struct cup_record_taker {
    uint64_t types; /* the records that it wants: set of bits 1 << enum cup_record_type */
    /* Called once for each log that was loaded, in the order of profile->processes, when the tasks,
     * strings and branches of that log are in the profile. One thread at a time calls it. */
    void (*take)(void *context, uint32_t process, struct cup_kept_records *records);
    void *context;
};

/* Removes the records of the log before. TYPES: those to keep from now on. */
void cup_kept_start(struct cup_kept_records *kept, uint64_t types);

/* Keeps a copy of a record at OFFSET in the log, if it has one of the types. */
void cup_kept_add(struct cup_kept_records *kept, const struct cup_record *record, uint64_t offset);

/* Keeps a copy of records that were kept before: COUNT bytes, as in `bytes`. Returns 0, or -1 if
 * they are too many. */
int cup_kept_copy(struct cup_kept_records *kept, const unsigned char *bytes, size_t count);

static inline bool cup_kept_wants(const struct cup_kept_records *kept, uint16_t type)
{
    return type < 64 && kept->types >> type & 1;
}

/* Goes back to the first record of the log at PATH. Returns 0, or -1 if the log must be read again
 * and cannot be. */
int cup_kept_rewind(struct cup_kept_records *kept, const char *path);

/* Skips the records that stand before OFFSET in the log. */
void cup_kept_seek(struct cup_kept_records *kept, uint64_t offset);

/* The next record, valid until the next call; NULL after the last one. */
const struct cup_record *cup_kept_next(struct cup_kept_records *kept);

void cup_kept_free(struct cup_kept_records *kept);
