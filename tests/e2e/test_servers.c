/* Which server was slow or failed: real XRootD data servers behind a redirector, and two nginx. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/http_server.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/xrootd_redirector.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(servers, .timeout = 240);

static struct redirector redirector;

/* What each file that is read has besides its reads: asked for its size, and closed. */
enum { STAT_AND_CLOSE = 2 };

/* The picture can be drawn from the same requests. */
static void expect_plot(const char *logs, const char *plot)
{
    struct child draw = {.argv = {CUP_BUILD "/cupping", "plot", logs, plot, "-o", logs}};
    child_run(&draw);
    cr_expect(draw.status == 0, "%s: %s", plot, draw.err);
    child_free(&draw);
}

/* The report of xrootd_slow.py; *OUT: what it printed. PACKAGES: where it finds XRootD's client. */
static json_t *report_on(const char *mode, const char *packages, char **out)
{
    char *logs = test_directory();
    struct child plain = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/xrootd_slow.py",
                                   redirector.url, text("%d", (int)redirector.pid[0]), mode},
                          .settings = {"XRD_CONNECTIONWINDOW=1", "XRD_CONNECTIONRETRY=1",
                                       "XRD_STREAMERRORWINDOW=1", "XRD_REQUESTTIMEOUT=20",
                                       text("PYTHONPATH=%s", packages)}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    *out = strdup(recorded.out);
    json_t *report = report_of(logs);
    expect_plot(logs, "server-latency");
    expect_plot(logs, "server-quantiles");
    expect_plot(logs, "server-hosts");
    child_free(&recorded);
    test_directory_remove(logs);
    return report;
}

/* The row of a server; NULL: none. */
static json_t *row_of(json_t *report, const char *server)
{
    size_t i;
    json_t *row, *rows = json_object_get(json_object_get(report, "servers"), "rows");
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "server"));
        if (name && strcmp(name, server) == 0)
            return row;
    }
    return NULL;
}

static double seconds(json_t *row, const char *field)
{
    return json_number_value(json_object_get(row, field));
}

/* What the program itself measured for its tasks whose keys begin with START. */
static double sum_of_tasks(const char *out, const char *start)
{
    double sum = 0;
    for (const char *line = out; line && *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, start, strlen(start)) == 0)
            sum += strtod(strchr(line, ' '), NULL);
    return sum;
}

static void check_stopped_server(const char *packages)
{
    char *out;
    redirector_start(&redirector);
    json_t *report = report_on("stop", packages, &out);
    json_t *slow = row_of(report, redirector.server[0]),
           *fast = row_of(report, redirector.server[1]);
    cr_assert(slow && fast, "no rows of both data servers");
    double stopped = sum_of_tasks(out, "stopped");
    cr_expect(stopped > 7.9 && seconds(slow, "waited_s") > 0.95 * stopped &&
                  seconds(slow, "waited_s") < 1.05 * stopped + sum_of_tasks(out, "read_"),
              "%f s waiting, %f s stopped: %s", seconds(slow, "waited_s"), stopped, out);
    cr_expect(seconds(fast, "waited_s") < 0.25 * stopped);
    cr_expect_eq(json_array_get(json_object_get(json_object_get(report, "servers"), "rows"), 0),
                 slow, "the slow server is not the first row");
    cr_expect_eq(cup_count(slow, "requests"), 82 + 4 * STAT_AND_CLOSE);
    cr_expect_eq(cup_count(slow, "recv_bytes"), 82 * 1000);
    cr_expect_eq(cup_count(slow, "tasks"), 6);
    cr_expect_eq(cup_count(fast, "requests"), 40 + 2 * STAT_AND_CLOSE, "%lld",
                 (long long)cup_count(fast, "requests"));
    cr_expect_eq(cup_count(slow, "errors"), 0);
    cr_expect(seconds(slow, "request_max_s") > 1.9 && seconds(slow, "open_latency_p99_s") > 1.9);
    json_decref(report);
    free(out);
    redirector_stop();
}

Test(servers, a_data_server_that_stops_has_the_time)
{
    check_stopped_server("");
}

/* It gives the memory of its answers back by another operator delete(). */
Test(servers, are_known_of_the_client_of_debian)
{
    const char *packages = CUP_TOP "/build/xrootd-5.5/usr/lib/python3/dist-packages";
    if (access(packages, R_OK) != 0)
        cr_skip_test("no XRootD client of version 5.5 in %s", packages);
    check_stopped_server(packages);
}

Test(servers, a_data_server_that_is_killed_has_the_errors)
{
    char *out;
    redirector_start(&redirector);
    json_t *report = report_on("kill", "", &out);
    json_t *dead = row_of(report, redirector.server[0]);
    cr_assert(dead != NULL);
    cr_expect_eq(cup_count(dead, "errors"), 2, "%s", out);
    cr_expect_eq(cup_count(dead, "failed_tasks"), 2);
    cr_expect_eq(cup_count(dead, "requests"), 42 + 2 * STAT_AND_CLOSE);
    cr_expect(seconds(dead, "failed_s") > 0);
    cr_expect(json_is_string(json_object_get(dead, "most_frequent_error")));
    cr_expect_eq(cup_count(row_of(report, redirector.server[1]), "errors"), 0);
    json_decref(report);
    free(out);
    redirector_stop();
}

/* ---- HTTP --------------------------------------------------------------------------------------
 */

enum { HTTP_BYTES = 1 << 20, HTTP_TASKS = 2 };

static const char *http_program(const struct http_server *slow, const struct http_server *fast)
{
    return text("from urllib.request import urlopen\n"
                "from run_task import run\n"
                "for i in range(%d):\n"
                "    run(f'fast-{i}', lambda: len(urlopen('%s/data').read()))\n"
                "    run(f'slow-{i}', lambda: len(urlopen('%s/data').read()))\n",
                HTTP_TASKS, fast->url, slow->url);
}

static void write_data(const char *directory)
{
    FILE *file = fopen(text("%s/data", directory), "we");
    cr_assert(file != NULL && ftruncate(fileno(file), HTTP_BYTES) == 0 && fclose(file) == 0);
}

static double sum_of_log(json_t *log, const char *field)
{
    size_t i;
    double sum = 0;
    json_t *answer;
    json_array_foreach(log, i, answer) sum += json_number_value(json_object_get(answer, field));
    return sum;
}

/* Bytes read over time: the sum of that row of the series. */
static double sum_of_series(const char *logs)
{
    double sum = 0;
    struct child dump = {.argv = {"/bin/sh", "-c", text(CUP_BUILD "/cupping dump %s/*.cup", logs)}};
    child_run(&dump);
    const char *row = strstr(dump.out, "\n  read_bytes:"),
               *end = row ? strchr(row + 1, '\n') : NULL;
    cr_assert(row && end, "%s", dump.err);
    for (const char *bin = strchr(row, ' '); bin && bin < end; bin = strchr(bin + 1, ' ')) {
        const char *colon = strchr(bin, ':');
        sum += colon && colon < end ? strtod(colon + 1, NULL) : 0;
    }
    child_free(&dump);
    return sum;
}

/* Starts two servers of the data in FILES, of which SETTINGS make one slow, and runs a program that
 * reads from both. */
static struct child
run_on_two(struct http_server *slow, struct http_server *fast, const char *settings,
           const char *(*program)(const struct http_server *slow, const struct http_server *fast),
           char *files, const char *logs)
{
    write_data(files);
    cr_assert(chmod(files, 0755) == 0);
    http_start(slow, &(struct http_options){.files = files, .settings = settings});
    http_start(fast, &(struct http_options){.files = files});
    struct child plain = {.argv = {CUP_PYTHON, "-c", program(slow, fast)},
                          .settings = {"PYTHONPATH=" CUP_TOP "/tests/workloads"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    return recorded;
}

/* Both deliver the same bytes. */
Test(servers, of_two_http_servers_the_slow_one_comes_first)
{
    http_need();
    char *logs = test_directory(), *files = test_directory();
    struct http_server slow, fast;
    struct child recorded = run_on_two(&slow, &fast, "limit_rate 500k;", http_program, files, logs);
    json_t *report = report_of(logs), *log = http_stop(&slow), *other = http_stop(&fast);
    json_t *row = row_of(report, text("tcp://%s", slow.url + strlen("http://")));
    cr_assert(row != NULL, "no row of %s", slow.url);
    double seconds_of_log = sum_of_log(log, "seconds"), waited = seconds(row, "waited_s");
    cr_expect(seconds_of_log > 1.5 * HTTP_TASKS && waited > 0.9 * seconds_of_log &&
                  waited < 1.1 * seconds_of_log + 0.2,
              "%f s waiting, %f s by the server's log", waited, seconds_of_log);
    cr_expect_eq(json_array_get(json_object_get(json_object_get(report, "servers"), "rows"), 0),
                 row, "the slow server is not the first row");
    cr_expect(cup_count(row, "tasks") == HTTP_TASKS);
    cr_expect_eq(sum_of_series(logs), sum_of_log(log, "sent") + sum_of_log(other, "sent"),
                 "%.0f bytes over time, the servers sent %.0f and %.0f in %zu and %zu answers",
                 sum_of_series(logs), sum_of_log(log, "sent"), sum_of_log(other, "sent"),
                 json_array_size(log), json_array_size(other));
    json_decref(report);
    json_decref(log);
    json_decref(other);
    child_free(&recorded);
    test_directory_remove(logs);
    test_directory_remove(files);
}

/* ---- XRootD ------------------------------------------------------------------------------------
 */

static json_t *seconds_of_log(void)
{
    struct child judge = {
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/xrootd_waits.py", xrootd_log()}};
    child_run(&judge);
    cr_assert(judge.status == 0, "%s", judge.err);
    json_t *held = json_loads(judge.out, 0, NULL);
    cr_assert_not_null(held);
    child_free(&judge);
    return held;
}

/* Six tasks, on four threads. There is room for a loaded machine. */
Test(servers, tasks_wait_as_long_as_the_log_of_xrootd_says)
{
    xrootd_need();
    if (child_status((const char *[4]){"sh", "-c", "ls /usr/lib*/*/libXrdThrottle-*.so"}))
        cr_skip_test("XRootD's throttle is missing (Debian: xrootd-server-plugins)");
    xrootd_start_slow();
    size_t i;
    double all = 0;
    struct cup_cluster cluster;
    char *scratch = cup_scratch("xrootd-waits");
    const char *const arguments[] = {xrootd_url, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = scratch, .threads = 4});
    cup_cluster_script(&cluster, "xrootd_waits.py", arguments);
    cup_cluster_stop(&cluster);
    json_t *row, *rows = cup_tasks(scratch), *held = seconds_of_log();
    cr_expect_eq(json_array_size(rows), 6);
    json_array_foreach(rows, i, row)
    {
        const char *key = cup_word(row, "key");
        double waited = cup_number(row, "io_wait_s"), served = cup_number(held, key);
        cr_expect(waited > 0.9 * served && waited < 1.1 * served + 0.3,
                  "%s waited %f s, the server says %f s", key, waited, served);
        all += served;
    }
    cr_expect(all > 4, "the server held requests for %f s only", all);
    json_decref(rows);
    json_decref(held);
    xrootd_stop();
    free(scratch);
}

/* ---- Dask's own servers ------------------------------------------------------------------------
 */

/* A client that polls a dashboard, and a server of files. */
static const char *polling_program(const struct http_server *files)
{
    return text("from urllib.request import urlopen\n"
                "from distributed import Client, LocalCluster\n"
                "with LocalCluster(n_workers=1, processes=False, dashboard_address='127.0.0.1:0') "
                "as cluster, Client(cluster) as client:\n"
                "    port = cluster.scheduler.http_server.port\n"
                "    for i in range(3):\n"
                "        assert urlopen(f'http://127.0.0.1:{port}/health').read() == b'ok'\n"
                "    task = client.submit(lambda: len(urlopen('%s/data').read()), key='read')\n"
                "    print(port, task.result())\n",
                files->url);
}

Test(servers, dashboards_are_no_storage)
{
    http_need();
    char *logs = test_directory(), *files = test_directory();
    struct http_server server;
    write_data(files);
    cr_assert(chmod(files, 0755) == 0);
    http_start(&server, &(struct http_options){.files = files});
    struct child plain = {.argv = {CUP_PYTHON, "-c", polling_program(&server)}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *report = report_of(logs), *log = http_stop(&server);
    json_t *row = row_of(report, text("tcp://%s", server.url + strlen("http://")));
    cr_assert(row != NULL, "no row of %s", server.url);
    cr_expect_eq(cup_count(row, "requests"), 1);
    cr_expect_null(row_of(report, text("tcp://127.0.0.1:%d", atoi(recorded.out))));
    json_decref(report);
    json_decref(log);
    child_free(&recorded);
    test_directory_remove(logs);
    test_directory_remove(files);
}

/* ---- advice ------------------------------------------------------------------------------------
 */

/* Ten requests and more on either side. */
static const char *many_requests(const struct http_server *slow, const struct http_server *fast)
{
    return text("from urllib.request import urlopen\n"
                "from run_task import run\n"
                "for url in '%s', '%s':\n"
                "    for i in range(4):\n"
                "        run(f'{url[-4:]}-{i}', lambda: [urlopen(url + '/data').read() "
                "for _ in range(3)])\n",
                slow->url, fast->url);
}

/* The advice with that rule; NULL: there is none. */
static json_t *advice_of(json_t *report, const char *rule)
{
    size_t i;
    json_t *advice;
    json_array_foreach(json_object_get(report, "advice"), i,
                       advice) if (cup_is(advice, "rule", rule)) return advice;
    return NULL;
}

Test(servers, a_slow_http_server_is_named_by_the_advice)
{
    http_need();
    char *logs = test_directory(), *files = test_directory();
    struct http_server slow, fast;
    struct child recorded = run_on_two(&slow, &fast, "limit_rate 4m;", many_requests, files, logs);
    json_t *report = report_of(logs), *log = http_stop(&slow), *other = http_stop(&fast);
    json_t *advice = advice_of(report, "slow_server");
    cr_assert(advice != NULL, "no advice on the slow server");
    cr_expect(strstr(cup_word(advice, "text"), text("tcp://%s is slow", slow.url + 7)), "%s",
              cup_word(advice, "text"));
    cr_expect_eq(cup_count(row_of(report, text("tcp://%s", slow.url + 7)), "requests"),
                 (json_int_t)json_array_size(log));
    expect_plot(logs, "server-latency");
    json_decref(report);
    json_decref(log);
    json_decref(other);
    child_free(&recorded);
    test_directory_remove(logs);
    test_directory_remove(files);
}

/* ---- requests that queue in XRootD's client ----------------------------------------------------
 */

/* The report of xrootd_bursts.py with SIZE requests out at a time; *MEASURED: what its client did.
 */
static json_t *report_on_bursts(const char *size, void (*start)(void), json_t **measured)
{
    xrootd_need();
    start();
    char *logs = test_directory();
    struct child plain = {
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/xrootd_bursts.py", xrootd_url, size},
        .settings = {text("X509_CERT_DIR=%s", xrootd_authorities())}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    *measured = json_loads(recorded.out, 0, NULL);
    cr_assert_not_null(*measured, "%s", recorded.out);
    json_t *report = report_of(logs);
    child_free(&recorded);
    test_directory_remove(logs);
    xrootd_stop();
    return report;
}

/* The client's Python code takes the time of an answer when it has copied the bytes, which takes as
 * long as the request itself, and when it has got the GIL. */
static bool is_near(double value, double truth)
{
    return value > 0.4 * truth && value < 1.4 * truth;
}

/* The client's own times say whether its requests queued, and the report agrees with them. */
static void check_bursts(const char *size, bool queues)
{
    json_t *client,
        *report = report_on_bursts(size, xrootd_start, &client),
        *row = json_array_get(json_object_get(json_object_get(report, "servers"), "rows"), 0);
    double fast = seconds(client, "p10"), usual = seconds(client, "p50"),
           out = seconds(client, "out");
    cr_expect_eq(usual > 3 * fast && out > 4, queues, "%f s, %f s, %f out", fast, usual, out);
    cr_expect(is_near(seconds(row, "request_p50_s"), usual), "p50 %f s, of the client %f s",
              seconds(row, "request_p50_s"), usual);
    cr_expect(is_near(seconds(row, "mean_requests_out"), out), "%f out, of the client %f",
              seconds(row, "mean_requests_out"), out);
    cr_expect_eq(advice_of(report, "few_connections") != NULL, queues);
    json_decref(client);
    json_decref(report);
}

Test(servers, requests_of_xrootd_that_queue_are_advised_on)
{
    check_bursts("64", true);
}

Test(servers, requests_of_xrootd_one_after_the_other_do_not_queue)
{
    check_bursts("1", false);
}

/* The client hands the bytes out decrypted: so all that is known of root:// is known of roots://.
 */
Test(servers, xrootd_over_tls)
{
    enum { REQUESTS = 320, READ = 2 << 20, CLOSE = 1 };
    json_t *client,
        *report = report_on_bursts("1", xrootd_start_tls, &client),
        *row = json_array_get(json_object_get(json_object_get(report, "servers"), "rows"), 0);
    cr_expect(strncmp(cup_word(row, "server"), "roots://localhost:", 18) == 0, "%s",
              cup_word(row, "server"));
    cr_expect_eq(cup_count(row, "requests"), REQUESTS + CLOSE);
    cr_expect_eq(cup_count(row, "recv_bytes"), (json_int_t)REQUESTS * READ);
    cr_expect(is_near(seconds(row, "request_p50_s"), seconds(client, "p50")));
    json_decref(client);
    json_decref(report);
}
