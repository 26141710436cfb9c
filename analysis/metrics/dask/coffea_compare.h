/* What Coffea says of a run: as seen in the chunks, as given in a file, and which of them a metric
 * takes. A file never replaces what was seen, except by figures for each dataset: those are the
 * user's own, and take the place of the totals. */
#ifndef CUPPING_ANALYSIS_METRICS_DASK_COFFEA_COMPARE_H
#define CUPPING_ANALYSIS_METRICS_DASK_COFFEA_COMPARE_H

#include "analysis/base/units.h"
#include "analysis/metrics/dask/coffea_file.h"
#include "analysis/metrics/sums/sums.h"

enum cup_coffea_field {
    CUP_COFFEA_BYTES,
    CUP_COFFEA_ENTRIES,
    CUP_COFFEA_PROCESS,
    CUP_COFFEA_CHUNKS,
    CUP_COFFEA_COLUMNS, /* their number */
    CUP_COFFEA_WALL,    /* the Runner call: only in a file that has both its times */
    CUP_COFFEA_FIELDS
};

/* Null where the library, or the file, does not tell. */
struct cup_coffea_row {
    const char *name; /* as in Coffea's report */
    const char *label;
    enum cup_unit unit;
    struct cup_value seen, given;
    struct cup_value ratio; /* given / seen */
    bool differs;           /* by more than roundings explain */
};

/* Without memory the number of columns is null. */
void cup_coffea_compare(const struct cup_totals *totals,
                        struct cup_coffea_row rows[CUP_COFFEA_FIELDS]);

enum { CUP_COFFEA_SENTENCE = 400 };

/* Why to mistrust a row that differs, and what it may come from: one sentence. */
void cup_coffea_sentence(const struct cup_totals *totals, const struct cup_coffea_row *row,
                         char sentence[CUP_COFFEA_SENTENCE]);

/* Where the figure that metrics take is from. Not for the last two fields. */
enum cup_coffea_origin { CUP_COFFEA_SEEN, CUP_COFFEA_OF_DATASETS, CUP_COFFEA_GIVEN };
enum cup_coffea_origin cup_coffea_origin(const struct cup_totals *totals,
                                         enum cup_coffea_field field);

/* The figure that metrics take: of the user's datasets, else as seen, else as given; in bytes,
 * events, nanoseconds, chunks. CUP_UNKNOWN64: none of them. Not for the last two fields. */
uint64_t cup_coffea_figure(const struct cup_totals *totals, enum cup_coffea_field field);

#endif
