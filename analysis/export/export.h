/* `cupping export --to FORMAT`: a profile in formats that other programs read. */
#pragma once

#include "analysis/metrics/totals.h"
#include "analysis/write/output.h"

struct cup_report_table;

/* Writes one file. Returns 0, or -1 without memory; cup_output_close() reports failed writes. */
typedef int cup_export_writer(const struct cup_totals *totals, const struct cup_output *output);

/* What a file is written from besides the tasks of the profile. */
enum cup_export_from {
    CUP_FROM_SUMS = 1,   /* totals: the part that cup_sums_make() makes */
    CUP_FROM_TOTALS = 2, /* all of the totals */
    CUP_FROM_ROWS = 4,   /* what each task read of each branch (struct cup_load_options: baskets) */
    CUP_FROM_FILES = 8,  /* the ROOT files themselves, if they are still there */
    CUP_FROM_CALLS = 16, /* stacks, if there are any */
};

struct cup_export_file {
    const char *name;
    cup_export_writer *write; /* NULL: writes `table` */
    const struct cup_report_table *table;
    bool columns;   /* a table is written as columns of numbers, not as CSV */
    unsigned needs; /* of tables: enum cup_export_from */
};

/* Writes all files, up to the one without a name, into a directory, or ONLY one of them. It is
 * created if it does not exist, accepted if it is empty or has only files of an earlier export of
 * the same kind, and refused otherwise. Each file replaces the previous one only when it is
 * complete. Returns 0, or -1 and *error; the file that failed and those after it are then
 * unchanged. */
int cup_export_files(const struct cup_totals *totals, const char *directory,
                     const struct cup_export_file *files, const struct cup_export_file *only,
                     struct cup_error *error);

/* Writes one file, or standard output ("-"). Returns 0, or -1 and *error. A failed write leaves the
 * previous file as it was. */
int cup_export_file(const struct cup_totals *totals, const char *path, cup_export_writer *write,
                    struct cup_error *error);

/* ---- the formats ------------------------------------------------------------------------- */

/* Tables as CSV (RFC 4180), each with a line of names even where it has no rows. The profile must
 * have the counters of every task. */
extern const struct cup_export_file cup_csv_files[];

/* The same tables as columns of numbers: analysis/write/column_writer.h. */
extern const struct cup_export_file cup_column_files[];

/* The name of the N-th of these tables, without the ending of its file; NULL after the last one. */
const char *cup_table_name(size_t n);

/* Prometheus text format. At most so many prefixes, workers, datasets and servers have their own
 * series; prometheus.c says which. */
enum { CUP_PROMETHEUS_MOST = 50 };
cup_export_writer cup_export_prometheus;

/* The label of a run there: the last part of the profile's real path (cupping-latest is a link),
 * and the number of the Runner call where there are several. */
enum { CUP_RUN_NAME = 300 };
void cup_export_name_run(const struct cup_profile *profile, const char *directory,
                         char name[CUP_RUN_NAME]);

/* A measurement directory of roastcoffea 0.1.2: see docs/roastcoffea.md. */
extern const struct cup_export_file cup_roastcoffea_files[];

/* Stacks, for flame graphs of other tools. totals->calls must not be NULL. Collapsed: a file for
 * each weight, with a line for each stack: frames joined by ';', the innermost last, a space, and
 * microseconds or bytes. Speedscope: a profile for each weight over all tasks, and one for each
 * weight and prefix. */
extern const struct cup_export_file cup_collapsed_files[];
cup_export_writer cup_export_speedscope;

/* A trace of events in Chrome's JSON form, which Perfetto's viewer opens: tasks on the threads that
 * ran them, chunks' process() inside, memory and rates as counters; and the stacks in which samples
 * found threads, where the logs have any. The profile must have the counters of every task. */
cup_export_writer cup_export_perfetto;

/* A table for `cupping replay`: one row for each read of a data file, in the order of time, with
 * tabs between the fields. The profile must have been loaded with the option `reads`. */
cup_export_writer cup_export_replay;

/* Why there are no reads to export; NULL: there are some. */
const char *cup_replay_missing(const struct cup_profile *profile);
