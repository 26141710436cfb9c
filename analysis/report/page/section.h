/* A section of the report. Each has a file in report/sections/ and a line in
 * report/report.c. */
#pragma once

#include "analysis/report/page/rows.h"

/* Where a section appears without --only. */
enum cup_shown { CUP_SHOWN_ALWAYS, CUP_SHOWN_IN_PAGE, CUP_SHOWN_IN_TEXT, CUP_SHOWN_ON_REQUEST };

/* What --only SECTION must load. */
enum cup_needs {
    CUP_NEEDS_COUNTERS = 1, /* the counters of every task */
    CUP_NEEDS_BASKETS = 2,  /* all rows of baskets, and the files that were read */
    CUP_NEEDS_STACKS = 4,
    CUP_NEEDS_ALL_STACKS = 8, /* of all tasks: --prefix, --dataset and --worker are refused */
};

enum { CUP_SECTION_TABLES = 6 }; /* with a NULL at the end */

struct cup_report_section {
    const char *name; /* for --only, and in the JSON; "": --only has no name for it */
    enum cup_shown shown;
    /* For CUP_SHOWN_ON_REQUEST: true if this run needs the section anyway; NULL: never. */
    bool (*is_wanted)(const struct cup_page *page);
    unsigned needs; /* enum cup_needs */
    const char *heading, *note;
    const char *note_on_dask; /* printed before the note, if the run used Dask */
    /* Under the heading, unless `print` is set; in the JSON the first keys of the section. */
    const struct cup_metric_section *metrics;
    const struct cup_report_table
        *table;          /* under the heading, unless `metrics` or `print` is set */
    const char *nothing; /* printed by --only when there is nothing to show */
    /* Replaces heading, metrics and table. Returns 0, or -1 without memory; prints nothing if there
     * is nothing to show. */
    int (*print)(const struct cup_page *page);
    /* In the JSON, the section is an object of the metrics, more keys, the rows of the tables, and
     * the last keys; or what `put` writes instead. They return 0, or -1 without memory. */
    void (*put_keys)(struct report *report);
    const struct cup_report_table *tables[CUP_SECTION_TABLES]; /* none: `table` */
    int (*put_last)(struct report *report);
    int (*put)(struct report *report);
};
