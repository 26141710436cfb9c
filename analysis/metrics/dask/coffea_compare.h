/* Coffea's figures of a run: those that cupping saw in the chunks, and those in the file of
 * --coffea-report. Metrics use what cupping saw, and the file only for what it did not see. If the
 * file has figures for each dataset, these come first, because the user added them. */
#pragma once

#include "analysis/base/units.h"
#include "analysis/metrics/dask/coffea_file.h"
#include "analysis/metrics/sums/sums.h"

/* One figure, seen and given. Null if cupping did not see it, or the file does not have it. */
struct cup_coffea_row {
    const char *name; /* as in Coffea's report */
    const char *label;
    enum cup_unit unit;
    struct cup_value seen, given;
    struct cup_value ratio; /* given / seen */
    bool differs;           /* by more than rounding explains */
};

/* Fills in all rows. Without memory, the number of columns is null. */
void cup_coffea_compare(const struct cup_totals *totals,
                        struct cup_coffea_row rows[CUP_COFFEA_FIELDS]);

/* Number of different columns of the used chunks; null: no chunk reported columns, full logs do not
 * hold all reports, or no memory. */
struct cup_value cup_coffea_columns(const struct cup_totals *totals);

enum { CUP_COFFEA_SENTENCE = 400 };

/* Writes a sentence about a row that differs: both values, and a likely reason. */
void cup_coffea_sentence(const struct cup_totals *totals, const struct cup_coffea_row *row,
                         char sentence[CUP_COFFEA_SENTENCE]);

/* Where metrics take a figure from. Not for the last two fields. */
enum cup_coffea_origin { CUP_COFFEA_SEEN, CUP_COFFEA_OF_DATASETS, CUP_COFFEA_GIVEN };
enum cup_coffea_origin cup_coffea_origin(const struct cup_totals *totals,
                                         enum cup_coffea_field field);

/* The figure that metrics use, in bytes, events, nanoseconds or chunks; CUP_UNKNOWN64: not known.
 * Not for the last two fields. */
uint64_t cup_coffea_figure(const struct cup_totals *totals, enum cup_coffea_field field);
