/* The report: one model, presented as JSON or as text. */
#ifndef CUPPING_ANALYSIS_REPORT_REPORT_H
#define CUPPING_ANALYSIS_REPORT_REPORT_H

#include "analysis/base/target.h"
#include "analysis/metrics/totals.h"
#include "analysis/report/page/section.h"
#include "analysis/write/output.h"

/* A `target` without a rate is none.
 *
 * The whole report as one JSON object. The profile must have the counters of every task. Returns
 * 0, or -1 without memory; cup_output_close() reports what could not be written. */
int cup_report_json(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output);

/* For people. `only` is a section's name, or NULL: all. Returns as above. */
int cup_report_text(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output, const char *only);

/* As parts of a page of HTML, which the caller begins and ends: the summary (`front`), or all other
 * sections that need not be asked for. `contents` takes a link to each, as items of a list; it may
 * be NULL. Returns as above. */
int cup_report_html(const struct cup_totals *totals, FILE *out, FILE *contents, bool front);

/* Which run it is, in a line. Returns `to`. */
char *cup_report_describe(const struct cup_totals *totals, char to[CUP_DESCRIPTION]);

/* The N-th name that --only accepts, for the help; NULL after the last one. */
const char *cup_report_section_name(size_t n);

/* True if `--only NAME` means a section. */
bool cup_report_has_section(const char *name);

/* What must be loaded for a section that there is: a sum of enum cup_needs. */
unsigned cup_report_section_needs(const char *name);

#endif
