/* How long it took to open files and to connect. */
#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

#define FIELDS(X)                                                                                  \
    X("server", TEXT, cup_row_text(rows, sum->server), .heading = "server")                        \
    X("kind", TEXT, cup_string(cup_open_kind_name(sum->kind)), .heading = "timed", .rank = 4)      \
    X("opened", COUNT, cup_count(sum->opened), .heading = "opened")                                \
    X("p50_s", SECONDS, cup_open_quantile(sum, 0.5), .heading = "median")                          \
    X("p90_s", SECONDS, cup_open_quantile(sum, 0.9), .heading = "90 %", .rank = 3)                 \
    X("p99_s", SECONDS, cup_open_quantile(sum, 0.99), .heading = "99 %")                           \
    X("min_s", SECONDS, cup_ns_if(any, sum->shortest_ns))                                          \
    X("max_s", SECONDS, cup_ns_if(any, sum->longest_ns), .heading = "longest", .rank = 2)          \
    X("total_s", SECONDS, cup_ns(sum->ns))                                                         \
    X(NULL, SECONDS, cup_ns(sum->ns + sum->failed_ns), .heading = "total", .rank = 1)              \
    X("failed", COUNT, cup_count(sum->failed), .heading = "failed")                                \
    X("failed_s", SECONDS, cup_ns(sum->failed_ns))                                                 \
    X("most_frequent_error", TEXT,                                                                 \
      cup_open_worst(sum, worst, sizeof worst) ? cup_row_string(rows, worst) : cup_null(),         \
      .heading = "mostly", .rank = 5, .none = "")

static void fill(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_open_sum *sum = item;
    bool any = sum->opened > 0;
    char worst[64];
    CUP_FILL(values, FIELDS);
}

static int list(struct cup_report_rows *rows)
{
    size_t count;
    const struct cup_open_sum **sums = cup_opens_by_time(rows->profile, &count);
    for (size_t i = 0; sums && i < count; i++)
        cup_add_row(rows, sums[i]);
    free(sums);
    return sums ? 0 : -1;
}

const struct cup_report_table cup_opens_table = {CUP_TABLE_FIELDS(FIELDS, fill), list,
                                                 .on_screen = 10, .more = "servers in --json"};

/* Null where the library did not record it. */
static int put_opens(struct report *report)
{
    if (cup_profile_measured(report->profile, CUP_FEATURE_OPENS))
        return cup_put_row_object(report, "opens", &cup_opens_table);
    put(report, "opens", cup_null());
    return 0;
}

const struct cup_report_section cup_opens_section = {
    .name = "opens",
    .heading = "Opening files",
    .note = "by server; local files by their first directory; connect: only the TCP connection, "
            "without DNS and TLS",
    .table = &cup_opens_table,
    .put = put_opens,
};
