#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/reads/server_uses.h"
#include "analysis/profile/files.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"
#include "plot/shared/time_bins.h"

static const struct cup_bar_kind kinds[] = {
    [CUP_SERVER_XROOTD] = {"by XRootD's client", CUP_PAINT_BLUE},
    [CUP_SERVER_PEER] = {"by sockets", CUP_PAINT_ORANGE},
    [CUP_SERVER_MOUNT] = {"as mounted files", CUP_PAINT_GREEN},
};

static int by_bytes(const void *left, const void *right)
{
    const struct cup_server_use *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return cup_text_compare(a->name, b->name);
}

static void add_row(struct cup_rows *plot, const struct cup_server_use *use)
{
    char bytes[24], calls[64], time[CUP_DURATION_TEXT];
    struct cup_row *row = cup_rows_add(plot, use->name, use->kind, (double)use->bytes);
    if (row)
        snprintf(row->text, sizeof row->text, "%s, %s, waited %s",
                 cup_tick_text(bytes, (double)use->bytes, CUP_AXIS_BYTES),
                 cup_count_text(calls, use->requests, "request"),
                 cup_duration_text(time, (double)use->waited_ns / 1e9));
}

static void write_caption(struct cup_plot_input *input, size_t servers, size_t peers, bool all)
{
    char counted[64], left_out[64], client[160] = "";
    if (peers)
        snprintf(client, sizeof client,
                 " Left out: %s of the XRootD client's own sockets, which carry the same bytes.",
                 cup_count_text(left_out, peers, "peer"));
    cup_plot_set_caption(input,
                         "%s%s%s. XRootD: the data servers, also "
                         "those behind a redirector. Waited: time with at least one unanswered "
                         "request, added up over tasks (cupping).%s",
                         all ? "" : "Those with the most bytes of ",
                         cup_count_text(counted, servers, "server"),
                         cup_plot_left_out_connections(input), client);
}

/* Returns how many servers delivered bytes. */
static size_t add_rows(struct cup_rows *plot, const struct cup_server_uses *uses, size_t *peers)
{
    size_t servers = 0;
    for (size_t i = 0; i < uses->count; i++) {
        const struct cup_server_use *use = &uses->rows[i];
        *peers += use->kind == CUP_SERVER_WIRE && use->bytes;
        if (use->kind == CUP_SERVER_WIRE || !use->bytes || cup_is_nameless_socket(use->name))
            continue;
        servers++;
        add_row(plot, use);
    }
    return servers;
}

const void *cup_data_servers(struct cup_plot_input *input)
{
    struct cup_server_uses uses;
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds,
                                          "servers", "bytes received", CUP_AXIS_BYTES);
    size_t peers = 0;
    if (!plot || cup_server_uses_make(&uses, input->totals->profile) != 0)
        return NULL;
    if (uses.count)
        qsort(uses.rows, uses.count, sizeof *uses.rows, by_bytes);
    size_t servers = add_rows(plot, &uses, &peers);
    cup_server_uses_free(&uses);
    if (servers == 0)
        return cup_plot_unavailable(input,
                                    "no bytes came from a server: all files were local or mounted");
    write_caption(input, servers, peers, servers == plot->count);
    return plot;
}
