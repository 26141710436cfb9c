/* Bytes that tasks fetch over HTTP: nginx's log says how many each one got. Skipped without nginx.
 */
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
#include <unistd.h>

TestSuite(http, .timeout = 240);

/* CERTIFICATE: of a server with TLS; else NULL. */
static void run_clients(const char *scratch, const char *url, const char *clients, int threads,
                        const char *certificate)
{
    struct cup_cluster cluster;
    const char *const arguments[] = {url, clients, "4", NULL};
    const char *const environment[] = {"PYTHONPATH=" S3_PACKAGES,
                                       certificate ? text("SSL_CERT_FILE=%s", certificate) : NULL,
                                       text("REQUESTS_CA_BUNDLE=%s", certificate), NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = scratch,
                                                              .threads = threads,
                                                              .environment = environment});
    cup_cluster_script(&cluster, "http_job.py", arguments);
    cup_cluster_stop(&cluster);
}

static char *make_files(const char *name)
{
    char *scratch = cup_scratch(name);
    cr_assert(mkdir(text("%s/files", scratch), 0755) == 0);
    xrootd_make_files(text("%s/files", scratch));
    return scratch;
}

/* Each task has the bytes that the server sent to it, heads of answers included. */
static void check_bytes(json_t *rows, json_t *log, size_t tasks)
{
    size_t i;
    json_t *row;
    cr_assert_eq(json_array_size(rows), tasks);
    json_array_foreach(rows, i, row)
    {
        json_int_t sent = (json_int_t)http_sum(log, cup_word(row, "key"), "sent");
        cr_expect(cup_count(row, "server_read_bytes") == sent);
        cr_expect(sent > 1000000 && cup_count(row, "recv_bytes") == sent,
                  "%s: %lld bytes received, %lld sent", cup_word(row, "key"),
                  (long long)cup_count(row, "recv_bytes"), (long long)sent);
    }
}

/* TLS adds a handshake to each connection and some bytes to each record. */
static void check_tls_bytes(json_t *rows, json_t *log, size_t tasks)
{
    size_t i;
    json_t *row;
    cr_assert_eq(json_array_size(rows), tasks);
    json_array_foreach(rows, i, row)
    {
        json_int_t sent = (json_int_t)http_sum(log, cup_word(row, "key"), "sent");
        json_int_t received = cup_count(row, "recv_bytes");
        cr_expect(sent > 1000000 && received > sent && received < sent + sent / 50 + 50000,
                  "%s: %lld bytes received, %lld sent", cup_word(row, "key"), (long long)received,
                  (long long)sent);
    }
}

static void judge(char *scratch, json_t *log, size_t tasks,
                  void (*check)(json_t *rows, json_t *log, size_t tasks))
{
    json_t *rows = cup_tasks(scratch);
    check(rows, log, tasks);
    cup_check_sane(rows);
    json_decref(rows);
    json_decref(log);
    free(scratch);
}

static json_t *rows_in(json_t *report, const char *section)
{
    return json_object_get(json_object_get(report, section), "rows");
}

/* The row of the server at URL in the table of servers. */
static json_t *find_server(json_t *report, const char *url)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows_in(report, "servers"), i,
                       row) if (strcmp(strstr(cup_word(row, "server"), ":"), strstr(url, ":")) ==
                                0) return row;
    cr_assert_fail("no row of %s", url);
    return NULL;
}

Test(http, one_thread)
{
    http_need();
    struct http_server server;
    char *scratch = make_files("http-1");
    http_start(&server, &(struct http_options){.files = text("%s/files", scratch)});
    run_clients(scratch, server.url, "requests,urllib3,urllib,uproot", 1, NULL);
    judge(scratch, http_stop(&server), 16, check_bytes);
}

Test(http, s3_one_thread)
{
    s3_need();
    struct s3_server server;
    char *scratch = make_files("http-s3-1");
    s3_start(&server, &(struct http_options){.files = text("%s/files", scratch)});
    run_clients(scratch, text("%s/bucket", server.front.url), "pyarrow,s3fs", 1, NULL);
    judge(scratch, s3_stop(&server), 8, check_bytes);
}

/* Tasks that run at the same time use the same connections, one after the other. */
Test(http, four_threads)
{
    http_need();
    struct http_server server;
    char *scratch = make_files("http-4");
    http_start(&server, &(struct http_options){.files = text("%s/files", scratch)});
    run_clients(scratch, server.url, "uproot,fsspec,requests,urllib3,aiohttp", 4, NULL);
    judge(scratch, http_stop(&server), 20, check_bytes);
}

/* nginx compresses the answers while it sends them, so only the chunks of a body say where it ends.
 * No basket is recognised in it. */
Test(http, gzip)
{
    http_need();
    size_t i;
    struct http_server server;
    char *scratch = make_files("http-gzip");
    http_start(&server, &(struct http_options){.files = text("%s/files", scratch),
                                               .settings = "gzip on; gzip_types *;"});
    run_clients(scratch, server.url, "requests,aiohttp", 4, NULL);
    json_t *log = http_stop(&server), *answer, *report = cup_report(scratch);
    json_array_foreach(log, i, answer) cr_expect_str_eq(cup_word(answer, "encoding"), "gzip");
    cr_expect_eq(json_array_size(rows_in(report, "branches")), 0);
    json_decref(report);
    judge(scratch, log, 8, check_bytes);
}

/* A file over TLS has the URL of the only file that its task was given. Tasks with odd numbers were
 * given two. */
static void check_tls_files(json_t *report, json_t *log, const char *url)
{
    size_t i;
    json_t *row;
    int named = 0;
    json_array_foreach(rows_in(report, "files"), i, row)
    {
        const char *file = cup_word(row, "file");
        if (strncmp(file, url, strlen(url)) != 0)
            continue;
        bool odd = strcmp(file + strlen(url), "/") == 0;
        double sent = 0, read = cup_number(row, "read_bytes");
        for (size_t at = 0; at < json_array_size(log); at++) {
            const char *path = cup_word(json_array_get(log, at), "path");
            bool of_odd = strstr(path, "-1/") || strstr(path, "-3/");
            if (odd ? of_odd : strcmp(path, file + strlen(url)) == 0)
                sent += cup_number(json_array_get(log, at), "sent");
        }
        cr_expect(sent > 0 && read > sent && read < 1.05 * sent + 100000, "%s: %.0f of %.0f", file,
                  read, sent);
        named += !odd;
    }
    cr_expect_eq(named, 3 * 2, "%d files have names", named);
}

Test(http, tls_four_threads)
{
    http_need();
    struct http_server server;
    char *scratch = make_files("http-tls-4");
    http_start(&server, &(struct http_options){.files = text("%s/files", scratch), .tls = true});
    run_clients(scratch, server.url, "uproot,fsspec,requests", 4,
                text("%s/certificate", server.directory));
    json_t *log = http_stop(&server), *report = cup_report(scratch);
    json_t *row = find_server(report, server.url);
    check_tls_files(report, log, server.url);
    cr_expect_eq(cup_count(row, "requests"), (json_int_t)json_array_size(log));
    cr_expect_eq(cup_count(row, "status_unknown"), (json_int_t)json_array_size(log));
    cr_expect(json_is_null(json_object_get(row, "retries")));
    cr_expect(strstr(cup_word(row, "retries_null_because"), "TLS"));
    json_decref(report);
    judge(scratch, log, 12, check_tls_bytes);
}

Test(http, s3_four_threads)
{
    s3_need();
    struct s3_server server;
    char *scratch = make_files("http-s3-4");
    s3_start(&server, &(struct http_options){.files = text("%s/files", scratch)});
    run_clients(scratch, text("%s/bucket", server.front.url), "uproots3,s3fs,pyarrow", 4, NULL);
    judge(scratch, s3_stop(&server), 12, check_bytes);
}

/* ---- HTTP/2: bytes that cannot be attributed ------------------------------------------------- */

/* No task has more than was sent to it, and one that has less says how much it may lack, and why.
 */
static void check_marked(json_t *rows, json_t *log, size_t tasks)
{
    size_t i, marked = 0;
    json_t *row;
    cr_assert_eq(json_array_size(rows), tasks);
    json_array_foreach(rows, i, row)
    {
        json_int_t sent = (json_int_t)http_sum(log, cup_word(row, "key"), "sent");
        json_int_t read = cup_count(row, "read_bytes"), may = cup_count(row, "unattributed_bytes");
        cr_expect(sent > 1000000 && read + may >= sent, "%s: %lld and perhaps %lld of %lld",
                  cup_word(row, "key"), (long long)read, (long long)may, (long long)sent);
        cr_expect(read < sent + sent / 50 + 50000, "%s: %lld bytes are of other tasks",
                  cup_word(row, "key"), (long long)(read - sent));
        if (read > sent)
            continue;
        cr_expect(strstr(cup_word(row, "unattributed_because"), "HTTP/2"));
        marked++;
    }
    cr_expect(marked >= 2, "%zu tasks are marked", marked);
}

/* The tables and the first page mark them, too. */
static void check_pages(const char *scratch)
{
    static const char *const verbs[] = {"tasks", "report"}, *const marks[] = {" >",
                                                                              "may have read"};
    for (int i = 0; i < 2; i++) {
        struct child child = {
            .argv = {CUP_TOP "/build/cupping", verbs[i], text("%s/profile", scratch)}};
        char *out = output_of(&child);
        cr_expect(strstr(out, marks[i]) && strstr(out, "HTTP/2"), "%s", out);
        free(out);
    }
}

/* Each answer takes 0.7 s, so that the tasks run at the same time. */
Test(http, http2_is_unattributed_and_said)
{
    http_need();
    if (access(S3_PACKAGES "/httpx", R_OK))
        cr_skip_test("no httpx in " S3_PACKAGES);
    struct http_server server;
    char *scratch = make_files("http-2");
    http_start(&server, &(struct http_options){.files = text("%s/files", scratch),
                                               .settings = "limit_rate 4m;",
                                               .http2 = true});
    run_clients(scratch, server.url, "http2", 4, text("%s/certificate", server.directory));
    check_pages(scratch);
    judge(scratch, http_stop(&server), 4, check_marked);
}

/* ---- the server's own account of requests ---------------------------------------------------- */

static json_int_t count_answers(json_t *log, json_int_t from, json_int_t to)
{
    size_t i;
    json_t *row;
    json_int_t count = 0;
    json_array_foreach(log, i, row) count +=
        cup_count(row, "status") >= from && cup_count(row, "status") < to;
    return count;
}

static int by_seconds(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The median of the server's own times, of answers without an error. */
static double find_median(json_t *log)
{
    size_t i, count = 0;
    json_t *row;
    double seconds[256];
    json_array_foreach(log, i, row) if (cup_count(row, "status") < 400 && count < 256)
        seconds[count++] = cup_number(row, "seconds");
    qsort(seconds, count, sizeof *seconds, by_seconds);
    return seconds[count / 2];
}

/* Answers to what had been asked for before, when the last answer was an error. Each task has paths
 * of its own, and asks for one thing after the other. */
static json_int_t count_repeats(json_t *log)
{
    json_int_t count = 0;
    for (size_t i = 0; i < json_array_size(log); i++) {
        json_t *answer = json_array_get(log, i);
        for (size_t before = i; before-- > 0;) {
            json_t *other = json_array_get(log, before);
            if (strcmp(cup_word(other, "path"), cup_word(answer, "path")) != 0 ||
                strcmp(cup_word(other, "range"), cup_word(answer, "range")) != 0 ||
                strcmp(cup_word(other, "method"), cup_word(answer, "method")) != 0)
                continue;
            count += cup_count(other, "status") >= 400;
            break;
        }
    }
    return count;
}

/* Different connections on which answers went to a task. */
static json_int_t count_connections(json_t *log, const char *key)
{
    json_int_t seen[64], count = 0;
    for (size_t i = 0; i < json_array_size(log); i++) {
        json_t *answer = json_array_get(log, i);
        json_int_t at = 0, connection = cup_count(answer, "connection");
        if (!strstr(cup_word(answer, "path"), text("/t/%s/", key)))
            continue;
        while (at < count && seen[at] != connection)
            at++;
        cr_assert_lt(at, 64);
        seen[at] = connection;
        count += at == count;
    }
    return count;
}

/* What was tried again. Each of the two tasks has two pools with one connection each. */
static void check_repeats(json_t *row, json_t *log)
{
    json_int_t repeats = count_repeats(log), connections = 0;
    for (int task = 0; task < 2; task++)
        connections += count_connections(log, text("errors-%d", task));
    cr_expect(repeats == 2 * (1 + 2), "%lld in the server's log", (long long)repeats);
    cr_expect_eq(cup_count(row, "retries"), repeats);
    cr_expect_eq(cup_count(row, "reconnects"), connections - 2 * 2, "%lld connections",
                 (long long)connections);
    cr_expect(json_is_null(json_object_get(row, "retries_null_because")));
    cr_expect_str_eq(cup_word(row, "error_kinds"),
                     "10 HTTP status 503, 2 cut off by the server, 2 HTTP status 404");
}

static void check_server(json_t *row, json_t *log)
{
    double median = find_median(log), p50 = cup_number(row, "request_p50_s");
    cr_expect_eq(cup_count(row, "requests"), (json_int_t)json_array_size(log));
    cr_expect_eq(cup_count(row, "http_5xx"), count_answers(log, 500, 600));
    cr_expect_eq(cup_count(row, "http_4xx"), count_answers(log, 400, 444));
    cr_expect_eq(cup_count(row, "cut_off"), count_answers(log, 444, 445));
    cr_expect_eq(cup_count(row, "status_unknown"), 0);
    cr_expect(p50 > 0.7 * median && p50 < 1.3 * median + 0.3, "%f s, the server says %f s", p50,
              median);
    cr_expect(cup_number(row, "first_byte_p50_s") < 0.7 * p50);
}

/* The tasks' own servers never answer. */
static json_int_t count_given_up(json_t *report)
{
    size_t i;
    json_t *row;
    json_int_t count = 0;
    json_array_foreach(rows_in(report, "servers"), i, row) count +=
        json_integer_value(json_object_get(row, "given_up"));
    return count;
}

static void check_advice(json_t *report)
{
    size_t i;
    json_t *advice;
    bool found = false;
    json_array_foreach(json_object_get(report, "advice"), i, advice) found |=
        cup_is(advice, "rule", "failing_server") &&
        strstr(cup_word(advice, "text"), "10 answered with HTTP 5xx, 2 cut off by the server");
    cr_expect(found, "no advice on the server that failed");
}

/* Each file takes at least 0.3 s. */
Test(http, requests_are_those_of_the_servers_log)
{
    http_need();
    struct http_server server;
    char *scratch = make_files("http-requests");
    http_start(&server, &(struct http_options){.files = text("%s/files", scratch),
                                               .settings = "location ~ /busy$ { return 503; }\n"
                                                           "location ~ /reset$ { return 444; }\n"
                                                           "limit_rate 8m;"});
    const char *const arguments[] = {server.url, "errors,requests,uproot", "2", NULL};
    struct cup_cluster cluster;
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = scratch, .threads = 2});
    cup_cluster_script(&cluster, "http_job.py", arguments);
    cup_cluster_stop(&cluster);
    json_t *log = http_stop(&server), *report = cup_report(scratch);
    check_server(find_server(report, server.url), log);
    check_repeats(find_server(report, server.url), log);
    cr_expect_eq(count_given_up(report), 2);
    check_advice(report);
    json_decref(log);
    json_decref(report);
    free(scratch);
}

/* Session tickets, which the server sends after the first request, are no answer. */
Test(http, a_server_with_tls_that_never_answers)
{
    char *logs = test_directory(), *keys = test_directory();
    http_make_certificate(keys);
    struct child plain = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/silent_server.py", keys}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *report = report_of(logs);
    cr_expect_eq(count_given_up(report), 1);
    json_decref(report);
    child_free(&recorded);
    test_directory_remove(keys);
    test_directory_remove(logs);
}

/* ---- Coffea: the tables of chunks, datasets and files -------------------------------------- */

/* What the server sent of a file (NULL: of all), heads of answers included. */
static json_int_t sum_sent(json_t *log, const char *path, const char *method)
{
    size_t i;
    json_t *row;
    json_int_t sum = 0;
    json_array_foreach(log, i, row) if ((!path || cup_is(row, "path", path)) &&
                                        (!method || cup_is(row, "method", method))) sum +=
        cup_count(row, "sent");
    return sum;
}

/* Returns the number of files of the server. */
static int check_files(json_t *report, json_t *log, const char *url)
{
    size_t i;
    int found = 0;
    json_t *row;
    json_array_foreach(rows_in(report, "files"), i, row)
    {
        const char *file = cup_word(row, "file");
        if (strncmp(file, url, strlen(url)) != 0 || cup_count(row, "tasks") == 0)
            continue;
        json_int_t sent = sum_sent(log, file + strlen(url), "GET");
        bool tls = cup_is(row, "method", "https");
        json_int_t read = cup_count(row, "read_bytes");
        cr_expect(tls ? read > sent && read < sent + sent / 20 + 50000 : read == sent,
                  "%s: %lld bytes read, %lld sent", file, (long long)read, (long long)sent);
        cr_expect(tls || cup_is(row, "method", "http"));
        found++;
    }
    return found;
}

/* Chunks read what the server sent, except what the tasks read that look at the files first. */
static void check_chunks(json_t *report, json_t *rows, json_int_t sent)
{
    json_int_t chunks = cup_sum(rows_in(report, "chunks"), "read_bytes");
    json_int_t datasets = cup_sum(rows_in(report, "datasets"), "read_bytes");
    json_int_t prefixes = cup_sum(rows_in(report, "tasks_by_prefix"), "read_bytes");
    cr_expect(prefixes >= sent && prefixes == cup_sum(rows, "read_bytes"));
    cr_expect(chunks > sent * 9 / 10 && chunks <= prefixes && datasets == chunks,
              "%lld and %lld of %lld", (long long)chunks, (long long)datasets, (long long)sent);
}

static void check_coffea(const char *name, bool tls)
{
    http_need();
    struct http_server server;
    struct cup_cluster cluster;
    char *scratch = cup_scratch(name), *input = cup_input("ttree");
    http_start(&server, &(struct http_options){.files = input, .tls = tls});
    const char *const environment[] = {
        tls ? text("SSL_CERT_FILE=%s/certificate", server.directory) : NULL, NULL};
    const char *const arguments[] = {text("%s/files.json", input), server.url, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = scratch,
                                                              .threads = 4,
                                                              .environment = environment});
    cup_cluster_script(&cluster, "http_coffea.py", arguments);
    cup_cluster_stop(&cluster);
    json_t *log = http_stop(&server), *report = cup_report(scratch), *rows = cup_tasks(scratch);
    json_int_t sent = sum_sent(log, NULL, NULL), read = cup_sum(rows, "server_read_bytes");
    cr_expect(tls ? read > sent && read < sent + sent / 20 : read == sent, "%lld of %lld",
              (long long)read, (long long)sent);
    cr_expect(check_files(report, log, server.url) >= 2);
    check_chunks(report, rows, sent);
    json_decref(log);
    json_decref(report);
    json_decref(rows);
    free(scratch);
    free(input);
}

Test(http, all_tables_of_coffea)
{
    check_coffea("http-coffea", false);
}

Test(http, all_tables_of_coffea_with_tls)
{
    cup_only_in_soak();
    check_coffea("http-coffea-tls", true);
}
