#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shell_result result;

void shell_enter(void)
{
    strcpy(result.directory, "/tmp/cupping-test-XXXXXX");
    cr_assert(mkdtemp(result.directory) && chdir(result.directory) == 0);
    unsetenv("CUPPING_DIR");
    unsetenv("LD_PRELOAD");
    unsetenv("DASK_SCHEDULER_ADDRESS");
    setenv("top", CUP_TOP, 1);
    setenv("run", CUP_TOP "/wrappers/cupping-run", 1);
    setenv("cupping", CUP_TOP "/build/cupping", 1);
    setenv("worker", CUP_TOP "/wrappers/cupping-dask-worker", 1);
}

void shell_leave(void)
{
    char command[128];
    cr_assert(chdir(CUP_TOP) == 0);
    snprintf(command, sizeof command, "rm -rf '%s'", result.directory);
    cr_assert(system(command) == 0);
}

static void read_file(const char *name, char *into, size_t size)
{
    FILE *file = fopen(name, "r");
    size_t length = file ? fread(into, 1, size - 1, file) : 0;

    into[length] = '\0';
    if (file)
        fclose(file);
    unlink(name);
}

const struct shell_result *shell(const char *format, ...)
{
    char command[4096];
    va_list arguments;

    strcpy(command, "{ ");
    va_start(arguments, format);
    vsnprintf(command + 2, sizeof command - 64, format, arguments);
    va_end(arguments);
    /* Hidden, so that a test may list its directory. */
    strcat(command, "\n} >.test-out 2>.test-err </dev/null");
    int status = system(command);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_file(".test-out", result.out, sizeof result.out);
    read_file(".test-err", result.err, sizeof result.err);
    return &result;
}

int lines_of(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

int has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}
