/* The verbs of the command line: `cupping VERB ...`. One file each, one table for all. */
#ifndef CUPPING_CLI_VERBS_H
#define CUPPING_CLI_VERBS_H

#include "analysis/base/version.h"
#include "analysis/profile/profile.h"

#define CUP_DEFAULT_DIRECTORY "./cupping-latest"

/* What the program returns. */
enum {
    CUP_EXIT_DONE = 0,   /* also with some damaged logs */
    CUP_EXIT_FAILED = 1, /* nothing readable, or the machine failed */
    CUP_EXIT_USAGE = 2,
};

struct cup_verb {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit status */
    const char *usage;                 /* what follows "cupping NAME" */
    const char *summary;               /* one line */
    const char *help;                  /* the options, one a line; may be empty */
};

extern const struct cup_verb cup_verbs[];
extern const unsigned cup_verb_count;

/* NULL if there is none of that name. */
const struct cup_verb *cup_find_verb(const char *name);

/* Runs the verb argv[0]; with --help or -h among its options, prints what `cupping help VERB` does.
 * (The wrapper behind `cupping run` has its own, and what follows a command is the command's.)
 * Returns the exit status. */
int cup_verb_start(int argc, char **argv);

/* What verbs share. Loading prints one line on standard error for each log that is damaged. */
int cup_verb_load(struct cup_profile *profile, const char *directory,
                  const struct cup_load_options *options, struct cup_error *error);
int cup_verb_failed(const struct cup_error *error, int status); /* prints; returns the status */

int cup_verb_report(int argc, char **argv);
int cup_verb_tasks(int argc, char **argv);
int cup_verb_plot(int argc, char **argv);
int cup_verb_export(int argc, char **argv);
int cup_verb_compare(int argc, char **argv);
int cup_verb_dump(int argc, char **argv);
int cup_verb_help(int argc, char **argv);
int cup_verb_run(int argc, char **argv);
int cup_verb_later(int argc, char **argv); /* a verb of the contract that is still to come */

#endif
