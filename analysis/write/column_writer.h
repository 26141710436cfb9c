/* A table as columns of numbers, for programs that map it into memory (python/cupping/columns.py).
 *
 * The file, all little-endian: the 8 bytes "CUPCOLS1", the data, a description in JSON, the length
 * of the description as a 64-bit number, and "CUPCOLS1" again. The description:
 *
 *     {"rows": 20000, "part_rows": 16384, "columns": [{"name": "dataset",
 *         "parts": [["text", 8, 1, 0, 0], ["text", 16392, 1, 0, 65536]], "texts": ["Zmumu"]}, ...]}
 *
 * A column has a part for each 16,384 rows: kind, offset, width, base, offset of nulls.
 *
 *   kind    count, signed, bool, text (an index into `texts`), real, seconds (a duration in
 *           nanoseconds), time (nanoseconds since 1970 in UTC); null: no value in this part
 *   width   bytes of a number: 1, 2, 4 or 8, of which each value is the sum with `base`; 0: all
 *           values are `base`. real: 8, the IEEE 754 number
 *   nulls   0: every row has a value. Otherwise a byte for each row is there, 1: it has none
 */
#pragma once

#include <stdio.h>

#include "analysis/base/value.h"

struct cup_columns;

/* OUT is not owned; the caller checks ferror. Returns NULL without memory. */
struct cup_columns *cup_columns_open(FILE *out);

/* The cells of the first row are the names of the columns. Every row has as many cells. */
void cup_columns_put(struct cup_columns *columns, struct cup_value value);
void cup_columns_end_row(struct cup_columns *columns);

/* The same for several rows at once, after the names: values of one column for the rows that begin
 * FROM rows after the last one that was ended, then the next column, and at last the end of all
 * these rows. Only the last block of a table may have fewer than CUP_COLUMNS_BLOCK rows. */
enum { CUP_COLUMNS_BLOCK = 512 };
void cup_columns_fill(struct cup_columns *columns, size_t column, size_t from,
                      const struct cup_value *values, size_t count);
void cup_columns_end_rows(struct cup_columns *columns, size_t count);

/* Writes what is left, and frees. Returns 0, or -1 without memory: the file is then of no use. */
int cup_columns_close(struct cup_columns *columns);
