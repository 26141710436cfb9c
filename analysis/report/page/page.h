/* The report as text and HTML: what all its sections share. */
#ifndef CUPPING_ANALYSIS_REPORT_PAGE_PAGE_H
#define CUPPING_ANALYSIS_REPORT_PAGE_PAGE_H

#include "analysis/base/target.h"
#include "analysis/metrics/dask/sections.h"
#include "analysis/metrics/metrics.h"
#include "analysis/write/table.h"

struct cup_page {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    struct cup_terminal terminal;
    bool alone; /* --only names this section: print all of it */
    const struct cup_target *target;
    bool *begun; /* set by the first heading */
};

enum { CUP_DESCRIPTION = 300 };

/* When, where and how much: "2026-11-22 05:42:13 UTC, 1 host, ...". Returns `to`. */
char *cup_page_describe(const struct cup_page *page, char to[CUP_DESCRIPTION]);

/* Write a metric, or any number, with its unit into `to` (CUP_HUMAN_READABLE_ROOM bytes). Both
 * return `to`. */
char *cup_page_human_readable(const struct cup_page *page, char *to, enum cup_metric_id metric);
char *cup_human_readable(char *to, double number, enum cup_unit unit);

struct cup_text cup_page_text(const struct cup_page *page, uint32_t string);
void cup_page_heading(const struct cup_page *page, const char *text, const char *detail);

/* Adds the next cell: a number from the profiled program, whose unit is not known. */
void cup_page_add_number(struct cup_table *table, double number);

/* Closes the HTML element of the last section; does nothing in text. */
void cup_page_end(const struct cup_page *page);

/* Rows that a table shows: `screen` on a terminal, CUP_PAGE_ROWS in HTML. */
enum { CUP_PAGE_ROWS = 500 };
size_t cup_page_rows(const struct cup_page *page, size_t screen);

/* How many of `count` rows a table with cup_page_rows(page, screen) rows leaves out. */
size_t cup_page_hidden(const struct cup_page *page, size_t count, size_t screen);

/* "... and N more WHAT", unless N is 0. */
void cup_page_more(const struct cup_page *page, uint64_t hidden, const char *what);

/* Prints all metrics of a section that have a label; reasons for n/a are footnotes. */
void cup_page_metrics(const struct cup_page *page, const struct cup_metric_section *metrics);

const char *cup_plural(uint64_t count); /* "" or "s" */

#endif
