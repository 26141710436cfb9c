#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/profile/files.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"
#include "plot/shared/time_bins.h"

static const struct cup_bar_kind kinds[] = {
    {"by XRootD's client", CUP_PAINT_BLUE},
    {"by sockets", CUP_PAINT_ORANGE},
};
enum { BY_CLIENT, BY_SOCKETS };

struct server {
    struct cup_text name;
    size_t kind;
    uint64_t bytes, calls, ns;
};

struct servers {
    struct server *rows;
    size_t count;
    size_t client_peers; /* peers of the XRootD client's own sockets, which get no row */
};

static int by_name(const void *left, const void *right)
{
    const struct server *a = left, *b = right;
    return cup_text_compare(a->name, b->name);
}

static int by_bytes(const void *left, const void *right)
{
    const struct server *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return by_name(left, right);
}

static void add_server(struct servers *servers, struct cup_text name, size_t kind, uint64_t bytes,
                       uint64_t calls, uint64_t ns)
{
    if (name.length && bytes)
        servers->rows[servers->count++] = (struct server){name, kind, bytes, calls, ns};
}

/* Adds the servers of files named by a URL, which the XRootD client reads. */
static int add_files(struct servers *servers, const struct cup_profile *profile)
{
    size_t count;
    struct cup_url_sum *sums = cup_url_sums(profile, &count);
    for (size_t i = 0; sums && i < count; i++)
        add_server(servers, sums[i].server, BY_CLIENT, sums[i].bytes, sums[i].calls, sums[i].ns);
    free(sums);
    return sums ? 0 : -1;
}

/* Adds the peers of sockets. The XRootD client's own sockets, which no task reads from, are left
 * out: they carry the same bytes. */
static int add_peers(struct servers *servers, const struct cup_profile *profile)
{
    size_t count, files = servers->count;
    uint32_t *peers = cup_files_by_bytes(profile, CUP_FILE_SOCKET, &count);
    for (size_t i = 0; peers && i < count; i++) {
        const struct cup_file_sum sum = cup_file_total(profile, peers[i]);
        bool wire = files && sum.tasks == 0;
        servers->client_peers += wire && sum.counters[CUP_F_READ_BYTES];
        struct cup_text path = cup_profile_text(profile, profile->files[peers[i]].path);
        if (!wire && !cup_is_nameless_socket(path))
            add_server(servers, path, BY_SOCKETS, sum.counters[CUP_F_READ_BYTES],
                       sum.counters[CUP_F_READ_CALLS], sum.counters[CUP_F_READ_NS]);
    }
    free(peers);
    return peers ? 0 : -1;
}

/* Joins servers of the same name. Returns how many are left. */
static size_t join_servers(struct server *servers, size_t count)
{
    size_t kept = 0;
    qsort(servers, count, sizeof *servers, by_name);
    for (size_t i = 0; i < count; i++) {
        struct server *last = &servers[kept ? kept - 1 : 0];
        if (kept == 0 || by_name(last, &servers[i]) != 0) {
            servers[kept++] = servers[i];
            continue;
        }
        last->bytes += servers[i].bytes;
        last->calls += servers[i].calls;
        last->ns += servers[i].ns;
    }
    qsort(servers, kept, sizeof *servers, by_bytes);
    return kept;
}

/* Sockets are read after data arrived, so the time of their reads says nothing about the server. */
static void add_row(struct cup_rows *plot, const struct server *server)
{
    char bytes[24], each[24], calls[64], time[CUP_DURATION_TEXT];
    struct cup_row *row = cup_rows_add(plot, server->name, server->kind, (double)server->bytes);
    if (!row)
        return;
    double reads = fmax(1, (double)server->calls);
    int length = snprintf(row->text, sizeof row->text, "%s, %s of %s",
                          cup_tick_text(bytes, (double)server->bytes, CUP_AXIS_BYTES),
                          cup_count_text(calls, server->calls, "read"),
                          cup_tick_text(each, (double)server->bytes / reads, CUP_AXIS_BYTES));
    if (server->kind == BY_CLIENT && length > 0 && (size_t)length < sizeof row->text)
        snprintf(row->text + length, sizeof row->text - (size_t)length, " in %s",
                 cup_duration_text(time, (double)server->ns / 1e9 / reads));
}

static void write_caption(struct cup_plot_input *input, const struct servers *servers, bool all)
{
    char counted[64], peers[64], client[160] = "";
    if (servers->client_peers)
        snprintf(client, sizeof client,
                 " Left out: %s of the XRootD client's own sockets, which carry the same bytes.",
                 cup_count_text(peers, servers->client_peers, "peer"));
    cup_plot_set_caption(input,
                         "%s%s, without Dask's own connections. The server in a URL may be a "
                         "redirector (cupping).%s",
                         all ? "" : "Those with the most bytes of ",
                         cup_count_text(counted, servers->count, "server"), client);
}

const void *cup_data_servers(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds,
                                          "servers", "bytes received", CUP_AXIS_BYTES);
    struct servers servers = {
        .rows = cup_arena_take(input->arena, profile->file_count + 1, sizeof *servers.rows)};
    if (!plot || !servers.rows)
        return NULL;
    if (add_files(&servers, profile) != 0 || add_peers(&servers, profile) != 0)
        return NULL;
    servers.count = join_servers(servers.rows, servers.count);
    if (servers.count == 0)
        return cup_plot_unavailable(input,
                                    "no bytes came from a server: all files were local or mounted");
    for (size_t i = 0; i < servers.count; i++)
        add_row(plot, &servers.rows[i]);
    write_caption(input, &servers, servers.count == plot->count);
    return plot;
}
