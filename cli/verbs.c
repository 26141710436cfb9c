#include "cli/verbs.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/closest.h"
#include "analysis/base/utf8.h"
#include "analysis/metrics/reads/file_shares.h"
#include "analysis/profile/log_names.h"
#include "analysis/profile/runs.h"
#include "analysis/write/output.h"
#include "cli/progress.h"

const struct cup_verb cup_verbs[] = {
    {"run", cup_verb_run, "[-o DIR] [OPTIONS] [--] COMMAND...",
     "run a command under the profiler; its logs go to DIR", NULL,
     "`cupping run --help` lists the options. Without -o the logs go to ./cupping-YYYYmmdd-HHMMSS. "
     "At the end one line on standard error says where the profile is (not with --quiet), and "
     "./cupping-latest points to it if it has logs of this run."},
    {"attach", cup_verb_python, "SCHEDULER [-o DIR] [OPTIONS] -- COMMAND...",
     "run a command, and profile it with the workers of a Dask cluster that runs already",
     &cup_attach_options,
     "SCHEDULER is the address of the cluster's scheduler, such as tcp://10.0.0.1:8786. cupping "
     "sends its library to the workers through Dask, and restarts each worker that is not profiled "
     "yet, once it is idle and holds no result. When the command has ended, the workers are "
     "restarted without the library. The exit status is that of the command. Workers that cannot "
     "be profiled are named on standard error, with the reason."},
    {"collect", cup_verb_python, "SCHEDULER [-o DIR] [OPTIONS]",
     "fetch the logs of a cluster under cupping-run while it runs, without a shared directory",
     &cup_collect_options,
     "SCHEDULER is the address of the cluster's scheduler, such as tcp://10.0.0.1:8786. The "
     "nannies "
     "send what their hosts' logs gain, over Dask's own connections; the workers need a "
     "CUPPING_DIR "
     "of their own host. It ends with the cluster, or by Ctrl-C. What could not be fetched is "
     "named "
     "in the report."},
    {"report", cup_verb_report, "[DIR] [OPTIONS]",
     "show what a run did: time, rates, tasks, chunks, files, and what to look at first",
     &cup_report_options,
     "A FILE of - is standard output. DIR may also be a measurement directory of roastcoffea."},
    {"top", cup_verb_top, "[DIR | SCHEDULER] [OPTIONS]",
     "show a job while it runs: what is done, rates, hot lines, workers", &cup_top_options,
     "With the address of a scheduler (tcp://...) the logs come over Dask, as with `cupping "
     "collect`. "
     "Keys: q quits; m, b, r, c and n sort the workers by memory, bytes/s, running tasks, CPU and "
     "name. Hot lines, bytes/s and the threads' time are of the last looks, up to six; events/s is "
     "of the last minute. What is not known while a job runs is n/a."},
    {"tasks", cup_verb_tasks, "[DIR] [OPTIONS]", "show one row for each task", &cup_tasks_options,
     "Without options: the main columns as a table. A FILE of - is standard output."},
    {"plot", cup_verb_plot, "[DIR... [-- DIR...]] [OPTIONS] [NAME...]",
     "draw pictures of a run, or of several: those that answer most, those named, or all",
     &cup_plot_options,
     "DIR:N is DIR with --run N. With two or more, the plots compare the runs: in `--list` the "
     "names "
     "of these plots begin with compare. Each may then also be a file made by `cupping report "
     "--json`, or a measurement directory of roastcoffea. -- stands between two sides of several "
     "runs, as in "
     "`cupping compare`. compare-flame-* show which functions changed between two "
     "profiles: boxes are as wide as in the second one, or with `--baseline` 2 as in the first.\n"
     "The paths of the pictures are printed, one per line. Plots that cannot be drawn are listed "
     "on standard error, with the reason."},
    {"export", cup_verb_export, "[DIR] --to FORMAT -o OUT [OPTIONS]",
     "write a run in a format that other programs read", &cup_export_options,
     "roastcoffea: a measurement directory for that tool's loader and plots\n"
     "prometheus: a file of metrics for the node exporter's textfile collector\n"
     "csv: a directory with tasks.csv, chunks.csv, files.csv, branches.csv, workers.csv, "
     "opens.csv, "
     "samples.csv, functions.csv, native.csv, sections.csv and values.csv\n"
     "perfetto: tasks and stacks over time, as a trace for ui.perfetto.dev\n"
     "speedscope: a file of stacks, weighted by CPU time, waits and bytes\n"
     "collapsed: a directory with cpu.collapsed, wait.collapsed, read.collapsed and "
     "alloc.collapsed, one line for each stack\n"
     "replay: a table with a row for each read, for `cupping replay`; the run must have been "
     "recorded "
     "with CUPPING_READS=1"},
    {"replay", cup_verb_replay, "TABLE [OPTIONS]",
     "repeat the reads of a run, without the analysis, and compare how long they take",
     &cup_replay_options,
     "TABLE is a file that `cupping export --to replay` wrote. Each recorded process is a process, "
     "and "
     "reads that overlapped in it are made by threads of their own. Exit status 1 if a file cannot "
     "be "
     "read, or is shorter than it was."},
    {"compare", cup_verb_compare, "A... [-- B...] [OPTIONS]",
     "show whether a run is faster than another, what differs, and how runs scale; with one run, "
     "how "
     "it scales within",
     &cup_compare_options,
     "Without --, each run is compared with the first. With it, as in `cupping compare A1 A2 A3 -- "
     "B1 B2 B3`, each side is several runs of one job: their medians are compared, and a change is "
     "better or worse if it is more than the runs' own spread (Welch's t-test at 95 %).\n"
     "Each of A, B, ... is a profile, a file made by `cupping report --json`, or a measurement "
     "directory of roastcoffea. DIR:N and DIR:all choose a run of that profile. A FILE of - is "
     "standard output. `cupping plot A B` and `cupping plot A1 A2 -- B1 B2` draw the comparison."},
    {"merge", cup_verb_merge, "LOG|DIR... -o LOG [OPTIONS]",
     "write the logs of several processes into one smaller file, which every verb reads",
     &cup_merge_options,
     "Each input is a log, a directory with logs, or a merged log; the result does not depend on "
     "their order. Nothing is lost: reports of the merged log and of its logs are the same. With "
     "--per-prefix, sums stay the same, and single tasks are lost, so that a report of millions of "
     "tasks takes seconds; `cupping top` does not show such a file. Give it to the other verbs in "
     "the place of DIR, or put it into a profile directory."},
    {"doctor", cup_verb_doctor, "[DIR] [OPTIONS]",
     "say whether this machine, Python and directory are fit for profiles, and what to do",
     &cup_doctor_options,
     "DIR is where profiles will be written; default: CUPPING_DIR, else the working directory. "
     "Exit status 1 if something will be missing or wrong."},
    {"dump", cup_verb_dump, "FILE", "print everything that one log (*.cup) holds", NULL,
     "Of a merged log, the logs in it are printed one after the other; FILE/NAME is one of them."},
    {"version", cup_verb_version, "", "print the version", NULL, NULL},
    {"help", cup_verb_help, "[VERB]", "print this text, or that of one verb", NULL, NULL},
};
const unsigned cup_verb_count = sizeof cup_verbs / sizeof *cup_verbs;

const struct cup_verb *cup_find_verb(const char *name)
{
    for (unsigned i = 0; i < cup_verb_count; i++)
        if (strcmp(cup_verbs[i].name, name) == 0)
            return &cup_verbs[i];
    return NULL;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static const char *verb_name(size_t n)
{
    return n < cup_verb_count ? cup_verbs[n].name : NULL;
}

int cup_refuse_verb(const char *before, const char *name)
{
    struct cup_closest closest = {.word = name};
    cup_closest_try_all(&closest, verb_name);
    fprintf(stderr, "cupping: %s%s: no such verb%s; see `cupping help`\n", before, name,
            cup_closest_text(&closest));
    return CUP_EXIT_USAGE;
}

int cup_verb_start(int argc, char **argv)
{
    const struct cup_verb *verb = cup_find_verb(argv[0]);
    char *help[] = {"help", argv[0], NULL};
    if (verb)
        return verb->run != cup_verb_run && asks_for_help(argc, argv) ? cup_verb_help(2, help)
                                                                      : verb->run(argc, argv);
    return cup_refuse_verb("", argv[0]);
}

static bool is_latest(const char *directory)
{
    struct stat latest, other;
    return stat(CUP_DEFAULT_DIRECTORY, &latest) == 0 && stat(directory, &other) == 0 &&
           latest.st_dev == other.st_dev && latest.st_ino == other.st_ino;
}

const char *cup_verb_directory(const char *given)
{
    static char chosen[PATH_MAX]; /* of the one verb that this process runs */
    char *newest = given ? NULL : cup_newest_profile();
    if (!newest)
        return given ? given : CUP_DEFAULT_DIRECTORY;
    snprintf(chosen, sizeof chosen, "%s", newest);
    free(newest);
    if (!is_latest(chosen)) { /* anybody may have named it */
        fputs("cupping: reading ", stderr);
        cup_utf8_print(stderr, chosen, "");
        fputs(", the newest profile here\n", stderr);
    }
    return chosen;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void show_progress(void *progress, size_t done, size_t logs)
{
    cup_progress_step(progress, now_ns(), done, logs);
}

int cup_verb_load(struct cup_profile *profile, const char *directory,
                  const struct cup_load_options *options, struct cup_error *error)
{
    struct cup_progress progress;
    struct cup_load_options shown = *options;
    shown.progress = show_progress;
    shown.progress_context = &progress;
    directory = cup_verb_directory(directory);
    cup_progress_start(&progress, isatty(STDERR_FILENO) ? stderr : NULL, now_ns());
    int result = cup_profile_load(profile, directory, &shown, error);
    cup_progress_end(&progress);
    if (result != 0)
        return CUP_EXIT_FAILED;
    for (size_t i = 0; i < profile->damage_count; i++)
        cup_error_print(stderr, &profile->damages[i]);
    if (cup_run_option_check(options->run, profile, error) == 0)
        return CUP_EXIT_DONE;
    cup_profile_free(profile);
    return CUP_EXIT_USAGE;
}

void cup_verb_warn_of_summed(const struct cup_profile *profile)
{
    bool full = profile->full_log_tasks != 0;
    bool merged = profile->tasks_summed > profile->full_log_tasks;
    if (profile->tasks_summed)
        fprintf(stderr,
                "cupping: %s: %" PRIu64 " task%s summed up by prefix (%s%s%s): lists of single "
                "tasks have only the others\n",
                profile->path, profile->tasks_summed, profile->tasks_summed == 1 ? " is" : "s are",
                merged ? "`cupping merge --per-prefix`" : "", merged && full ? "; " : "",
                full ? "a log was full" : "");
}

int cup_verb_load_calls(struct cup_profile *profile, const char *directory,
                        const struct cup_load_options *options, const struct cup_call_ask *ask,
                        struct cup_call_tree *calls, struct cup_error *error)
{
    struct cup_load_options with = *options;
    *calls = (struct cup_call_tree){0};
    if (!ask)
        return cup_verb_load(profile, directory, options, error);
    struct cup_call_maker *maker = cup_call_tree_start(calls, profile, ask);
    with.taker = maker ? cup_call_tree_taker(maker) : NULL;
    int status = cup_verb_load(profile, directory, &with, error);
    int result = maker ? cup_call_tree_finish(maker) : -1;
    if (status != CUP_EXIT_DONE || result == 0)
        return status;
    cup_error_memory(error, profile->path);
    cup_profile_free(profile);
    return CUP_EXIT_FAILED;
}

int cup_verb_write(int (*write)(const void *request, struct cup_totals *totals,
                                struct cup_error *error),
                   const void *request, struct cup_totals *totals, const struct cup_extras *extras,
                   struct cup_error *error)
{
    struct cup_call_tree calls = {0};
    struct cup_file_shares shares = {0};
    int result = 0;
    if (extras->ask && cup_call_tree_make(&calls, totals->profile, extras->ask) != 0)
        result = cup_error_memory(error, totals->profile->path);
    totals->calls = extras->ask ? &calls : extras->calls;
    if (result == 0 && extras->files)
        result = cup_file_shares_make(&shares, totals, extras->files_below, error);
    totals->shares = extras->files ? &shares : NULL;
    if (result == 0)
        result = write(request, totals, error);
    totals->shares = NULL;
    totals->calls = NULL;
    cup_file_shares_free(&shares);
    cup_call_tree_free(&calls);
    return result;
}

int cup_verb_refuse_section(const char *verb, const char *section, cup_option_value *sections,
                            struct cup_error *error)
{
    struct cup_closest closest = {.word = section};
    cup_closest_try_all(&closest, sections);
    return cup_error_set(error, verb, CUP_NO_OFFSET,
                         "--only %s: no such section%s; see `cupping help %s`", section,
                         cup_closest_text(&closest), verb);
}

int cup_verb_end(const struct cup_error *error, int status)
{
    if (status != CUP_EXIT_DONE)
        cup_error_print(stderr, error);
    return status;
}

int cup_verb_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("cupping " CUP_VERSION);
    return cup_verb_end_stdout();
}

int cup_verb_end_stdout(void)
{
    struct cup_error error;
    struct cup_output output = {.file = stdout};
    int status = cup_output_close(&output, &error) == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED;
    return cup_verb_end(&error, status);
}

int cup_verb_check_ask(const struct cup_call_ask *ask, const struct cup_totals *totals,
                       struct cup_error *error)
{
    if (!totals->calls || !totals->calls->filtered || totals->calls->tasks > 0)
        return 0;
    return cup_error_set(error, totals->profile->path, CUP_NO_OFFSET,
                         "no task with a stack matches%s%s%s%s%s%s; `cupping report` with --only "
                         "tasks, datasets or workers lists the names",
                         ask->prefix ? " --prefix " : "", ask->prefix ? ask->prefix : "",
                         ask->dataset ? " --dataset " : "", ask->dataset ? ask->dataset : "",
                         ask->worker ? " --worker " : "", ask->worker ? ask->worker : "");
}
