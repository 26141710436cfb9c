/* The verbs of the command line, `cupping VERB ...`: one file for each, and one table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/version.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/totals.h"
#include "cli/options.h"

#define CUP_DEFAULT_DIRECTORY "./cupping-latest"

/* What the program returns. */
enum {
    CUP_EXIT_DONE = 0,   /* also if some logs are damaged */
    CUP_EXIT_FAILED = 1, /* no log can be read, or a system call failed */
    CUP_EXIT_USAGE = 2,
    CUP_EXIT_FOUND = 3, /* a condition of --fail-on holds; the output is complete */
};

struct cup_verb {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit status */
    const char *usage;                 /* what follows "cupping NAME" */
    const char *summary;               /* one line */
    const struct cup_options *options; /* NULL: none, or those of another program */
    const char *notes;                 /* printed below the options; NULL: nothing */
};

extern const struct cup_verb cup_verbs[];
extern const unsigned cup_verb_count;

/* NULL if there is none of that name. */
const struct cup_verb *cup_find_verb(const char *name);

/* Prints that there is no verb NAME, after the text BEFORE, and perhaps which one is meant. Returns
 * CUP_EXIT_USAGE. */
int cup_refuse_verb(const char *before, const char *name);

/* Runs the verb argv[0]. With --help or -h among its options, prints what `cupping help VERB`
 * prints instead; `cupping run` leaves --help to its wrapper, because the options of the command
 * follow. Returns the exit status. */
int cup_verb_start(int argc, char **argv);

/* The profile directory that a verb reads: GIVEN; without it, the newest profile in the working
 * directory that has logs. If that is not the one that ./cupping-latest points to, a line on
 * standard error names it. If there is none: CUP_DEFAULT_DIRECTORY, which then cannot be loaded. */
const char *cup_verb_directory(const char *given);

/* Loads the profile in DIRECTORY (NULL: that of cup_verb_directory()), prints one line on standard
 * error for each damaged log, and checks that it has the run of the options. If loading takes
 * longer than a second, a line on a terminal at standard error says how far it is. Returns
 * CUP_EXIT_DONE; or another exit status and *error, with nothing to free. */
int cup_verb_load(struct cup_profile *profile, const char *directory,
                  const struct cup_load_options *options, struct cup_error *error);

/* Prints one line on standard error if a merge summed up tasks of the profile, for a verb that
 * lists single tasks. */
void cup_verb_warn_of_summed(const struct cup_profile *profile);

/* Loads as cup_verb_load() does, and makes the tree of the stacks that ASK selects (NULL: of none)
 * from the same pass over the logs. The caller frees the tree, also after a failure. */
int cup_verb_load_calls(struct cup_profile *profile, const char *directory,
                        const struct cup_load_options *options, const struct cup_call_ask *ask,
                        struct cup_call_tree *calls, struct cup_error *error);

/* What an output needs in addition to the totals of a run. */
struct cup_extras {
    bool files;                        /* totals->shares: the ROOT files that are still there */
    const char *files_below;           /* also look for them here; NULL: at their own paths only */
    const struct cup_call_tree *calls; /* totals->calls, of the caller; NULL: see `ask` */
    const struct cup_call_ask *ask;    /* totals->calls: the stacks that it selects; NULL: none */
};

/* Calls WRITE with the extras, which are made before and freed after it. Returns 0, or -1 and
 * *error. */
int cup_verb_write(int (*write)(const void *request, struct cup_totals *totals,
                                struct cup_error *error),
                   const void *request, struct cup_totals *totals, const struct cup_extras *extras,
                   struct cup_error *error);

/* Sets *error: the verb has no such section, and perhaps which one is meant. Returns -1. */
int cup_verb_refuse_section(const char *verb, const char *section, cup_option_value *sections,
                            struct cup_error *error);

/* Prints the error on standard error, unless STATUS is CUP_EXIT_DONE. Returns STATUS. */
int cup_verb_end(const struct cup_error *error, int status);

/* Ends a verb that printed to standard output. Returns the exit status. */
int cup_verb_end_stdout(void);

/* The folder of this program, without symbolic links, which the caller frees; NULL: unknown. */
char *cup_find_own_folder(void);

/* Writes the path of cupping-run to WRAPPER, which has PATH_MAX bytes: it is next to an installed
 * program, and in ../wrappers of a checkout. Returns 0, or -1 if it is not there. */
int cup_find_wrapper(char *wrapper);

/* "python" if PATH has such a program, else "python3". */
const char *cup_default_python(void);

/* Becomes `PYTHON -m cupping VERB` (PYTHON NULL: the one of this installation, else of PATH), which
 * reads what the C program has checked: "--name=value" or "--name" for each option that is set in
 * the verb's REQUEST, then "--", then the operands. Returns only if it fails, with the exit status.
 */
int cup_execute_python(const char *verb, const char *python, const struct cup_options *options,
                       const void *request, const struct cup_operands *operands);

int cup_verb_python(int argc, char **argv); /* a verb that the Python package has */
int cup_verb_report(int argc, char **argv);
int cup_verb_top(int argc, char **argv);
int cup_verb_tasks(int argc, char **argv);
int cup_verb_plot(int argc, char **argv);
int cup_verb_export(int argc, char **argv);
int cup_verb_replay(int argc, char **argv);
int cup_verb_compare(int argc, char **argv);
int cup_verb_merge(int argc, char **argv);
int cup_verb_doctor(int argc, char **argv);
int cup_verb_dump(int argc, char **argv);
int cup_verb_version(int argc, char **argv);
int cup_verb_help(int argc, char **argv);
int cup_verb_run(int argc, char **argv);

extern const struct cup_options cup_report_options, cup_top_options, cup_tasks_options,
    cup_plot_options, cup_export_options, cup_replay_options, cup_compare_options,
    cup_merge_options, cup_doctor_options, cup_attach_options, cup_collect_options;

/* What options mean that several verbs have. */
#define CUP_RUN_MEANING                                                                            \
    "which call of Coffea's Runner to show, if the profile holds several; default: the last one. " \
    "`cupping report --only runs` lists them"
#define CUP_RATES ": 200Gbps, 25GB/s, 50kHz or 2e6events/s"

/* A misspelt name of a prefix, dataset or worker is an error, rather than a table of zeros. Returns
 * 0, or -1 and *error if ASK selects no task. */
int cup_verb_check_ask(const struct cup_call_ask *ask, const struct cup_totals *totals,
                       struct cup_error *error);

/* The options that select stacks: members of `struct cup_call_ask ask`. WHERE they have an effect.
 */
#define CUP_ASK_OPTIONS(where)                                                                     \
    CUP_OPTION("--prefix", "PREFIX", ask.prefix,                                                   \
               "only the stacks of tasks with this prefix" where),                                 \
        CUP_OPTION("--dataset", "DATASET", ask.dataset,                                            \
                   "only the stacks of tasks of this dataset" where),                              \
        CUP_OPTION("--worker", "WORKER", ask.worker,                                               \
                   "only the stacks of this worker: its address, its name or HOST:PID" where)

/* The options of verbs that talk to a Dask cluster, and the members of their request. */
#define CUP_CLUSTER_REQUEST const char *python, *ca, *cert, *key;
#define CUP_CLUSTER_OPTIONS                                                                        \
    CUP_OPTION("--python", "FILE", python,                                                         \
               "the interpreter with Dask; default: the one next to cupping in an environment "    \
               "with the wheel, else python, else python3, of PATH"),                              \
        CUP_OPTION("--tls-ca-file", "FILE", ca, "certificates that sign those of the cluster"),    \
        CUP_OPTION("--tls-cert", "FILE", cert, "the client's own certificate"),                    \
        CUP_OPTION("--tls-key", "FILE", key, "the key of that certificate")
