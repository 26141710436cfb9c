/* The report: one model, presented as JSON or as text. */
#pragma once

#include "analysis/base/target.h"
#include "analysis/metrics/totals.h"
#include "analysis/report/page/section.h"
#include "analysis/write/output.h"

/* Writes the whole report as one JSON object, or all but the tables with a row for each task or
 * chunk. The profile must have the counters of every task. A `target` whose rate is 0 is ignored.
 * Returns 0, or -1 without memory; cup_output_close() reports
 * failed writes. */
int cup_report_json(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output, bool without_tasks);

/* Prints the report as text: the section with the name `only`, or if that is NULL, the short report
 * or, if `full`, all of it. Returns as above. */
int cup_report_text(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output, const char *only, bool full);

/* Writes part of an HTML page, which the caller begins and ends: what the short report has if
 * `front`, otherwise all other sections that appear without --only. Links to them go to `contents`
 * as list items. Returns as above. */
int cup_report_html(const struct cup_totals *totals, FILE *out, FILE *contents, bool front);

/* The N-th name that --only accepts, for the help; NULL after the last one. */
const char *cup_report_section_name(size_t n);

/* The section that `--only NAME` prints; NULL: there is none. */
const struct cup_report_section *cup_report_section(const char *name);

struct cup_listed_section {
    const struct cup_report_section *section;
    unsigned json_place; /* from 1; 0: not in the JSON */
};

extern const struct cup_listed_section cup_report_sections[]; /* in the order of the text */
extern const size_t cup_report_section_count;

/* Tables that `cupping export --to csv` writes, too. */
extern const struct cup_report_table cup_chunks_table, cup_files_table, cup_branches_table,
    cup_workers_table, cup_opens_table, cup_functions_table, cup_natives_table,
    cup_section_rows_table, cup_value_rows_table;
