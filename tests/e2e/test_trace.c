/* Traced functions (tests/trace/lib*.c), each inside a task: they notice no difference with the
 * library, and the library counts what they did. */
#include "preload/sys/hook_list.h"
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 160, INPUT_LINES = 65536 };

#define TRACED(name) CUP_BUILD "/tests/trace/" name ".so"

static const char *input_file(const char *directory)
{
    const char *path = text("%s/input", directory);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < INPUT_LINES; i++)
        fprintf(file, "line %010d\n", i);
    fclose(file);
    return path;
}

/* ---- what tables do not show ------------------------------------------------------------- */

/* A counter of the task with the key FUNCTION, over all its threads. */
static long long dump_number(const char *dump, const char *function, const char *counter)
{
    long long task = task_of_key(dump, function), sum = 0;
    for (const char *at = dump; (at = strstr(at, " COUNTERS ")); at++)
        if (number_in(at, "task") == task && number_in(at, counter) > 0)
            sum += number_in(at, counter);
    return sum;
}

/* Is FILE a peer whose address begins so? */
static bool is_peer(const char *dump, long long file, const char *address)
{
    const char *record = strstr(dump, text(" FILE id=%lld path=#", file));
    if (!record || !strstr(text("%.*s", (int)strcspn(record, "\n"), record), " class=socket "))
        return false;
    int path = atoi(strchr(record, '#') + 1);
    return strstr(dump, text(" STRING id=%d text=\"%s", path, address)) != NULL;
}

/* The same of a task's peers whose addresses begin with ADDRESS. */
static long long peers_number(const char *dump, const char *function, const char *address,
                              const char *counter)
{
    long long task = task_of_key(dump, function), sum = 0;
    for (const char *at = dump; (at = strstr(at, " FILE_USE ")); at++)
        if (number_in(at, "task") == task && number_in(at, counter) > 0 &&
            is_peer(dump, number_in(at, "file"), address))
            sum += number_in(at, counter);
    return sum;
}

/* ---- expectations
 * --------------------------------------------------------------------------------- */

/* Python allocates a little as well between a task's begin and end. */
enum { SLACK_BYTES = 256 << 10, SLACK_CALLS = 1000 };

static bool is_lower_bound(const char *counter)
{
    return strncmp(counter, "alloc_", 6) == 0 || strncmp(counter, "freed_", 6) == 0;
}

static void expect_counter(json_t *tasks, const char *dump, const char *function,
                           const char *counter, long expected)
{
    long long counted = task_number(tasks, function, counter);
    if (counted < 0)
        counted = dump_number(dump, function, counter);
    if (strcmp(counter, "read_bytes") == 0) /* what is expected are files */
        counted -= task_number(tasks, function, "server_read_bytes");
    if (expected < 0 || (expected == 0 && is_lower_bound(counter)))
        return; /* not compared: the function says so, or is not about memory */
    if (!is_lower_bound(counter)) {
        cr_expect(counted == expected, "%s: %s is %lld, must be %ld", function, counter, counted,
                  expected);
        return;
    }
    long slack = strstr(counter, "calls") ? SLACK_CALLS : SLACK_BYTES;
    cr_expect(counted >= expected && counted <= expected + slack,
              "%s: %s is %lld, must be %ld and little more", function, counter, counted, expected);
}

/* A wait of the task's own thread: "io_wait_ns" stands in the column io_wait_s. Right within 5 % or
 * 2 ms, whichever is more. */
static bool is_wait(const char *counter)
{
    size_t length = strlen(counter);
    return length > 3 && strcmp(counter + length - 3, "_ns") == 0;
}

static void expect_wait(json_t *tasks, const char *function, const char *counter, long expected)
{
    enum { LEAST_NS = 2000000, SHARE = 20 };
    if (expected < 0)
        return;
    const char *column = text("%.*s_s", (int)strlen(counter) - 3, counter);
    json_t *value = json_object_get(task_of(tasks, function), column);
    cr_expect(json_is_number(value), "%s: %s is not known", function, column);
    double wrong = json_number_value(value) * 1e9 - (double)expected;
    long allowed = expected / SHARE > LEAST_NS ? expected / SHARE : LEAST_NS;
    cr_expect(wrong < (double)allowed && wrong > -(double)allowed,
              "%s: %s is %.6f s, must be %.6f s", function, column, json_number_value(value),
              (double)expected / 1e9);
}

static void expect_counters(const char *path, json_t *tasks, const char *dump)
{
    char function[128], counter[64];
    long expected;
    int lines = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL);
    for (; fscanf(file, "%127s %63s %ld", function, counter, &expected) == 3; lines++)
        if (is_wait(counter))
            expect_wait(tasks, function, counter, expected);
        else
            expect_counter(tasks, dump, function, counter, expected);
    fclose(file);
    cr_expect(lines > 0);
}

/* ---- running
 * ---------------------------------------------------------------------------------------- */

/* Functions that a library exports, in a list of arguments. */
static int find_functions(const char *library, const char **names)
{
    struct child child = {.argv = {"nm", "-D", "--defined-only", "--format=posix", library}};
    child_run(&child);
    cr_assert(child.status == 0, "nm %s: %s", library, child.err);
    int count = 0;
    for (char *line = strtok(child.out, "\n"); line; line = strtok(NULL, "\n")) {
        char *space = strchr(line, ' ');
        if (space && space[1] == 'T' && line[0] != '_' && count < MOST_FUNCTIONS) {
            *space = '\0';
            names[count++] = line;
        }
    }
    return count;
}

static const char *joined(const char *const *names, int count)
{
    const char *all = names[0];
    for (int i = 1; i < count; i++)
        all = text("%s,%s", all, names[i]);
    return all;
}

static struct child tracing(const char *library, const char *source, const char *functions)
{
    return (struct child){
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/traced.py", library, source, functions}};
}

static void trace_all(const char *library)
{
    const char *names[MOST_FUNCTIONS];
    int count = find_functions(library, names);
    cr_assert(count > 0);
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = tracing(library, input_file(scratch), joined(names, count));
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    json_t *tasks = tasks_of(logs);
    cr_expect(tasks_count(tasks) == (size_t)count, "%zu tasks of %d", tasks_count(tasks), count);
    char *dump = dump_of(logs);
    expect_counters(text("%s/input.expected", scratch), tasks, dump);
    free(dump);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(trace, hooks_by_name)
{
    trace_all(TRACED("libhooks"));
}

Test(trace, sockets)
{
    trace_all(TRACED("libsockets"));
}

static int times(const char *dump, const char *words)
{
    int count = 0;
    for (const char *at = dump; (at = strstr(at, words)); at++)
        count++;
    return count;
}

static void expect_peer(const char *dump, const char *function, const char *address,
                        long long received, long long sent, long long connections)
{
    const long long found[] = {peers_number(dump, function, address, "read_bytes"),
                               peers_number(dump, function, address, "write_bytes"),
                               peers_number(dump, function, address, "opens")};
    cr_expect(found[0] == received && found[1] == sent && found[2] == connections,
              "%s: %s: received %lld, sent %lld, connections %lld", function, address, found[0],
              found[1], found[2]);
}

/* Who was at the other end; both ends of these connections are in the task. */
Test(trace, peers)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain =
        tracing(TRACED("libsockets"), input_file(scratch),
                "tcp_over_ipv4,tcp_over_ipv6,unix_connection,many_unix_pairs,datagrams,"
                "more_peers_than_places");
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    char *dump = dump_of(logs);
    expect_peer(dump, "tcp_over_ipv4", "tcp://127.0.0.1:", 1000, 1000, 2);
    if (!strstr(recorded.out, "no IPv6 here"))
        expect_peer(dump, "tcp_over_ipv6", "tcp://[::1]:", 1000, 1000, 2);
    expect_peer(dump, "unix_connection", text("unix:%s/input.scratch/s\"", scratch), 0, 1000, 1);
    expect_peer(dump, "unix_connection", "unix:\"", 1000, 0, 1);
    expect_peer(dump, "many_unix_pairs", "unix:\"", 100, 100, 200);
    expect_peer(dump, "datagrams", "udp://127.0.0.1:", 200, 300, 1);
    expect_peer(dump, "datagrams", "udp://\"", 300, 500, 1);
    cr_expect(times(dump, " text=\"unix:\"") == 1);
    cr_expect(times(dump, " class=socket ") == 1024);
    long long told_apart = peers_number(dump, "more_peers_than_places", "udp://", "opens");
    cr_expect(number_in(strstr(dump, "\nhealth:") + 1, "files_dropped") == 1100 - told_apart);
    free(dump);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* It was made, so it is no failed open. */
Test(trace, connection_whose_outcome_is_not_asked_for)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = tracing(TRACED("libsockets"), input_file(scratch),
                                 "connection_whose_outcome_is_not_asked_for");
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    char *dump = dump_of(logs);
    cr_expect(strstr(dump, " error=125") == NULL, "%s", dump);
    free(dump);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* Where a stream reads after its position was set. */
Test(trace, stream_that_seeks)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = tracing(TRACED("libhooks"), input_file(scratch), "stream_that_seeks");
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    char *dump = dump_of(logs);
    for (int at = 900000; at > 0; at -= 200000)
        cr_expect(strstr(dump, text(" offset=%d-%d ", at, at + 1000)) != NULL, "%d: %s", at, dump);
    free(dump);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(trace, heap)
{
    trace_all(TRACED("libheap"));
}

Test(trace, mapped_files)
{
    trace_all(TRACED("libmapped"));
}

Test(trace, children)
{
    trace_all(TRACED("libprocess"));
}

Test(trace, locks)
{
    trace_all(TRACED("liblocks"));
}

Test(trace, waits)
{
    trace_all(TRACED("libwaits"));
}

Test(trace, paths)
{
    trace_all(TRACED("libpaths"));
}

Test(trace, threads_and_signals)
{
    trace_all(TRACED("libthreads"));
}

/* Fortified calls; the library that makes them must really have been compiled into them. */
Test(trace, fortified)
{
    static const char *const imports[] = {
        "__read_chk",  "__pread_chk",          "__pread64_chk", "__open_2",
        "__open64_2",  "__openat_2",           "__openat64_2",  "__fread_chk",
        "__fgets_chk", "__fread_unlocked_chk", "__fprintf_chk", "__fgets_unlocked_chk",
        "__recv_chk",  "__recvfrom_chk"};
    struct child child = {.argv = {"nm", "-D", "--undefined-only", TRACED("libchk")}};
    child_run(&child);
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
        cr_expect(strstr(child.out, text(" %s@", imports[i])) != NULL, "no call of %s", imports[i]);
    child_free(&child);
    trace_all(TRACED("libchk"));
}

/* ---- completeness
 * --------------------------------------------------------------------------------- */

/* Hooks that no try_NAME function calls by name, and the tests that reach them. */
static const char *const tried_elsewhere[] = {
    "clock_gettime", /* every task begins and ends by it */
    "_exit",         /* gate: ends_in_a_task */
    "_Exit",         /* likewise */
    "pclose",        /* number_reused_after_pclose */
};

static bool is_tried(const char *hook)
{
    static const char *const libraries[] = {
        TRACED("libhooks"), TRACED("libsockets"), TRACED("libheap"), TRACED("liblocks"),
        TRACED("libpaths"), TRACED("libprocess"), TRACED("libwaits")};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW);
        cr_assert(library != NULL, "%s", dlerror());
        if (dlsym(library, text("try_%s", hook)))
            return true;
    }
    for (size_t i = 0; i < sizeof tried_elsewhere / sizeof *tried_elsewhere; i++)
        if (strcmp(hook, tried_elsewhere[i]) == 0)
            return true;
    return false;
}

Test(trace, every_hook_is_tried)
{
    static const char *const hooks[] = {
#define X(name, family, need) #name,
        CUP_HOOKS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        cr_expect(is_tried(hooks[i]), "no traced function tries %s", hooks[i]);
}
