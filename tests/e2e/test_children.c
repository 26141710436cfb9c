/* Processes that tasks start: their reads belong to the task, in every way to start a process,
 * with four tasks at a time; and the processes notice nothing. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKLOAD(name) CUP_TOP "/tests/workloads/" name

enum { LARGEST_LOG = 32768 };

/* Lines "key bytes"; returns how many children read. */
static int expect_children(const char *path, json_t *tasks, const char *python)
{
    char key[128];
    long long bytes;
    int readers = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL);
    while (fscanf(file, "%127s %lld", key, &bytes) == 2) {
        long long counted = task_number(tasks, key, "child_read_bytes");
        cr_expect(counted == bytes, "%s: %s: %lld bytes, must be %lld", python, key, counted,
                  bytes);
        cr_expect(task_number(tasks, key, "read_bytes") == 0, "%s: %s reads", python, key);
        readers += bytes > 0;
    }
    fclose(file);
    cr_expect(readers > 0);
    return readers;
}

/* Logs in DIRECTORY, without the largest, which is the parent's. */
static int count_small_logs(const char *directory)
{
    int count = 0, large = 0;
    DIR *logs = opendir(directory);
    for (struct dirent *entry; (entry = readdir(logs)) != NULL;) {
        struct stat status;
        if (entry->d_name[0] == '.' || stat(text("%s/%s", directory, entry->d_name), &status))
            continue;
        count += status.st_size <= LARGEST_LOG;
        large += status.st_size > LARGEST_LOG;
    }
    closedir(logs);
    cr_expect(large == 1, "%d large logs", large);
    return count;
}

static void check_ways(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = {.argv = {python, WORKLOAD("children.py"), scratch},
                          .settings = {"PYTHONWARNINGS=ignore"}}; /* of forks with threads */
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    json_t *tasks = tasks_of(logs);
    int readers = expect_children(text("%s/expected", scratch), tasks, python);
    int small = count_small_logs(logs);
    cr_expect(small == readers, "%s: %d logs of %d children that read", python, small, readers);
    json_decref(tasks);
    child_free(&plain);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(children, of_four_tasks_at_once)
{
    for_each_python(check_ways);
}

static void check_shared(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = {.argv = {python, WORKLOAD("children_shared.py"), scratch},
                          .settings = {"PYTHONWARNINGS=ignore"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_expect(recorded.status == 0 && recorded.err_bytes == 0, "%s: %s", python, recorded.err);
    json_t *tasks = tasks_of(logs);
    expect_children(text("%s/expected", scratch), tasks, python);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* A pool of processes is its task's while nobody else uses it, and then nobody's. */
Test(children, that_two_tasks_share_are_nobodys)
{
    for_each_python(check_shared);
}

static void check_unnoticed(const char *python)
{
    char *logs = test_directory();
    struct child plain = {.argv = {python, WORKLOAD("children_unnoticed.py")}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    cr_expect(strstr(plain.out, "room 0 7 7\n") && strstr(plain.out, "the end\n"), "%s", plain.out);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_of(tasks, "environments") != NULL, "%s: nothing was recorded", python);
    json_decref(tasks);
    child_free(&plain);
    child_free(&recorded);
    test_directory_remove(logs);
}

Test(children, notice_nothing)
{
    for_each_python(check_unnoticed);
}

/* Outside a task nobody's children are followed, whatever they read. */
Test(children, of_no_task_leave_no_log)
{
    char *logs = test_directory();
    struct child plain = {.argv = {CUP_PYTHON, "-c",
                                   "import os, subprocess, multiprocessing as m\n"
                                   "subprocess.check_output(['cat', '/usr/bin/env'])\n"
                                   "os.system('cat /usr/bin/env | wc -c')\n"
                                   "child = m.get_context('fork').Process(\n"
                                   "    target=os.system, args=('cat /usr/bin/env >/dev/null',))\n"
                                   "child.start()\n"
                                   "child.join()\n"
                                   "print(child.exitcode)"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    cr_expect(strstr(plain.out, "\n0\n") != NULL, "%s", plain.out);
    cr_expect(rmdir(logs) == 0, "a log was written");
    child_free(&plain);
    child_free(&recorded);
}

/* ---- the kernel's own count -------------------------------------------------------------- */

/* Waits for children in every way, and prints how much the kernel counted for them. A wait returns
 * only what the program asks for, so it looks at each child before it waits. */
static const char waiting[] =
    "import os, subprocess, sys\n"
    "sys.path.insert(0, '" CUP_TOP "/tests/workloads')\n"
    "from run_task import run\n"
    "total = 0\n"
    "def started(*command):\n"
    "    global total\n"
    "    pid = os.posix_spawn(command[0], command, os.environ,\n"
    "        file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])\n"
    "    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)\n"
    "    total += int(open(f'/proc/{pid}/io').read().split()[1])\n"
    "    return pid\n"
    "def body():\n"
    "    cat = '/bin/cat', '/usr/bin/env'\n"
    "    os.waitpid(started(*cat), 0)\n"
    "    os.waitpid(started(*cat), os.WNOHANG)\n"
    "    os.wait4(started(*cat), 0)\n"
    "    os.waitid(os.P_PID, started(*cat), os.WEXITED)\n"
    "    started('/bin/sh', '-c', 'cat /usr/bin/env; cat /usr/bin/env')\n"
    "    os.wait()\n"
    "run('body', body)\n"
    "print(total)\n";

/* The number behind "NAME=" in what `cupping dump` says of the largest log. */
static long long health(const char *directory, const char *name)
{
    struct child child = {
        .argv = {"sh", "-c",
                 text("'%s/cupping' dump \"$(ls -S '%s'/*.cup | head -n 1)\" | grep '^health:'",
                      CUP_BUILD, directory)}};
    child_run(&child);
    const char *at = strstr(child.out, text(" %s=", name));
    long long number = at ? atoll(strchr(at, '=') + 1) : -1;
    child_free(&child);
    return number;
}

Test(children, are_in_the_kernels_count)
{
    char *logs = test_directory();
    struct child plain = {.argv = {CUP_PYTHON, "-c", waiting}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    if (geteuid() != 0 && strstr(recorded.err, "PermissionError"))
        cr_skip_test("only root may look at a child that has ended");
    cr_expect(recorded.status == 0 && recorded.err_bytes == 0, "%s", recorded.err);
    long long reaped = health(logs, "reaped_read_bytes"), own = health(logs, "own_read_bytes");
    cr_expect(reaped == atoll(recorded.out), "%lld, must be %s", reaped, recorded.out);
    long long read = health(logs, "kernel_read_stop") - health(logs, "kernel_read_start");
    cr_expect(own > 0 && read >= reaped + own, "%lld in all, %lld ours", read, own);
    child_free(&recorded);
    test_directory_remove(logs);
}
