/* What the unit tests share: directories of their own, and one run worked out by hand. */
#ifndef CUPPING_TESTS_ANALYSIS_SUPPORT_H
#define CUPPING_TESTS_ANALYSIS_SUPPORT_H

#include <jansson.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/metrics.h"
#include "analysis/profile/profile.h"
#include "tests/analysis/log_builder.h"

enum { SUPPORT_PATH = 512 };

/* Makes an empty directory; it goes with remove_scratch. */
void make_scratch(char directory[SUPPORT_PATH]);
void remove_scratch(const char *directory);

/* Saves the log as DIRECTORY/NAME. */
void save_log(const struct log_builder *builder, const char *directory, const char *name);

/* Reads a whole file as text, allocated; the second, DIRECTORY/NAME. */
char *read_text(const char *path);
char *read_text_in(const char *directory, const char *name);
size_t lines_of(const char *text);

/* One worker with two threads; six tasks, whose figures stand beside them in support.c. */
void build_golden_log(struct log_builder *builder);

/* Makes two directories: PROFILE, which has that log, and OUTSIDE for what is written. */
void make_golden(char profile[SUPPORT_PATH], char outside[SUPPORT_PATH]);

/* Loads the golden log (with all counters) by way of a directory. */
void load_golden(struct cup_profile *profile);

/* Second number `s` of the golden run, as the log holds times. */
int64_t at_second(double s);

/* Runs a verb with standard output and error sent to files in the directory ("out", "err");
 * returns its exit status. The arguments end with NULL. */
int run_verb(const char *directory, int (*verb)(int, char **), const char *const *arguments);

/* A metric by the names that it has in the JSON report; the test fails if there is none. */
struct cup_value named_metric(const struct cup_totals *totals, const char *section,
                              const char *name);

/* The sentence of a rule; NULL: it is not said. */
const char *advice_text(const struct cup_advice *advice, size_t count, const char *rule);

/* The rule is said, in a whole sentence that has all of PARTS, which end with NULL, in it. */
void expect_advice(const struct cup_advice *advice, size_t count, const char *rule,
                   const char *const *parts);

/* What `cupping report --json` says of the profile in SCRATCH, by way of a file in OUTSIDE. The
 * caller gives it back. */
json_t *report_json(const char *scratch, const char *outside);

/* The first of ROWS that has VALUE under KEY (borrowed); the test fails if there is none. */
json_t *json_row(const json_t *rows, const char *key, const char *value);

#endif
