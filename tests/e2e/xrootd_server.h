/* An XRootD server for one test, with ROOT files. */
#pragma once

#include <sys/types.h>

/* "root://localhost:PORT/" while it runs. */
extern char xrootd_url[64];

/* Skips the test if no server, or no Python client, is installed. */
void xrootd_need(void);

/* Starts it with the files of tests/workloads/xrootd_files.py; stops it and removes them. */
void xrootd_start(void);
void xrootd_start_tls(void);  /* at "roots://localhost:PORT/"; skips the test without openssl */
void xrootd_start_slow(void); /* sends 3 MB a second, and logs each request, in microseconds */
void xrootd_stop(void);

/* Kills it; starts another one with the same files, at another port. */
void xrootd_kill(void);
void xrootd_start_again(void);

/* Writes those files into the directory TO. */
void xrootd_make_files(const char *to);

pid_t xrootd_pid(void);
const char *xrootd_files(void); /* the directory that it serves */
const char *xrootd_log(void);
const char *xrootd_authorities(void); /* a client's X509_CERT_DIR, for TLS */
long long xrootd_file_bytes(const char *name);

/* Runs a program with up to three arguments, and NULL. Returns its status. */
int child_status(const char *const argv[]);
