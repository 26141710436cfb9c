/* Servers, and how long it took to open files at them, in the report's JSON. */
#include "analysis/report/page/json_page.h"

#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/profile/files.h"

/* "tcp" of "tcp://10.0.0.1:1094", "unix" of "unix:/run/x"; null where there is none. */
static struct cup_value protocol_of(struct cup_text address)
{
    const char *colon = address.bytes ? memchr(address.bytes, ':', address.length) : NULL;
    if (!colon)
        return cup_null();
    return cup_text((struct cup_text){address.bytes, (size_t)(colon - address.bytes)});
}

/* ---- opens --------------------------------------------------------------------------------- */

static bool are_timed(const struct report *report)
{
    return cup_profile_measured(report->profile, CUP_FEATURE_OPENS);
}

static struct cup_value quantile(const struct cup_open_sum *sum, double share)
{
    return sum ? cup_real(cup_open_quantile_ns(sum, share) / 1e9) : cup_null();
}

static void put_open_sum(struct report *report, const struct cup_open_sum *sum)
{
    char worst[64];
    bool any = sum->opened > 0;
    cup_json_row(&report->json, NULL);
    put(report, "server", text_of(report, sum->server));
    put(report, "kind", cup_string(cup_open_kind_name(sum->kind)));
    put(report, "opened", cup_count(sum->opened));
    put(report, "p50_s", quantile(sum, 0.5));
    put(report, "p90_s", quantile(sum, 0.9));
    put(report, "p99_s", quantile(sum, 0.99));
    put(report, "min_s", any ? cup_seconds((int64_t)sum->shortest_ns) : cup_null());
    put(report, "max_s", any ? cup_seconds((int64_t)sum->longest_ns) : cup_null());
    put_ns(report, "total_s", sum->ns);
    put(report, "failed", cup_count(sum->failed));
    put_ns(report, "failed_s", sum->failed_ns);
    put(report, "most_frequent_error",
        cup_open_worst(sum, worst, sizeof worst) ? cup_string(worst) : cup_null());
    cup_json_end_object(&report->json);
}

int cup_report_put_opens(struct report *report)
{
    size_t count;
    if (!are_timed(report)) {
        put(report, "opens", cup_null());
        return 0;
    }
    const struct cup_open_sum **sums = cup_opens_by_time(report->profile, &count);
    open_rows(report, "opens");
    for (size_t i = 0; sums && i < count && !cup_output_failed(report->output); i++)
        put_open_sum(report, sums[i]);
    close_rows(report);
    free(sums);
    return sums ? 0 : -1;
}

/* ---- servers ------------------------------------------------------------------------------- */

/* SUM: NULL if nothing was opened there. A file that is opened is not a connection. */
static void put_latency(struct report *report, const struct cup_open_sum *sum, bool of_files)
{
    const struct cup_open_sum *files = of_files ? sum : NULL, *connects = of_files ? NULL : sum;
    put(report, "open_latency_p50_s", quantile(files, 0.5));
    put(report, "open_latency_p99_s", quantile(files, 0.99));
    put(report, "connect_p50_s", quantile(connects, 0.5));
    put(report, "connect_p99_s", quantile(connects, 0.99));
    put(report, "errors", are_timed(report) ? cup_count(sum ? sum->failed : 0) : cup_null());
}

static void put_peer(struct report *report, uint32_t index)
{
    const struct cup_file *server = &report->profile->files[index];
    const struct cup_file_sum total = cup_file_total(report->profile, index);
    struct cup_text name = cup_profile_text(report->profile, server->path);
    const uint64_t *c = total.counters;
    cup_json_row(&report->json, NULL);
    put(report, "server", cup_text(name));
    put(report, "protocol", protocol_of(name));
    put(report, "recv_bytes", cup_count(c[CUP_F_READ_BYTES]));
    put(report, "send_bytes", cup_count(c[CUP_F_WRITE_BYTES]));
    put(report, "requests", cup_count(c[CUP_F_WRITE_CALLS]));
    put(report, "recv_calls", cup_count(c[CUP_F_READ_CALLS]));
    put(report, "bytes_per_request",
        cup_ratio((double)c[CUP_F_READ_BYTES], (double)c[CUP_F_WRITE_CALLS]));
    put(report, "connections", cup_count(c[CUP_F_OPENS]));
    put_ns(report, "net_s", c[CUP_F_READ_NS] + c[CUP_F_WRITE_NS]);
    put(report, "tasks", cup_count(total.tasks));
    put(report, "processes", cup_count(server->processes));
    put_latency(report, cup_opens_of(report->profile, name, CUP_OPEN_CONNECT), false);
    cup_json_end_object(&report->json);
}

/* What the client's sockets carry, and how many there are, is told by the rows of its peers. */
static void put_url_server(struct report *report, const struct cup_url_sum *sum)
{
    static const char *const unknown[] = {"send_bytes", "recv_calls", "connections", "tasks",
                                          "processes"};
    cup_json_row(&report->json, NULL);
    put(report, "server", cup_text(sum->server));
    put(report, "protocol", protocol_of(sum->server));
    put(report, "recv_bytes", cup_count(sum->bytes));
    put(report, "requests", cup_count(sum->calls));
    put(report, "bytes_per_request", cup_ratio((double)sum->bytes, (double)sum->calls));
    put_ns(report, "net_s", sum->ns);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        put(report, unknown[i], cup_null());
    put_latency(report, cup_opens_of(report->profile, sum->server, CUP_OPEN_XROOTD), true);
    cup_json_end_object(&report->json);
}

int cup_report_put_servers(struct report *report)
{
    size_t count, url_count;
    uint32_t *peers = cup_files_by_bytes(report->profile, CUP_FILE_SOCKET, &count);
    struct cup_url_sum *urls = cup_url_sums(report->profile, &url_count);
    bool whole = peers && urls;
    open_rows(report, "servers");
    for (size_t i = 0; whole && i < url_count && !cup_output_failed(report->output); i++)
        put_url_server(report, &urls[i]);
    for (size_t i = 0; whole && i < count && !cup_output_failed(report->output); i++)
        put_peer(report, peers[i]);
    close_rows(report);
    free(peers);
    free(urls);
    return whole ? 0 : -1;
}
