/* Invalid environment variables, directories that cannot be written, full disks, closed standard
 * streams: output, exit status and stderr of the program are the same as without the library. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads in many tasks, so that a log grows; prints; ends with a status of its own. */
static const char program[] =
    "import os, sys\n"
    "sys.path.insert(0, '" CUP_TOP "/tests/workloads')\n"
    "from run_task import run\n"
    "import signal\n" /* which Python ignores, unlike C programs */
    "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
    "def body():\n"
    "    with open('/usr/bin/env', 'rb') as file:\n"
    "        return len(file.read(2000))\n"
    "print(sum(run(f'{n:05} ' + 300 * 'k', body) for n in range(3000)), flush=True)\n"
    "os._exit(5)\n";

static struct child plain_program(void (*prepare)(void))
{
    return (struct child){.argv = {CUP_PYTHON, "-c", program}, .prepare = prepare};
}

/* Runs the program with SETTINGS; the same as PLAIN must come out. */
static void expect_like(const struct child *plain, const char *directory,
                        const char *const settings[])
{
    struct child pattern = *plain;
    for (int i = 0; settings[i]; i++)
        pattern.settings[i] = settings[i];
    struct child recorded = child_recorded(&pattern, directory);
    child_run(&recorded);
    child_expect_same(plain, &recorded);
    child_free(&recorded);
}

/* As expect_like(), where nothing can be recorded: standard error has one line, which says so. A
 * limit of file sizes may have cut it. */
static void expect_one_line_more(const struct child *plain, const char *const settings[])
{
    struct child pattern = *plain;
    for (int i = 0; settings[i]; i++)
        pattern.settings[i] = settings[i];
    struct child recorded = child_recorded(&pattern, NULL);
    child_run(&recorded);
    const char *end = strchr(recorded.err, '\n');
    cr_expect(strncmp(recorded.err, "cupping: nothing is recorded: ", 30) == 0 && (!end || !end[1]),
              "%s: %s", settings[0], recorded.err);
    recorded.err_bytes = 0;
    child_expect_same(plain, &recorded);
    child_free(&recorded);
}

static size_t tasks_recorded(const char *directory)
{
    json_t *tasks = tasks_of(directory);
    size_t count = tasks_count(tasks);
    json_decref(tasks);
    return count;
}

static const char *long_text(void)
{
    static char all[100000];
    memset(all, 'x', sizeof all - 1);
    return all;
}

/* ---- values -------------------------------------------------------------------------------------
 */

/* Each variable has each value once, beside other values of the others. */
Test(environment, junk_in_all_variables)
{
    const char *const names[] = {"CUPPING_MAX_BYTES", "CUPPING_INTERVAL", "CUPPING_DISABLE",
                                 "CUPPING_CPU_HZ",    "CUPPING_STACKS",   "CUPPING_VERBOSE"};
    const char *const values[] = {"",  "junk", "-1", " ",        "%s%n", "99999999999999999999999",
                                  "0", "1.5G", "\n", long_text()};
    enum { NAMES = sizeof names / sizeof *names, VALUES = sizeof values / sizeof *values };
    struct child plain = plain_program(NULL);
    child_run(&plain);
    for (size_t round = 0; round < VALUES; round++) {
        const char *settings[NAMES + 1] = {NULL};
        for (size_t i = 0; i < NAMES; i++)
            settings[i] = text("%s=%s", names[i], values[(round + i) % VALUES]);
        char *logs = test_directory();
        expect_like(&plain, logs, settings);
        size_t count = tasks_recorded(logs);
        cr_expect(count == 3000, "%zu tasks with %.40s, %.40s, %.40s, %.40s, %.40s, %.40s", count,
                  settings[0], settings[1], settings[2], settings[3], settings[4], settings[5]);
        test_directory_remove(logs);
    }
}

Test(environment, disabled)
{
    char *logs = test_directory();
    struct child plain = plain_program(NULL);
    child_run(&plain);
    expect_like(&plain, logs, (const char *[]){"CUPPING_DISABLE=1", NULL});
    cr_expect(rmdir(logs) == 0, "a log was written");
}

/* Asked for, one line is said, also of a directory that is longer than the line. */
Test(environment, verbose_says_one_line)
{
    struct child pattern = plain_program(NULL);
    pattern.settings[0] = "CUPPING_VERBOSE=1";
    struct child child = child_recorded(&pattern, text("/nonexistent/%.2000s", long_text()));
    child_run(&child);
    const char *end = strchr(child.err, '\n');
    cr_expect(strncmp(child.err, "cupping: ", 9) == 0 && end && end[1] == '\0', "%s", child.err);
    child_free(&child);
}

/* ---- directories --------------------------------------------------------------------------------
 */

Test(environment, junk_in_directory)
{
    const char *const values[] = {"", " ", "-1", "%s%n%d"};
    const char *const unusable[] = {"junk/junk",  "/dev/null", "/dev/full", "/nonexistent/a/b",
                                    "/proc/self", "/sys",      long_text()};
    char *cwd = test_directory();
    struct child plain = plain_program(NULL);
    child_run(&plain);
    cr_assert(chdir(cwd) == 0); /* a relative name may make a directory here */
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        expect_like(&plain, NULL, (const char *[]){text("CUPPING_DIR=%s", values[i]), NULL});
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++)
        expect_one_line_more(&plain, (const char *[]){text("CUPPING_DIR=%s", unusable[i]), NULL});
    cr_assert(chdir("/") == 0);
    test_directory_remove(cwd);
}

/* Six processes that are alive at the same time have something to record. */
static const char family[] = "import os, sys\n"
                             "sys.dont_write_bytecode = True\n"
                             "sys.path.insert(0, '" CUP_TOP "/tests/workloads')\n"
                             "from run_task import run\n"
                             "done, hold = os.pipe(), os.pipe()\n"
                             "for number in range(5):\n"
                             "    if os.fork() == 0:\n"
                             "        os.close(hold[1])\n"
                             "        run('child', lambda: 1)\n"
                             "        os.write(done[1], b'x')\n"
                             "        os.read(hold[0], 1)\n"
                             "        os._exit(0)\n"
                             "for number in range(5):\n"
                             "    os.read(done[0], 1)\n"
                             "run('parent', lambda: 1)\n";

/* A user without permission reads why. Of processes with one standard error, one prints. */
Test(environment, directory_of_somebody_else)
{
    if (system("setpriv --reuid=65534 --clear-groups --inh-caps=+dac_read_search "
               "--ambient-caps=+dac_read_search true 2>/dev/null") != 0)
        cr_skip_test("cannot become another user here");
    char *logs = test_directory();
    struct child child = {
        .argv = {"setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=+dac_read_search",
                 "--ambient-caps=+dac_read_search", /* wherever the checkout lies */
                 CUP_PYTHON, "-c", family},
        .settings = {"LD_PRELOAD=" CUP_BUILD "/libcupping.so", text("CUPPING_DIR=%s", logs)}};
    cr_assert(chmod(logs, 0755) == 0);
    child_run(&child);
    const char *end = strchr(child.err, '\n');
    cr_expect(strstr(child.err, "cupping: nothing is recorded: permission denied") && end &&
                  !end[1],
              "%s", child.err);
    child_free(&child);
    test_directory_remove(logs);
}

/* The program leaves the directory that a relative name starts from. */
Test(environment, relative_directory)
{
    char *cwd = test_directory();
    cr_assert(chdir(cwd) == 0 && mkdir("logs", 0755) == 0);
    struct child pattern = {
        .argv = {CUP_PYTHON, "-c", text("import os\nos.chdir('/')\n%s", program)}};
    struct child recorded = child_recorded(&pattern, "logs");
    child_run(&recorded);
    cr_expect(recorded.err_bytes == 0 && WEXITSTATUS(recorded.status) == 5);
    cr_expect(tasks_recorded("logs") == 3000);
    cr_assert(chdir("/") == 0);
    test_directory_remove(cwd);
}

/* ---- no room
 * -------------------------------------------------------------------------------------- */

static size_t file_limit;

static void limit_files(void)
{
    struct rlimit limit = {file_limit, file_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* From no room for the header to room for some tasks: never SIGXFSZ, never a damaged log. */
Test(environment, file_size_limits)
{
    for (file_limit = 100; file_limit <= 2000000; file_limit *= 27) {
        char *logs = test_directory();
        struct child plain = plain_program(limit_files);
        child_run(&plain);
        if (file_limit < 100000)
            expect_one_line_more(&plain, (const char *[]){text("CUPPING_DIR=%s", logs), NULL});
        else
            expect_like(&plain, logs, (const char *[]){NULL});
        struct child tasks = {.argv = {CUP_BUILD "/cupping", "tasks", logs, "--json", "-"}};
        child_run(&tasks);
        cr_expect(tasks.status == 0 || (file_limit < 100000 && WEXITSTATUS(tasks.status) == 1),
                  "%zu bytes: %s", file_limit, tasks.err);
        child_free(&tasks);
        if (file_limit > 1000000)
            cr_expect(tasks_recorded(logs) > 0);
        test_directory_remove(logs);
    }
}

Test(environment, full_disk)
{
    char *logs = test_directory();
    if (mount("cupping", logs, "tmpfs", 0, "size=900k"))
        cr_skip_test("no file system can be mounted here");
    struct child plain = plain_program(NULL);
    child_run(&plain);
    expect_like(&plain, logs, (const char *[]){NULL});
    size_t count = tasks_recorded(logs);
    json_t *health = json_object_get(report_of(logs), "health");
    cr_expect(json_integer_value(json_object_get(health, "records_dropped")) > 0);
    umount(logs);
    rmdir(logs);
    cr_expect(count > 0 && count < 3000, "%zu tasks on a disk that has room for some", count);
}

/* ---- standard streams
 * ------------------------------------------------------------------------------ */

static void close_input(void)
{
    close(0);
}

static void close_output(void)
{
    close(1);
}

static void close_errors(void)
{
    close(2);
}

static void close_all(void)
{
    close(0);
    close(1);
    close(2);
}

Test(environment, closed_standard_streams)
{
    void (*const closings[])(void) = {close_input, close_output, close_errors, close_all};
    for (size_t i = 0; i < sizeof closings / sizeof *closings; i++) {
        char *logs = test_directory();
        struct child plain = plain_program(closings[i]);
        child_run(&plain);
        struct child recorded = child_recorded(&plain, logs);
        child_run(&recorded);
        cr_expect(plain.status == recorded.status, "0x%x, 0x%x", plain.status, recorded.status);
        cr_expect(strcmp(plain.out, recorded.out) == 0);
        cr_expect(strcmp(plain.err, recorded.err) == 0, "%s\n%s", plain.err, recorded.err);
        cr_expect(tasks_recorded(logs) == 3000, "%zu tasks", tasks_recorded(logs));
        test_directory_remove(logs);
    }
}

/* ---- what the program brings along
 * --------------------------------------------------------------- */

static void make_library(const char *directory, const char *path, int kilobytes)
{
    const char *source = text("%s/storage.c", directory);
    FILE *file = fopen(source, "w");
    cr_assert(file != NULL);
    fputs("__thread char storage[SIZE] __attribute__((tls_model(\"initial-exec\")));\n"
          "char *storage_here(void) { return storage; }\n",
          file);
    fclose(file);
    struct child compiler = {
        .argv = {"gcc", "-shared", "-fPIC", text("-DSIZE=%d*1024", kilobytes), "-o", path, source}};
    child_run(&compiler);
    cr_assert(compiler.status == 0, "%s", compiler.err);
    child_free(&compiler);
}

/* The C library takes it out of each thread's stack: of the sampler's, too, which is a small one.
 */
Test(environment, much_thread_local_storage)
{
    static const char busy[] = "import time\n"
                               "end = time.time() + 0.1\n"
                               "while time.time() < end:\n"
                               "    exec('x = 1')\n"
                               "print('done')";
    char *directory = test_directory();
    const char *path = text("%s/libstorage.so", directory),
               *preload = text("LD_PRELOAD=" CUP_BUILD "/libcupping.so:%s", path);
    for (int kilobytes = 234; kilobytes <= 254; kilobytes += 2) {
        char *logs = test_directory();
        make_library(directory, path, kilobytes);
        struct child program = {
            .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/run_task.py", "-c", busy},
            .settings = {preload}};
        struct child recorded = child_recorded(&program, logs);
        child_run(&recorded);
        cr_expect(recorded.status == 0 && strcmp(recorded.out, "done\n") == 0, "%d KiB: 0x%x: %s%s",
                  kilobytes, recorded.status, recorded.out, recorded.err);
        child_free(&recorded);
        json_t *tasks = tasks_of(logs);
        cr_expect(tasks_count(tasks) == 1, "%d KiB: %zu tasks", kilobytes, tasks_count(tasks));
        json_decref(tasks);
        test_directory_remove(logs);
    }
    test_directory_remove(directory);
}
