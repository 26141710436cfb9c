/* Writes a table cell by cell; its first row has the names of the columns. The rows become CSV as
 * RFC 4180 has it, in UTF-8, lines ending in CR LF, where null is an empty field; or columns of
 * numbers (column_writer.h). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/value.h"
#include "analysis/write/output.h"

struct cup_cells {
    FILE *out;                   /* of CSV; not owned; the caller checks ferror */
    struct cup_columns *columns; /* not owned; NULL: CSV */
    bool in_line;
};

static inline struct cup_cells cup_cells_start(const struct cup_output *output)
{
    return (struct cup_cells){.out = output->file, .columns = output->columns};
}

void cup_put_cell(struct cup_cells *cells, struct cup_value value);
void cup_end_row(struct cup_cells *cells);
