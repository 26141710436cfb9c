/* The log writer: one memory-mapped file for each process, which grows. See log_format.h.
 *
 * No function here allocates memory from the heap. When the log grows, it makes system calls with
 * the lock held, and errno changes: callers save it. Callers hold the thread's guard: then the
 * hooks of a signal handler that interrupts them do not record anything, so the handler cannot wait
 * for a lock that the interrupted code holds. */
#pragma once

#include "include/log_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens DIR/HOST-PID-STARTNS.cup and maps it. Returns 0, or -1 with *WHY set to a static text,
 * after which the name of the directory completes the sentence.
 *
 * CUP_LOG_CHILD: a log for a process that a task started. There may be thousands of them, so it has
 * few blocks and no time series, and grows in smaller steps. */
enum cup_log_size { CUP_LOG_FULL, CUP_LOG_CHILD };
int cup_log_open(const char *directory, uint64_t max_bytes, int64_t process_start_ns,
                 enum cup_log_size size, const char **why);

/* Who may read the logs that are opened from now on, and enter a directory that is made for them.
 * Without this call: the user alone. */
enum cup_log_readers { CUP_LOG_OF_USER, CUP_LOG_OF_GROUP, CUP_LOG_OF_ALL };
void cup_log_share(enum cup_log_readers readers);

/* Marks the log as complete. The mapping and the file's length stay as they are: threads that still
 * run may go on counting. */
void cup_log_close(void);

/* In a forked child: puts zero memory in the place of the parent's log, without writing into it. */
void cup_log_forget(void);

/* Header and regions of the open log; NULL when none is open, or it has no such region. */
struct cup_log_header *cup_log_header(void);
struct cup_series *cup_log_series(void);

/* The counter blocks, by index. cup_log_more_blocks() adds CUP_LOG_MORE_BLOCKS; false: the log has
 * no room. cup_log_blocks_outside() doubles their number with memory outside of the log, where no
 * reader finds them: what they counted is lost if the process is killed. false: there are
 * CUP_LOG_MOST_BLOCKS, or there is no memory. Callers of these two hold the log's lock. */
enum {
    CUP_LOG_BLOCK_COUNT = 128,
    CUP_LOG_CHILD_BLOCK_COUNT = 8,
    CUP_LOG_MORE_BLOCKS = 64,
    CUP_LOG_MOST_BLOCKS = 4096
};
uint32_t cup_log_block_count(void);
struct cup_block *cup_log_block(uint32_t index);
uint32_t cup_log_block_index(const struct cup_block *block);
bool cup_log_more_blocks(void);
bool cup_log_blocks_outside(void);
bool cup_log_block_is_outside(uint32_t index);

/* Once a task has begun, the log keeps a reserve. When it is full otherwise, records of tasks that
 * have begun may still use the reserve, and later tasks are summed up in it (counters/totals.h).
 *
 * cup_log_has_room(): another task can have records. cup_log_totals(): NULL while there are none.
 * cup_log_make_totals() makes them, in the reserve; false: even that is full. cup_log_changed():
 * the BYTES at AT, in the totals, have changed. */
bool cup_log_has_room(void);
struct cup_task_totals *cup_log_totals(void);
bool cup_log_make_totals(void);
void cup_log_changed(const void *at, size_t bytes);

/* Reserves a record with a fixed part of FIXED bytes and a tail of TAIL bytes; NULL: the log is
 * full (counted). The caller fills it, then commits it, and reserves nothing else in between. */
void *cup_log_reserve(uint16_t fixed, size_t tail);
void cup_log_commit(void *record, enum cup_record_type type);

/* Writes a whole record: the fixed part at RECORD, whose head need not be filled in, and a TAIL of
 * BYTES. Returns the record in the log, in which the fixed part may be packed; NULL: the log is
 * full (counted). */
void *cup_log_write(enum cup_record_type type, const void *record, const void *tail, size_t bytes);

/* The id of an interned string; 0: TEXT is NULL, or the table is full (counted). Secrets are left
 * out of it (secrets.h). */
uint32_t cup_log_string(const char *text, size_t bytes);
uint32_t cup_log_cstring(const char *text);

/* The same for a name that the totals need: it may use the reserve. */
uint32_t cup_log_name(const char *text, size_t bytes);

/* Adds to a health counter. Does nothing if no log is open. */
void cup_log_health(enum cup_health counter, uint64_t amount);

/* Write a NOTE record (for the user), and an INFO record (a fact about the process). */
void cup_log_note(const char *text);
void cup_log_info(const char *name, const char *value);

/* The width of a bin of the series; 0: there is no series. */
uint64_t cup_log_bin_ns(void);

/* Adds AMOUNT to the bin that NOW_NS (CLOCK_REALTIME) falls into. */
void cup_log_series_add(enum cup_series_row row, int64_t now_ns, uint64_t amount);

/* The spin lock of the log, which yields; also used by tables that belong to the log. */
void cup_log_lock(void);
void cup_log_unlock(void);
