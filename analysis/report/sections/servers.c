/* Storage servers, and how long it took to open files and to connect. */
#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/metrics/reads/server_uses.h"
#include "analysis/profile/files.h"
#include "analysis/report/page/section.h"

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

/* ---- servers by the time that tasks waited for them ------------------------------------------ */

/* Null where the durations are not known. */
static struct cup_value request_quantile(const struct cup_durations durations, double share)
{
    return cup_real(cup_durations_quantile_ns(&durations, share) / 1e9);
}

#define SERVER_FIELDS(X)                                                                           \
    X("server", TEXT, cup_text(use->name), .heading = "server", .place = 1)                        \
    X("protocol", TEXT, protocol_of(use->name))                                                    \
    X("waited_s", SECONDS, cup_ns_if(!mapped, use->waited_ns), .heading = "waiting", .place = 2)   \
    X("waited_share", SHARE,                                                                       \
      use->kind == CUP_SERVER_WIRE || mapped                                                       \
          ? cup_null()                                                                             \
          : cup_ratio((double)use->waited_ns, (double)all->waited_ns),                             \
      .heading = "share", .place = 3, .rank = 4)                                                   \
    X("files", COUNT, cup_count_if(!peer, use->files))                                             \
    X("requests", COUNT, cup_count_if(!mapped, use->requests), .heading = "requests", .place = 4)  \
    X("request_p50_s", SECONDS, request_quantile(cup_server_durations(use), 0.5),                  \
      .heading = "median", .place = 5, .rank = 3)                                                  \
    X("request_p90_s", SECONDS, request_quantile(cup_server_durations(use), 0.9),                  \
      .heading = "90 %", .place = 6)                                                               \
    X("request_p99_s", SECONDS, request_quantile(cup_server_durations(use), 0.99),                 \
      .heading = "99 %", .place = 7, .rank = 5)                                                    \
    X("request_max_s", SECONDS, cup_ns_if(use->longest_ns > 0, use->longest_ns))                   \
    X("recv_bytes", BYTES, cup_count(use->bytes), .heading = "received", .place = 8, .rank = 1)    \
    X("mapped_bytes", BYTES, cup_count_if(mount, use->mapped_bytes))                               \
    X("send_bytes", BYTES, cup_count_if(peer, use->sent_bytes))                                    \
    X("recv_calls", COUNT, cup_count_if(peer, use->receives))                                      \
    X("bytes_per_request", BYTES,                                                                  \
      cup_ratio((double)(use->bytes - use->cached_bytes), (double)use->requests))                  \
    X("connections", COUNT, cup_count_if(peer, use->connections))                                  \
    X("net_s", SECONDS, cup_ns(use->busy_ns))                                                      \
    X("tasks", COUNT, cup_count_if(peer || (known && use->tasks > 0), use->tasks),                 \
      .heading = "tasks", .place = 10, .rank = 2)                                                  \
    X("failed_tasks", COUNT, cup_count_if(known, use->failed_tasks))                               \
    X("processes", COUNT, cup_count_if(peer, use->processes))                                      \
    X("open_latency_p50_s", SECONDS, quantile(use->opens, 0.5))                                    \
    X("open_latency_p99_s", SECONDS, quantile(use->opens, 0.99))                                   \
    X("connect_p50_s", SECONDS, quantile(use->connects, 0.5))                                      \
    X("connect_p99_s", SECONDS, quantile(use->connects, 0.99))                                     \
    X("errors", COUNT,                                                                             \
      cup_count_if(cup_profile_measured(rows->profile, CUP_FEATURE_OPENS) && !mount,               \
                   cup_server_errors(use)),                                                        \
      .heading = "errors", .place = 9)                                                             \
    X("failed_s", SECONDS, cup_ns(use->failed_ns))                                                 \
    X("most_frequent_error", TEXT,                                                                 \
      cup_server_worst_error(all, use, worst, sizeof worst) ? cup_row_string(rows, worst)          \
                                                            : cup_null())                          \
    X("redirects", COUNT, cup_count(use->opens ? use->opens->redirects : 0))                       \
    X("moved_requests", COUNT, cup_count(use->moved))                                              \
    X("chunks", COUNT, cup_count_if(known, use->chunks))                                           \
    X("chunk_s", SECONDS, cup_ns_if(known, use->chunk_ns))                                         \
    X("events_per_s", HZ, cup_ratio((double)use->events, (double)use->chunk_ns / 1e9))             \
    X("first_byte_p50_s", SECONDS, request_quantile(cup_server_first_bytes(use), 0.5))             \
    X("first_byte_p90_s", SECONDS, request_quantile(cup_server_first_bytes(use), 0.9))             \
    X("first_byte_p99_s", SECONDS, request_quantile(cup_server_first_bytes(use), 0.99))            \
    X("http_4xx", COUNT, cup_count_if(shows_status, use->http_4xx))                                \
    X("http_5xx", COUNT, cup_count_if(shows_status, use->http_5xx))                                \
    X("cut_off", COUNT, cup_count_if(use->is_http, use->cut_off))                                  \
    X("given_up", COUNT, cup_count_if(use->is_http, use->given_up))                                \
    X("status_unknown", COUNT, cup_count_if(use->is_http, use->encrypted))                         \
    X("retries", COUNT, cup_count_if(!no_retries, use->repeated), .heading = "again", .place = 11, \
      .rank = 6)                                                                                   \
    X("retries_null_because", TEXT, no_retries ? cup_string(no_retries) : cup_null())              \
    X("reconnects", COUNT, cup_count_if(!no_reconnects, use->reconnects), .heading = "reconnects", \
      .place = 12, .rank = 7)                                                                      \
    X("reconnects_null_because", TEXT, no_reconnects ? cup_string(no_reconnects) : cup_null())     \
    X("mean_requests_out", NUMBER, cup_real(cup_server_mean_out(use)))                             \
    X("waited_lacks", TEXT, mount && use->mapped_bytes > 0 ? cup_string(faults) : cup_null())      \
    X("most_requests_out", COUNT, cup_count_if(use->most_out > 0 && !mount, use->most_out))        \
    X("error_kinds", TEXT,                                                                         \
      cup_server_error_kinds(all, use, kinds, sizeof kinds) ? cup_row_string(rows, kinds)          \
                                                            : cup_null(),                          \
      .heading = "errors by kind", .place = 13, .rank = 8, .none = "")

/* Why the waiting for a mount is null, or too short. */
static const char faults[] =
    "page faults of mapped files: the kernel counts them by task, and does "
    "not tell how long they took";

/* An item of the table. */
struct server_item {
    const struct cup_server_uses *all;
    const struct cup_server_use *use;
};

static void fill_server(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_server_uses *all = ((const struct server_item *)item)->all;
    const struct cup_server_use *use = ((const struct server_item *)item)->use;
    bool peer = use->kind == CUP_SERVER_PEER || use->kind == CUP_SERVER_WIRE;
    bool mount = use->kind == CUP_SERVER_MOUNT;
    bool known = !rows->profile->tasks_summed;                 /* which tasks sent requests to it */
    bool mapped = use->mapped_bytes > 0 && use->requests == 0; /* page faults are no requests */
    bool shows_status =
        use->is_http && use->encrypted + use->cut_off + use->given_up < use->requests;
    char worst[64], kinds[600];
    const char *no_retries = cup_server_repeats_unknown(rows->profile, use);
    const char *no_reconnects = cup_server_reconnects_unknown(rows->profile, use);
    CUP_FILL(values, SERVER_FIELDS);
}

/* The text leaves out the sockets of XRootD's client, which carry the bytes of its servers again,
 * and socket pairs that wake event loops: they have no name and deliver nothing to tasks. */
static bool is_in_text(const struct cup_server_use *use)
{
    bool waker = cup_is_nameless_socket(use->name) && use->bytes == 0;
    return use->kind != CUP_SERVER_WIRE && !waker;
}

static int list_servers(struct cup_report_rows *rows)
{
    struct cup_server_uses uses;
    if (cup_server_uses_make(&uses, rows->profile) != 0)
        return -1;
    for (size_t i = 0; i < uses.count; i++)
        if (!rows->text.page || is_in_text(&uses.rows[i]))
            cup_add_row(rows, &(struct server_item){&uses, &uses.rows[i]});
    cup_server_uses_free(&uses);
    return 0;
}

static const struct cup_report_table servers = {CUP_TABLE_FIELDS(SERVER_FIELDS, fill_server),
                                                list_servers, .on_screen = 10,
                                                .more = "server in --json"};

const struct cup_report_section cup_servers_section = {
    .name = "servers",
    .heading = "Servers",
    .note_on_dask = "Dask's own connections are left out",
    .note = "waiting: time with at least one unanswered request, added up over tasks; 90 %: the "
            "duration that 90 % of the answered requests did not exceed, accurate to about 20 %; "
            "again: requests that had failed, and were sent again (n/a with TLS, XRootD and "
            "mounts); reconnects: connections that replaced an earlier one of the same task",
    .table = &servers,
    .nothing =
        "No use of a server or a network file system was seen; `--only files` has local files.",
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
