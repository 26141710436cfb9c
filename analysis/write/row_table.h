/* The rows of a section of the report as CSV: what writes the section as JSON writes this, so that
 * names and values are the same. A line is an object in the section's array "rows"; its columns are
 * the names of the first one, which all of them have. What lies inside of a row (arrays, objects),
 * and what is in the section besides, is left out. */
#ifndef CUPPING_ANALYSIS_WRITE_ROW_TABLE_H
#define CUPPING_ANALYSIS_WRITE_ROW_TABLE_H

#include "analysis/write/csv_writer.h"

struct cup_row_table {
    struct cup_csv csv;
    bool only_names; /* set by the caller: no lines but that of the names */
    bool named;      /* that line is written */
    bool failed;     /* no memory */
    int depth;       /* of open objects and arrays */
    int rows_depth;  /* of the array "rows"; 0: not in it */
    FILE *out;       /* not owned; the caller checks ferror */
    FILE *first;     /* owned; values of the first row, while their names are written */
    char *text;      /* owned; what is in it */
    size_t bytes;
};

void cup_row_table_start(struct cup_row_table *table, FILE *out);

void cup_row_table_open(struct cup_row_table *table, const char *name, bool is_array);
void cup_row_table_close(struct cup_row_table *table);
void cup_row_table_value(struct cup_row_table *table, const char *name, struct cup_value value);

#endif
