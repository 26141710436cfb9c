/* The fixture of most suites: a directory for logs, one for outputs, a log that is being built, and
 * what is loaded from it. Criterion runs each test in a process of its own, so these are variables.
 *
 *     TestSuite(sections, .init = start_fixture, .fini = end_fixture);
 *     Test(sections, are_summed_up_by_name)
 *     {
 *         ...add records to `builder`...
 *         save_fixture("a.cup");
 *         load_fixture(&(struct cup_load_options){.counters = true});
 *         ...look at `profile` and `totals`...
 *     }
 */
#pragma once

#include "analysis/metrics/totals.h"
#include "tests/analysis/support.h"

extern char scratch[SUPPORT_PATH]; /* the profile directory */
extern char outside[SUPPORT_PATH]; /* for what a test writes */
extern struct log_builder builder;
extern struct cup_profile profile;
extern struct cup_totals totals;

/* Makes the directories, and an empty log in `builder`. */
void start_fixture(void);

/* The same with the golden log in `builder`. */
void start_golden_fixture(void);

/* Removes the directories and frees everything, also what a test did not use. */
void end_fixture(void);

/* Finishes the log and saves it in `scratch`. */
void save_fixture(const char *name);

/* Loads the logs in `scratch` to `profile`; the test fails if that fails. The second also makes
 * `totals`. */
void load_fixture_profile(const struct cup_load_options *options);
void load_fixture(const struct cup_load_options *options);
