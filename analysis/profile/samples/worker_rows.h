/* The samples of Dask's own state, one after the other, with a row for each worker in it:
 *
 *     struct cup_worker_rows rows;
 *     cup_worker_rows_start(&rows, profile, CUP_ROLE_SCHEDULER);
 *     while (cup_worker_rows_next(&rows))
 *         for (size_t i = 0; i < rows.count; i++)
 *             use(rows.sample.time_ns, rows.rows[i]->values[CUP_WV_EXECUTING]);
 *     if (cup_worker_rows_finish(&rows) != 0)
 *         no memory
 *
 * The rows are read from the logs, which only hold what changed: a thousand workers have millions
 * of rows in an hour. To iterate twice takes twice the time. */
#pragma once

#include "analysis/base/id_map.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/profile.h"

/* One worker in a sample. Unknown values are CUP_UNKNOWN64. */
struct cup_worker_row {
    uint32_t worker; /* index in sampled_workers: the same in all samples */
    uint32_t address, name, status;
    /* The worker sent a heartbeat since the sample before. */
    bool new_heartbeat;
    uint64_t values[CUP_WV_COUNT];    /* at the time of the sample */
    uint64_t heartbeat[CUP_HV_COUNT]; /* its last heartbeat; times are by the worker's clock */
};

/* The values of a server at one time. */
struct cup_sample {
    int64_t time_ns;
    uint32_t process;
    uint32_t server; /* index + 1 in servers */
    uint64_t values[CUP_SV_COUNT];
};

struct cup_held_row {
    struct cup_worker_row row;
    bool present;  /* the server has the worker */
    bool known;    /* its values are up to date: no row is missing since its last CUP_ROW_WHOLE */
    uint32_t next; /* index + 1 of the next worker with a new heartbeat in this sample */
};

struct cup_worker_rows {
    struct cup_sample sample;                 /* the current sample */
    const struct cup_worker_row *const *rows; /* its workers, valid until the next sample */
    size_t count;
    uint64_t lost; /* samples that could not be read */

    /* The rest is private. */
    const struct cup_profile *profile;
    enum cup_role role;
    size_t next; /* index in samples */
    /* Index in sampled_workers of the first worker of the processes not opened yet. */
    size_t next_worker;
    uint32_t process;                /* index + 1 of the process whose log is open */
    bool open;                       /* its log could be opened */
    struct cup_kept_records records; /* of that log */
    struct cup_kept_records *given;  /* of the only log; NULL: see `records` */
    struct cup_held_row *held;       /* owned; the workers of that log */
    size_t held_count, held_room;
    struct cup_id_map numbers;          /* index in held + 1, by number of the worker */
    struct cup_id_map statuses;         /* string, by number of the status */
    struct cup_id_map last_rows;        /* number of the last ROWS record, by server */
    const struct cup_worker_row **list; /* owned */
    size_t list_room;
    uint32_t listed_server; /* server of the workers in `list`; UINT32_MAX: `list` is outdated */
    /* Index + 1 of the first worker with a new heartbeat in this sample. */
    uint32_t first_new_heartbeat;
    bool out_of_memory;
};

/* Starts to iterate over the samples of all servers of that role: of schedulers, or of workers
 * that sampled themselves. Samples come log by log, and sorted by time within a log. If one
 * process has several such servers, their samples alternate. */
void cup_worker_rows_start(struct cup_worker_rows *rows, const struct cup_profile *profile,
                           enum cup_role role);

/* The records that rows are made of: types for struct cup_kept_records. */
#define CUP_SAMPLE_TYPES (UINT64_C(1) << CUP_R_SAMPLE | UINT64_C(1) << CUP_R_ROWS)

/* Starts to iterate over the samples of the workers of one log, which are profile->samples from
 * FIRST on, while the log is loaded. RECORDS has the log's records of CUP_SAMPLE_TYPES. */
void cup_worker_rows_of_log(struct cup_worker_rows *rows, const struct cup_profile *profile,
                            size_t first, struct cup_kept_records *records);

/* Reads the next sample; false after the last one. */
bool cup_worker_rows_next(struct cup_worker_rows *rows);

/* Frees everything. Returns 0, or -1 if memory ran out and samples are missing. */
int cup_worker_rows_finish(struct cup_worker_rows *rows);
