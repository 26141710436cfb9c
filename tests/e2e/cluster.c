#include "tests/e2e/cluster.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *cup_python(void)
{
    return CUP_PYTHON;
}

const char *const cup_clean_environment[] = {
    "LD_PRELOAD",      "CUPPING_DIR",    "CUPPING_INTERVAL", "CUPPING_MAX_BYTES", "CUPPING_VERBOSE",
    "CUPPING_DISABLE", "CUPPING_STACKS", "CUPPING_CPU_HZ",   "CUPPING_SHARE",     NULL};

/* ---- command lines ------------------------------------------------------------------------- */

enum { ARGUMENTS = 64 };

struct command {
    const char *argv[ARGUMENTS];
    int count;
};

static void add(struct command *command, const char *argument)
{
    cr_assert(command->count + 1 < ARGUMENTS);
    command->argv[command->count++] = argument;
}

static void add_all(struct command *command, const char *const *arguments)
{
    for (; arguments && *arguments; arguments++)
        add(command, *arguments);
}

static void add_launcher(struct command *command, const struct cup_cluster *cluster)
{
    if (cluster->options.launch != CUP_UNDER_RUN)
        return;
    static const char wrapper[] = CUP_TOP "/wrappers/cupping-run";
    const char *const words[] = {wrapper, "-o", cluster->profile, "--", NULL};
    add_all(command, words);
}

/* ---- environment ------------------------------------------------------------------------------
 */

static void set(struct cup_cluster *cluster, const char *format, const char *value)
{
    int at = 0;
    while (cluster->environment[at])
        at++;
    cr_assert(at + 1 < CUP_CLUSTER_VARIABLES);
    if (asprintf(&cluster->environment[at], format, value) < 0)
        cr_assert_fail("out of memory");
}

/* For scheduler, worker and script alike. */
static void set_environment(struct cup_cluster *cluster)
{
    for (int i = 0; cup_clean_environment[i]; i++)
        set(cluster, "%s", cup_clean_environment[i]);
    set(cluster, "PYTHONPATH=%s", CUP_TOP "/tests/workloads");
    set(cluster, "PYTHONDONTWRITEBYTECODE=%s", "1");
    set(cluster, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=%s", "1000");
    if (cluster->options.launch == CUP_BY_ENVIRONMENT) {
        set(cluster, "LD_PRELOAD=%s", CUP_TOP "/build/libcupping.so");
        set(cluster, "CUPPING_DIR=%s", cluster->profile);
    }
    for (const char *const *more = cluster->options.environment; more && *more; more++)
        set(cluster, "%s", *more);
}

/* ---- starting and stopping --------------------------------------------------------------------
 */

/* `dask COMMAND` with the `dask` beside the interpreter: what users type, in the environment that
 * is asked for. In old releases it is a program `dask-COMMAND`. */
static void add_dask(struct command *command, const struct cup_cluster *cluster, char *path,
                     size_t size, const char *what)
{
    const char *python = cluster->options.python;
    int length = snprintf(path, size, "%.*sdask", (int)(strrchr(python, '/') + 1 - python), python);
    bool is_old = access(path, X_OK) != 0;
    if (is_old)
        snprintf(path + length, size - (size_t)length, "-%s", what);
    add(command, path);
    if (!is_old)
        add(command, what);
}

static bool read_address(const char *path, char *address, size_t size)
{
    json_t *file = json_load_file(path, 0, NULL);
    const char *text = json_string_value(json_object_get(file, "address"));
    bool found = text != NULL;
    if (found)
        snprintf(address, size, "%s", text);
    json_decref(file);
    return found;
}

static void wait_for_scheduler(struct cup_cluster *cluster, const char *path)
{
    enum { LONGEST_S = 120, LOOK_EVERY_MS = 20 };
    for (int looks = LONGEST_S * 1000 / LOOK_EVERY_MS; looks > 0; looks--) {
        if (read_address(path, cluster->address, sizeof cluster->address))
            return;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_MS * 1000000L}, NULL);
    }
    cr_assert_fail("the scheduler does not come up: %s", cluster->scheduler.log);
}

static void start_scheduler(struct cup_cluster *cluster)
{
    char file[2200], log[2200], dask[2200];
    struct command command = {0};
    snprintf(file, sizeof file, "%s/scheduler.json", cluster->directory);
    snprintf(log, sizeof log, "%s/scheduler.log", cluster->directory);
    unlink(file);
    add_launcher(&command, cluster);
    add_dask(&command, cluster, dask, sizeof dask, "scheduler");
    const char *const words[] = {"--host",         "127.0.0.1",        "--port", "0",
                                 "--no-dashboard", "--scheduler-file", file,     NULL};
    add_all(&command, words);
    cup_process_start(&cluster->scheduler, "scheduler", log, command.argv,
                      (const char *const *)cluster->environment);
    wait_for_scheduler(cluster, file);
}

static void start_worker(struct cup_cluster *cluster)
{
    char log[2200], scratch[2200], dask[2200], threads[16], workers[16];
    struct command command = {0};
    snprintf(log, sizeof log, "%s/worker.log", cluster->directory);
    snprintf(scratch, sizeof scratch, "%s/scratch", cluster->directory);
    snprintf(threads, sizeof threads, "%d", cluster->options.threads);
    snprintf(workers, sizeof workers, "%d", cluster->options.workers);
    add_launcher(&command, cluster);
    add_all(&command, cluster->options.under);
    if (cluster->options.launch == CUP_BY_WORKER_WRAPPER)
        add(&command, CUP_TOP "/wrappers/cupping-dask-worker");
    else
        add_dask(&command, cluster, dask, sizeof dask, "worker");
    const char *const words[] = {cluster->address,
                                 "--no-dashboard",
                                 "--nthreads",
                                 threads,
                                 cluster->options.no_nanny ? "--no-nanny" : "--nanny",
                                 "--memory-limit",
                                 cluster->options.memory,
                                 "--local-directory",
                                 scratch,
                                 "--death-timeout",
                                 "60",
                                 NULL};
    add_all(&command, words);
    if (cluster->options.workers > 1) { /* 2022.1 does not know this option */
        add(&command, "--nworkers");
        add(&command, workers);
    }
    cup_process_start(&cluster->worker, "worker", log, command.argv,
                      (const char *const *)cluster->environment);
}

void cup_cluster_start(struct cup_cluster *cluster, const struct cup_cluster_options *options)
{
    *cluster = (struct cup_cluster){.options = *options};
    struct cup_cluster_options *chosen = &cluster->options;
    chosen->python = chosen->python ? chosen->python : cup_python();
    chosen->threads = chosen->threads ? chosen->threads : 1;
    chosen->workers = chosen->workers ? chosen->workers : 1;
    chosen->memory = chosen->memory ? chosen->memory : "0";
    snprintf(cluster->directory, sizeof cluster->directory, "%s", options->directory);
    if (options->profile)
        snprintf(cluster->profile, sizeof cluster->profile, "%s", options->profile);
    else
        snprintf(cluster->profile, sizeof cluster->profile, "%s/profile", cluster->directory);
    set_environment(cluster);
    start_scheduler(cluster);
    start_worker(cluster);
}

void cup_cluster_script(struct cup_cluster *cluster, const char *script,
                        const char *const *arguments)
{
    char path[2200], log[2200];
    struct command command = {0};
    snprintf(path, sizeof path, CUP_TOP "/tests/workloads/%s", script);
    snprintf(log, sizeof log, "%s/%s.log", cluster->directory, script);
    if (cluster->options.client_too)
        add_launcher(&command, cluster);
    add(&command, cluster->options.python);
    add(&command, path);
    add(&command, cluster->address);
    add_all(&command, arguments);
    if (!cluster->options.client_too)
        set(cluster, "%s", "LD_PRELOAD");
    cup_run(script, log, command.argv, (const char *const *)cluster->environment, 540);
}

/* strace with an output file ignores SIGTERM: it is meant for what it traces. */
static int traced_by(int pid)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    char *name = cup_read_file(path);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    char *children = name && strcmp(name, "strace\n") == 0 ? cup_read_file(path) : NULL;
    if (children)
        child = atoi(children);
    free(children);
    free(name);
    return child;
}

static void ask_worker_to_end(const struct cup_cluster *cluster)
{
    int traced = traced_by((int)cluster->worker.pid);
    if (traced > 0)
        kill(traced, SIGTERM);
    else
        cup_process_signal(&cluster->worker, SIGTERM);
}

void cup_cluster_stop(struct cup_cluster *cluster)
{
    ask_worker_to_end(cluster);
    cup_process_wait(&cluster->worker, 60);
    cup_process_signal(&cluster->scheduler, SIGTERM);
    cup_process_wait(&cluster->scheduler, 60);
    for (int i = 0; cluster->environment[i]; i++)
        free(cluster->environment[i]);
    memset(cluster->environment, 0, sizeof cluster->environment);
}
