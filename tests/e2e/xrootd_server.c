#include "tests/e2e/xrootd_server.h"

#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/http_server.h"
#include "tests/e2e/server_port.h"
#include "tests/e2e/witness.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKLOADS CUP_TOP "/tests/workloads/"

static char *directory; /* where the server runs: its files, settings and log */
char xrootd_url[64];
static struct cup_process server;
static bool over_tls, slow;

/* A test's program of its own; how it ended. */
int child_status(const char *const argv[])
{
    struct child child = {.argv = {argv[0], argv[1], argv[2], argv[3]}};
    child_run(&child);
    int status = child.status;
    child_free(&child);
    return status;
}

void xrootd_need(void)
{
    if (child_status((const char *[4]){"sh", "-c", "command -v xrootd"}))
        cr_skip_test("no xrootd server here (Debian: xrootd-server)");
    if (child_status((const char *[4]){CUP_PYTHON, "-c", "import XRootD.client, fsspec_xrootd"}))
        cr_skip_test("no XRootD client in " CUP_PYTHON);
}

static void write_settings(int port)
{
    FILE *file = fopen(text("%s/settings", directory), "we");
    cr_assert(file != NULL);
    fprintf(file,
            "xrd.port %d\nxrd.protocol xroot *\nall.export /\noss.localroot %s/files\n"
            "all.adminpath %s/admin\nall.pidpath %s/admin\n",
            port, directory, directory, directory);
    if (over_tls)
        fprintf(file,
                "xrd.tls %s/certificate %s/key\nxrd.tlsca certfile %s/certificate\n"
                "xrootd.tls capable all\n",
                directory, directory, directory);
    if (slow)
        fprintf(file, "xrootd.fslib throttle default\nthrottle.throttle data 3m interval 100\n"
                      "xrootd.async off\nxrootd.trace all\n");
    cr_assert(fclose(file) == 0);
}

/* A server refuses to be root; then it becomes nobody, who must be able to get at its files. */
void xrootd_start_again(void)
{
    int port = server_free_port();
    const char *settings = text("%s/settings", directory), *log = text("%s/admin/log", directory);
    const char *const argv[] = {"xrootd", "-z", "-c", settings, "-l", log, geteuid() ? NULL : "-R",
                                "nobody", NULL};
    write_settings(port);
    cup_process_start(&server, "xrootd", text("%s/output", directory), argv, cup_clean_environment);
    server_wait(&server, port);
    snprintf(xrootd_url, sizeof xrootd_url, "root%s://localhost:%d/", over_tls ? "s" : "", port);
}

void xrootd_make_files(const char *to)
{
    const char *const argv[] = {CUP_PYTHON, WORKLOADS "xrootd_files.py", to, NULL};
    cup_run("xrootd_files.py", text("%s.log", to), argv, cup_clean_environment, 120);
}

/* Clients find a certificate by the hash of its name. The server reads its key as nobody. */
static void make_certificate(void)
{
    http_make_certificate(directory);
    const char *script = text("cd %s && mkdir authorities && "
                              "cp certificate authorities/localhost.pem && "
                              "openssl rehash authorities && "
                              "{ [ $(id -u) != 0 ] || chown nobody key; }",
                              directory);
    cr_assert_eq(child_status((const char *[4]){"sh", "-c", script}), 0);
}

static void make_files(void)
{
    directory = test_directory();
    cr_assert(chmod(directory, 0755) == 0);
    cr_assert(mkdir(text("%s/files", directory), 0755) == 0);
    cr_assert(mkdir(text("%s/admin", directory), 0777) == 0);
    cr_assert(chmod(text("%s/admin", directory), 0777) == 0);
    xrootd_make_files(text("%s/files", directory));
}

void xrootd_start(void)
{
    make_files();
    xrootd_start_again();
}

void xrootd_start_tls(void)
{
    make_files();
    make_certificate();
    over_tls = true;
    xrootd_start_again();
}

void xrootd_start_slow(void)
{
    make_files();
    slow = true;
    xrootd_start_again();
}

void xrootd_kill(void)
{
    cup_process_kill(&server);
}

void xrootd_stop(void)
{
    xrootd_kill();
    test_directory_remove(directory);
}

pid_t xrootd_pid(void)
{
    return server.pid;
}

const char *xrootd_files(void)
{
    return text("%s/files", directory);
}

const char *xrootd_log(void)
{
    return text("%s/admin/log", directory);
}

const char *xrootd_authorities(void)
{
    return text("%s/authorities", directory);
}

long long xrootd_file_bytes(const char *name)
{
    struct stat status;
    cr_assert(stat(text("%s/%s", xrootd_files(), name), &status) == 0);
    return status.st_size;
}
