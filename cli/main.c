#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/verbs.h"

/* SIGPIPE is ignored, except for the command of `cupping run`. If the reader of standard output
 * ends early, as in `cupping tasks | head`, writes then fail with an error that the verbs handle,
 * and other output files are still completed. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "run") != 0)
        signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        fprintf(stderr, "cupping: name a verb; see `cupping help`\n");
        return CUP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return cup_verb_version(1, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cup_verb_help(1, argv);
    return cup_verb_start(argc - 1, argv + 1);
}
