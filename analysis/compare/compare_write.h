/* Writes a comparison, and how one run scales, as text, HTML, JSON and CSV. */
#pragma once

#include "analysis/base/target.h"
#include "analysis/compare/inputs.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"
#include "analysis/write/terminal.h"

/* `only` is a section's name, or NULL: all; a `target` whose rate is 0 is ignored, and CSV
 * has none.
 * cup_output_close() reports failed writes. */
void cup_compare_text(const struct cup_comparison *comparison, const char *only,
                      const struct cup_target *target, const struct cup_output *output);
void cup_compare_json(const struct cup_comparison *comparison, const char *only,
                      const struct cup_target *target, const struct cup_output *output);
void cup_compare_csv(const struct cup_comparison *comparison, const char *only,
                     const struct cup_target *target, const struct cup_output *output);

/* Prints a formatted text in lines of the terminal's width, each after `indent` spaces. */
__attribute__((format(printf, 4, 5))) void cup_compare_line(const struct cup_terminal *terminal,
                                                            enum cup_style style, unsigned indent,
                                                            const char *format, ...);

/* Prints the section on functions: those that changed the most. */
void cup_compare_functions(const struct cup_terminal *terminal,
                           const struct cup_comparison *comparison);
/* Write parts of an HTML page, and links to them into `contents`, as list items: the runs and their
 * settings; the sections. */
void cup_compare_html_runs(const struct cup_comparison *comparison, FILE *out, FILE *contents);
void cup_compare_html(const struct cup_comparison *comparison, const struct cup_target *target,
                      FILE *out, FILE *contents);

/* The N-th name that --only accepts, for the help; NULL right after the last one. */
const char *cup_compare_section_name(size_t n);

/* True if --only NAME means a section of a comparison. */
bool cup_compare_has_section(const char *name);

/* Print the rate per thread by busy threads with the bend, and how far the target is. */
void cup_ramp_text(const struct cup_terminal *terminal, const struct cup_ramp *ramp);
void cup_target_text(const struct cup_terminal *terminal, const struct cup_ramp *ramp,
                     const struct cup_target *target);

/* Writes a JSON object; `name` is NULL inside an array. */
void cup_ramp_json(struct cup_json *json, const char *name, const struct cup_ramp *ramp,
                   const struct cup_target *target);

/* Write a measurement of roastcoffea with cupping's names, as a report in text and in JSON. */
void cup_measurement_text(const struct cup_figures *figures, const char *only,
                          const struct cup_target *target, const struct cup_output *output);
void cup_measurement_json(const struct cup_figures *figures, const struct cup_target *target,
                          const struct cup_output *output);
