#include <stdio.h>

#include "cli/verbs.h"

enum { SUMMARY_COLUMN = 12 };

static void print_all(void)
{
    cup_print_help_text(stdout, 0, 0,
                        "cupping profiles Coffea analyses on Dask: it reports how much each Dask "
                        "task read, computed and allocated, without a change to the analysis.");
    puts("\n  cupping run -- python analysis.py      run the analysis under the profiler, then");
    puts("  cupping report                         see what it did\n");
    for (unsigned i = 0; i < cup_verb_count; i++) {
        size_t column = (size_t)printf("  %s", cup_verbs[i].name);
        cup_print_help_text(stdout, column, SUMMARY_COLUMN, cup_verbs[i].summary);
    }
    putchar('\n');
    cup_print_help_text(
        stdout, 0, 0,
        "DIR is a profile directory; without it, the newest one here that has logs "
        "is read (./cupping-latest and other ./cupping-*). `cupping help VERB` "
        "lists the options. Exit status: 0 if done (damaged "
        "logs are reported on standard error), 1 if no log can be read or the "
        "output cannot be written, 2 for wrong usage, 3 if a condition of --fail-on holds.");
}

static void print_verb(const struct cup_verb *verb)
{
    printf("cupping %s %s\n\n", verb->name, verb->usage);
    cup_print_help_text(stdout, 0, 0, verb->summary);
    if (verb->options) {
        putchar('\n');
        cup_options_print(stdout, verb->options);
    }
    if (verb->notes) {
        putchar('\n');
        cup_print_help_text(stdout, 0, 0, verb->notes);
    }
}

int cup_verb_help(int argc, char **argv)
{
    const struct cup_verb *verb = argc > 1 ? cup_find_verb(argv[1]) : NULL;
    if (argc > 2 || (argc > 1 && !verb))
        return cup_refuse_verb("help ", argv[1]);
    if (verb)
        print_verb(verb);
    else
        print_all();
    return cup_verb_end_stdout();
}
