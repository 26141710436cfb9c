/* A directory that an export writes: made where it is not there, taken where it is empty or holds
 * nothing but files of an earlier export of the kind, refused where it holds anything else. */
#ifndef CUPPING_ANALYSIS_EXPORT_EXPORT_DIRECTORY_H
#define CUPPING_ANALYSIS_EXPORT_EXPORT_DIRECTORY_H

#include "analysis/metrics/totals.h"
#include "analysis/write/output.h"

struct cup_report_table;

/* Writes one file. Returns 0, or -1 without memory; cup_output_close() reports what could not be
 * written. */
typedef int (*cup_export_writer)(const struct cup_totals *totals, const struct cup_output *output);

struct cup_export_file {
    const char *name;
    cup_export_writer write; /* NULL: the rows of a table of the report, as CSV */
    const struct cup_report_table *table;
};

/* Writes all files, in their order, each replaced only by a whole one. Returns 0, or -1 and *error,
 * the files from that one on being as they were. */
int cup_export_files(const struct cup_totals *totals, const char *directory,
                     const struct cup_export_file *files, size_t count, struct cup_error *error);

/* One file, or standard output ("-"); returns as above. */
int cup_export_file(const struct cup_totals *totals, const char *path, cup_export_writer write,
                    struct cup_error *error);

#endif
