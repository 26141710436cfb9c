/* A comparison, and how one run scales, for people and for programs. */
#ifndef CUPPING_ANALYSIS_COMPARE_COMPARE_WRITE_H
#define CUPPING_ANALYSIS_COMPARE_COMPARE_WRITE_H

#include "analysis/base/target.h"
#include "analysis/compare/inputs.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"
#include "analysis/write/terminal.h"

/* `only` is a section's name, or NULL; `target` may have no rate. cup_output_close()
 * reports what could not be written. */
void cup_compare_text(const struct cup_comparison *comparison, const char *only,
                      const struct cup_target *target, const struct cup_output *output);
void cup_compare_json(const struct cup_comparison *comparison, const char *only,
                      const struct cup_target *target, const struct cup_output *output);
void cup_compare_csv(const struct cup_comparison *comparison, const char *only,
                     const struct cup_output *output);

/* The section on functions, for people: those that changed the most. */
void cup_compare_functions(const struct cup_terminal *terminal,
                           const struct cup_comparison *comparison);
/* For people, as part of a page: sections whose links `contents` takes, as items of a list. */
void cup_compare_html(const struct cup_comparison *comparison, const struct cup_target *target,
                      FILE *out, FILE *contents);

/* The N-th name that --only accepts, for the help; NULL after the last one. */
const char *cup_compare_section_name(size_t n);

/* True if --only NAME means a section of a comparison. */
bool cup_compare_has_section(const char *name);

/* The rates per thread by busy threads, the bend, and the way to go to the target. */
void cup_ramp_text(const struct cup_terminal *terminal, const struct cup_ramp *ramp);
void cup_target_text(const struct cup_terminal *terminal, const struct cup_ramp *ramp,
                     const struct cup_target *target);

/* An object; NULL for `name` in an array. */
void cup_ramp_json(struct cup_json *json, const char *name, const struct cup_ramp *ramp,
                   const struct cup_target *target);

/* What a measurement holds, under our names: as report for people, and as its JSON. */
void cup_measurement_text(const struct cup_figures *figures, const char *only,
                          const struct cup_target *target, const struct cup_output *output);
void cup_measurement_json(const struct cup_figures *figures, const struct cup_target *target,
                          const struct cup_output *output);

#endif
