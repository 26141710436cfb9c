/* The log writer: one file per process, in a shared mapping that grows. See log_format.h.
 *
 * No function here allocates. When the log grows, system calls are made under its lock and errno
 * changes: callers save it. Callers hold the thread's guard, so a signal
 * handler that interrupts them does not come back here. */
#ifndef CUPPING_PRELOAD_LOG_LOG_H
#define CUPPING_PRELOAD_LOG_LOG_H

#include "include/log_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens DIR/HOST-PID-STARTNS.cup and maps it. Returns 0, or -1 with *why set to a static text.
 *
 * A child's log holds the reads of a process that a task started, of which there may be thousands:
 * few blocks, no time series, and it grows in smaller steps. */
enum cup_log_size { CUP_LOG_FULL, CUP_LOG_CHILD };
int cup_log_open(const char *directory, uint64_t max_bytes, int64_t process_start_ns,
                 enum cup_log_size size, const char **why);

/* Marks the log as ended in good order. Its mapping and its length stay: threads that still run
 * may go on counting. */
void cup_log_close(void);

/* In a forked child: forget the parent's log without touching it. */
void cup_log_forget(void);

/* Header and regions of the open log; NULL when none is open, or it has no such region. */
struct cup_log_header *cup_log_header(void);
struct cup_series *cup_log_series(void);

/* The counter blocks, by index. More: adds some; false if there is no room. Called with the lock.
 */
enum {
    CUP_LOG_BLOCK_COUNT = 128,
    CUP_LOG_CHILD_BLOCK_COUNT = 8,
    CUP_LOG_MORE_BLOCKS = 64,
    CUP_LOG_MOST_BLOCKS = 1024
};
uint32_t cup_log_block_count(void);
struct cup_block *cup_log_block(uint32_t index);
uint32_t cup_log_block_index(const struct cup_block *block);
bool cup_log_more_blocks(void);

/* Reserves a record of FIXED bytes plus TAIL bytes; NULL if dropped (counted). The caller fills
 * it, then commits. Nothing else may be reserved by this thread in between. */
void *cup_log_reserve(uint16_t fixed, size_t tail);
void cup_log_commit(void *record, enum cup_record_type type);

/* Commits a record whose tail is DATA: copies it behind the FIXED bytes, and zeros up to the
 * record's end. */
void cup_log_commit_tail(void *record, enum cup_record_type type, size_t fixed, const void *data,
                         size_t bytes);

/* Interned strings and files; id 0 when the text is NULL or the table is full (counted). */
uint32_t cup_log_string(const char *text, size_t bytes);
uint32_t cup_log_cstring(const char *text);

/* Adds to a health counter; safe when no log is open. */
void cup_log_health(enum cup_health counter, uint64_t amount);

/* Records a remark for the user, and a fact about the process. */
void cup_log_note(const char *text);
void cup_log_info(const char *name, const char *value);

/* Adds AMOUNT to the bin of time NOW_NS (CLOCK_REALTIME). */
void cup_log_series_add(enum cup_series_row row, int64_t now_ns, uint64_t amount);

/* A process-wide spin lock (yields), also used by the tables that belong to the log. */
void cup_log_lock(void);
void cup_log_unlock(void);

#endif
