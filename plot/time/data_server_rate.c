#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/profile/access_feed.h"
#include "analysis/profile/files.h"
#include "plot/shared/plot.h"
#include "plot/shared/rates.h"
#include "plot/time/server_rate.h"

/* Where bytes came from: a server by the URL of its files, a peer of sockets, or what is mounted
 * below one directory of the root. */
struct source {
    struct cup_text name;
    bool local;
    uint64_t bytes;
    size_t shown; /* as which it is */
};

struct sources {
    struct source *rows;
    size_t count;
    uint32_t *of_file; /* by index: index + 1; 0: none */
    uint64_t bytes;    /* of all reads, with a time or not */
};

/* "/eos" of "/eos/cms/a.root". */
static struct cup_text mount_of(struct cup_text path)
{
    const char *slash = path.length > 1 ? memchr(path.bytes + 1, '/', path.length - 1) : NULL;
    return slash ? (struct cup_text){path.bytes, (size_t)(slash - path.bytes)} : path;
}

static uint32_t source_of(struct sources *sources, struct cup_text name, bool local)
{
    for (size_t i = 0; i < sources->count; i++)
        if (sources->rows[i].name.length == name.length &&
            memcmp(sources->rows[i].name.bytes, name.bytes, name.length) == 0)
            return (uint32_t)i + 1;
    sources->rows[sources->count] = (struct source){.name = name, .local = local};
    return (uint32_t)++sources->count;
}

static void add(struct sources *sources, const struct cup_profile *profile, uint32_t file)
{
    struct cup_text path = cup_profile_text(profile, profile->files[file].path);
    uint64_t bytes = cup_file_total(profile, file).counters[CUP_F_READ_BYTES];
    bool data = profile->files[file].class == CUP_FILE_DATA;
    struct cup_text server = data ? cup_url_server(path) : path;
    if (bytes == 0 || path.length == 0)
        return;
    bool local = server.length == 0;
    sources->of_file[file] = source_of(sources, local ? mount_of(path) : server, local);
    sources->bytes += bytes;
}

/* The sockets of XRootD's client, which no task reads from, carry the same bytes again, and have no
 * strokes. */
static int find_sources(struct sources *sources, struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    const uint32_t classes[] = {CUP_FILE_DATA, CUP_FILE_SOCKET};
    sources->rows = cup_arena_take(input->arena, profile->file_count + 1, sizeof *sources->rows);
    sources->of_file =
        cup_arena_take(input->arena, profile->file_count + 1, sizeof *sources->of_file);
    if (!sources->rows || !sources->of_file)
        return -1;
    for (int class = 0; class < 2; class ++) {
        size_t count;
        uint32_t *files = cup_files_by_bytes(profile, classes[class], &count);
        if (!files)
            return -1;
        for (size_t i = 0; i < count; i++)
            add(sources, profile, files[i]);
        free(files);
    }
    return 0;
}

/* ---- over time ---------------------------------------------------------------------------- */

/* What took no time that could be measured still counts: for a microsecond. */
static void spread(struct cup_time_bins *bins, const struct cup_read_extent *extent)
{
    double from = cup_time_bins_second(bins, extent->start_ns);
    double to = cup_time_bins_second(bins, extent->stop_ns);
    cup_time_bins_spread(bins, from, to > from ? to : from + 1e-6, (double)extent->bytes);
}

static int more_first(const void *a, const void *b)
{
    const struct source *one = *(const struct source *const *)a;
    const struct source *other = *(const struct source *const *)b;
    return one->bytes != other->bytes ? (one->bytes > other->bytes ? -1 : 1)
                                      : (one > other) - (one < other);
}

/* Goes through all strokes; TO gets those of each source that has one, else only their bytes are
 * summed up. */
static int go_through(struct sources *sources, const struct cup_profile *profile,
                      struct cup_time_bins *to)
{
    struct cup_access_feed feed;
    cup_access_feed_open(&feed, profile, NULL);
    while (cup_access_feed_next(&feed)) {
        uint32_t of = sources->of_file[feed.place->file];
        for (uint32_t i = 0; of && i < feed.access.count; i++) {
            if (to)
                spread(&to[sources->rows[of - 1].shown], &feed.access.extents[i]);
            else
                sources->rows[of - 1].bytes += feed.access.extents[i].bytes;
        }
    }
    return cup_access_feed_close(&feed);
}

static void name_source(char *to, size_t room, const struct source *source)
{
    snprintf(to, room, "%s%.*s", source->local ? "files below " : "",
             (int)(source->name.length < 60 ? source->name.length : 60), source->name.bytes);
}

/* How many of them get a name: those of the most bytes, and not of less than one in two hundred. */
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

/* Returns how many sources have any bytes. */
static size_t choose(struct cup_server_rate *plot, struct sources *sources, struct source **order)
{
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->rows[i].bytes)
            order[count++] = &sources->rows[i];
    qsort(order, count, sizeof *order, more_first);
    size_t named = count_named(order, count);
    plot->others = named < count;
    plot->count = named + plot->others;
    for (size_t i = 0; i < count; i++) {
        order[i]->shown = i < named ? i : named;
        if (i < named)
            name_source(plot->names[i], sizeof plot->names[i], order[i]);
    }
    if (plot->others)
        snprintf(plot->names[named], sizeof *plot->names, "%zu others", count - named);
    return count;
}

static const struct cup_time_line *line_of(struct cup_plot_input *input,
                                           const struct cup_time_bins *bins)
{
    struct cup_time_line *line = cup_arena_take(input->arena, 1, sizeof *line);
    if (line)
        cup_time_line_make(line, bins);
    return line;
}

static int make_lines(struct cup_server_rate *plot, struct cup_plot_input *input,
                      struct sources *sources, struct cup_time_bins *sum)
{
    struct cup_time_bins *bins = cup_arena_take(input->arena, plot->count, sizeof *bins);
    cup_time_bins_make(sum, input->totals);
    for (size_t i = 0; bins && i < plot->count; i++)
        bins[i] = *sum;
    if (!bins || go_through(sources, input->totals->profile, bins) != 0)
        return -1;
    for (size_t i = 0; i < plot->count; i++) {
        for (size_t bin = 0; bin < sum->count; bin++)
            sum->amounts[bin] += bins[i].amounts[bin];
        sum->whole += bins[i].whole;
        plot->rates[i] = line_of(input, &bins[i]);
        if (!plot->rates[i])
            return -1;
    }
    plot->sum = line_of(input, sum);
    return plot->sum ? 0 : -1;
}

static void say(struct cup_plot_input *input, const struct sources *sources, size_t servers,
                const struct cup_time_bins *sum)
{
    char mean[24], counted[64], lost[64] = "", bytes[24];
    double unknown = (double)sources->bytes - sum->whole;
    if (unknown > 0.01 * (double)sources->bytes)
        snprintf(lost, sizeof lost, " Of %s it is not known when.",
                 cup_tick_text(bytes, unknown, CUP_AXIS_BYTES));
    cup_plot_set_caption(
        input,
        "%s, Dask's own left out; bytes spread evenly over the time of the reads in a row "
        "that brought them, in bins of %.3g s; mean of all %s. What a URL names may be a "
        "redirector (cupping).%s",
        cup_count_text(counted, servers, "source"), sum->bin_s,
        cup_tick_text(mean, sum->run_s > 0 ? sum->whole / sum->run_s : 0, CUP_AXIS_BYTE_RATE),
        lost);
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
        return cup_plot_unavailable(input, "no byte came from a server or a file");
    struct source **order = cup_arena_take(input->arena, sources.count, sizeof *order);
    if (!order || go_through(&sources, profile, NULL) != 0)
        return NULL;
    size_t servers = choose(plot, &sources, order);
    if (servers == 0)
        return cup_plot_unavailable(input, "%s", cup_no_accesses_reason(profile));
    if (make_lines(plot, input, &sources, &sum) != 0)
        return NULL;
    if (sum.whole <= 0)
        return cup_plot_unavailable(input, "all reads were before the run began or after its end");
    plot->seconds = sum.run_s;
    plot->most = plot->sum->most;
    say(input, &sources, servers, &sum);
    return plot;
}
