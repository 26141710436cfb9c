#include "plot/shared/ratios.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/units.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"

/* Uncompressed divided by compressed bytes, of the baskets with recorded keys; NAN: there is none.
 */
static double ratio_of(const struct cup_basket_sums *sums)
{
    uint64_t seen = sums->compressed - sums->unseen_compressed;
    return sums->compressed > sums->unseen_compressed ? (double)sums->uncompressed / (double)seen
                                                      : NAN;
}

void cup_paths_shorten(struct cup_text *paths, size_t count)
{
    size_t common = count > 1 ? paths[0].length : 0;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < common && same < paths[i].length &&
               paths[i].bytes[same] == paths[0].bytes[same])
            same++;
        common = same;
    }
    if (count == 1)
        common = paths[0].length;
    while (common > 0 && paths[0].bytes[common - 1] != '/')
        common--;
    for (size_t i = 0; i < count && common; i++) {
        paths[i].bytes += common;
        paths[i].length -= common;
    }
}

static void add_row(struct cup_ratios *plot, struct cup_text name,
                    const struct cup_basket_sums *sums)
{
    struct cup_ratio *row = &plot->rows[plot->count];
    *row = (struct cup_ratio){ratio_of(sums), (double)sums->compressed, sums->algorithms};
    plot->names[plot->count++] = name;
}

/* ---- branches ----------------------------------------------------------------------------- */

/* Adds the branches, the ones with the most compressed bytes first. Returns how many have a known
 * ratio. */
static size_t add_branches(struct cup_ratios *plot, const struct cup_totals *totals)
{
    const struct cup_branches *branches = totals->branches;
    size_t known = 0;
    for (size_t i = 0; i < branches->count; i++) {
        const struct cup_branch_row *row = &branches->rows[i];
        struct cup_text name = cup_profile_text(totals->profile, row->name);
        if (isnan(ratio_of(&row->sums)))
            continue;
        known++;
        if (plot->count < CUP_ROWS_MOST)
            add_row(plot, name.length ? name : (struct cup_text){"pages of RNTuples", 17},
                    &row->sums);
    }
    return known;
}

const void *cup_data_compression_ratio(struct cup_plot_input *input)
{
    struct cup_ratios *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    if (!plot)
        return NULL;
    size_t known = add_branches(plot, input->totals);
    if (known == 0)
        return cup_plot_unavailable(input, "the uncompressed size is not recorded for any basket");
    plot->what = "branches";
    plot->all = ratio_of(&input->totals->branches->all);
    cup_plot_set_caption(
        input,
        "Baskets that were read, keys included, by branch over all files. %s%s branches, those "
        "with the most compressed bytes first. At the bars: ratio, and compressed bytes with "
        "repeated reads. All branches together: %.2f (cupping).",
        known > plot->count ? "The largest of " : "",
        CUP_SHOW_VALUE(cup_count(known), CUP_UNIT_COUNT), plot->all);
    return plot;
}

/* ---- files -------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    const struct cup_root_file *const *one = a, *const *two = b;
    if ((*one)->sums.compressed != (*two)->sums.compressed)
        return (*one)->sums.compressed > (*two)->sums.compressed ? -1 : 1;
    return *one < *two ? -1 : *one > *two;
}

static int add_files(struct cup_ratios *plot, struct cup_plot_input *input, size_t *known,
                     size_t *unknown)
{
    const struct cup_profile *profile = input->totals->profile;
    size_t count = profile->root_file_count;
    const struct cup_root_file **files = cup_arena_take(input->arena, count + 1, sizeof *files);
    double *ratios = cup_arena_take(input->arena, count + 1, sizeof *ratios);
    if (!files || !ratios)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (!isnan(ratio_of(&profile->root_files[i].sums)))
            files[(*known)++] = &profile->root_files[i];
        else
            *unknown += profile->root_files[i].sums.baskets > 0;
    qsort(files, *known, sizeof *files, by_bytes);
    for (size_t i = 0; i < *known; i++) {
        ratios[i] = ratio_of(&files[i]->sums);
        if (plot->count < CUP_ROWS_MOST)
            add_row(plot, cup_profile_text(profile, files[i]->path), &files[i]->sums);
    }
    cup_paths_shorten(plot->names, plot->count);
    return *known > CUP_ROWS_MOST
               ? cup_bins_make(&plot->bins, input->arena, CUP_BINS_RATIO, ratios, *known, 40)
               : 0;
}

const void *cup_data_compression_ratio_files(struct cup_plot_input *input)
{
    struct cup_ratios *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t known = 0, unknown = 0;
    if (!plot || add_files(plot, input, &known, &unknown) != 0)
        return NULL;
    if (known == 0)
        return cup_plot_unavailable(input, "the uncompressed size is not recorded for any basket");
    char files[64], others[64];
    plot->what = "files";
    plot->all = ratio_of(&input->totals->branches->all);
    cup_plot_set_caption(
        input,
        "Baskets that were read, keys included, of %s.%s All files together: %.2f%s%s%s (cupping).",
        cup_count_text(files, known, "file"),
        plot->bins.count ? "" : " At the bars: ratio, and compressed bytes with repeated reads.",
        plot->all, unknown ? ". Left out: " : "",
        unknown ? cup_count_text(others, unknown, "file") : "",
        unknown ? ", whose uncompressed sizes were not recorded" : "");
    return plot;
}

/* ---- algorithms --------------------------------------------------------------------------- */

static const struct algorithm {
    uint32_t set;
    const char *name;
    enum cup_paint paint;
} algorithms[] = {
    {CUP_ALGORITHM_ZLIB, "ZLIB", CUP_PAINT_BLUE},
    {CUP_ALGORITHM_ZSTD, "ZSTD", CUP_PAINT_GREEN},
    {CUP_ALGORITHM_LZ4, "LZ4", CUP_PAINT_SKY},
    {CUP_ALGORITHM_LZMA, "LZMA", CUP_PAINT_RED},
    {CUP_ALGORITHM_OLD, "old ROOT", CUP_PAINT_PINK},
    {CUP_ALGORITHM_NONE, "not compressed", CUP_PAINT_GREY},
    {CUP_ALGORITHM_UNKNOWN, "not known", CUP_PAINT_YELLOW},
    {0, "several", CUP_PAINT_ORANGE},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* ROOT stores a basket uncompressed if compression would not make it smaller. So a branch with ZLIB
 * and uncompressed baskets counts as ZLIB, not as "several". */
static const struct algorithm *algorithm_of(uint32_t set)
{
    uint32_t alone = set & ~(uint32_t)CUP_ALGORITHM_NONE;
    for (int i = 0; i < ALGORITHMS - 1; i++)
        if (algorithms[i].set == (alone ? alone : set))
            return &algorithms[i];
    return set ? &algorithms[ALGORITHMS - 1] : &algorithms[ALGORITHMS - 2];
}

static void add_algorithm_keys(struct cup_figure *figure, const struct cup_ratios *plot,
                               size_t rows)
{
    for (int i = 0; i < ALGORITHMS; i++)
        for (size_t row = 0; row < rows; row++)
            if (algorithm_of(plot->rows[row].algorithms) == &algorithms[i]) {
                cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[algorithms[i].paint],
                                   "%s", algorithms[i].name);
                break;
            }
}

/* ---- rows --------------------------------------------------------------------------------- */

/* If the largest ratio is above this, the axis is logarithmic: on a linear axis, the bars of usual
 * ratios would be too short to compare. */
#define LINEAR_MOST 20.0

static struct cup_range range_of(const struct cup_ratios *plot, size_t rows)
{
    struct cup_range range = {1, 1};
    for (size_t i = 0; i < rows; i++)
        cup_range_add(&range, plot->rows[i].ratio);
    return range;
}

/* On a log axis, bars begin at the ratio 1, which means not compressed. */
static struct cup_axis make_ratio_axis(const struct cup_range *range)
{
    bool log = range->high > LINEAR_MOST;
    return (struct cup_axis){.name = "compression ratio",
                             .unit = CUP_AXIS_NUMBER,
                             .log = log,
                             .low = log ? fmax(range->low, 0.1) : 0,
                             .high = range->high * 1.05};
}

static void draw_rows(struct cup_figure *figure, const struct cup_ratios *plot)
{
    size_t rows = cup_rows_that_fit(figure, plot->count);
    const struct cup_range range = range_of(plot, rows);
    figure->x = make_ratio_axis(&range);
    cup_figure_set_rows(figure, plot->what, plot->names, rows, plot->count);
    add_algorithm_keys(figure, plot, rows);
    cup_figure_open(figure);
    for (size_t i = 0; i < rows; i++) {
        char text[2 * CUP_HUMAN_READABLE_ROOM];
        const struct cup_ratio *row = &plot->rows[i];
        double from = figure->x.log ? 1 : 0;
        cup_mark_bar(figure, i, 0, 1, fmin(from, row->ratio), fmax(from, row->ratio),
                     figure->theme->paints[algorithm_of(row->algorithms)->paint]);
        snprintf(text, sizeof text, "%s, %s", CUP_SHOW(row->ratio, CUP_UNIT_RATIO),
                 CUP_SHOW(row->bytes, CUP_UNIT_BYTES));
        cup_mark_bar_text(figure, i, fmin(from, row->ratio), fmax(from, row->ratio), text);
    }
    cup_figure_close(figure);
}

static void draw_distribution(struct cup_figure *figure, const struct cup_ratios *plot)
{
    const struct cup_bins *bins = &plot->bins;
    figure->x = (struct cup_axis){.name = "compression ratio",
                                  .unit = CUP_AXIS_NUMBER,
                                  .exact = true,
                                  .low = bins->edges[0],
                                  .high = bins->edges[bins->count]};
    figure->y = cup_axis_up_to(plot->what, CUP_AXIS_COUNT, bins->most);
    cup_figure_add_key(figure, CUP_KEY_DASHES, figure->theme->ink, "all together %.2f", plot->all);
    cup_figure_open(figure);
    cup_bins_draw(figure, bins, &bins->counts, 1);
    cup_mark_upright(figure, plot->all, figure->theme->ink);
    cup_figure_close(figure);
}

void cup_chart_compression_ratio(struct cup_figure *figure, const void *data)
{
    draw_rows(figure, data);
}

void cup_chart_compression_ratio_files(struct cup_figure *figure, const void *data)
{
    const struct cup_ratios *plot = data;
    if (plot->bins.count)
        draw_distribution(figure, plot);
    else
        draw_rows(figure, plot);
}
