/* An XRootD server of a test's own, with ROOT files. */
#ifndef CUPPING_TESTS_E2E_XROOTD_SERVER_H
#define CUPPING_TESTS_E2E_XROOTD_SERVER_H

#include <sys/types.h>

/* "root://localhost:PORT/" while it runs. */
extern char xrootd_url[64];

/* Skips the test where there is no server, or no client in Python. */
void xrootd_need(void);

/* With the files of tests/workloads/xrootd_files.py; and its end, which takes them away. */
void xrootd_start(void);
void xrootd_stop(void);

/* It dies; and another one with the same files, at another port. */
void xrootd_kill(void);
void xrootd_start_again(void);

pid_t xrootd_pid(void);
const char *xrootd_files(void); /* the directory that it serves */
long long xrootd_file_bytes(const char *name);

/* A test's program of its own, of at most three words after its name, and NULL; how it ended. */
int child_status(const char *const argv[]);

#endif
