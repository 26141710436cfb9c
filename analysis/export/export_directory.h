/* The directory into which an export writes its files. It is created if it does not exist, accepted
 * if it is empty or has only files of an earlier export of the same kind, and refused otherwise. */
#ifndef CUPPING_ANALYSIS_EXPORT_EXPORT_DIRECTORY_H
#define CUPPING_ANALYSIS_EXPORT_EXPORT_DIRECTORY_H

#include "analysis/metrics/totals.h"
#include "analysis/write/output.h"

struct cup_report_table;

/* Writes one file. Returns 0, or -1 without memory; cup_output_close() reports failed writes. */
typedef int (*cup_export_writer)(const struct cup_totals *totals, const struct cup_output *output);

struct cup_export_file {
    const char *name;
    cup_export_writer write; /* NULL: writes `table` as CSV */
    const struct cup_report_table *table;
};

/* Writes all files in order. Each replaces the previous one only when it is complete. Returns 0, or
 * -1 and *error; the file that failed and those after it are then unchanged. */
int cup_export_files(const struct cup_totals *totals, const char *directory,
                     const struct cup_export_file *files, size_t count, struct cup_error *error);

/* Writes one file, or standard output ("-"). Returns 0, or -1 and *error. */
int cup_export_file(const struct cup_totals *totals, const char *path, cup_export_writer write,
                    struct cup_error *error);

#endif
