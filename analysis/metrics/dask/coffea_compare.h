/* Coffea's figures of a run: seen in the chunks, or given in the file of --coffea-report; and which
 * of both a metric uses. Figures that were seen are used first, unless the file has figures for
 * each dataset: these are the user's own. */
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

/* Null where the library did not see it, or the file does not have it. */
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

/* One sentence on a row that differs: both values, and what may be the reason. */
void cup_coffea_sentence(const struct cup_totals *totals, const struct cup_coffea_row *row,
                         char sentence[CUP_COFFEA_SENTENCE]);

/* Where this figure is from. Not for the last two fields. */
enum cup_coffea_origin { CUP_COFFEA_SEEN, CUP_COFFEA_OF_DATASETS, CUP_COFFEA_GIVEN };
enum cup_coffea_origin cup_coffea_origin(const struct cup_totals *totals,
                                         enum cup_coffea_field field);

/* The figure that metrics use: the user's datasets added up, else as seen, else as given; in bytes,
 * events, nanoseconds, chunks. CUP_UNKNOWN64: not known. Not for the last two fields. */
uint64_t cup_coffea_figure(const struct cup_totals *totals, enum cup_coffea_field field);

#endif
