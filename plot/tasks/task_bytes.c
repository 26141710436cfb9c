#include <math.h>
#include <stdlib.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/shared/time_bins.h"
#include "plot/tasks/task_plots.h"

enum { BINS = 60 };

struct ranked {
    uint64_t bytes;
    uint32_t prefix;
};

/* Only ended tasks: others may have read more than what is recorded. */
static bool is_wanted(const struct cup_profile *profile, size_t task)
{
    return profile->tasks[task].status != 0 && cup_delivered(profile, (uint32_t)task) > 0;
}

static int by_bytes(const void *a, const void *b)
{
    const struct ranked *one = a, *two = b;
    if (one->bytes != two->bytes)
        return one->bytes > two->bytes ? -1 : 1;
    return one->prefix < two->prefix ? -1 : one->prefix > two->prefix;
}

/* Sorts the prefixes by bytes, the most first. Returns how many have any. */
static size_t rank_prefixes(struct ranked *ranked, const struct cup_profile *profile)
{
    size_t count = 0;
    for (uint32_t i = 0; i < profile->prefix_count; i++)
        ranked[i].prefix = i;
    for (size_t i = 0; i < profile->task_count; i++)
        if (is_wanted(profile, i))
            ranked[cup_task_prefix(profile, &profile->tasks[i])].bytes +=
                cup_delivered(profile, (uint32_t)i);
    qsort(ranked, profile->prefix_count, sizeof *ranked, by_bytes);
    while (count < profile->prefix_count && ranked[count].bytes)
        count++;
    return count;
}

/* Returns the group of each prefix; NULL without memory. */
static uint8_t *make_groups(struct cup_task_bytes *plot, struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct ranked *ranked = cup_arena_take(input->arena, profile->prefix_count, sizeof *ranked);
    uint8_t *groups = cup_arena_take(input->arena, profile->prefix_count + 1, 1);
    if (!ranked || !groups)
        return NULL;
    size_t count = rank_prefixes(ranked, profile);
    bool all = count <= CUP_TASK_BYTES_GROUPS;
    plot->group_count = all ? count : CUP_TASK_BYTES_GROUPS;
    for (size_t i = 0; i < count; i++) {
        size_t group = i < plot->group_count ? i : plot->group_count - 1;
        bool others = !all && group + 1 == plot->group_count;
        plot->names[group] =
            others ? (struct cup_text){"other tasks", 11}
                   : cup_profile_text(profile, profile->prefixes[ranked[i].prefix].name);
        groups[ranked[i].prefix] = (uint8_t)group;
    }
    return groups;
}

static int count_tasks(struct cup_task_bytes *plot, struct cup_plot_input *input,
                       const uint8_t *groups)
{
    const struct cup_profile *profile = input->totals->profile;
    for (size_t i = 0; i < plot->group_count; i++) {
        plot->counts[i] = cup_arena_take(input->arena, plot->bins.count, sizeof(double));
        if (!plot->counts[i])
            return -1;
    }
    for (size_t i = 0; i < profile->task_count; i++)
        if (is_wanted(profile, i)) {
            size_t bin = cup_bin_of(&plot->bins, (double)cup_delivered(profile, (uint32_t)i));
            uint32_t prefix = cup_task_prefix(profile, &profile->tasks[i]);
            plot->counts[groups[prefix]][bin]++;
        }
    return 0;
}

/* The axis is logarithmic only if the largest value is more than this many times the smallest: over
 * a narrower range, a log axis has too few numbers at its ticks. */
#define LOG_FACTOR 20

static enum cup_bins_kind choose_kind(const double *bytes, size_t count)
{
    double least = bytes[0], most = bytes[0];
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, bytes[i]);
        most = fmax(most, bytes[i]);
    }
    return most > LOG_FACTOR * least ? CUP_BINS_LOG : CUP_BINS_EVEN;
}

const void *cup_data_task_bytes(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_task_bytes *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    double *bytes = cup_arena_take(input->arena, profile->task_count, sizeof *bytes);
    const uint8_t *groups = plot && bytes ? make_groups(plot, input) : NULL;
    size_t count = 0, ended = 0;
    if (!groups)
        return NULL;
    for (size_t i = 0; i < profile->task_count; i++) {
        ended += profile->tasks[i].status != 0;
        if (is_wanted(profile, i))
            bytes[count++] = (double)cup_delivered(profile, (uint32_t)i);
    }
    if (count == 0)
        return cup_plot_unavailable(input, "no ended task read from a data file or a socket");
    if (cup_bins_make(&plot->bins, input->arena, choose_kind(bytes, count), bytes, count, BINS) !=
            0 ||
        count_tasks(plot, input, groups) != 0)
        return NULL;
    plot->median = cup_quantile(bytes, count, 0.5);
    char tasks[64], others[64], bar[CUP_BAR_TEXT], all[CUP_BAR_TEXT];
    if (cup_bins_one_bar(bar, &plot->bins, CUP_AXIS_BYTES))
        return cup_plot_unavailable(input, "%s that read from files or sockets read %s",
                                    cup_all_text(all, count, "task"), bar);
    cup_plot_set_caption(
        input,
        "%s that read from data files or sockets%s, helper threads "
        "and failed tasks included%s (cupping).",
        cup_count_text(tasks, count, "task"),
        cup_profile_is_without_dask(input->totals->profile) ? "" : " (not Dask's own)",
        count < ended
            ? CUP_FORMAT("; %s read nothing", cup_count_text(others, ended - count, "other one"))
            : "");
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void cup_chart_task_bytes(struct cup_figure *figure, const void *data)
{
    const struct cup_task_bytes *plot = data;
    const struct cup_bins *bins = &plot->bins;
    figure->x = (struct cup_axis){.name = "bytes read by a task",
                                  .unit = CUP_AXIS_BYTES,
                                  .log = bins->kind == CUP_BINS_LOG,
                                  .low = bins->edges[0],
                                  .high = bins->edges[bins->count]};
    figure->y = cup_axis_up_to("tasks", CUP_AXIS_COUNT, bins->most);
    for (size_t i = 0; i < plot->group_count; i++)
        cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_paint(figure->theme, (unsigned)i), "%.*s",
                           (int)plot->names[i].length, plot->names[i].bytes);
    cup_figure_add_key(figure, CUP_KEY_DASHES, figure->theme->ink, "median");
    cup_figure_open(figure);
    cup_bins_draw(figure, bins, plot->counts, plot->group_count);
    cup_mark_upright(figure, plot->median, figure->theme->ink);
    cup_figure_close(figure);
}
