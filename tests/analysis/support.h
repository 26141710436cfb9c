/* Shared by the unit tests: temporary directories, and the golden log, whose figures were worked
 * out by hand. */
#pragma once

#include <jansson.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/metrics.h"
#include "analysis/profile/profile.h"
#include "tests/analysis/log_builder.h"

enum { SUPPORT_PATH = 512 };

/* Makes an empty directory; remove_scratch() removes it. */
void make_scratch(char directory[SUPPORT_PATH]);
void remove_scratch(const char *directory);

/* Saves the log as DIRECTORY/NAME. */
void save_log(const struct log_builder *builder, const char *directory, const char *name);

/* Reads a whole file as text, allocated; the second, DIRECTORY/NAME. */
char *read_text(const char *path);
char *read_text_in(const char *directory, const char *name);
size_t lines_of(const char *text);

/* The golden log: one worker with two threads and six tasks; support.c has the figures in comments.
 */
void build_golden_log(struct log_builder *builder);

/* Makes two directories: PROFILE with the golden log, and OUTSIDE for outputs. */
void make_golden(char profile[SUPPORT_PATH], char outside[SUPPORT_PATH]);

/* Loads the golden log with the option `counters`. */
void load_golden(struct cup_profile *profile);

/* The time S seconds after the begin of the golden run, since the epoch. */
int64_t at_second(double s);

/* Runs a verb with standard output and error sent to files in the directory ("out", "err");
 * returns its exit status. The arguments end with NULL. */
int run_verb(const char *directory, int (*verb)(int, char **), const char *const *arguments);

/* A metric by its names in the JSON report; the test fails if there is none. */
struct cup_value named_metric(const struct cup_totals *totals, const char *section,
                              const char *name);

/* The advice of a rule; NULL if there is none. */
const char *advice_text(const struct cup_advice *advice, size_t count, const char *rule);

/* Expects advice of the rule: a whole sentence with all of PARTS, which end with NULL. */
void expect_advice(const struct cup_advice *advice, size_t count, const char *rule,
                   const char *const *parts);

/* A tree of stacks that has only "(not known)"; then a node of a line of the user's code, called by
 * PARENT (0: nothing), or of a helper thread. cup_call_tree_free() frees it. */
void start_calls(struct cup_call_tree *tree, const struct cup_profile *profile);
uint32_t add_user_line(struct cup_call_tree *tree, uint32_t parent, const char *path,
                       uint32_t line);
uint32_t add_helper(struct cup_call_tree *tree, uint32_t parent);

/* The output of `cupping report --json` for the profile in SCRATCH, through a file in OUTSIDE. The
 * caller releases it. */
json_t *report_json(const char *scratch, const char *outside);

/* The first of ROWS whose member KEY is VALUE (borrowed); the test fails if there is none. */
json_t *json_row(const json_t *rows, const char *key, const char *value);
