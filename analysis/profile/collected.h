/* What a client knows of the logs that it fetched while the job ran, and of workers that have none:
 * collected.json of a profile directory, which `cupping collect` and `cupping attach` write. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/log_names.h"

/* Why a log, or the copy of a log, lacks its end. */
enum cup_part_reason {
    CUP_PART_STOPPED, /* the collection was stopped while the process ran */
    CUP_PART_LOST,    /* its nanny, or its host, vanished */
    CUP_PART_FULL,    /* there was no room for more */
    CUP_PART_REFUSED, /* its file system refused to store it: CUP_LOG_REFUSED */
    CUP_PART_REASONS
};

/* Tasks that a worker ended, by the count of Dask's scheduler. */
struct cup_tasks_ended {
    char *worker; /* owned; address */
    uint64_t tasks;
};

struct cup_collected {
    /* Number of logs that were stored or fetched incompletely, or not at all, by reason. */
    uint64_t logs[CUP_PART_REASONS];
    /* The earliest time after which one of these logs may be incomplete: ns since the epoch, clock
     * of the log's host. 0: nothing was fetched of at least one log. INT64_MAX: there is no such
     * log. */
    int64_t until_ns[CUP_PART_REASONS];
    char *full;           /* owned; why there was no more room; NULL: there was */
    int64_t full_ns;      /* since when, on the clock of the client */
    uint64_t refused;     /* workers that attach could not profile */
    char *refused_worker; /* owned; address of the first one; NULL: not known */
    char *refused_why;    /* owned; why */
    /* Owned; one for each worker that should have logs, so without those that were refused. */
    struct cup_tasks_ended *ended;
    size_t ended_count;
};

/* Reads DIRECTORY/collected.json, the names of files CUP_LOG_REFUSED there, and what merged logs in
 * DIRECTORY know of their logs; DIRECTORY may be a merged log. What is missing there, or of another
 * type, counts as not there; without these files *collected says that all logs are whole. LOGS: as
 * for cup_collected_join(). Free it. */
void cup_collected_read(struct cup_collected *collected, const char *directory,
                        const struct cup_log_names *logs);
void cup_collected_free(struct cup_collected *collected);

/* Joins what is known of the logs in PATHS: directories, merged logs, or single logs. *text becomes
 * the allocated JSON text, which does not depend on the order of the paths; NULL if nothing is
 * known. LOGS: the copies that are read, sorted by name. If one of them is whole, what is known of
 * another copy of that log is left out. Returns 0, or -1 without memory. */
int cup_collected_join(const char *const *paths, size_t count, const struct cup_log_names *logs,
                       char **text);

/* Logs whose end is lost: it cannot be fetched any more. */
static inline uint64_t cup_collected_lost(const struct cup_collected *collected)
{
    return collected->logs[CUP_PART_LOST] + collected->logs[CUP_PART_FULL] +
           collected->logs[CUP_PART_REFUSED];
}
