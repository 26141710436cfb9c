/* A redirector of XRootD with two data servers, for one test. The first has 0.root, and the second
 * 1.root, of tests/workloads/xrootd_files.py. */
#pragma once

#include <sys/types.h>

struct redirector {
    char url[64];       /* "root://localhost:PORT/" of the redirector */
    char server[2][64]; /* "root://127.0.0.1:PORT" of each data server */
    pid_t pid[2];       /* of each data server */
};

/* Starts all of them, and waits until the redirector knows both data servers; or skips the test. */
void redirector_start(struct redirector *redirector);
void redirector_stop(void);
