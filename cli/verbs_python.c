/* The verbs that talk to a running Dask cluster. The Python package has them, because they need
 * Dask: each is a row of `verbs` here with its options, and a module of python/cupping/remote. */
#include "cli/verbs.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct request {
    const char *directory, *at_once, *lose_results, *wait, *limit;
    CUP_CLUSTER_REQUEST
};

static const struct cup_option attach_rows[] = {
    CUP_OPTION("-o", "DIR", directory, "the profile directory; default: ./cupping-YYYYmmdd-HHMMSS"),
    CUP_OPTION("--at-once", NULL, at_once,
               "restart all workers at the same time; default: a tenth of them, at least one"),
    CUP_OPTION("--lose-results", NULL, lose_results,
               "also restart workers that run tasks or hold results; Dask computes these again"),
    CUP_OPTION("--wait", "SECONDS", wait,
               "how long tasks and results of a worker are waited for before it is left as it is; "
               "default: 60"),
    CUP_OPTION("--limit", "SIZE", limit,
               "the most that the logs may take on the disk, such as 500M or 20G (powers of 1024); "
               "default: 10G"),
    CUP_CLUSTER_OPTIONS,
};
const struct cup_options cup_attach_options = CUP_OPTIONS(attach_rows);

static const struct cup_option collect_rows[] = {
    CUP_OPTION("-o", "DIR", directory, "the profile directory; default: ./cupping-YYYYmmdd-HHMMSS"),
    CUP_OPTION("--limit", "SIZE", limit,
               "the most that the logs may take on the disk, such as 500M or 20G (powers of 1024); "
               "default: 10G"),
    CUP_CLUSTER_OPTIONS,
};
const struct cup_options cup_collect_options = CUP_OPTIONS(collect_rows);

/* ---- where Python and the package are ----------------------------------------------------- */

const char *cup_default_python(void)
{
    const char *path = getenv("PATH");
    char word[PATH_MAX];
    for (const char *at = path ? path : ""; *at;) {
        size_t bytes = strcspn(at, ":");
        snprintf(word, sizeof word, "%.*s/python", (int)bytes, at);
        if (access(word, X_OK) == 0)
            return "python";
        at += bytes + (at[bytes] == ':');
    }
    return "python3";
}

/* Writes the folder of this program and NAME to TO, which has PATH_MAX bytes. True: there is such a
 * file. */
static bool find_beside(char *to, const char *name)
{
    char *own = cup_find_own_folder();
    bool found =
        own && snprintf(to, PATH_MAX, "%s/%s", own, name) < PATH_MAX && access(to, R_OK) == 0;
    free(own);
    return found;
}

/* Writes to FOLDER where the package is: in a checkout, or in the prefix of `make install`. "": it
 * is the wheel's. */
static void find_package(char folder[PATH_MAX])
{
    static const char *const places[] = {"../lib/cupping/python", "../python"};
    char module[PATH_MAX], name[64];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(name, sizeof name, "%s/cupping/__main__.py", places[i]);
        if (find_beside(module, name) && find_beside(folder, places[i]))
            return;
    }
    *folder = '\0';
}

/* The file that was written last: an older installation, for another Python, may have left one. */
static const char *find_newest(const glob_t *found)
{
    const char *newest = NULL;
    time_t written = 0;
    struct stat status;
    for (size_t i = 0; i < found->gl_pathc; i++) {
        if (stat(found->gl_pathv[i], &status) != 0 || (newest && status.st_mtime < written))
            continue;
        newest = found->gl_pathv[i];
        written = status.st_mtime;
    }
    return newest;
}

/* Writes to FOLDER where `pip install --prefix` or `--user` put the package of the wheel. There,
 * unlike in an environment, no Python is next to this program. "": nowhere. */
static void find_wheel_package(char folder[PATH_MAX])
{
    static const char module[] = "/cupping/__main__.py";
    char *own = cup_find_own_folder(), pattern[2 * PATH_MAX];
    glob_t found = {0};
    *folder = '\0';
    if (own) { /* Debian's own pip names the last folder dist-packages. */
        snprintf(pattern, sizeof pattern, "%s/../lib/python3*/*-packages%s", own, module);
        const char *file = glob(pattern, 0, NULL, &found) == 0 ? find_newest(&found) : NULL;
        if (file)
            snprintf(folder, PATH_MAX, "%.*s", (int)(strlen(file) - strlen(module)), file);
    }
    globfree(&found);
    free(own);
}

/* ---- the program -------------------------------------------------------------------------- */

/* What Python runs, whichever version it is: sys.argv[1] is the folder of the package, sys.argv[2]
 * this program. The working directory is not searched for modules, as it is not by other verbs. Of
 * the folder only the package itself is used: other packages there may be for another Python, or
 * replace modules of its standard library. */
static const char python_program[] =
    "import sys\n"
    "folder, command = sys.argv[1:3]\n"
    "del sys.argv[1:3]\n"
    "if sys.version_info < (3, 9):\n"
    "    sys.exit('cupping: %s is Python %d.%d, and cupping needs 3.9: name another interpreter "
    "with '\n"
    "             '--python FILE' % ((sys.executable,) + sys.version_info[:2]))\n"
    "sys.path[:] = [path for path in sys.path if path]\n"
    "if folder:\n"
    "    from importlib import util\n"
    "    found = util.spec_from_file_location('cupping', folder + '/cupping/__init__.py')\n"
    "    sys.modules['cupping'] = util.module_from_spec(found)\n"
    "    found.loader.exec_module(sys.modules['cupping'])\n"
    "try:\n"
    "    from cupping.__main__ import main\n"
    "except ImportError as error:\n"
    "    if error.name not in ('cupping', 'cupping.__main__'):\n"
    "        raise\n"
    "    sys.exit('cupping: %s does not have the package cupping: install the wheel there, or '\n"
    "             'name another interpreter with --python FILE' % sys.executable)\n"
    "main(command)\n";

/* "NAME=VALUE" for each option that was given with a value, "NAME" for one without. Returns how
 * many words it wrote to TO, or -1 if memory ran out. */
static int write_option_words(const char **to, const struct cup_options *options,
                              const void *request)
{
    int count = 0;
    for (size_t i = 0; i < options->count; i++) {
        const struct cup_option *option = &options->rows[i];
        const char *value;
        char *word;
        memcpy(&value, (const char *)request + option->place, sizeof value);
        if (!value)
            continue;
        if (asprintf(&word, "%s%s%s", option->name, option->argument ? "=" : "",
                     option->argument ? value : "") < 0)
            return -1;
        to[count++] = word;
    }
    return count;
}

/* Returns an error: execvp() does not return if it succeeds. The words end with the process. */
static int execute(const char *verb, const char *python, const struct cup_options *options,
                   const void *request, const struct cup_operands *operands,
                   struct cup_error *error)
{
    enum { FIRST = 6 }; /* words before the options */
    char folder[PATH_MAX], beside[PATH_MAX], program[PATH_MAX];
    const char **words = calloc(FIRST + options->count + operands->count + 2, sizeof *words);
    int count = words ? write_option_words(words + FIRST, options, request) : -1;
    if (count < 0) {
        free(words);
        return cup_error_memory(error, verb);
    }
    find_package(folder);
    if (!find_beside(program, "cupping"))
        *program = '\0';
    if (!python)
        python = !*folder && find_beside(beside, "python") ? beside : cup_default_python();
    if (!*folder && python != beside)
        find_wheel_package(folder);
    const char *const first[FIRST] = {python, "-c", python_program, folder, program, verb};
    memcpy(words, first, sizeof first);
    words[FIRST + count] = "--";
    memcpy(words + FIRST + count + 1, operands->words, operands->count * sizeof *words);
    signal(SIGPIPE, SIG_DFL);
    execvp(python, (char **)words);
    return cup_error_set(error, verb, CUP_NO_OFFSET,
                         "cannot execute %s: %s; name an interpreter that has Dask with "
                         "--python FILE",
                         python, strerror(errno));
}

int cup_execute_python(const char *verb, const char *python, const struct cup_options *options,
                       const void *request, const struct cup_operands *operands)
{
    struct cup_error error;
    execute(verb, python, options, request, operands, &error);
    return cup_verb_end(&error, CUP_EXIT_FAILED);
}

int cup_verb_python(int argc, char **argv)
{
    const struct cup_options *options = cup_find_verb(argv[0])->options;
    struct request request = {0};
    struct cup_operands operands = {.room = (size_t)argc};
    struct cup_error error;
    operands.words = calloc(operands.room, sizeof *operands.words);
    if (!operands.words) {
        cup_error_memory(&error, argv[0]);
        return cup_verb_end(&error, CUP_EXIT_FAILED);
    }
    int result = cup_options_read(argc, argv, options, &request, &operands, &error);
    if (result == 0 && operands.count == 0)
        result = cup_error_set(&error, argv[0], CUP_NO_OFFSET,
                               "name the address of the scheduler; see `cupping help %s`", argv[0]);
    int status = result == 0
                     ? cup_execute_python(argv[0], request.python, options, &request, &operands)
                     : cup_verb_end(&error, CUP_EXIT_USAGE);
    free(operands.words);
    return status;
}
