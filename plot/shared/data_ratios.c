#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/shared/plot.h"
#include "plot/shared/ratios.h"

double cup_ratio_of(const struct cup_basket_sums *sums)
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
    *row = (struct cup_ratio){name, cup_ratio_of(sums), (double)sums->compressed, sums->algorithms};
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
        if (isnan(cup_ratio_of(&row->sums)))
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
    char number[CUP_HUMAN_READABLE_ROOM];
    plot->what = "branches";
    plot->all = cup_ratio_of(&input->totals->branches->all);
    cup_plot_set_caption(
        input,
        "Baskets that were read, keys included, by branch over all files. %s%s branches, those "
        "with the most compressed bytes first. At the bars: ratio, and compressed bytes with "
        "repeated reads. All branches together: %.2f (cupping).",
        known > plot->count ? "The largest of " : "",
        cup_print_human_readable(number, cup_count(known), CUP_UNIT_COUNT), plot->all);
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
        if (!isnan(cup_ratio_of(&profile->root_files[i].sums)))
            files[(*known)++] = &profile->root_files[i];
        else
            *unknown += profile->root_files[i].sums.baskets > 0;
    qsort(files, *known, sizeof *files, by_bytes);
    for (size_t i = 0; i < *known; i++) {
        ratios[i] = cup_ratio_of(&files[i]->sums);
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
    plot->all = cup_ratio_of(&input->totals->branches->all);
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
