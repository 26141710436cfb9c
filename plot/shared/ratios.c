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

/* Bytes that compression saved, of the baskets with recorded keys. */
static double saved_bytes(const struct cup_basket_sums *sums)
{
    uint64_t seen = sums->compressed - sums->unseen_compressed;
    return sums->uncompressed > seen ? (double)(sums->uncompressed - seen) : 0;
}

static void add_row(struct cup_ratios *plot, struct cup_text name,
                    const struct cup_basket_sums *sums)
{
    struct cup_ratio *row = &plot->rows[plot->count];
    *row = (struct cup_ratio){ratio_of(sums), saved_bytes(sums), (double)sums->compressed,
                              sums->algorithms};
    plot->names[plot->count++] = name;
}

/* ---- branches ----------------------------------------------------------------------------- */

static int by_saved(const struct cup_basket_sums *one, const struct cup_basket_sums *two)
{
    double a = saved_bytes(one), b = saved_bytes(two);
    return a != b ? (a > b ? -1 : 1)
                  : (one->compressed < two->compressed) - (one->compressed > two->compressed);
}

static int compare_branches(const void *a, const void *b)
{
    const struct cup_branch_row *const *one = a, *const *two = b;
    int order = by_saved(&(*one)->sums, &(*two)->sums);
    return order ? order : (*one > *two) - (*one < *two);
}

/* Adds the branches. Returns 0, or -1 without memory; *known: how many have a known ratio. */
static int add_branches(struct cup_ratios *plot, struct cup_plot_input *input, size_t *known)
{
    const struct cup_branches *branches = input->totals->branches;
    const struct cup_branch_row **rows =
        cup_arena_take(input->arena, branches->count + 1, sizeof *rows);
    if (!rows)
        return -1;
    for (size_t i = 0; i < branches->count; i++)
        if (!isnan(ratio_of(&branches->rows[i].sums)))
            rows[(*known)++] = &branches->rows[i];
    qsort(rows, *known, sizeof *rows, compare_branches);
    for (size_t i = 0; i < *known && plot->count < CUP_ROWS_MOST; i++) {
        struct cup_text name = cup_profile_text(input->totals->profile, rows[i]->name);
        add_row(plot, name.length ? name : (struct cup_text){"pages of RNTuples", 17},
                &rows[i]->sums);
    }
    return 0;
}

const void *cup_data_compression_ratio(struct cup_plot_input *input)
{
    struct cup_ratios *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t known = 0;
    if (!plot || add_branches(plot, input, &known) != 0)
        return NULL;
    if (known == 0)
        return cup_plot_unavailable(input, "the uncompressed size is not recorded for any basket");
    plot->what = "branches";
    plot->all = ratio_of(&input->totals->branches->all);
    cup_plot_set_caption(
        input,
        "Baskets that were read, keys included, by branch over all files. %s%s branches, those "
        "that compression makes smaller by the most bytes first. At the bars: ratio, and "
        "compressed bytes with repeated reads. All branches together: %.2f (cupping).",
        known > plot->count ? "The largest of " : "",
        CUP_SHOW_VALUE(cup_count(known), CUP_UNIT_COUNT), plot->all);
    return plot;
}

/* ---- files -------------------------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
    const struct cup_root_file *const *one = a, *const *two = b;
    int order = by_saved(&(*one)->sums, &(*two)->sums);
    return order ? order : (*one > *two) - (*one < *two);
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
    qsort(files, *known, sizeof *files, compare_files);
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
    char files[64], others[64], bar[CUP_BAR_TEXT], whole[CUP_BAR_TEXT];
    if (plot->bins.count && cup_bins_one_bar(bar, &plot->bins, CUP_AXIS_NUMBER))
        return cup_plot_unavailable(input, "%s are compressed by a factor of %s",
                                    cup_all_text(whole, known, "file"), bar);
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

static double most_saved(const struct cup_ratios *plot, size_t rows)
{
    struct cup_range range = {1, 1};
    for (size_t i = 0; i < rows; i++)
        cup_range_add(&range, plot->rows[i].saved);
    return range.high;
}

static void draw_rows(struct cup_figure *figure, const struct cup_ratios *plot)
{
    size_t rows = cup_rows_that_fit(figure, plot->count);
    figure->x = (struct cup_axis){.name = "bytes saved by compression",
                                  .unit = CUP_AXIS_BYTES,
                                  .amounts = true,
                                  .high = 1.2 * most_saved(plot, rows)};
    cup_figure_set_rows(figure, plot->what, plot->names, rows, plot->count);
    add_algorithm_keys(figure, plot, rows);
    cup_figure_open(figure);
    for (size_t i = 0; i < rows; i++) {
        char text[2 * CUP_HUMAN_READABLE_ROOM];
        const struct cup_ratio *row = &plot->rows[i];
        cup_mark_bar(figure, i, 0, 1, 0, row->saved,
                     figure->theme->paints[algorithm_of(row->algorithms)->paint]);
        snprintf(text, sizeof text, "%s, %s", CUP_SHOW(row->ratio, CUP_UNIT_RATIO),
                 CUP_SHOW(row->bytes, CUP_UNIT_BYTES));
        cup_mark_bar_text(figure, i, 0, row->saved, text);
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
