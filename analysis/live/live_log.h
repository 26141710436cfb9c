/* One log that `cupping top` follows: private to the files of this directory. */
#pragma once

#include "analysis/base/array.h"
#include "analysis/live/live.h"
#include "analysis/log/log_reader.h"

/* A Python function of the log. */
struct cup_live_code {
    uint32_t table; /* string: its line table */
    uint32_t minor, first_line;
    uint32_t site; /* of its name, file and first line, in place_at; 0: not the user's code */
    uint32_t file, name;
};

/* A worker as a server of this log sees it. Values as in log_format.h. */
struct cup_live_seen {
    uint32_t number; /* in the log */
    uint32_t server; /* SERVER record */
    uint32_t address;
    bool present, known;
    uint64_t values[CUP_ROW_VALUES];
};

enum { CUP_LIVE_SKIPPED = 64 };

struct cup_live_log {
    uint32_t process; /* index */
    uint64_t offset;  /* where the next look goes on; 0: at the begin of the records */
    uint64_t given_up;
    /* Places that were skipped because two looks found no complete record there. Each look tries
     * them again. */
    uint64_t skipped[CUP_LIVE_SKIPPED];
    size_t skipped_count;
    uint64_t *runs; /* owned; where RUN records are: they are updated in place */
    size_t run_count, run_room;
    struct cup_live_task *tasks; /* owned */
    size_t task_count, task_room;
    uint32_t *open_tasks; /* owned; indexes of tasks that have not ended */
    size_t open_count, open_room;
    struct cup_live_code *codes; /* owned */
    size_t code_count, code_room;
    struct cup_live_seen *seen; /* owned */
    size_t seen_count, seen_room;
    uint32_t *written; /* owned; by block: the sequence of its last COUNTERS record */
    uint32_t written_room;
    bool all_voided; /* a VOID record may be lost, so all tasks count as having one */
    struct cup_task_totals *totals; /* owned; at the last look; NULL: the log has none */
    /* In blocks in use, at the last look. */
    uint64_t open_bytes;
    uint64_t running; /* tasks without records */
    struct cup_measured_waits open_waits;
    /* Ids of the log: strings (in known.strings); index + 1 of the others. nodes: index + 1 in
     * lines; tasks: CUP_LIVE_UNWANTED for one of another run; attempts: for cup_task_hash(). */
    struct cup_id_map strings, workers, codes_at, nodes, tasks_at, seen_at, last_rows, threads,
        attempts;
};

#define CUP_LIVE_UNWANTED UINT32_MAX

/* Reads what was appended to the log since the last look, and updates *live. A log that cannot be
 * opened counts in live->logs_unreadable. */
void cup_live_log_read(struct cup_live *live, struct cup_live_log *log);
void cup_live_log_free(struct cup_live_log *log);

/* Calls cup_runs_add() for the RUN records of the log, as they are now. */
void cup_live_log_runs(struct cup_live *live, const struct cup_live_log *log);

/* ---- records, by what they are about ------------------------------------------------------- */

static inline uint32_t cup_live_string(const struct cup_live_log *log, uint32_t id)
{
    return cup_id_map_get(&log->strings, id);
}

static inline void cup_live_map(struct cup_live *live, struct cup_id_map *map, uint32_t id,
                                uint32_t value)
{
    if (cup_id_map_set(map, id, value) != 0)
        live->out_of_memory = true;
}

/* A new zeroed entry at the end of an array; NULL without memory. */
void *cup_live_append(struct cup_live *live, void *items, size_t *room, size_t *count, size_t size);
#define CUP_LIVE_APPEND(live, holder, entries, entry)                                              \
    cup_live_append(live, &(holder)->entries, &(holder)->entry##_room, &(holder)->entry##_count,   \
                    sizeof *(holder)->entries)

void cup_live_server(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_task_begin(struct cup_live *live, struct cup_live_log *log,
                         const struct cup_log_header *header, const struct cup_record *r);
void cup_live_task_end(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_item(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_chunk(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_void(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
/* Calls it as if each task had a VOID record. */
void cup_live_void_all(struct cup_live *live, struct cup_live_log *log);
void cup_live_counters(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_open_block(struct cup_live *live, struct cup_live_log *log,
                         const struct cup_block *block);
/* Adds events of used chunks that ended at this time to the rate of events. PLANNED: those of them
 * that a Runner plans. */
void cup_live_count_events(struct cup_live *live, int64_t stop_ns, uint64_t events,
                           uint64_t planned);
/* Adds what the sums of tasks without records gained. TOTALS: NULL: there are none. */
void cup_live_totals(struct cup_live *live, struct cup_live_log *log,
                     const struct cup_task_totals *totals);

/* The worker of a SERVER record; 0: of tasks without one. NULL without memory. */
struct cup_live_worker *cup_live_worker_of(struct cup_live *live, struct cup_live_log *log,
                                           uint32_t server);
/* As cup_attributed_bytes() of all tasks. */
uint64_t cup_live_attributed_bytes(const uint64_t counters[CUP_COUNTER_COUNT]);

void cup_live_code(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_stacks(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_stack_use(struct cup_live *live, struct cup_live_log *log,
                        const struct cup_record *r);

void cup_live_worker(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
void cup_live_rows(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r);
/* Sets the memory of the workers that the log has samples of. */
void cup_live_take_rows(struct cup_live *live, const struct cup_live_log *log);

/* The sums that wait for the end of tasks and blocks: see cup_live_look(). */
void cup_live_count_open(struct cup_live *live, const struct cup_live_log *log, int64_t now_ns,
                         struct cup_live_sums *sums);
