#include <stdlib.h>

#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

static const struct cup_bar_kind kinds[] = {
    {"slow", CUP_PAINT_RED},
    {"fast", CUP_PAINT_GREEN},
    {"like the others", CUP_PAINT_BLUE},
    {"not compared", CUP_PAINT_GREY},
};

/* The kind of each verdict; the others are not compared. */
static const size_t kind_of[] = {
    [CUP_HOST_NO_MODEL] = 3, [CUP_HOST_FEW_CHUNKS] = 3, [CUP_HOST_FEW_HOSTS] = 3,
    [CUP_HOST_ORDINARY] = 2, [CUP_HOST_SLOW] = 0,       [CUP_HOST_FAST] = 1};

static int slowest_first(const void *a, const void *b)
{
    const struct cup_host *one = *(const struct cup_host *const *)a;
    const struct cup_host *two = *(const struct cup_host *const *)b;
    double left = cup_host_rate(one), right = cup_host_rate(two);
    if (left != right)
        return left < right ? -1 : 1;
    return one->name < two->name ? -1 : one->name > two->name;
}

static void add_host(struct cup_rows *plot, const struct cup_hosts *hosts,
                     const struct cup_host *host)
{
    double rate = cup_host_rate(host);
    char per_s[24], chunks[64];
    struct cup_row *row = cup_rows_add(plot, cup_intern_text(&hosts->names, host->name),
                                       kind_of[host->verdict], rate);
    if (row)
        snprintf(row->text, sizeof row->text, "%s, %s", cup_tick_text(per_s, rate, CUP_AXIS_HERTZ),
                 cup_count_text(chunks, host->timed_chunks, "chunk"));
}

/* Hosts are compared with hosts of the same processor. With several kinds of processors there is no
 * common median to draw. */
static void mark_median(struct cup_rows *plot, const struct cup_hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->rows[i].verdict >= CUP_HOST_ORDINARY && hosts->model_count == 1) {
            plot->mark = hosts->rows[i].median;
            plot->mark_name = "median";
        }
}

static size_t sort_hosts(const struct cup_host **sorted, const struct cup_hosts *hosts)
{
    size_t count = 0;
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->rows[i].timed_chunks && cup_host_rate(&hosts->rows[i]) > 0)
            sorted[count++] = &hosts->rows[i];
    qsort(sorted, count, sizeof *sorted, slowest_first);
    return count;
}

const void *cup_data_hosts(struct cup_plot_input *input)
{
    const struct cup_hosts *hosts = input->totals->hosts;
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds,
                                          "hosts", "events per second and core", CUP_AXIS_HERTZ);
    const struct cup_host **sorted = cup_arena_take(input->arena, hosts->count + 1, sizeof *sorted);
    if (!plot || !sorted)
        return NULL;
    size_t count = sort_hosts(sorted, hosts);
    if (count == 0)
        return cup_plot_unavailable(input,
                                    "no host has a chunk with known events and a known time");
    if (hosts->count == 1)
        return cup_plot_unavailable(
            input, "all workers were on one host: there is no other to compare it with");
    for (size_t i = 0; i < count; i++)
        add_host(plot, hosts, sorted[i]);
    mark_median(plot, hosts);
    char counted[64];
    cup_plot_set_caption(
        input,
        "Events divided by the summed time of the chunks: %s%s. Slow or fast: more than %.1f "
        "robust deviations and %.0f %% from the median of the hosts with the same CPU. Compared "
        "are "
        "hosts with the same CPU if at least %d of them have %d chunks or more (cupping).",
        count > plot->count ? "the slowest of " : "", cup_count_text(counted, count, "host"),
        CUP_HOST_OUTLIER_DEVIATIONS, 100 * CUP_HOST_OUTLIER_SHARE, CUP_HOSTS_COMPARED,
        CUP_HOST_CHUNKS);
    return plot;
}
