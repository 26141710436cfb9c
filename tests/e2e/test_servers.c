/* Which server was slow or failed: real XRootD data servers behind a redirector. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/xrootd_redirector.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(servers, .timeout = 240);

static struct redirector redirector;

/* The report of xrootd_slow.py; *OUT: what it printed. */
static json_t *report_on(const char *mode, char **out)
{
    char *logs = test_directory();
    struct child plain = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/xrootd_slow.py",
                                   redirector.url, text("%d", (int)redirector.pid[0]), mode},
                          .settings = {"XRD_CONNECTIONWINDOW=1", "XRD_CONNECTIONRETRY=1",
                                       "XRD_STREAMERRORWINDOW=1", "XRD_REQUESTTIMEOUT=20"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    *out = strdup(recorded.out);
    json_t *report = report_of(logs);
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

Test(servers, a_data_server_that_stops_has_the_time)
{
    char *out;
    redirector_start(&redirector);
    json_t *report = report_on("stop", &out);
    json_t *slow = row_of(report, redirector.server[0]),
           *fast = row_of(report, redirector.server[1]);
    cr_assert(slow && fast, "no rows of both data servers");
    double stopped = sum_of_tasks(out, "stopped");
    cr_expect(stopped > 7.9 && seconds(slow, "waited_s") > 0.95 * stopped &&
                  seconds(slow, "waited_s") < 1.05 * stopped + sum_of_tasks(out, "read_"),
              "%f s waiting, %f s stopped", seconds(slow, "waited_s"), stopped);
    cr_expect(seconds(fast, "waited_s") < 0.25 * stopped);
    cr_expect_eq(json_array_get(json_object_get(json_object_get(report, "servers"), "rows"), 0),
                 slow, "the slow server is not the first row");
    cr_expect_eq(cup_count(slow, "requests"), 20 + 20 + 1 + 1 + 20 + 20);
    cr_expect_eq(cup_count(slow, "recv_bytes"), 82 * 1000);
    cr_expect_eq(cup_count(slow, "tasks"), 6);
    cr_expect_eq(cup_count(fast, "requests"), 40);
    cr_expect_eq(cup_count(slow, "errors"), 0);
    cr_expect(seconds(slow, "request_max_s") > 1.9 && seconds(slow, "open_latency_p99_s") > 1.9);
    json_decref(report);
    free(out);
    redirector_stop();
}

Test(servers, a_data_server_that_is_killed_has_the_errors)
{
    char *out;
    redirector_start(&redirector);
    json_t *report = report_on("kill", &out);
    json_t *dead = row_of(report, redirector.server[0]);
    cr_assert(dead != NULL);
    cr_expect_eq(cup_count(dead, "errors"), 2, "%s", out);
    cr_expect_eq(cup_count(dead, "failed_tasks"), 2);
    cr_expect_eq(cup_count(dead, "requests"), 42);
    cr_expect(seconds(dead, "failed_s") > 0);
    cr_expect(json_is_string(json_object_get(dead, "most_frequent_error")));
    cr_expect_eq(cup_count(row_of(report, redirector.server[1]), "errors"), 0);
    json_decref(report);
    free(out);
    redirector_stop();
}
