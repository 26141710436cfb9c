#include "tests/e2e/trace.h"

#include "tests/e2e/job.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line is `PID call(FD<PATH>, ...) = RESULT`, or that in two: `... <unfinished ...>`, later
 * `PID <... call resumed> ...) = RESULT`. One call at a time is open in a thread. */

static long long result_of(const char *line)
{
    const char *at = NULL;
    for (const char *next = strstr(line, ") = "); next; next = strstr(next + 1, ") = "))
        at = next;
    /* resumed lines are padded before the equals sign */
    if (!at)
        for (const char *next = strstr(line, " = "); next; next = strstr(next + 1, " = "))
            at = next - 1;
    return at ? atoll(strchr(at, '=') + 1) : -1;
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), bytes = strlen(suffix);
    return length >= bytes && strcmp(text + length - bytes, suffix) == 0;
}

static void add(json_t *bytes, const char *path, long long amount)
{
    json_int_t before = json_integer_value(json_object_get(bytes, path));
    json_object_set_new(bytes, path, json_integer(before + amount));
}

static void take_line(char *line, json_t *bytes, json_t *open)
{
    char *call = line + strspn(line, "0123456789"), *path = strchr(line, '<');
    if (!path || call == line)
        return;
    *call++ = '\0'; /* LINE is the thread now */
    bool resumed = strncmp(path, "<... ", 5) == 0;
    long long amount = result_of(call);
    char copy[4096];
    if (resumed) {
        snprintf(copy, sizeof copy, "%s", json_string_value(json_object_get(open, line)));
    } else {
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(path + 1, ">"), path + 1);
        if (strstr(path, "<unfinished ...>"))
            json_object_set_new(open, line, json_string(copy));
    }
    if (amount > 0)
        add(bytes, copy, amount);
}

static void keep_suffix(json_t *bytes, const char *suffix)
{
    const char *path;
    json_t *value;
    void *next;
    json_object_foreach_safe(bytes, next, path, value) if (!ends_with(path, suffix))
        json_object_del(bytes, path);
}

json_t *cup_trace_read(const char *directory, const char *suffix)
{
    char *path = cup_path(directory, "strace.txt"), *line = NULL;
    size_t size = 0;
    json_t *bytes = json_object(), *open = json_object();
    FILE *file = fopen(path, "re");
    if (!file)
        cr_assert_fail("strace left no %s", path);
    while (getline(&line, &size, file) > 0)
        take_line(line, bytes, open);
    fclose(file);
    free(line);
    free(path);
    json_decref(open);
    keep_suffix(bytes, suffix);
    return bytes;
}

void cup_trace_run(const char *name, const char *directory, const char *const *program, bool traced,
                   int seconds)
{
    enum {
        WORDS_MOST = 8,
        STRACE_WORDS = sizeof((const char *[]){CUP_STRACE(NULL)}) / sizeof(char *)
    };
    static const char *const environment[] = {"LD_PRELOAD", "CUPPING_DIR",
                                              "PYTHONPATH=" CUP_TOP "/tests/workloads", NULL};
    char file[64], *profile = cup_path(directory, "profile");
    char *trace = cup_path(directory, "strace.txt");
    const char *argv[STRACE_WORDS + 5 + WORDS_MOST + 1] = {
        CUP_STRACE(trace), CUP_TOP "/build/cupping", "run", "-o", profile, "--"};
    for (size_t i = 0; program[i]; i++) {
        cr_assert(i < WORDS_MOST);
        argv[STRACE_WORDS + 5 + i] = program[i];
    }
    snprintf(file, sizeof file, "%s.log", name);
    char *log = cup_path(directory, file);
    cup_run(name, log, traced ? argv : argv + STRACE_WORDS, environment, seconds);
    free(profile), free(trace), free(log);
}
