#include <stdio.h>

#include "analysis/write/output.h"
#include "cli/verbs.h"

static void print_all(void)
{
    puts("cupping judges a Coffea run as it is brewed: which Dask task read, computed and\n"
         "allocated how much, without a change to the analysis.\n");
    puts("  cupping run -- python analysis.py      run it under the profiler, then");
    puts("  cupping report                         see what it did\n");
    for (unsigned i = 0; i < cup_verb_count; i++)
        if (cup_verbs[i].run != cup_verb_later)
            printf("  %-9s %s\n", cup_verbs[i].name, cup_verbs[i].summary);
    puts("\nDIR is a profile directory; without one, " CUP_DEFAULT_DIRECTORY
         " is taken.\n`cupping help VERB` lists the options. Exit status: 0 done (also with some "
         "damaged\nlogs, told on standard error), 1 nothing readable, 2 wrong usage.");
}

static void print_verb(const struct cup_verb *verb)
{
    printf("cupping %s %s\n\n%s\n", verb->name, verb->usage, verb->summary);
    if (verb->help[0])
        printf("\n%s", verb->help);
}

int cup_verb_help(int argc, char **argv)
{
    const struct cup_verb *verb = argc > 1 ? cup_find_verb(argv[1]) : NULL;
    if (argc > 2 || (argc > 1 && !verb)) {
        fprintf(stderr, "cupping: help %s: no such verb; see `cupping help`\n", argv[1]);
        return CUP_EXIT_USAGE;
    }
    if (verb)
        print_verb(verb);
    else
        print_all();
    struct cup_error error;
    struct cup_output output = {.file = stdout};
    return cup_output_close(&output, &error) == 0 ? CUP_EXIT_DONE
                                                  : cup_verb_failed(&error, CUP_EXIT_FAILED);
}
