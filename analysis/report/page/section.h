/* A section of the report: one file in report/sections, and one line in report/sections.c. */
#ifndef CUPPING_ANALYSIS_REPORT_PAGE_SECTION_H
#define CUPPING_ANALYSIS_REPORT_PAGE_SECTION_H

#include "analysis/report/page/rows.h"

/* Where a section appears unless it is asked for by its name. */
enum cup_shown { CUP_SHOWN_ALWAYS, CUP_SHOWN_IN_PAGE, CUP_SHOWN_IN_TEXT, CUP_SHOWN_ON_REQUEST };

/* What must be loaded for a section that is asked for by its name. */
enum cup_needs {
    CUP_NEEDS_COUNTERS = 1, /* those of every task */
    CUP_NEEDS_BASKETS = 2,  /* all rows of baskets, and the files that were read */
    CUP_NEEDS_STACKS = 4,
};

struct cup_report_section {
    const char *name; /* for --only, and in the JSON; "": cannot be asked for */
    enum cup_shown shown;
    /* True where it appears although it is shown on request only; NULL: never. */
    bool (*is_wanted)(const struct cup_page *page);
    unsigned needs; /* enum cup_needs */
    const char *heading, *note;
    const struct cup_report_table *table; /* under the heading; in the JSON "rows" of an object */
    const char *nothing;                  /* printed by --only when there is nothing to show */
    /* Both return 0, or -1 without memory. A section that has nothing to show prints nothing. */
    int (*print)(const struct cup_page *page); /* instead of the table; NULL: the table */
    int (*put)(struct report *report);         /* instead of its rows in the JSON */
};

#endif
