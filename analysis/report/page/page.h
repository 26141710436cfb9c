/* The report as text and HTML: what all its sections share. */
#pragma once

#include "analysis/base/target.h"
#include "analysis/metrics/dask/sections.h"
#include "analysis/metrics/metrics.h"
#include "analysis/write/table.h"

struct cup_page {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    struct cup_terminal terminal;
    bool alone; /* --only names this section: print all of it */
    bool brief; /* the short report */
    const struct cup_target *target;
    bool *begun; /* set by the first heading */
};

enum { CUP_DESCRIPTION = 300 };

/* Describes the run in one line: "2026-11-22 05:42:13 UTC, 1 host, ...". Returns `to`. */
char *cup_report_describe(const struct cup_totals *totals, char to[CUP_DESCRIPTION]);

/* Prints the line that says whether the run is complete: the first line of every report. */
void cup_page_completeness(const struct cup_page *page);

/* The metric as a text that lasts until the end of the block. */
#define CUP_SHOW_METRIC(page, id)                                                                  \
    CUP_SHOW_VALUE(cup_metric_value(id, (page)->totals), cup_metric(id)->unit)

/* Appends to the text in `to`, as far as there is room. */
__attribute__((format(printf, 3, 4))) void cup_append(char *to, size_t room, const char *format,
                                                      ...);

struct cup_text cup_page_text(const struct cup_page *page, uint32_t string);
void cup_page_heading(const struct cup_page *page, const char *text, const char *detail);

/* Prints a paragraph, indented by two spaces. */
__attribute__((format(printf, 3, 4))) void
cup_page_line(const struct cup_page *page, enum cup_style style, const char *format, ...);

/* Adds the next cell: a number from the profiled program, whose unit is not known. */
void cup_page_add_number(struct cup_table *table, double number);

/* Rows that a table shows: `screen` on a terminal, CUP_PAGE_ROWS in HTML. */
enum { CUP_PAGE_ROWS = 500 };
size_t cup_page_rows(const struct cup_page *page, size_t screen);

/* "... and 3 more servers in --json", if `count` is more than `shown`. WHAT begins with the noun in
 * the singular: "server in --json". */
void cup_page_more(const struct cup_page *page, uint64_t count, uint64_t shown, const char *what);

/* Prints all metrics of a section that have a label; reasons for n/a are footnotes. */
void cup_page_metrics(const struct cup_page *page, const struct cup_metric_section *metrics);
