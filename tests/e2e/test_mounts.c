/* Files of a mounted file system: real mounts by FUSE (bindfs), one of which is slow. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/process.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(mounts, .timeout = 120);

enum { FILE_BYTES = 1 << 20, TASKS = 2 };

struct mount {
    char place[512];
    struct cup_process process;
};

static bool is_mounted(const char *place)
{
    struct stat here, above;
    return stat(place, &here) == 0 && stat(text("%s/..", place), &above) == 0 &&
           here.st_dev != above.st_dev;
}

/* Mounts DIRECTORY/files at DIRECTORY/NAME; OPTION: of bindfs. False: no mount can be made here. */
static bool mount_files(struct mount *mount, const char *directory, const char *name,
                        const char *option)
{
    snprintf(mount->place, sizeof mount->place, "%s/%s", directory, name);
    const char *const argv[] = {"bindfs",     "-f", option, text("%s/files", directory),
                                mount->place, NULL};
    cr_assert(mkdir(mount->place, 0755) == 0);
    cup_process_start(&mount->process, name, text("%s/%s.log", directory, name), argv, NULL);
    for (int i = 0; i < 100 && !is_mounted(mount->place); i++)
        usleep(50000);
    return is_mounted(mount->place);
}

static void unmount_files(struct mount *mount)
{
    cup_process_signal(&mount->process, SIGTERM); /* it unmounts */
    for (int i = 0; i < 100 && is_mounted(mount->place); i++)
        usleep(50000);
    umount2(mount->place, MNT_DETACH); /* if it did not */
    cup_process_kill(&mount->process);
}

static void write_files(const char *directory)
{
    cr_assert(mkdir(text("%s/files", directory), 0755) == 0);
    for (int i = 0; i < TASKS; i++) {
        FILE *file = fopen(text("%s/files/%d.dat", directory, i), "we");
        cr_assert(file && ftruncate(fileno(file), FILE_BYTES) == 0 && fclose(file) == 0);
    }
}

/* Prints the seconds that the tasks took that read from DIRECTORY/slow. */
static const char *program(const char *directory)
{
    return text("import time\n"
                "from run_task import run\n"
                "def read(path):\n"
                "    with open(path, 'rb', buffering=0) as file:\n"
                "        while file.read(65536): pass\n"
                "sum = 0\n"
                "for i in range(%d):\n"
                "    run(f'fast-{i}', lambda: read(f'%s/fast/{i}.dat'))\n"
                "    start = time.monotonic()\n"
                "    run(f'slow-{i}', lambda: read(f'%s/slow/{i}.dat'))\n"
                "    sum += time.monotonic() - start\n"
                "print(sum)\n",
                TASKS, directory, directory);
}

static json_t *row_of(json_t *report, const char *name)
{
    size_t i;
    json_t *row, *rows = json_object_get(json_object_get(report, "servers"), "rows");
    json_array_foreach(rows, i, row) if (strcmp(json_string_value(json_object_get(row, "server")),
                                                name) == 0) return row;
    cr_assert_fail("no row of %s", name);
    return NULL;
}

static double number(json_t *row, const char *field)
{
    return json_number_value(json_object_get(row, field));
}

static void check_report(json_t *report, const char *directory, double seconds)
{
    json_t *slow = row_of(report, text("fuse:%s/slow", directory)),
           *fast = row_of(report, text("fuse:%s/fast", directory));
    cr_expect(number(slow, "waited_s") > 0.9 * seconds && number(slow, "waited_s") < seconds,
              "%f s waiting, %f s by the program", number(slow, "waited_s"), seconds);
    cr_expect(number(fast, "waited_s") < 0.5 * seconds);
    cr_expect_eq(json_array_get(json_object_get(json_object_get(report, "servers"), "rows"), 0),
                 slow, "the slow mount is not the first row");
    cr_expect_eq(cup_count(slow, "recv_bytes"), TASKS * FILE_BYTES);
    cr_expect_eq(cup_count(fast, "recv_bytes"), TASKS * FILE_BYTES);
    cr_expect_eq(cup_count(slow, "tasks"), TASKS);
    cr_expect_eq(cup_count(slow, "files"), TASKS);
    cr_expect(number(slow, "request_p90_s") > 0);
    cr_expect_str_eq(json_string_value(json_object_get(slow, "protocol")), "fuse");
    cr_expect(json_is_null(json_object_get(slow, "errors")), "failed reads are not known");
}

/* CHECK is called with the report, FILES and the seconds that PROGRAM prints. */
static void judge(const char *logs, const char *files, const char *program,
                  void (*check)(json_t *report, const char *directory, double seconds))
{
    struct child plain = {.argv = {CUP_PYTHON, "-c", program},
                          .settings = {"PYTHONPATH=" CUP_TOP "/tests/workloads"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *report = report_of(logs);
    check(report, files, strtod(recorded.out, NULL));
    json_decref(report);
    child_free(&recorded);
}

Test(mounts, of_two_mounts_the_slow_one_comes_first)
{
    if (child_status((const char *[4]){"sh", "-c", "command -v bindfs"}))
        cr_skip_test("no bindfs here (Debian: bindfs)");
    char *logs = test_directory(), *files = test_directory();
    struct mount slow, fast;
    write_files(files);
    bool mounted = mount_files(&fast, files, "fast", "--read-rate=1G") &&
                   mount_files(&slow, files, "slow", "--read-rate=1M");
    if (mounted) {
        judge(logs, files, program(files), check_report);
        unmount_files(&slow);
    }
    unmount_files(&fast);
    test_directory_remove(logs);
    test_directory_remove(files);
    if (!mounted)
        cr_skip_test("FUSE cannot mount here: it needs /dev/fuse and root");
}

/* Mounts DIRECTORY/old, reads of it, unmounts it, and does the same with DIRECTORY/new, to which
 * the kernel gives the device number that is free again. Prints 0. */
static const char *program_of_remount(const char *directory)
{
    return text("import os, subprocess, time\n"
                "from run_task import run\n"
                "def read(path):\n"
                "    with open(path, 'rb', buffering=0) as file:\n"
                "        while file.read(65536): pass\n"
                "def is_mounted(place):\n"
                "    return os.stat(place).st_dev != os.stat(place + '/..').st_dev\n"
                "def use(place, path):\n"
                "    os.mkdir(place)\n"
                "    server = subprocess.Popen(['bindfs', '-f', '%s/files', place],\n"
                "                              env={'PATH': os.environ['PATH']})\n"
                "    while not is_mounted(place): time.sleep(0.01)\n"
                "    run(path, lambda: read(f'{place}/{path}'))\n"
                "    server.terminate()\n"
                "    server.wait()\n"
                "use('%s/old', '0.dat')\n"
                "use('%s/new', '1.dat')\n"
                "print(0)\n",
                directory, directory, directory);
}

static void check_remount(json_t *report, const char *directory, double seconds)
{
    (void)seconds;
    cr_expect_eq(cup_count(row_of(report, text("fuse:%s/old", directory)), "recv_bytes"),
                 FILE_BYTES);
    cr_expect_eq(cup_count(row_of(report, text("fuse:%s/new", directory)), "recv_bytes"),
                 FILE_BYTES);
}

/* As automount does with the repositories of CVMFS. */
Test(mounts, a_device_number_may_be_given_again)
{
    if (child_status((const char *[4]){"sh", "-c", "command -v bindfs"}))
        cr_skip_test("no bindfs here (Debian: bindfs)");
    char *logs = test_directory(), *files = test_directory();
    struct mount first;
    write_files(files);
    bool mounted = mount_files(&first, files, "first", "--read-rate=1G");
    unmount_files(&first);
    if (mounted)
        judge(logs, files, program_of_remount(files), check_remount);
    test_directory_remove(logs);
    test_directory_remove(files);
    if (!mounted)
        cr_skip_test("FUSE cannot mount here: it needs /dev/fuse and root");
}

/* Prints the seconds that two threads of a task took to read from DIRECTORY/slow at the same time.
 */
static const char *program_of_threads(const char *directory)
{
    return text("import threading, time\n"
                "from run_task import run\n"
                "def read(path):\n"
                "    with open(path, 'rb', buffering=0) as file:\n"
                "        while file.read(65536): pass\n"
                "def both():\n"
                "    other = threading.Thread(target=read, args=('%s/slow/0.dat',))\n"
                "    other.start()\n"
                "    read('%s/slow/1.dat')\n"
                "    other.join()\n"
                "start = time.monotonic()\n"
                "run('both', both)\n"
                "print(time.monotonic() - start)\n",
                directory, directory);
}

static void check_threads(json_t *report, const char *directory, double seconds)
{
    json_t *slow = row_of(report, text("fuse:%s/slow", directory));
    double waited = number(slow, "waited_s");
    cr_expect(waited > 0.5 * seconds && waited < seconds, "%f s waiting, %f s by the program",
              waited, seconds);
    cr_expect_eq(cup_count(slow, "recv_bytes"), TASKS * FILE_BYTES);
}

Test(mounts, reads_at_the_same_time_are_waited_for_once)
{
    if (child_status((const char *[4]){"sh", "-c", "command -v bindfs"}))
        cr_skip_test("no bindfs here (Debian: bindfs)");
    char *logs = test_directory(), *files = test_directory();
    struct mount slow;
    write_files(files);
    bool mounted = mount_files(&slow, files, "slow", "--read-rate=1M");
    if (mounted)
        judge(logs, files, program_of_threads(files), check_threads);
    unmount_files(&slow);
    test_directory_remove(logs);
    test_directory_remove(files);
    if (!mounted)
        cr_skip_test("FUSE cannot mount here: it needs /dev/fuse and root");
}
