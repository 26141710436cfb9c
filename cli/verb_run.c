/* `cupping run` is wrappers/cupping-run, found next to this program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/verbs.h"

enum { PATH_ROOM = 4096 };

/* Writes DIRECTORY/NAME to TO. Returns 0, or -1 if there is no such program or it cannot be
 * executed. */
static int join_program(char *to, const char *directory, const char *name)
{
    int length = snprintf(to, PATH_ROOM, "%s/%s", directory, name);
    return length < PATH_ROOM && access(to, X_OK) == 0 ? 0 : -1;
}

/* The wrapper is next to an installed program, and in ../wrappers of a checkout. */
static int find_wrapper(char *wrapper)
{
    char *program = realpath("/proc/self/exe", NULL),
         *slash = program ? strrchr(program, '/') : NULL;
    if (slash)
        *slash = '\0';
    int found = slash && (join_program(wrapper, program, "cupping-run") == 0 ||
                          join_program(wrapper, program, "../wrappers/cupping-run") == 0)
                    ? 0
                    : -1;
    free(program);
    return found;
}

int cup_verb_run(int argc, char **argv)
{
    (void)argc;
    char wrapper[PATH_ROOM];
    /* argv[0] is the verb, because main() passes its arguments from there on: argv[-1] is the
     * name of this program. */
    const char *started_as = argv[-1];
    if (find_wrapper(wrapper) != 0) {
        fprintf(stderr,
                "cupping: run: cannot find cupping-run next to %s; reinstall, or call "
                "wrappers/cupping-run by its path\n",
                started_as);
        return CUP_EXIT_FAILED;
    }
    argv[0] = wrapper;
    execv(wrapper, argv);
    fprintf(stderr, "cupping: run: cannot execute ");
    perror(wrapper);
    return CUP_EXIT_FAILED;
}
