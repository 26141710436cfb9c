#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/metrics/reads/server_uses.h"
#include "analysis/profile/access_feed.h"
#include "analysis/profile/files.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/shared/time_bins.h"
#include "plot/time/time_plots.h"

/* Where bytes came from: the data server of requests, the server in the URL of a file without
 * requests, the mounted file system of a file, or the peer of a socket. All other files are one
 * source. */
struct source {
    struct cup_text name;
    enum source_kind { SERVER, PEER, MOUNT, LOCAL } kind;
    uint64_t bytes;
    size_t shown; /* index in plot->rates */
};

struct sources {
    struct source *rows;
    size_t count;
    uint32_t *of_file;   /* for each file: index of its source + 1; 0: none */
    uint8_t *by_request; /* for each file: 1 if its requests say which server delivered what */
    size_t from_urls;    /* sources that are the server in a URL, which may be a redirector */
    uint64_t bytes;      /* of all reads, also those without a recorded time */
    size_t servers;      /* files and sockets that are not local */
    bool as_data_rate;   /* the sum of the sources is the line of data-rate */
};

static uint32_t find_source(struct sources *sources, struct cup_text name, enum source_kind kind)
{
    for (size_t i = 0; i < sources->count; i++)
        if (cup_same_server(sources->rows[i].name, name))
            return (uint32_t)i + 1;
    sources->rows[sources->count] = (struct source){.name = name, .kind = kind};
    return (uint32_t)++sources->count;
}

static void add_file(struct sources *sources, const struct cup_profile *profile, uint32_t file)
{
    static const struct cup_text local = {"files not from a server", 23};
    struct cup_text mount = cup_profile_text(profile, profile->files[file].mount);
    struct cup_text path = cup_profile_text(profile, profile->files[file].path);
    const struct cup_file_sum sum = cup_file_total(profile, file);
    uint64_t bytes = sum.counters[CUP_F_READ_BYTES];
    bool data = profile->files[file].class == CUP_FILE_DATA;
    bool by_http = data && cup_url_server(path).length && !cup_is_xrootd_url(path);
    struct cup_text server = data ? cup_url_server(path) : path;
    if (bytes == 0 || path.length == 0 || by_http || /* its peer has the bytes */
        (!data && (sum.tasks == 0 || cup_is_nameless_socket(path))))
        return;
    sources->of_file[file] = server.length  ? find_source(sources, server, data ? SERVER : PEER)
                             : mount.length ? find_source(sources, mount, MOUNT)
                                            : find_source(sources, local, LOCAL);
    sources->servers += server.length > 0 || mount.length > 0;
    sources->bytes += bytes;
}

/* The source of a request of XRootD's client; 0: of another one, or of one without bytes. */
static uint32_t source_of(struct sources *sources, const struct cup_profile *profile,
                          const struct cup_request_row *request)
{
    struct cup_text server = cup_profile_text(profile, request->server);
    bool counts = request->file && sources->of_file[request->file - 1] &&
                  request->values[CUP_Q_BYTES] && cup_is_xrootd_url(server);
    return counts ? find_source(sources, server, SERVER) : 0;
}

static void find_requests(struct sources *sources, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->request_count; i++)
        if (source_of(sources, profile, &profile->requests[i]))
            sources->by_request[profile->requests[i].file - 1] = 1;
}

/* Sockets that no task reads from, like those of the XRootD client, which carry the same bytes
 * again, are no sources. */
static int find_sources(struct sources *sources, struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    const uint32_t classes[] = {CUP_FILE_DATA, CUP_FILE_SOCKET};
    size_t files = profile->file_count + 1, most = files + profile->request_sum_count;
    sources->rows = cup_arena_take(input->arena, most, sizeof *sources->rows);
    sources->of_file = cup_arena_take(input->arena, files, sizeof *sources->of_file);
    sources->by_request = cup_arena_take(input->arena, files, sizeof *sources->by_request);
    if (!sources->rows || !sources->of_file || !sources->by_request)
        return -1;
    for (int class = 0; class < 2; class ++) {
        size_t count;
        uint32_t *files = cup_files_by_bytes(profile, classes[class], &count);
        if (!files)
            return -1;
        for (size_t i = 0; i < count; i++)
            add_file(sources, profile, files[i]);
        free(files);
    }
    find_requests(sources, profile);
    return 0;
}

/* ---- over time ---------------------------------------------------------------------------- */

/* Adds bytes to the source OF (index + 1): without TO to its sum, else spread over its time bins. A
 * read too short to be measured counts as one microsecond. */
static void add_bytes(struct sources *sources, uint32_t of, struct cup_time_bins *to,
                      int64_t start_ns, int64_t stop_ns, uint64_t bytes)
{
    struct source *source = &sources->rows[of - 1];
    if (!to) {
        source->bytes += bytes;
        return;
    }
    struct cup_time_bins *bins = &to[source->shown];
    double start = cup_time_bins_second(bins, start_ns), stop = cup_time_bins_second(bins, stop_ns);
    cup_time_bins_spread(bins, start, stop > start ? stop : start + 1e-6, (double)bytes);
}

static int by_bytes(const void *a, const void *b)
{
    const struct source *one = *(const struct source *const *)a;
    const struct source *other = *(const struct source *const *)b;
    return one->bytes != other->bytes ? (one->bytes > other->bytes ? -1 : 1)
                                      : (one > other) - (one < other);
}

static void read_requests(struct sources *sources, const struct cup_profile *profile,
                          struct cup_time_bins *to)
{
    for (size_t i = 0; i < profile->request_count; i++) {
        const struct cup_request_row *row = &profile->requests[i];
        uint32_t of = source_of(sources, profile, row);
        if (of)
            add_bytes(sources, of, to, row->start_ns, row->stop_ns, row->values[CUP_Q_BYTES]);
    }
}

/* Reads all requests, and the access extents of files without any. With TO, spreads each over the
 * time bins of its source; without, sums up the bytes of each source. Returns 0, or -1. */
static int read_sources(struct sources *sources, const struct cup_profile *profile,
                        struct cup_time_bins *to)
{
    struct cup_access_feed feed;
    read_requests(sources, profile, to);
    cup_access_feed_open(&feed, profile, NULL);
    while (cup_access_feed_next(&feed)) {
        uint32_t file = feed.place->file, of = sources->of_file[file];
        for (uint32_t i = 0; of && !sources->by_request[file] && i < feed.access.count; i++) {
            const struct cup_read_extent *extent = &feed.access.extents[i];
            sources->from_urls += sources->rows[of - 1].kind == SERVER;
            add_bytes(sources, of, to, extent->start_ns, extent->stop_ns, extent->bytes);
        }
    }
    return cup_access_feed_close(&feed);
}

/* True if the servers would be a line on the axis. */
static bool is_nearly_all_local(const struct sources *sources)
{
    uint64_t all = 0, local = 0;
    for (size_t i = 0; i < sources->count; i++) {
        all += sources->rows[i].bytes;
        local += sources->rows[i].kind == LOCAL ? sources->rows[i].bytes : 0;
    }
    return local > all - all / 100;
}

/* How many sources are shown by name: those with the most bytes, each with at least 1/200 of all.
 */
static size_t count_named(struct source *const *order, size_t count)
{
    uint64_t all = 0;
    size_t named = 0;
    for (size_t i = 0; i < count; i++)
        all += order[i]->bytes;
    while (named < count && named < CUP_SERVERS_SHOWN && order[named]->bytes >= all / 200)
        named++;
    if (named == CUP_SERVERS_SHOWN && count > named)
        named--;
    return count - named == 1 ? count : named;
}

/* Sorts the sources with bytes into `order` and names those that are shown. Returns how many
 * sources have bytes. */
static size_t choose_sources(struct cup_server_rate *plot, struct sources *sources,
                             struct source **order)
{
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->rows[i].bytes)
            order[count++] = &sources->rows[i];
    qsort(order, count, sizeof *order, by_bytes);
    size_t named = count_named(order, count);
    plot->others = named < count;
    plot->count = named + plot->others;
    for (size_t i = 0; i < count; i++) {
        order[i]->shown = i < named ? i : named;
        if (i >= named)
            continue;
        snprintf(plot->names[i], sizeof *plot->names, "%.*s",
                 (int)(order[i]->name.length < 60 ? order[i]->name.length : 60),
                 order[i]->name.bytes);
        if (order[i]->kind == LOCAL)
            plot->local = i + 1;
    }
    if (plot->others)
        snprintf(plot->names[named], sizeof *plot->names, "%zu others", count - named);
    return count;
}

/* The bytes of data-rate are those of each read at its time; an access extent is several reads. So
 * where both know the same bytes, the sources share those of data-rate, in proportion to their
 * extents. Returns false if the bytes are not the same, or if the bins of data-rate are wider. */
static bool follow_data_rate(struct cup_time_bins *bins, size_t count,
                             const struct cup_totals *totals)
{
    struct cup_time_bins read;
    double whole = 0, part[CUP_SERVERS_SHOWN] = {0};
    cup_series_make(&read, totals, CUP_S_READ_BYTES);
    for (size_t i = 0; i < count; i++)
        whole += part[i] = bins[i].whole;
    if (read.count != bins->count || fabs(read.whole - whole) > 0.01 * read.whole)
        return false;
    for (size_t i = 0; i < count; i++)
        bins[i].whole = 0;
    for (size_t bin = 0; bin < read.count; bin++) {
        double here = 0;
        for (size_t i = 0; i < count; i++)
            here += bins[i].amounts[bin];
        for (size_t i = 0; i < count; i++) {
            double share = here > 0 ? bins[i].amounts[bin] / here : part[i] / whole;
            bins[i].amounts[bin] = share * read.amounts[bin];
            bins[i].whole += bins[i].amounts[bin];
        }
    }
    return true;
}

static int make_lines(struct cup_server_rate *plot, struct cup_plot_input *input,
                      struct sources *sources, struct cup_time_bins *sum)
{
    struct cup_time_bins *bins = cup_arena_take(input->arena, plot->count, sizeof *bins);
    cup_time_bins_make(sum, input->totals);
    for (size_t i = 0; bins && i < plot->count; i++)
        bins[i] = *sum;
    if (!bins || read_sources(sources, input->totals->profile, bins) != 0)
        return -1;
    sources->as_data_rate = follow_data_rate(bins, plot->count, input->totals);
    for (size_t i = 0; i < plot->count; i++) {
        for (size_t bin = 0; bin < sum->count; bin++)
            sum->amounts[bin] += bins[i].amounts[bin];
        sum->whole += bins[i].whole;
        plot->rates[i] = cup_time_line_new(input->arena, &bins[i]);
        if (!plot->rates[i])
            return -1;
    }
    plot->sum = cup_time_line_new(input->arena, sum);
    return plot->sum ? 0 : -1;
}

static void write_caption(struct cup_plot_input *input, const struct sources *sources,
                          size_t servers, const struct cup_time_bins *sum)
{
    char mean[24], counted[64], lost[64] = "", bytes[24];
    double unknown = (double)sources->bytes - sum->whole;
    if (unknown > 0.01 * (double)sources->bytes)
        snprintf(lost, sizeof lost, " The time of %s was not recorded.",
                 cup_tick_text(bytes, unknown, CUP_AXIS_BYTES));
    cup_plot_set_caption(
        input,
        "%s%s. In bins of %.3g s, %s. Mean of the run: %s "
        "(cupping).%s%s",
        cup_count_text(counted, servers, "source"), cup_plot_left_out_connections(input),
        sum->bin_s,
        sources->as_data_rate
            ? "the bytes of data-rate, divided among the sources in proportion to their reads"
            : "with bytes spread evenly over the time of the reads that delivered them",
        cup_tick_text(mean, sum->run_s > 0 ? sum->whole / sum->run_s : 0, CUP_AXIS_BYTE_RATE),
        sources->from_urls ? " The server in a URL may be a redirector." : "", lost);
}

const void *cup_data_server_rate(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_server_rate *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct sources sources = {0};
    struct cup_time_bins sum;
    if (!plot || find_sources(&sources, input) != 0)
        return NULL;
    if (sources.count == 0)
        return cup_plot_unavailable(input, "no bytes came from a server or a file");
    if (sources.servers == 0)
        return cup_plot_unavailable(input, "all files were local or mounted, so there is no "
                                           "storage server: data-rate shows how fast they were "
                                           "read");
    struct source **order = cup_arena_take(input->arena, sources.count, sizeof *order);
    if (!order || read_sources(&sources, profile, NULL) != 0)
        return NULL;
    size_t servers = choose_sources(plot, &sources, order);
    if (servers == 0)
        return cup_plot_unavailable(input, "%s", cup_no_accesses_reason(profile));
    if (is_nearly_all_local(&sources))
        return cup_plot_unavailable(input, "over 99 %% of the bytes came from local or mounted "
                                           "files: data-rate shows how fast they were read, and "
                                           "servers what came from servers");
    if (make_lines(plot, input, &sources, &sum) != 0)
        return NULL;
    if (sum.whole <= 0)
        return cup_plot_unavailable(input, "all reads were before the run began or after it ended");
    plot->seconds = sum.run_s;
    write_caption(input, &sources, servers, &sum);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* The outline of stacked steps: each value at both ends of its bin. */
struct steps {
    double x[2 * CUP_TIME_BINS], low[2 * CUP_TIME_BINS], high[2 * CUP_TIME_BINS];
    size_t count;
};

/* Puts a line of steps on top of the ones before. */
static void add_steps(struct steps *steps, const struct cup_time_line *line)
{
    steps->count = 0;
    for (size_t i = 0; i + 1 < line->count; i++)
        for (size_t end = 0; end < 2; end++) {
            size_t at = steps->count++;
            steps->x[at] = line->time_s[i + end];
            steps->low[at] = steps->high[at];
            steps->high[at] += line->values[i];
        }
}

static struct cup_colour colour_of(const struct cup_figure *figure,
                                   const struct cup_server_rate *plot, size_t server)
{
    return plot->others && server + 1 == plot->count ? figure->theme->paints[CUP_PAINT_GREY]
           : server + 1 == plot->local               ? figure->theme->paints[CUP_PAINT_YELLOW]
                                       : cup_theme_paint(figure->theme, (unsigned)server);
}

void cup_chart_server_rate(struct cup_figure *figure, const void *data)
{
    const struct cup_server_rate *plot = data;
    struct steps steps = {.count = 0};
    double high = plot->sum->most * 1.05;
    figure->x = cup_run_axis(plot->seconds);
    figure->y = cup_axis_exact("bytes received", CUP_AXIS_BYTE_RATE, high);
    figure->right = cup_axis_exact("in bits", CUP_AXIS_BIT_RATE, 8 * high);
    for (size_t i = 0; i < plot->count; i++)
        cup_figure_add_key(figure, CUP_KEY_BOX, colour_of(figure, plot, i), "%s", plot->names[i]);
    if (plot->count > 1)
        cup_figure_add_key(figure, CUP_KEY_LINE, figure->theme->ink, "all");
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++) {
        add_steps(&steps, plot->rates[i]);
        cup_mark_stack(figure, steps.x, steps.low, steps.high, steps.count,
                       colour_of(figure, plot, i));
    }
    if (plot->count > 1)
        cup_mark_line(figure, plot->sum->time_s, plot->sum->values, plot->sum->count,
                      &(struct cup_stroke){.colour = figure->theme->ink, .steps = true});
    cup_figure_close(figure);
}
