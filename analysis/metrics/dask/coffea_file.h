/* A Coffea report that the user saved, with per-dataset figures of his own or without:
 *
 *     output, report = runner(fileset, processor_instance=...)    # savemetrics=True
 *     json.dump(report, file, default=str)
 *
 * One JSON object. Of the report: bytesread, entries, processtime (seconds), chunks, columns; of
 * the call, where the user added them: t_start, t_stop (seconds since the epoch). Datasets are
 * members {name: {"entries", "duration" (seconds), "performance_counters":
 * {"num_requested_bytes"}}}. Other members are counted and ignored. Numbers may be written as
 * strings, which is what default=str makes of numpy's. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/error.h"

enum cup_coffea_field {
    CUP_COFFEA_BYTES,
    CUP_COFFEA_ENTRIES,
    CUP_COFFEA_PROCESS, /* wall time inside process(), nanoseconds */
    CUP_COFFEA_CHUNKS,
    CUP_COFFEA_FIGURES,                      /* fields up to here have one number */
    CUP_COFFEA_COLUMNS = CUP_COFFEA_FIGURES, /* number of columns */
    CUP_COFFEA_WALL, /* wall time of the Runner call; a file needs t_start and t_stop for it */
    CUP_COFFEA_FIELDS
};

struct cup_coffea_figures {
    uint64_t of[CUP_COFFEA_FIGURES]; /* CUP_UNKNOWN64: not in the file */
};

struct cup_coffea_dataset {
    const char *name; /* points into the file's JSON */
    struct cup_coffea_figures figures;
};

struct cup_coffea_file {
    char *path;   /* owned */
    json_t *root; /* owned; names and columns point into it */
    struct cup_coffea_figures report;
    int64_t start_ns, stop_ns; /* 0: not in the file */
    json_t *columns;           /* array of strings; NULL: not in the file, or columns_unreadable */
    bool columns_unreadable;   /* it has columns, but no list of names: str() of a set, say */
    struct cup_coffea_dataset *datasets; /* owned */
    size_t dataset_count;
    struct cup_coffea_figures
        dataset_sums; /* sums over the datasets that have the figure; unknown if none has */
    size_t ignored;   /* number of members that were ignored */
};

/* Returns 0; or -1 with an error that says where and what is wrong, and with nothing to free. */
int cup_coffea_file_read(struct cup_coffea_file *file, const char *path, struct cup_error *error);
void cup_coffea_file_free(struct cup_coffea_file *file);
