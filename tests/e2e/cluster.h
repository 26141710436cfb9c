/* A real Dask cluster: `dask scheduler` and `dask worker` as programs of their own, under
 * wrappers/cupping-run or not, and scripts of tests/workloads run against it. */
#pragma once

#include "tests/e2e/process.h"

#include <stdbool.h>

enum cup_launch {
    CUP_UNDER_RUN = 0,  /* wrappers/cupping-run -o PROFILE -- ... */
    CUP_BY_ENVIRONMENT, /* LD_PRELOAD=... CUPPING_DIR=PROFILE ... */
    /* wrappers/cupping-dask-worker ADDRESS ..., which takes the `dask` on PATH: the worker alone,
     * with its log in DIRECTORY/cupping-dask-HOST-PORT */
    CUP_BY_WORKER_WRAPPER,
    CUP_NOT_PROFILED,
};

/* All but the directory may be left zero. */
struct cup_cluster_options {
    const char *directory; /* for logs, scratch and profile; exists */
    const char *python;    /* default: CUP_PYTHON */
    const char *profile;   /* default: DIRECTORY/profile */
    int threads;           /* of each worker; default 1 */
    int workers;           /* default 1 */
    const char *memory;    /* limit of each worker */
    bool no_nanny;
    bool client_too; /* scripts are profiled as the servers are */
    enum cup_launch launch;
    const char *const *under;       /* command put before `dask worker`, NULL-terminated */
    const char *const *environment; /* of all programs, on top of the usual; NULL-terminated */
};

enum { CUP_CLUSTER_VARIABLES = 32 };

struct cup_cluster {
    struct cup_cluster_options options;
    char directory[2048];
    char profile[2100];
    char address[256];
    struct cup_process scheduler, worker;
    char *environment[CUP_CLUSTER_VARIABLES];
};

/* Starts scheduler and worker. The scheduler's address is known when it returns; workers connect
 * later, and scripts wait for them. Fails the test on any error. */
void cup_cluster_start(struct cup_cluster *cluster, const struct cup_cluster_options *options);

/* Runs tests/workloads/SCRIPT ADDRESS ARGUMENTS... to its end; status 0 expected. */
void cup_cluster_script(struct cup_cluster *cluster, const char *script,
                        const char *const *arguments);

/* Ends it as a batch system does: SIGTERM to worker and scheduler, then it waits. */
void cup_cluster_stop(struct cup_cluster *cluster);

/* Interpreter that tests use. */
const char *cup_python(void);

/* Names of the variables that no program of a test may inherit; NULL-terminated, for an
 * environment. */
extern const char *const cup_clean_environment[];
