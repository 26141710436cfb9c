/* Tasks that wait for a slow server: they waited for it as long as its own log says, whichever
 * thread of theirs asked and received. Skipped without nginx. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/s3_server.h"
#include "tests/e2e/witness.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(http_waits, .timeout = 240);

/* A file of 2.9 MB takes two seconds. */
static const char slow[] = "limit_rate 1m;";

static char *make_files(const char *name)
{
    char *scratch = cup_scratch(name);
    cr_assert(mkdir(text("%s/files", scratch), 0755) == 0);
    xrootd_make_files(text("%s/files", scratch));
    const char *const argv[] = {CUP_PYTHON, CUP_TOP "/tests/workloads/http_job.py",
                                text("%s/files", scratch), NULL};
    cup_run("http_job.py", text("%s/http_job.log", scratch), argv, cup_clean_environment, 120);
    return scratch;
}

/* CERTIFICATE NULL: the server does not speak TLS. */
static void run_clients(const char *scratch, const char *url, const char *clients, int threads,
                        const char *certificate)
{
    struct cup_cluster cluster;
    const char *const arguments[] = {url, clients, "2", NULL};
    const char *const environment[] = {
        "PYTHONPATH=" S3_PACKAGES, certificate ? text("SSL_CERT_FILE=%s", certificate) : NULL,
        text("REQUESTS_CA_BUNDLE=%s", certificate), text("AWS_CA_BUNDLE=%s", certificate), NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = scratch,
                                                              .threads = threads,
                                                              .environment = environment});
    cup_cluster_script(&cluster, "http_job.py", arguments);
    cup_cluster_stop(&cluster);
}

/* The server's log and cupping agree within some per cent; here is room for a loaded machine. */
static void check_task(json_t *row, json_t *log)
{
    const char *key = cup_word(row, "key");
    double served = http_waited(log, key), sockets = cup_number(row, "poll_wait_s");
    cr_expect(served > 1 && sockets > 0.8 * served && sockets < 1.1 * served + 0.5,
              "%s: %.3f s on sockets, the server says %.3f s", key, sockets, served);
}

static void check_waits(const char *scratch, json_t *log, size_t tasks)
{
    size_t i;
    json_t *row, *rows = cup_tasks(scratch);
    cr_assert_eq(json_array_size(rows), tasks);
    json_array_foreach(rows, i, row) if (strncmp(cup_word(row, "key"), "lock", 4))
        check_task(row, log);
    cup_check_sane(rows);
    json_decref(rows);
}

/* A task that waits for a lock after its answers, on connections that are kept, waits for a lock.
 */
static void check_lock(const char *scratch, json_t *log)
{
    json_t *rows = cup_tasks(scratch), *row = cup_row(rows, "lock-0", 1);
    double locks = cup_number(row, "lock_wait_s"), sockets = cup_number(row, "poll_wait_s");
    double served = http_waited(log, "lock-0");
    cr_expect(locks > 0.9 && sockets < served + 0.5, "%.3f s for locks, %.3f s on sockets, %.3f s",
              locks, sockets, served);
    json_decref(rows);
}

static void check_advice(const char *scratch)
{
    size_t i;
    bool network = false;
    json_t *report = cup_report(scratch), *advice;
    json_array_foreach(json_object_get(report, "advice"), i, advice)
    {
        network |= cup_is(advice, "rule", "network_bound");
    }
    cr_expect(network);
    json_decref(report);
}

static void judge(const char *name, const char *clients, int threads, size_t tasks, bool tls)
{
    http_need();
    struct http_server server;
    char *scratch = make_files(name);
    const char *files = text("%s/files", scratch);
    http_start(&server, &(struct http_options){.files = files, .settings = slow, .tls = tls});
    run_clients(scratch, server.url, clients, threads,
                tls ? text("%s/certificate", server.directory) : NULL);
    json_t *log = http_stop(&server);
    check_waits(scratch, log, tasks);
    if (strstr(clients, "lock"))
        check_lock(scratch, log);
    check_advice(scratch);
    json_decref(log);
    free(scratch);
}

Test(http_waits, plain)
{
    judge("http-waits", "uproot,requests,arrowhttp,lock", 4, 8, false);
}

Test(http_waits, tls)
{
    judge("http-waits-tls", "uproot,requests,lock", 4, 6, true);
}

/* fsspec's loop was started by the first task, and pyarrow's threads, which are of no task, wait
 * for it. */
Test(http_waits, tls_of_a_native_pool_and_one_thread)
{
    judge("http-waits-tls-1", "arrowhttp", 1, 2, true);
}

static void judge_s3(const char *name, const char *clients, size_t tasks, bool tls)
{
    s3_need();
    struct s3_server server;
    char *scratch = make_files(name);
    const char *files = text("%s/files", scratch);
    s3_start(&server, &(struct http_options){.files = files, .settings = slow, .tls = tls});
    run_clients(scratch, text("%s/bucket", server.front.url), clients, 4,
                tls ? text("%s/certificate", server.front.directory) : NULL);
    json_t *log = s3_stop(&server);
    check_waits(scratch, log, tasks);
    check_advice(scratch);
    json_decref(log);
    free(scratch);
}

Test(http_waits, s3)
{
    judge_s3("http-waits-s3", "uproots3,s3fs,pyarrow,arrows3", 8, false);
}

/* Arrow's threads send the requests of four tasks. */
Test(http_waits, s3_over_tls)
{
    judge_s3("http-waits-s3-tls", "uproots3,s3fs,pyarrow,arrows3", 8, true);
}
