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

/* Finds a program in PATH. Returns 0, or -1 if there is none. */
static int search_path(const char *name, char *program)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");
        char directory[PATH_ROOM];
        if (length < sizeof directory) {
            snprintf(directory, sizeof directory, "%.*s", (int)length, length ? at : ".");
            if (join_program(program, length ? directory : ".", name) == 0)
                return 0;
        }
        at += length + (at[length] == ':');
    }
    return -1;
}

/* The directory of this program, from the name that it was started by; freed by the caller. NULL if
 * it is not found. */
static char *find_own_directory(const char *started_as)
{
    char program[PATH_ROOM];
    if (!strchr(started_as, '/')) {
        if (search_path(started_as, program) != 0)
            return NULL;
        started_as = program;
    }
    char *real = realpath(started_as, NULL);
    char *slash = real ? strrchr(real, '/') : NULL;
    if (slash)
        *slash = '\0';
    return real;
}

/* The wrapper is next to an installed program, and in ../wrappers of a checkout. */
static int find_wrapper(const char *started_as, char *wrapper)
{
    char *directory = find_own_directory(started_as);
    int found = directory && (join_program(wrapper, directory, "cupping-run") == 0 ||
                              join_program(wrapper, directory, "../wrappers/cupping-run") == 0)
                    ? 0
                    : -1;
    free(directory);
    return found;
}

int cup_verb_run(int argc, char **argv)
{
    (void)argc;
    char wrapper[PATH_ROOM];
    /* argv[0] is the verb, because main() passes its arguments from there on: argv[-1] is the
     * name of this program. */
    const char *started_as = argv[-1];
    if (find_wrapper(started_as, wrapper) != 0) {
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
