/* Plots of requests to servers, against figures worked out by hand. The golden run goes from 10 s
 * to 22 s, so its bins have 2 s. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "include/log_pairs.h"
#include "plot/io/io_plots.h"
#include "tests/plot/loaded.h"

enum { MS = 1000000, SERVER = 600, MANY = 30 };

static struct log_builder builder, other_host;
static struct loaded run;

static void name_server(struct log_builder *log, uint32_t server, const char *name)
{
    builder_string(log, SERVER + server, name);
}

static void set_up(void)
{
    build_golden_log(&builder);
    name_server(&builder, 0, "root://slow:1094");
    name_server(&builder, 1, "root://fast:1095");
}

static void tear_down(void)
{
    unload_run(&run);
    builder_free(&builder);
    if (run.second)
        builder_free(run.second);
}

TestSuite(data_requests, .init = set_up, .fini = tear_down);

/* COUNT requests of NS each, in one second. */
static void requested(struct log_builder *log, uint32_t server, double at, uint64_t count,
                      uint64_t ns)
{
    struct cup_r_requests record = {
        .server = SERVER + server, .start_ns = at_second(at), .stop_ns = at_second(at + 1)};
    uint64_t values[CUP_Q_COUNT_OF] = {[CUP_Q_COUNT] = count,
                                       [CUP_Q_NS] = count * ns,
                                       [CUP_Q_WAITED_NS] = count * ns,
                                       [CUP_Q_LONGEST_NS] = ns};
    unsigned char pairs[CUP_Q_COUNT_OF * CUP_PAIR_LONGEST + 24];
    size_t bytes = cup_pairs_nonzero(pairs, values, CUP_Q_COUNT_OF);
    bytes += cup_pairs_number(pairs + bytes, CUP_PAIR_BUCKETS + cup_bucket(ns));
    bytes += cup_pairs_number(pairs + bytes, count);
    builder_record(log, CUP_R_REQUESTS, &record, sizeof record, pairs, cup_pairs_pad(pairs, bytes));
}

Test(data_requests, the_slow_server_comes_first)
{
    requested(&builder, 0, 10.2, 10, 200 * MS);
    requested(&builder, 0, 16.2, 10, 800 * MS);
    requested(&builder, 1, 10.2, 30, MS);
    load_run(&run, &builder, false);
    const struct cup_server_latency *plot = make_plot(&run, "server-latency");
    cr_assert_eq(plot->count, 2);
    cr_expect_not(plot->others);
    cr_expect_eq(strncmp(plot->names[0], "root://slow:1094: ", 18), 0, "%s", plot->names[0]);
    cr_assert_eq(plot->points[0], 2, "bins without a request have no point");
    cr_expect_float_eq(plot->x[0][0], 1, 1e-9);
    cr_expect_float_eq(plot->y[0][0], 0.2, 0.2 * 0.25);
    cr_expect_float_eq(plot->x[0][1], 7, 1e-9);
    cr_expect_float_eq(plot->y[0][1], 0.8, 0.8 * 0.25);
    cr_assert_eq(plot->points[1], 1);
    cr_expect_float_eq(plot->y[1][0], 0.001, 0.001 * 0.25);
    cr_expect(plot->low <= plot->y[1][0] && plot->high >= plot->y[0][1]);
    cr_expect_not_null(strstr(run.input.caption, "2 servers, in bins of 2 s"), "%s",
                       run.input.caption);
}

Test(data_requests, shares_of_the_requests)
{
    requested(&builder, 0, 10.2, 30, 2 * MS);
    requested(&builder, 0, 16.2, 10, 800 * MS);
    load_run(&run, &builder, false);
    const struct cup_server_latency *plot = make_plot(&run, "server-quantiles");
    cr_assert_eq(plot->count, 1);
    cr_assert_eq(plot->points[0], 3);
    cr_expect_float_eq(plot->y[0][0], 0, 0);
    cr_expect_float_eq(plot->y[0][1], 75, 1e-9);
    cr_expect_float_eq(plot->y[0][2], 100, 1e-9);
    cr_expect_float_eq(plot->x[0][2], 0.8, 1e-9, "the longest is exact");
}

Test(data_requests, what_other_servers_took_is_one_line)
{
    for (uint32_t i = 2; i < MANY; i++) {
        char name[80];
        snprintf(name, sizeof name, "root://cache-%02u.some-computing-centre.example.org:1094", i);
        name_server(&builder, i, name);
        requested(&builder, i, 12, 10, MS);
    }
    requested(&builder, 0, 12, 10, 500 * MS);
    load_run(&run, &builder, false);
    const struct cup_server_latency *plot = make_plot(&run, "server-latency");
    cr_assert_eq(plot->count, CUP_LATENCY_SERVERS);
    cr_expect(plot->others);
    cr_expect_eq(strncmp(plot->names[0], "root://slow", 11), 0, "%s", plot->names[0]);
    cr_expect_eq(strncmp(plot->names[CUP_LATENCY_SERVERS - 1], "24 others: ", 11), 0, "%s",
                 plot->names[CUP_LATENCY_SERVERS - 1]);
    cr_expect_eq(plot->points[CUP_LATENCY_SERVERS - 1], 1);
}

Test(data_requests, from_each_host)
{
    builder_start(&other_host);
    builder_header(&other_host)->pid++;
    snprintf(builder_header(&other_host)->host, sizeof builder_header(&other_host)->host, "a-host");
    name_server(&other_host, 0, "root://fast:1095");
    requested(&other_host, 0, 12, 4, 3 * MS);
    builder_finish(&other_host);
    run.second = &other_host;
    requested(&builder, 0, 12, 10, 500 * MS);
    requested(&builder, 1, 12, 10, MS);
    load_run(&run, &builder, false);
    const struct cup_server_hosts *plot = make_plot(&run, "server-hosts");
    cr_assert_eq(plot->server_count, 2);
    cr_assert_eq(plot->host_count, 2);
    cr_expect_eq(memcmp(plot->servers[0].bytes, "root://slow", 11), 0);
    cr_expect_eq(memcmp(plot->hosts[0].bytes, "a-host", 6), 0);
    cr_expect(isnan(plot->means[0][0]), "it had no request there");
    cr_expect_float_eq(plot->means[0][1], 0.5, 1e-9);
    cr_expect_float_eq(plot->means[1][0], 0.003, 1e-9);
    cr_expect_float_eq(plot->means[1][1], 0.001, 1e-9);
    cr_expect_float_eq(plot->highest, 0.5, 1e-9);
}

Test(data_requests, what_cannot_be_drawn_says_why)
{
    load_run(&run, &builder, false);
    expect_no_plot(&run, "server-latency", "no server has requests of known duration");
    expect_no_plot(&run, "server-quantiles", "no server has requests of known duration");
    expect_no_plot(&run, "server-hosts", "no server has requests of known duration");
}

Test(data_requests, one_host_and_one_server_are_no_matrix)
{
    requested(&builder, 0, 12, 10, MS);
    load_run(&run, &builder, false);
    expect_no_plot(&run, "server-hosts", "one host sent requests to one server");
}
