/* Servers: those that URLs of files name, the peers of sockets, and how long it took to open files
 * and to connect. */
#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/profile/files.h"
#include "analysis/report/page/section.h"

/* ---- what both kinds of rows have ---------------------------------------------------------- */

/* "tcp" of "tcp://10.0.0.1:1094", "unix" of "unix:/run/x"; null where there is none. */
static struct cup_value protocol_of(struct cup_text address)
{
    const char *colon = address.bytes ? memchr(address.bytes, ':', address.length) : NULL;
    if (!colon)
        return cup_null();
    return cup_text((struct cup_text){address.bytes, (size_t)(colon - address.bytes)});
}

/* In seconds; null if `sum` is NULL or has none. */
static struct cup_value quantile(const struct cup_open_sum *sum, double share)
{
    return sum ? cup_real(cup_open_quantile_ns(sum, share) / 1e9) : cup_null();
}

/* SUM is NULL if nothing was opened there. */
static struct cup_value errors_of(const struct cup_report_rows *rows,
                                  const struct cup_open_sum *sum)
{
    return cup_count_if(cup_profile_measured(rows->profile, CUP_FEATURE_OPENS),
                        sum ? sum->failed : 0);
}

/* files: how long files took to open; connects: how long connections took. One of them is NULL. */
#define LATENCIES(X, files, connects, errors)                                                      \
    X("open_latency_p50_s", SECONDS, quantile(files, 0.5))                                         \
    X("open_latency_p99_s", SECONDS, quantile(files, 0.99))                                        \
    X("connect_p50_s", SECONDS, quantile(connects, 0.5))                                           \
    X("connect_p99_s", SECONDS, quantile(connects, 0.99))                                          \
    X("errors", COUNT, errors)

/* ---- peers of sockets ---------------------------------------------------------------------- */

#define PEER_FIELDS(X)                                                                             \
    X("server", TEXT, cup_text(name), .heading = "server", .place = 1)                             \
    X("protocol", TEXT, protocol_of(name))                                                         \
    X("recv_bytes", BYTES, cup_count(c[CUP_F_READ_BYTES]), .heading = "received", .place = 2)      \
    X("send_bytes", BYTES, cup_count(c[CUP_F_WRITE_BYTES]), .heading = "sent", .place = 3,         \
      .rank = 2)                                                                                   \
    X("requests", COUNT, cup_count(c[CUP_F_WRITE_CALLS]), .heading = "requests", .place = 4)       \
    X("recv_calls", COUNT, cup_count(c[CUP_F_READ_CALLS]))                                         \
    X("bytes_per_request", BYTES,                                                                  \
      cup_ratio((double)c[CUP_F_READ_BYTES], (double)c[CUP_F_WRITE_CALLS]),                        \
      .heading = "a request", .place = 5, .rank = 3)                                               \
    X("connections", COUNT, cup_count(c[CUP_F_OPENS]), .heading = "connections", .place = 7,       \
      .rank = 4)                                                                                   \
    X("net_s", SECONDS, cup_ns(c[CUP_F_READ_NS] + c[CUP_F_WRITE_NS]), .heading = "time",           \
      .place = 6)                                                                                  \
    X("tasks", COUNT, cup_count(total.tasks), .heading = "tasks", .place = 8, .rank = 1)           \
    X("processes", COUNT, cup_count(server->processes))                                            \
    LATENCIES(X, NULL, connects, errors_of(rows, connects))

static void fill_peer(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const uint32_t *index = item;
    const struct cup_file *server = &rows->profile->files[*index];
    const struct cup_file_sum total = cup_file_total(rows->profile, *index);
    const struct cup_text name = cup_profile_text(rows->profile, server->path);
    const struct cup_open_sum *connects = cup_opens_of(rows->profile, name, CUP_OPEN_CONNECT);
    const uint64_t *c = total.counters;
    CUP_FILL(values, PEER_FIELDS);
}

/* Socket pairs that wake event loops have no name and deliver nothing to tasks. */
static bool is_waker(const struct cup_report_rows *rows, uint32_t server)
{
    const struct cup_file_sum total = cup_file_total(rows->profile, server);
    struct cup_text name = cup_profile_text(rows->profile, rows->profile->files[server].path);
    bool nameless = name.length == 5 && memcmp(name.bytes, "unix:", 5) == 0;
    return nameless && total.counters[CUP_F_READ_BYTES] == 0;
}

static int list_peers(struct cup_report_rows *rows)
{
    size_t count;
    uint32_t *peers = cup_files_by_bytes(rows->profile, CUP_FILE_SOCKET, &count);
    for (size_t i = 0; peers && i < count; i++)
        if (!rows->text.page || !is_waker(rows, peers[i]))
            cup_add_row(rows, &peers[i]);
    free(peers);
    return peers ? 0 : -1;
}

static const struct cup_report_table peers = {CUP_TABLE_FIELDS(PEER_FIELDS, fill_peer), list_peers,
                                              .on_screen = 10, .more = "server in --json"};

/* ---- servers in URLs ----------------------------------------------------------------------- */

/* Bytes and number of its sockets are in the rows of the peers. */
#define URL_FIELDS(X)                                                                              \
    X("server", TEXT, cup_text(sum->server))                                                       \
    X("protocol", TEXT, protocol_of(sum->server))                                                  \
    X("recv_bytes", BYTES, cup_count(sum->bytes))                                                  \
    X("requests", COUNT, cup_count(sum->calls))                                                    \
    X("bytes_per_request", BYTES, cup_ratio((double)sum->bytes, (double)sum->calls))               \
    X("net_s", SECONDS, cup_ns(sum->ns))                                                           \
    X("send_bytes", BYTES, cup_null())                                                             \
    X("recv_calls", COUNT, cup_null())                                                             \
    X("connections", COUNT, cup_null())                                                            \
    X("tasks", COUNT, cup_null())                                                                  \
    X("processes", COUNT, cup_null())                                                              \
    LATENCIES(X, files, NULL, errors_of(rows, files))

static void fill_url(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_url_sum *sum = item;
    const struct cup_open_sum *files = cup_opens_of(rows->profile, sum->server, CUP_OPEN_XROOTD);
    CUP_FILL(values, URL_FIELDS);
}

static int list_urls(struct cup_report_rows *rows)
{
    size_t count;
    struct cup_url_sum *urls = cup_url_sums(rows->profile, &count);
    for (size_t i = 0; urls && i < count; i++)
        cup_add_row(rows, &urls[i]);
    free(urls);
    return urls ? 0 : -1;
}

static const struct cup_report_table urls = {CUP_TABLE_FIELDS(URL_FIELDS, fill_url), list_urls};

/* ---- the section --------------------------------------------------------------------------- */

static int put_servers(struct report *report)
{
    cup_json_object(&report->json, "servers");
    cup_json_array(&report->json, "rows");
    int result = cup_put_more_rows(report, &urls, NULL);
    if (result == 0)
        result = cup_put_more_rows(report, &peers, NULL);
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
    return result;
}

const struct cup_report_section cup_servers_section = {
    .name = "servers",
    .heading = "Servers",
    .note = "peers of sockets, without Dask's own; a request is a call that sent",
    .table = &peers,
    .put = put_servers,
};

/* ---- how long it took to open files and to connect ------------------------------------------ */

#define OPEN_FIELDS(X)                                                                             \
    X("server", TEXT, cup_row_text(rows, sum->server), .heading = "server")                        \
    X("kind", TEXT, cup_string(cup_open_kind_name(sum->kind)), .heading = "timed", .rank = 4)      \
    X("opened", COUNT, cup_count(sum->opened), .heading = "opened")                                \
    X("p50_s", SECONDS, quantile(sum, 0.5), .heading = "median")                                   \
    X("p90_s", SECONDS, quantile(sum, 0.9), .heading = "90 %", .rank = 3)                          \
    X("p99_s", SECONDS, quantile(sum, 0.99), .heading = "99 %")                                    \
    X("min_s", SECONDS, cup_ns_if(any, sum->shortest_ns))                                          \
    X("max_s", SECONDS, cup_ns_if(any, sum->longest_ns), .heading = "longest", .rank = 2)          \
    X("total_s", SECONDS, cup_ns(sum->ns))                                                         \
    X(NULL, SECONDS, cup_ns(sum->ns + sum->failed_ns), .heading = "total", .rank = 1)              \
    X("failed", COUNT, cup_count(sum->failed), .heading = "failed")                                \
    X("failed_s", SECONDS, cup_ns(sum->failed_ns))                                                 \
    X("most_frequent_error", TEXT,                                                                 \
      cup_open_worst(sum, worst, sizeof worst) ? cup_row_string(rows, worst) : cup_null(),         \
      .heading = "mostly", .rank = 5, .none = "")

static void fill_open(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_open_sum *sum = item;
    bool any = sum->opened > 0;
    char worst[64];
    CUP_FILL(values, OPEN_FIELDS);
}

static int list_opens(struct cup_report_rows *rows)
{
    size_t count;
    const struct cup_open_sum **sums = cup_opens_by_time(rows->profile, &count);
    for (size_t i = 0; sums && i < count; i++)
        cup_add_row(rows, sums[i]);
    free(sums);
    return sums ? 0 : -1;
}

const struct cup_report_table cup_opens_table = {CUP_TABLE_FIELDS(OPEN_FIELDS, fill_open),
                                                 list_opens, .on_screen = 10,
                                                 .more = "server in --json"};

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
            "without DNS and TLS; median and percentiles are about (to 3 %)",
    .table = &cup_opens_table,
    .put = put_opens,
};
