#include <stdlib.h>
#include <string.h>

#include "analysis/profile/files.h"
#include "plot/charts.h"
#include "plot/rows.h"

static const struct cup_bar_kind kinds[] = {
    {"by a client of files (XRootD)", CUP_PAINT_BLUE},
    {"by sockets", CUP_PAINT_ORANGE},
};

struct server {
    struct cup_text name;
    size_t kind;
    uint64_t bytes, calls, ns;
};

/* The server of a remote file, which is no file here, or the peer of a socket; empty for others. */
static struct cup_text name_of(const struct cup_profile *profile, const struct cup_file *file)
{
    struct cup_text path = cup_profile_text(profile, file->path);
    if (file->class == CUP_FILE_SOCKET)
        return path;
    return file->class == CUP_FILE_DATA ? cup_url_server(path) : (struct cup_text){NULL, 0};
}

static int by_name(const void *left, const void *right)
{
    const struct server *a = left, *b = right;
    size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = memcmp(a->name.bytes, b->name.bytes, shorter);
    return order ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

static int by_bytes(const void *left, const void *right)
{
    const struct server *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return by_name(left, right);
}

/* A file each, and those of no bytes left out. */
static size_t gather(struct server *servers, const struct cup_profile *profile,
                     const uint32_t *files, size_t count, size_t kind)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cup_file_sum total = cup_file_total(profile, files[i]);
        const uint64_t *c = total.counters;
        struct cup_text name = name_of(profile, &profile->files[files[i]]);
        if (name.length && c[CUP_F_READ_BYTES])
            servers[kept++] = (struct server){name, kind, c[CUP_F_READ_BYTES], c[CUP_F_READ_CALLS],
                                              c[CUP_F_READ_NS]};
    }
    return kept;
}

/* Those of one name become one; returns how many are left. */
static size_t join(struct server *servers, size_t count)
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

static void add_row(struct cup_rows *plot, const struct server *server)
{
    char bytes[24], rate[24], calls[64];
    struct cup_row *row = cup_rows_add(plot, server->name, server->kind, (double)server->bytes);
    if (row)
        snprintf(row->text, sizeof row->text, "%s, %s, %s",
                 cup_tick_text(bytes, (double)server->bytes, CUP_AXIS_BYTES),
                 cup_plot_counted(calls, server->calls, "read"),
                 server->ns ? cup_tick_text(rate, (double)server->bytes * 1e9 / (double)server->ns,
                                            CUP_AXIS_BYTE_RATE)
                            : "no time");
}

/* NULL without memory. */
static struct server *make_servers(struct cup_plot_input *input, size_t *count)
{
    const struct cup_profile *profile = input->totals->profile;
    size_t files, peers;
    uint32_t *data = cup_files_by_bytes(profile, CUP_FILE_DATA, &files);
    uint32_t *sockets = cup_files_by_bytes(profile, CUP_FILE_SOCKET, &peers);
    struct server *servers = cup_arena_take(input->arena, profile->file_count + 1, sizeof *servers);
    bool made = data && sockets && servers;
    if (made) {
        *count = gather(servers, profile, data, files, 0);
        *count += gather(servers + *count, profile, sockets, peers, 1);
        *count = join(servers, *count);
    }
    free(data);
    free(sockets);
    return made ? servers : NULL;
}

const void *cup_data_servers(struct cup_plot_input *input)
{
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds);
    size_t count = 0;
    const struct server *servers = plot ? make_servers(input, &count) : NULL;
    if (!servers)
        return NULL;
    if (count == 0)
        return cup_plot_none(input, "no byte came from a server: all files were local or mounted");
    for (size_t i = 0; i < count; i++)
        add_row(plot, &servers[i]);
    plot->what = "servers";
    plot->name = "bytes received";
    plot->unit = CUP_AXIS_BYTES;
    char counted[64];
    cup_plot_say(input,
                 "%s%s, Dask's own left out, with the rate inside of the calls that read. A "
                 "server's rate over time is not in the logs; what a URL names may be a redirector "
                 "(P).",
                 count > plot->count ? "The most bytes of " : "",
                 cup_plot_counted(counted, count, "server"));
    return plot;
}
