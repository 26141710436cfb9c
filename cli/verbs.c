#include "cli/verbs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct cup_verb cup_verbs[] = {
    {"run", cup_verb_run, "[-o DIR] [OPTIONS] [--] COMMAND...",
     "run a command under the profiler; the profile goes to DIR",
     "  -o DIR             profile directory; default: ./cupping-YYYYmmdd-HHMMSS, and\n"
     "                     ./cupping-latest points to it\n"
     "  everything else    see `cupping run --help`\n"},
    {"report", cup_verb_report, "[DIR] [OPTIONS]",
     "what a run did: time, rates, tasks, chunks, files, and what to look at first",
     "  --json FILE        write the whole report as JSON instead; - is standard output\n"
     "  --only SECTION     only one section: summary, tasks, waits, chunks, datasets, losses,\n"
     "                     stages, merge, hosts, files, branches, functions, servers, opens,\n"
     "                     workers, sections, workflow, efficiency, time_budget, fine,\n"
     "                     attribution, health, coffea, processes, runs, scaling or sources\n"
     "  --prefix P, --dataset D, --worker W   only stacks of such tasks, with --only functions;\n"
     "                     a worker's address, name, or HOST:PID\n"
     "  --span NAME        only tasks of the Dask span of this name or id\n"
     "  --run N|all        which call of Coffea's Runner, where there are several; default: the\n"
     "                     last. `--only runs` lists them\n"
     "  --samples FILE     samples of the workers that others took, as JSON, in place of those of\n"
     "                     the profile\n"
     "  --files DIR        where else to look for files that were read, to say how much of them\n"
     "                     it was\n"
     "  --target RATE      how far it is to a rate: 200Gbps, 25GB/s, 50kHz; see `--only scaling`\n"
     "  --coffea-report FILE   the report that the Runner returned, saved as JSON: says where it\n"
     "                     differs from what was seen, and stands in for what was not\n"},
    {"tasks", cup_verb_tasks, "[DIR] [--csv FILE] [--json FILE]", "one row for each task",
     "  --csv FILE         all columns as CSV; - is standard output\n"
     "  --json FILE        all columns as JSON\n"
     "  Without options: the main columns as a table.\n"},
    {"plot", cup_verb_plot, "[DIR...] [-o OUTDIR] [OPTIONS] [NAME...]",
     "pictures of a run, or of several: all that the data allow, or those named",
     "  With two or more, each is what `cupping compare` takes, too: a profile, DIR:N, a file "
     "made\n"
     "  by `cupping report --json`, or a measurement directory of roastcoffea; the plots are then\n"
     "  compare and those after it in the list; compare-flame-* show what changed in functions\n"
     "  between two profiles, as wide as in the second; --baseline B exchanges them.\n"
     "  --list             the plots, one a line: name, what it answers, and, with a profile, why "
     "it\n"
     "                     cannot be drawn from it\n"
     "  -o OUTDIR          where NAME.png goes; made where it is not there; default:\n"
     "                     ./cupping-plots\n"
     "  --html FILE        instead: all of it, and the report's tables, as one page that needs\n"
     "                     nothing else; - is standard output. Of several: with the tables of\n"
     "                     `cupping compare`\n"
     "  --format FORMAT    png (default; twice the pixels of a screen), svg or pdf\n"
     "  --width INCHES     default: 8; texts and lines go with it\n"
     "  --height INCHES    default: five eighths of the width\n"
     "  --dark             light on dark\n"
     "  --prefix P, --dataset D, --worker W   only stacks of such tasks in the flame graphs\n"
     "  --files DIR        where else to look for the files that were read: share-read is then by\n"
     "                     what they say of themselves, and share-read-branches is there\n"
     "  --baseline B       of several, what the others are compared with: letter, number or name;\n"
     "                     default: the first\n"
     "  --target RATE      of several, a line at that rate in compare-scaling: 200Gbps, 50kHz\n"
     "  --run N|all        which call of Coffea's Runner, where there are several; default: the\n"
     "                     last\n"
     "  The files written are printed one a line; what was left out, and why, goes to standard "
     "error.\n"},
    {"export", cup_verb_export, "[DIR] --to FORMAT -o OUT [OPTIONS]",
     "what a run did, as other programs read it",
     "  --to roastcoffea   a measurement directory of that tool, for its loader and plots\n"
     "  --to prometheus    a file of metrics for the node exporter's textfile collector\n"
     "  --to csv           a directory with tasks.csv, chunks.csv, files.csv, branches.csv,\n"
     "                     workers.csv, opens.csv, samples.csv, functions.csv, native.csv,\n"
     "                     sections.csv and values.csv\n"
     "  --to speedscope    stacks as a file of that program, by CPU time, waits, bytes\n"
     "  --to collapsed     a directory with cpu.collapsed, wait.collapsed, read.collapsed and\n"
     "                     alloc.collapsed: a line for each stack\n"
     "  --to perfetto      tasks and stacks over time, as a trace for ui.perfetto.dev\n"
     "  -o OUT             the directory, or the file (- is standard output); a directory that\n"
     "                     holds anything but an earlier export of the kind is refused\n"
     "  --run N|all        which call of Coffea's Runner, where there are several; default: the\n"
     "                     last\n"
     "  --prefix P, --dataset D, --worker W   only stacks of such tasks (speedscope, collapsed)\n"},
    {"compare", cup_verb_compare, "A [B ...] [OPTIONS]",
     "runs side by side, and how they scale; with one, how it scales within",
     "  Each is a profile, a file made by `cupping report --json`, or a measurement directory of\n"
     "  roastcoffea. DIR:N and DIR:all choose a run of that profile.\n"
     "  --baseline B       what the others are compared with: letter, number or name; default: "
     "the\n"
     "                     first\n"
     "  --only SECTION     only one section: inputs, workflow, workers, efficiency, time_budget,\n"
     "                     fine, branches, chunks, tasks_by_prefix, datasets, attribution,\n"
     "                     health, scaling or functions (those that changed the most)\n"
     "  --run N|all        which run, of the profiles that do not say so themselves\n"
     "  --target RATE      how far it is to a rate: 200Gbps, 25GB/s, 50kHz, 2e6events/s\n"
     "  --json FILE        everything as JSON instead; - is standard output\n"
     "  --csv FILE         everything as CSV instead, one row for each figure and input\n"
     "  `cupping plot A B` draws them beside each other.\n"},
    {"dump", cup_verb_dump, "FILE", "everything that one log (*.cup) holds, as text", ""},
    {"doctor", cup_verb_later, "", "not in this version", ""},
    {"help", cup_verb_help, "[VERB]", "this text, or that of one verb", ""},
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

int cup_verb_start(int argc, char **argv)
{
    const struct cup_verb *verb = cup_find_verb(argv[0]);
    char *help[] = {"help", argv[0], NULL};
    if (verb)
        return verb->run != cup_verb_run && asks_for_help(argc, argv) ? cup_verb_help(2, help)
                                                                      : verb->run(argc, argv);
    fprintf(stderr, "cupping: %s: no such verb; see `cupping help`\n", argv[0]);
    return CUP_EXIT_USAGE;
}

int cup_verb_later(int argc, char **argv)
{
    (void)argc;
    fprintf(stderr, "cupping: %s is not in this version; see `cupping help`\n", argv[0]);
    return CUP_EXIT_USAGE;
}

int cup_verb_load(struct cup_profile *profile, const char *directory,
                  const struct cup_load_options *options, struct cup_error *error)
{
    if (!directory)
        directory = CUP_DEFAULT_DIRECTORY;
    if (cup_profile_load(profile, directory, options, error) != 0)
        return -1;
    for (size_t i = 0; i < profile->damage_count; i++)
        cup_error_print(stderr, &profile->damages[i]);
    return 0;
}

int cup_verb_failed(const struct cup_error *error, int status)
{
    cup_error_print(stderr, error);
    return status;
}
