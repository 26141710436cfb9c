/* `cupping export --to FORMAT`: a profile in formats that other programs read. All functions return
 * 0, or -1 and *error. A failed write leaves the previous file as it was. */
#ifndef CUPPING_ANALYSIS_EXPORT_EXPORT_H
#define CUPPING_ANALYSIS_EXPORT_EXPORT_H

#include "analysis/metrics/totals.h"
#include "analysis/write/output.h"

/* Tables as CSV (RFC 4180): tasks.csv, chunks.csv, files.csv, branches.csv, workers.csv,
 * opens.csv, samples.csv, functions.csv, native.csv, sections.csv, values.csv, each with a line of
 * names even where it has no rows. The profile must have the counters of every task. */
int cup_export_csv(const struct cup_totals *totals, const char *directory, struct cup_error *error);

/* Prometheus text format, to a file or "-". At most so many prefixes, workers, datasets and servers
 * have their own series; prometheus.c says which. */
enum { CUP_PROMETHEUS_MOST = 50 };
int cup_export_prometheus(const struct cup_totals *totals, const char *path,
                          struct cup_error *error);

/* A measurement directory of roastcoffea 0.1.2: see docs/roastcoffea.md. */
int cup_export_roastcoffea(const struct cup_totals *totals, const char *directory,
                           struct cup_error *error);

/* Stacks, for flame graphs of other tools. totals->calls must not be NULL. Collapsed: a directory
 * with cpu.collapsed, wait.collapsed, read.collapsed and alloc.collapsed, with a line for each
 * stack: frames joined by ';', the innermost last, a space, and microseconds or bytes. Speedscope:
 * one file, with a profile for each weight over all tasks, and one for each weight and prefix. */
int cup_export_collapsed(const struct cup_totals *totals, const char *directory,
                         struct cup_error *error);
int cup_export_speedscope(const struct cup_totals *totals, const char *path,
                          struct cup_error *error);

/* A trace of events in Chrome's JSON form, which Perfetto's viewer opens: tasks on the threads that
 * ran them, chunks' process() inside, memory and rates as counters; and the stacks in which samples
 * found threads, where the logs have any. The profile must have the counters of every task. */
int cup_export_perfetto(const struct cup_totals *totals, const char *path, struct cup_error *error);

/* All of these return 0, or -1 and *error. Each file is replaced only by a whole one. */

#endif
